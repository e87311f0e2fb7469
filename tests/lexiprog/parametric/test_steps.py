"""The steps in which costs on whole numbers move."""

from fractions import Fraction

import numpy as np
import pytest

from lexiprog.parametric.integer_programs import steps_of

EVERY = np.arange(3)


@pytest.mark.parametrize(
    ("cost", "size", "counts"),
    [
        ([2, 4, 6], 2, [1, 2, 3]),
        ([0.1, 0.1 + 0.2, -0.5], Fraction(1, 10), [1, 3, -5]),
        ([0.25, 1e6, 0], Fraction(1, 4), [1, 4_000_000, 0]),
        ([0, 0, 0], 1, [0, 0, 0]),
        ([1e-7, 3e-7, 1e-7], Fraction(1, 10_000_000), [1, 3, 1]),
    ],
)
def test_decimal_costs_have_the_greatest_common_step(cost, size, counts):
    found = steps_of(np.array(cost, dtype=float), EVERY)
    assert found.size == size
    assert found.counts.tolist() == counts


def test_multiples_of_a_third_have_steps():
    found = steps_of(np.array([1 / 3, 2 / 3, 5 / 3]), EVERY)
    assert found.counts.tolist() == [1, 2, 5]
    assert float(found.size) == pytest.approx(1 / 3)


def test_costs_without_a_usable_step_have_none():
    assert steps_of(np.array([1.0, np.pi, 2.0]), EVERY) is None
    assert steps_of(np.array([1e-9, 1e9, 1.0]), EVERY) is None
    assert steps_of(np.array([1.0, 1.0, 1.0]), np.array([0, 1])) is None  # the last is no integer


def test_counting_is_exact_beyond_what_floats_add_up():
    found = steps_of(np.array([2.0**30, 1.0, 0.0]), EVERY)
    assert found.count(np.array([2.0**23, 1.0, 0.0])) == 2**53 + 1
