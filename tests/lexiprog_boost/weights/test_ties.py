"""Which of the optimal weights are taken."""

import numpy as np
import pytest

from lexiprog_boost import lexicographic_weights
from tests.lexiprog_boost.weights.forms import FORMS
from tests.lexiprog_boost.written_out import lexi_programs as independent


def test_the_smallest_optimum_shares_the_weight_among_equal_members():
    M, y = independent.margins(0)
    once = lexicographic_weights(M, y).alpha
    twice = lexicographic_weights(np.hstack([M, M]), y).alpha
    np.testing.assert_allclose(twice, np.r_[once, once] / 2, atol=1e-7)


def test_leximax_refines_the_deviations_of_the_classes_that_are_not_worst():
    M = np.array([[1.0, -1, -1], [-1, 1, 1], [1, 1, -1]])
    y = np.arange(3)
    plain = lexicographic_weights(M, y)
    refined = lexicographic_weights(M, y, tie_break="leximax")
    assert refined.chi == pytest.approx(plain.chi, abs=1e-9)
    np.testing.assert_allclose(refined.deviations, [1, 1, 0], atol=1e-7)
    for form in FORMS:
        found = lexicographic_weights(M, y, tie_break="leximax", **form)
        np.testing.assert_allclose(found.alpha, refined.alpha, atol=1e-5)


def test_closest_gives_up_no_more_than_its_tolerance():
    M, y = independent.margins(5)
    own = np.r_[1.0, np.zeros(5)]
    exact = lexicographic_weights(M, y)
    distances = []
    for tolerance in (0.0, 0.05, 0.5):
        found = lexicographic_weights(M, y, tie_break=("closest", tolerance), pool_weights=own)
        assert max(found.deviations) <= exact.chi + tolerance + 1e-6
        distances.append(np.sum((found.alpha - own) ** 2))
    assert distances[0] > distances[1] > distances[2]
    default = lexicographic_weights(M, y, tie_break="closest", pool_weights=own)
    assert max(default.deviations) <= exact.chi + 0.01 + 1e-6


@pytest.mark.parametrize(
    "unknown", ["nearest", ("nearest", 0.1), ("closest",), ("closest", 0.1, 0.2), None]
)
def test_an_unknown_tie_break_is_named(unknown):
    M, y = independent.margins(5)
    with pytest.raises(ValueError, match="unknown tie_break"):
        lexicographic_weights(M, y, tie_break=unknown, pool_weights=np.full(6, 1 / 6))
