"""A table of neighbours is right, searches once, and survives cloning and pickling."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

from lexiprog_boost.learners import NeighborTable, WeightedKNeighborsClassifier

RNG = np.random.default_rng(0)
X, QUERY = RNG.normal(size=(80, 3)), RNG.normal(size=(20, 3))


@pytest.mark.parametrize(
    ("kind", "algorithm"),
    [(np.asarray, "kd_tree"), (np.asarray, "brute"), (sparse.csr_matrix, "auto")],
)
def test_neighbours_are_those_of_all_distances(kind, algorithm):
    table = NeighborTable(kind(X), 4, algorithm=algorithm)
    for points in (X, QUERY):
        expected = np.argsort(cdist(points, X), axis=1)[:, :4]
        np.testing.assert_array_equal(table.neighbors(kind(points), 4), expected)


def test_each_set_is_searched_once(searches):
    table = NeighborTable(X, 5)
    for _ in range(3):
        table.neighbors(X, 5)
        table.neighbors(X.copy(), 3)
        table.neighbors(QUERY, 5)
        table.neighbors(np.asfortranarray(QUERY), 2)
    assert searches == [80, 20]


def test_data_changed_in_place_are_searched_again(searches):
    table = NeighborTable(X, 1)
    query = QUERY.copy()
    table.neighbors(query, 1)
    query[:] = X[:20]
    np.testing.assert_array_equal(table.neighbors(query, 1)[:, 0], np.arange(20))
    assert len(searches) == 2


def test_a_training_point_is_its_own_neighbour_among_many_equals():
    points = np.zeros((9, 2))
    np.testing.assert_array_equal(NeighborTable(points, 3).neighbors(points, 1)[:, 0], np.arange(9))
    chosen = NeighborTable(points, 3).neighbors(points, 3)
    assert all(len(set(row)) == 3 for row in chosen.tolist())


def test_a_table_serves_its_own_points_only():
    table = NeighborTable(X, 4)
    assert table.serves(X.copy(), 4)
    assert table.serves(X, 2)
    assert not table.serves(X, 5)
    assert not table.serves(X + 1e-12, 4)
    assert not table.serves(X[:-1], 4)
    assert not table.serves(sparse.csr_array(X), 4)


def test_a_small_set_has_as_many_neighbours_as_points():
    table = NeighborTable(X[:2], 5)
    assert table.serves(X[:2], 7)
    assert table.neighbors(QUERY, 2).shape == (20, 2)
    with pytest.raises(ValueError, match="holds 2 neighbours a point, not 3"):
        table.neighbors(QUERY, 3)


def test_cloning_an_estimator_keeps_its_table():
    table = NeighborTable(X, 3)
    assert clone(WeightedKNeighborsClassifier(3, table=table)).table is table


def test_a_pickle_holds_no_answers_but_gives_them():
    table = NeighborTable(X, 3)
    small = len(pickle.dumps(table))
    expected = table.neighbors(X, 3)
    table.neighbors(QUERY, 3)
    assert len(pickle.dumps(table)) < small + 100  # the answers alone are 2400 bytes
    restored = pickle.loads(pickle.dumps(table))
    assert restored.serves(X, 3)
    np.testing.assert_array_equal(restored.neighbors(X, 3), expected)
