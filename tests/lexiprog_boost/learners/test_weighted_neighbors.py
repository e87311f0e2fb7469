"""The weighted vote of the neighbours: by hand, by brute force, and without new searches."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.neighbors import KNeighborsClassifier

from lexiprog_boost import WeightedKNeighborsClassifier
from lexiprog_boost.learners import NeighborTable

LINE = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
LABELS = np.array(["b", "b", "a", "a", "c"])


def brute_force_votes(X, y, weights, query, k):
    order = np.argsort(cdist(query, X), axis=1)[:, :k]
    classes = np.unique(y)
    return np.array([[weights[row][y[row] == c].sum() for c in classes] for row in order])


def test_votes_by_hand():
    learner = WeightedKNeighborsClassifier(3).fit(LINE, LABELS, sample_weight=[1, 1, 3, 1, 5])
    # 0.9 has the neighbours 1 (b), 0 (b), 2 (a); 9 has 10 (c), 3 (a), 2 (a).
    np.testing.assert_allclose(learner.predict_proba([[0.9]]), [[3 / 5, 2 / 5, 0]])
    np.testing.assert_allclose(learner.predict_proba([[9.0]]), [[4 / 9, 0, 5 / 9]])
    assert learner.predict([[0.9], [9.0]]).tolist() == ["a", "c"]


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_votes_are_those_of_brute_force(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), rng.integers(3, size=12)
    weights, query = rng.exponential(size=12), rng.normal(size=(5, 2))
    found = WeightedKNeighborsClassifier(k).fit(X, y, weights).predict_proba(query)
    votes = brute_force_votes(X, y, weights, query, k)
    np.testing.assert_allclose(found, votes / votes.sum(axis=1, keepdims=True), atol=1e-12)


def test_equal_weights_are_scikit_learns_rule():
    X, y = load_wine(return_X_y=True)
    ours = WeightedKNeighborsClassifier(5).fit(X[::2], y[::2])
    theirs = KNeighborsClassifier(5).fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.predict_proba(X[1::2]), theirs.predict_proba(X[1::2]))
    np.testing.assert_array_equal(ours.predict(X[1::2]), theirs.predict(X[1::2]))


def test_ties_go_to_the_first_class():
    X, y = [[-1.0], [1.0]], ["z", "a"]
    assert WeightedKNeighborsClassifier(2).fit(X, y).predict([[0.9]]).tolist() == ["a"]


def test_rounding_does_not_break_a_tie():
    # 0.1 + 0.2 > 0.3 in floating point: class "z" must not win by that.
    X, y = [[0.0], [0.1], [0.2]], ["z", "z", "a"]
    learner = WeightedKNeighborsClassifier(3).fit(X, y, sample_weight=[0.1, 0.2, 0.3])
    assert learner.predict([[0.0]]).tolist() == ["a"]


def test_neighbours_that_weigh_nothing_leave_it_to_the_first_class():
    learner = WeightedKNeighborsClassifier(2).fit(LINE, LABELS, sample_weight=[0, 0, 0, 0, 1])
    assert learner.predict([[0.0], [8.0]]).tolist() == ["a", "c"]
    np.testing.assert_allclose(learner.predict_proba([[0.0]]), np.full((1, 3), 1 / 3))


def test_points_of_weight_zero_still_take_a_place():
    learner = WeightedKNeighborsClassifier(1).fit(LINE, LABELS, sample_weight=[0, 1, 1, 1, 1])
    np.testing.assert_allclose(learner.predict_proba([[0.1]]), np.full((1, 3), 1 / 3))


@given(st.floats(1e-9, 1e9))
def test_only_ratios_of_weights_matter(scale):
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    first = WeightedKNeighborsClassifier(3).fit(LINE, LABELS, weights)
    second = WeightedKNeighborsClassifier(3).fit(LINE, LABELS, scale * weights)
    query = np.linspace(-1, 11, 25)[:, None]
    np.testing.assert_array_equal(first.predict(query), second.predict(query))


def test_on_the_training_set_a_single_neighbour_is_the_point_itself():
    X = np.zeros((6, 1))
    y = np.array([0, 1, 0, 1, 0, 1])
    np.testing.assert_array_equal(WeightedKNeighborsClassifier(1).fit(X, y).predict(X), y)


def test_fewer_points_than_neighbours_vote_together():
    learner = WeightedKNeighborsClassifier(50).fit(LINE, LABELS, sample_weight=[1, 1, 1, 1, 9])
    assert set(learner.predict(LINE)) == {"c"}


def test_a_boosting_loop_searches_the_training_set_once(searches):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    query = rng.normal(size=(11, 2))
    plain = WeightedKNeighborsClassifier(3)
    prepared = plain.prepared_for(X)
    for _ in range(4):
        weights = rng.exponential(size=60)
        member = clone(prepared).fit(X, y, sample_weight=weights)
        member.predict(X)
        member.predict_proba(query)
    assert searches == [60, 11]
    fresh = plain.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(member.predict_proba(query), fresh.predict_proba(query))
    np.testing.assert_array_equal(member.predict_proba(X), fresh.predict_proba(X))


def test_scikit_learns_adaboost_shares_the_table_and_gives_the_same_model():
    X, y = load_wine(return_X_y=True)
    plain = WeightedKNeighborsClassifier(3)
    prepared = plain.prepared_for(X)
    boosted = AdaBoostClassifier(prepared, n_estimators=4, random_state=0).fit(X, y)
    assert all(member.table_ is prepared.table for member in boosted.estimators_)
    reference = AdaBoostClassifier(plain, n_estimators=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(boosted.predict_proba(X), reference.predict_proba(X))


def test_a_table_of_other_points_is_ignored():
    stale = NeighborTable(LINE + 1, 3)
    learner = WeightedKNeighborsClassifier(3, table=stale).fit(LINE, LABELS)
    assert learner.table is stale
    assert learner.table_ is not stale
    np.testing.assert_array_equal(
        learner.predict(LINE), WeightedKNeighborsClassifier(3).fit(LINE, LABELS).predict(LINE)
    )


def test_preparing_leaves_the_estimator_as_it_was():
    plain = WeightedKNeighborsClassifier(3)
    assert plain.prepared_for(LINE).table is not None
    assert plain.table is None


def test_members_pickled_together_carry_one_table():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 10)), rng.integers(2, size=500)
    prepared = WeightedKNeighborsClassifier(3).prepared_for(X)
    members = [clone(prepared).fit(X, y) for _ in range(10)]
    one, ten = len(pickle.dumps(members[:1])), len(pickle.dumps(members))
    assert ten < 2.5 * one
    restored = pickle.loads(pickle.dumps(members))
    assert restored[0].table_ is restored[9].table_
    np.testing.assert_array_equal(restored[3].predict(X), members[3].predict(X))


@pytest.mark.parametrize("n_neighbors", [0, -1, 2.5, "many", None])
def test_a_number_of_neighbours_that_is_none_is_refused(n_neighbors):
    with pytest.raises(ValueError, match="n_neighbors is"):
        WeightedKNeighborsClassifier(n_neighbors).fit(LINE, LABELS)
