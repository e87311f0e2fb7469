"""Floors of the ensemble, recalls it reports, and margins of whatever it is given."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost import (
    AdaMECClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
    LPBoostClassifier,
)
from lexiprog_boost.checks.values import check_class_costs
from lexiprog_boost.margins.unseen_outputs import cross_fitted_members
from lexiprog_boost.members.ensembles import ensemble_members

LIST = [("bayes", GaussianNB()), ("linear", LogisticRegression())]


def draw(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.choice(["A", "B", "C"], n, p=[0.1, 0.3, 0.6])
    X = rng.normal(size=(n, 2)) + 1.5 * np.column_stack([y == "A", y == "B"])
    return X, y


@pytest.fixture(scope="module")
def fitted():
    return LexiEnsembleClassifier(LIST, at_least={"A": 0.85}, random_state=0).fit(*draw(0, 2000))


def test_a_floor_is_kept_on_new_points_and_said_to_be_estimated(fitted):
    X, y = draw(1, 20_000)
    floor = fitted.floors_[0]
    assert (floor.wanted, floor.status) == ("recall of A >= 0.85", "estimated")
    assert floor.bound >= 0.85
    recalls = recall_score(y, fitted.predict(X), average=None)
    assert recalls[0] >= 0.85
    plain = LexiEnsembleClassifier(LIST, random_state=0).fit(*draw(0, 2000))
    assert recall_score(y, plain.predict(X), average=None)[0] < 0.85
    assert plain.floors_ == ()
    decided = fitted.classes_[fitted.decision_function(X).argmax(axis=1)]
    assert np.array_equal(decided, fitted.predict(X))


def test_reported_recalls_are_those_of_new_points(fitted):
    X, y = draw(1, 20_000)
    recalls = recall_score(y, fitted.predict(X), average=None)
    np.testing.assert_allclose(list(fitted.class_recalls_.values()), recalls, atol=0.06)
    text = fitted.report()
    assert "recall of A >= 0.85" in text
    assert f"{fitted.class_recalls_['A']:.4f}" in text
    assert f"{fitted.class_recalls_['A']:.4f}" in text.html


def test_bagged_members_are_judged_without_what_they_saw():
    X, y = draw(0, 600)
    rng = np.random.default_rng(0)
    chance = rng.permutation(y)  # nothing to learn
    forest = ExtraTreesClassifier(30, bootstrap=True)
    model = LexiEnsembleClassifier(forest, random_state=0).fit(X, chance)
    assert model.margins_from_ == "oob"
    assert np.mean(list(model.class_recalls_.values())) == pytest.approx(1 / 3, abs=0.07)


def test_too_few_cases_are_warned_of_and_no_unseen_points_refused():
    X, y = draw(0, 150)
    with pytest.warns(lx.LexiprogWarning, match="0.95 needs at least 59, all right"):
        LexiEnsembleClassifier(LIST, at_least={"A": 0.95}, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="did not see"):
        LexiEnsembleClassifier(LIST, at_least={"A": 0.9}, margins_from="train").fit(X, y)
    with pytest.raises(ValueError, match="the classes are"):
        LexiEnsembleClassifier(LIST, at_least={"D": 0.9}, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="a mapping from labels to floors"):
        LexiEnsembleClassifier(LIST, at_least=[("A", 0.9)]).fit(X, y)
    with pytest.raises(ValueError, match="confidence is 2"):
        LexiEnsembleClassifier(LIST, at_least={"A": 0.9}, confidence=2).fit(X, y)


def test_classes_without_a_cost_cost_one():
    classes = np.array(["A", "B", "C"])
    assert check_class_costs({"B": 3}, classes).tolist() == [1.0, 3.0, 1.0]
    X, y = draw(0, 300)
    some, all_of_them = (
        LexiEnsembleClassifier(LIST, class_costs=costs, random_state=0).fit(X, y)
        for costs in ({"B": 3}, {"A": 1, "B": 3, "C": 1})
    )
    np.testing.assert_allclose(some.estimator_weights_, all_of_them.estimator_weights_)


@pytest.mark.parametrize(
    "ensemble",
    [
        ExtraTreesClassifier(15),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), n_estimators=8),
        VotingClassifier(
            [("deep", DecisionTreeClassifier()), ("bayes", GaussianNB())], voting="soft"
        ),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("margin", ["pairs", "vote"])
def test_members_that_know_their_points_by_heart_are_cross_fitted(ensemble, margin):
    X, y = draw(0, 300)
    whole = LexiEnsembleClassifier(ensemble, margin=margin, random_state=0).fit(X, y)
    assert whole.margins_from_ == "cross"
    assert list(whole.named_estimators_) == [type(ensemble).__name__.lower()]
    listed = LexiEnsembleClassifier([ensemble], margin=margin, random_state=0).fit(X, y)
    assert np.array_equal(whole.predict(X), listed.predict(X))
    members = LexiEnsembleClassifier(
        ensemble, margin=margin, margins_from="cross", random_state=0
    ).fit(X, y)
    assert len(members.estimators_) == len(ensemble_members(members.ensemble_)) + 3
    assert min(whole.class_losses_.min(), members.class_losses_.min()) > 0.05
    by_heart = LexiEnsembleClassifier(ensemble, margin=margin, margins_from="train", random_state=0)
    with np.errstate(all="ignore"), pytest.warns(lx.LexiprogWarning, match="perfect"):
        by_heart.fit(X, y)


def test_twins_are_trained_without_the_points_they_are_asked_about():
    X, y = draw(0, 90)
    codes = np.unique(y, return_inverse=True)[1]
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=9), n_estimators=5).fit(X, y)
    own = len(ensemble_members(boosted))
    seen = np.zeros(90, dtype=int)
    for rows, twins in cross_fitted_members(boosted, X, y, codes, random_state=0):
        seen[rows] += 1
        assert len(twins) == own
        assert (twins[0].predict(X[rows]) != y[rows]).any()
    assert (seen == 1).all()


@pytest.mark.parametrize("kind", [LexiBoostClassifier, LPBoostClassifier, AdaMECClassifier])
def test_votes_of_trees_have_importances(kind):
    X, y = draw(0, 300)
    X = np.column_stack([X, np.zeros(300)])
    model = kind(random_state=0)
    assert not hasattr(model, "feature_importances_")
    found = model.fit(X, y).feature_importances_
    assert found.sum() == pytest.approx(1)
    assert found[2] == 0
    assert not hasattr(kind(GaussianNB(), random_state=0).fit(X[:, :2], y), "feature_importances_")


def test_members_of_a_hard_vote_are_weighed_by_their_probabilities():
    X, y = draw(0, 300)
    hard = VotingClassifier([("deep", DecisionTreeClassifier()), ("bayes", GaussianNB())])
    model = LexiEnsembleClassifier(hard, random_state=0).fit(X, y)
    assert (model.margins_from_, len(model.estimators_)) == ("cross", 2 + 3)
