"""scikit-learn's AdaBoost as a pool: the same members, and the same boosted model."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import WeightedKNeighborsClassifier
from lexiprog_boost.margins import votes
from lexiprog_boost.pools import adaboost_pool
from tests.lexiprog_boost.written_out.stumps import WorseLater

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "white", "rose"])[CODES]
STUMP = DecisionTreeClassifier(max_depth=1)


def test_members_and_weights_make_up_scikit_learns_prediction():
    pool = adaboost_pool(STUMP, X, Y, n_estimators=12, random_state=0)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    theirs = AdaBoostClassifier(STUMP, n_estimators=12, random_state=seed).fit(X, Y)
    score = sum(
        alpha * np.eye(3)[votes(member, X, pool.classes)]
        for alpha, member in zip(pool.weights, pool.estimators, strict=True)
    )
    np.testing.assert_array_equal(pool.classes[score.argmax(axis=1)], theirs.predict(X))
    np.testing.assert_array_equal(pool.history["error"], theirs.estimator_errors_)
    assert pool.stopped == "all 12 rounds were trained."


def test_an_early_end_leaves_no_empty_places():
    pool = adaboost_pool(DecisionTreeClassifier(), X, Y, n_estimators=7, random_state=0)
    assert len(pool.estimators) == len(pool.weights) == len(pool.history["error"]) == 1
    assert "perfect" in pool.stopped


def test_an_end_by_chance_is_told_from_a_perfect_one():
    y = np.array([0, 1] * 5)
    pool = adaboost_pool(WorseLater(), y[:, None], y, n_estimators=5, random_state=0)
    assert len(pool.estimators) < 5
    assert "a member was no better than chance" in pool.stopped


@pytest.mark.parametrize("learner", [KNeighborsClassifier(3), WeightedKNeighborsClassifier(3)])
def test_learners_without_scikit_learns_weights_train_repeatably(learner):
    first, second = (adaboost_pool(learner, X, Y, n_estimators=4, random_state=2) for _ in range(2))
    np.testing.assert_array_equal(first.weights, second.weights)
    assert len(first.estimators) > 1


def test_sample_weights_are_heeded():
    heavy = np.where(Y == "rose", 1000.0, 1.0)
    pool = adaboost_pool(STUMP, X, Y, n_estimators=1, sample_weight=heavy, random_state=0)
    assert (pool.estimators[0].predict(X)[Y == "rose"] == "rose").all()


def test_bad_weights_are_refused():
    with pytest.raises(ValueError, match="zero for every point"):
        adaboost_pool(STUMP, X, Y, sample_weight=np.zeros(178))
