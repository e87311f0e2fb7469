"""AdaBoost.NC: its ambiguity by hand, its copies, its guards."""

import numpy as np

from lexiprog_boost.pools.adaboost_nc import ambiguity, oversampled_rows


def test_ambiguity_by_hand():
    # Two members, three points of class 0: both right, one right, none right; ties go to class 0.
    ballots = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    rights = np.array([[True, True, False], [True, False, False]])
    found = ambiguity(ballots, np.zeros(3, dtype=int), rights)
    assert found.tolist() == [0.0, 0.5, 0.0]


def test_oversampling_makes_classes_equal_and_keeps_every_point():
    codes = np.array([0] * 7 + [1] * 2 + [2] * 4)
    rows = oversampled_rows(codes, np.random.RandomState(0))
    assert np.bincount(codes[rows]).tolist() == [7, 7, 7]
    assert set(rows) == set(range(len(codes)))
