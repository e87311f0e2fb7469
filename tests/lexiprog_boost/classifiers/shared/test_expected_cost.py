"""Costs as a matrix, and the two samples of AdaMEC."""

import numpy as np
import pytest

from lexiprog_boost.classifiers.adamec import cost_matrix, two_samples

CLASSES, MASSES = np.array(["a", "b", "c"]), np.array([60.0, 30.0, 10.0])


def test_costs_of_missing_a_class_stand_in_its_row():
    by_label = cost_matrix({"a": 1, "b": 2, "c": 6}, CLASSES, MASSES)
    assert by_label.tolist() == [[0, 1, 1], [2, 0, 2], [6, 6, 0]]
    np.testing.assert_array_equal(cost_matrix("balanced", CLASSES, MASSES), by_label)
    own = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(cost_matrix(own, CLASSES, MASSES), own)


@pytest.mark.parametrize("second", ["sample", "rest"])
def test_samples_hold_their_share_of_every_class(second):
    codes = np.repeat([0, 1, 2], [50, 10, 1])
    first, other = two_samples(codes, 0.8, second, np.random.RandomState(0))
    assert np.bincount(codes[first]).tolist() == [40, 8, 1]
    assert np.bincount(codes[other]).tolist() == ([40, 8, 1] if second == "sample" else [10, 2, 1])
    shared = np.intersect1d(first, other)
    if second == "rest":
        assert codes[shared].tolist() == [2]  # the only point of its class serves twice
    else:
        assert not np.array_equal(first, other)
