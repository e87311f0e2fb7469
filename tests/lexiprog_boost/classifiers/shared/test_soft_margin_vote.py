"""LPAdaBoost, LPBoost, LPUBoost and their duals: members, margins, solvers, refusals."""

import numpy as np
import pytest

from lexiprog_boost import (
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
    margin_matrix,
)
from lexiprog_boost.pools import adaboost_pool
from tests.lexiprog_boost.classifiers.boosted_stumps import IMBALANCED, STUMP, fit, votes
from tests.lexiprog_boost.written_out import soft_margins as written_out


def test_the_members_are_those_of_adaboost_m2():
    model = fit(LPAdaBoostClassifier())
    assert np.array_equal(margin_matrix(model.estimators_, *IMBALANCED), votes())


def test_the_papers_cap_of_one_over_nu_never_acts():
    hard = fit(LPAdaBoostClassifier())
    literal = fit(LPBoostClassifier(cap=1 / 0.1))
    assert literal.estimator_weights_ == pytest.approx(hard.estimator_weights_, abs=1e-6)


def test_beta_of_one_leaves_lpboost():
    even = fit(LPBoostClassifier(nu=0.3))
    uneven = fit(LPUBoostClassifier(nu=0.3, beta=1))
    assert uneven.estimator_weights_ == pytest.approx(even.estimator_weights_, abs=1e-9)


def test_probabilities_can_speak_for_members():
    X, _ = IMBALANCED
    model = fit(LPBoostClassifier(margin="proba"))
    shares = sum(
        weight * member.predict_proba(X)
        for member, weight in zip(model.estimators_, model.estimator_weights_, strict=True)
    )
    assert model.predict_proba(X) == pytest.approx(shares, abs=1e-8)


def test_scikit_learns_adaboost_can_be_the_pool():
    model = fit(LPBoostClassifier(pool="adaboost"))
    pool = adaboost_pool(STUMP, *IMBALANCED, n_estimators=6, random_state=0)
    margins = margin_matrix(pool.estimators, *IMBALANCED)
    assert np.array_equal(margin_matrix(model.estimators_, *IMBALANCED), margins)
    best = written_out.primal(margins, 1 / (0.1 * len(margins)))[0]
    assert -model.result_["margin"].value == pytest.approx(best, abs=1e-9)


def test_a_solver_can_be_chosen_for_each_stage():
    choice = {"margin": "CLARABEL", "edge": "CLARABEL", "weights": "CLARABEL"}
    chosen = fit(LPBoostClassifier(solver=choice))
    assert chosen.result_["margin"].solver == "CLARABEL"
    default = fit(LPBoostClassifier())
    assert chosen.estimator_weights_ == pytest.approx(default.estimator_weights_, abs=1e-5)
    dual = DualLPBoostClassifier(STUMP, 2, solver=choice).fit(*IMBALANCED)
    assert dual.result_["edge"].solver == "CLARABEL"


BAD = {
    "nu is 1.5; it must lie above 0 and at most at 1": LPBoostClassifier(nu=1.5),
    "nu is 0; it must": DualLPBoostClassifier(nu=0),
    "at least 0.005": LPBoostClassifier(cap=0.001),
    "must lie between 0 and 0.0": DualLPUBoostClassifier(lower_bound=0.5),
    "beta is -1": LPUBoostClassifier(beta=-1),
    "target 7 is no class": LPUBoostClassifier(target=7),
    "unknown pool 'bag'": LPAdaBoostClassifier(pool="bag"),
    "unknown margin 'signed'": LPAdaBoostClassifier(margin="signed"),
    "unknown tie_break 'none'": LPAdaBoostClassifier(tie_break="none"),
    "no stage or subproblem": LPAdaBoostClassifier(solver={"balance": "HIGHS"}),
    "n_estimators is 0": DualLPBoostClassifier(n_estimators=0),
}


@pytest.mark.parametrize("message", BAD)
def test_settings_that_cannot_work_are_refused_in_a_sentence(message):
    with pytest.raises(ValueError, match=message):
        BAD[message].fit(*IMBALANCED)
