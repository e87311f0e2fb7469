"""LPAdaBoost, LPBoost and LPUBoost: AdaBoost's members with the weights of A1, A2 and A3."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import (
    AdaBoostM2Classifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
    margin_matrix,
)
from tests.lexiprog_boost.family import written_out

STUMP = DecisionTreeClassifier(max_depth=1)


@pytest.fixture(scope="module")
def imbalanced():
    return make_classification(
        200, 6, n_informative=4, weights=[0.85], flip_y=0.05, class_sep=0.8, random_state=3
    )


@pytest.fixture(scope="module")
def votes(imbalanced):
    X, y = imbalanced
    members = AdaBoostM2Classifier(STUMP, 6, random_state=0).fit(X, y).estimators_
    return margin_matrix(members, X, y)


def fit(model, data):
    return model.set_params(estimator=STUMP, n_estimators=6, random_state=0).fit(*data)


def test_the_members_are_those_of_adaboost_m2(imbalanced, votes):
    model = fit(LPAdaBoostClassifier(), imbalanced)
    assert np.array_equal(margin_matrix(model.estimators_, *imbalanced), votes)


def test_lpadaboost_has_the_largest_smallest_margin(imbalanced, votes):
    model = fit(LPAdaBoostClassifier(), imbalanced)
    best = written_out.primal(votes, None)[0]
    assert model.margin_ == pytest.approx(best, abs=1e-9)
    assert (votes @ model.estimator_weights_).min() == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_lpboost_has_the_largest_soft_margin(imbalanced, votes, nu):
    model = fit(LPBoostClassifier(nu=nu), imbalanced)
    upper = 1 / (nu * len(votes))
    best = written_out.primal(votes, upper)[0]
    rho = votes @ model.estimator_weights_
    value = model.margin_ - upper * np.maximum(model.margin_ - rho, 0).sum()
    assert value == pytest.approx(best, abs=1e-7)


def test_nu_of_one_makes_the_average_margin_largest(imbalanced, votes):
    model = fit(LPBoostClassifier(nu=1.0), imbalanced)
    average = (votes @ model.estimator_weights_).mean()
    assert average == pytest.approx(votes.mean(axis=0).max(), abs=1e-7)


def test_the_papers_cap_of_one_over_nu_never_acts(imbalanced):
    hard = fit(LPAdaBoostClassifier(), imbalanced)
    literal = fit(LPBoostClassifier(cap=1 / 0.1), imbalanced)
    assert literal.estimator_weights_ == pytest.approx(hard.estimator_weights_, abs=1e-6)


def test_beta_of_one_leaves_lpboost(imbalanced):
    even = fit(LPBoostClassifier(nu=0.3), imbalanced)
    uneven = fit(LPUBoostClassifier(nu=0.3, beta=1), imbalanced)
    assert uneven.estimator_weights_ == pytest.approx(even.estimator_weights_, abs=1e-9)


def test_beta_helps_the_rare_class(imbalanced):
    X, y = imbalanced
    models = [fit(LPUBoostClassifier(nu=0.4, beta=beta), imbalanced) for beta in (1, 8)]
    losses = []
    for model in models:
        rho = margin_matrix(model.estimators_, X, y) @ model.estimator_weights_
        losses.append(np.maximum(model.margin_ - rho, 0)[y == 1].mean())
    assert losses[1] < losses[0]


def test_class_costs_replace_beta_and_serve_many_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    costs = {"setosa": 1, "versicolor": 2, "virginica": 4}
    named = fit(LPUBoostClassifier(class_costs=costs), (X, names))
    listed = fit(LPUBoostClassifier(class_costs=[1, 2, 4]), (X, names))
    assert np.array_equal(named.estimator_weights_, listed.estimator_weights_)
    margins = margin_matrix(named.estimators_, X, names)
    upper = np.array([1, 2, 4])[y] / (0.1 * len(y))
    rho, r = margins @ named.estimator_weights_, named.margin_
    value = r - upper @ np.maximum(r - rho, 0)
    assert value == pytest.approx(written_out.primal(margins, upper)[0], abs=1e-7)


def test_probabilities_can_speak_for_members(imbalanced):
    X, _ = imbalanced
    model = fit(LPBoostClassifier(margin="proba"), imbalanced)
    shares = sum(
        weight * member.predict_proba(X)
        for member, weight in zip(model.estimators_, model.estimator_weights_, strict=True)
    )
    assert model.predict_proba(X) == pytest.approx(shares, abs=1e-8)


def test_scikit_learns_adaboost_can_be_the_pool(imbalanced):
    model = fit(LPBoostClassifier(pool="adaboost"), imbalanced)
    assert model.score(*imbalanced) > 0.8


def test_a_solver_can_be_chosen_for_each_stage(imbalanced):
    choice = {"margin": "CLARABEL", "edge": "CLARABEL", "weights": "CLARABEL"}
    chosen = fit(LPBoostClassifier(solver=choice), imbalanced)
    assert chosen.result_["margin"].solver == "CLARABEL"
    default = fit(LPBoostClassifier(), imbalanced)
    assert chosen.estimator_weights_ == pytest.approx(default.estimator_weights_, abs=1e-5)
    dual = DualLPBoostClassifier(STUMP, 2, solver=choice).fit(*imbalanced)
    assert dual.result_["edge"].solver == "CLARABEL"


BAD = {
    "nu is 1.5; it must lie above 0 and at most at 1": LPBoostClassifier(nu=1.5),
    "nu is 0; it must": DualLPBoostClassifier(nu=0),
    "at least 0.005": LPBoostClassifier(cap=0.001),
    "must lie between 0 and 0.0": DualLPUBoostClassifier(lower_bound=0.5),
    "beta is -1": LPUBoostClassifier(beta=-1),
    "target 7 is no class": LPUBoostClassifier(target=7),
    "no cost for class 1": LPUBoostClassifier(class_costs={0: 1}),
    "unknown pool 'bag'": LPAdaBoostClassifier(pool="bag"),
    "unknown margin 'signed'": LPAdaBoostClassifier(margin="signed"),
    "unknown tie_break 'none'": LPAdaBoostClassifier(tie_break="none"),
    "no stage or subproblem": LPAdaBoostClassifier(solver={"balance": "HIGHS"}),
    "n_estimators is 0": DualLPBoostClassifier(n_estimators=0),
}


@pytest.mark.parametrize("message", BAD)
def test_settings_that_cannot_work_are_refused_in_a_sentence(message, imbalanced):
    with pytest.raises(ValueError, match=message):
        BAD[message].fit(*imbalanced)
