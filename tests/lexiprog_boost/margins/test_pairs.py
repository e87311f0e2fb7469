"""Margins against every rival class: by hand, and against the vote that they decide."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from lexiprog_boost.margins import margin_matrix, pair_margins

X, Y = load_iris(return_X_y=True)


def test_pairs_of_one_point_by_hand():
    outputs = np.array([[[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]])
    found = pair_margins(outputs, np.array([1]))
    np.testing.assert_allclose(found.margins, [[-0.2, 0.5], [0.1, 0.3]])
    assert found.points.tolist() == [0, 0]


def test_with_two_classes_pairs_are_the_margins_of_probabilities():
    rows = np.flatnonzero(Y < 2)
    member = LogisticRegression().fit(X[rows, :1], Y[rows])
    outputs = member.predict_proba(X[rows, :1])[:, None]
    found = pair_margins(outputs, Y[rows])
    expected = margin_matrix([member], X[rows, :1], Y[rows], rule="proba")
    np.testing.assert_allclose(found.margins, expected)


def test_a_vote_is_right_where_all_its_pairs_are_positive():
    rng = np.random.default_rng(0)
    outputs = rng.dirichlet(np.ones(4), size=(200, 3))
    codes, alpha = rng.integers(4, size=200), np.array([0.2, 0.5, 0.3])
    pairs = pair_margins(outputs, codes)
    won = np.ones(200, dtype=bool)
    np.logical_and.at(won, pairs.points, pairs.margins @ alpha > 0)
    predicted = np.einsum("ntc,t->nc", outputs, alpha).argmax(axis=1)
    np.testing.assert_array_equal(won, predicted == codes)
