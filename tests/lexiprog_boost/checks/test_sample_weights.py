"""Sample weights are checked once, and the caller's array is left alone."""

import numpy as np
import pytest

from lexiprog_boost.checks.points import check_class_masses, check_sample_weight


def test_no_weights_are_ones():
    np.testing.assert_array_equal(check_sample_weight(None, 4), np.ones(4))


def test_the_caller_keeps_his_array():
    given = np.array([1.0, 2.0])
    check_sample_weight(given, 2)[0] = 9
    assert given.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "shape .* 3 points"),
        ([[1], [2], [3]], "shape"),
        ([1, 1, -2], "negative entry at position 2"),
        ([0, 0, 0], "zero for every point"),
        ([1, np.nan, 1], "NaN"),
        ([1, np.inf, 1], "infinity"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(weights, 3)


def test_the_first_class_without_weight_is_named():
    check_class_masses(np.array([1.0, 1e-300]), np.array(["a", "b"]))
    with pytest.raises(ValueError, match="class 'b' has no point of weight > 0; give it one, or"):
        check_class_masses(np.array([1.0, 0.0, 0.0]), np.array(["a", "b", "c"]))
