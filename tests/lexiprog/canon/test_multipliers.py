"""Which multipliers are real: by hand, in any units, and where it is ambiguous."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.multipliers import Refinement, Sizes, binding, certainly_binding, is_real

# min x0 + 2 x1 over x0 + x1 >= 1 (as -x0 - x1 <= -1) and an idle row: x1 stays at zero.
COSTS, ROWS, PRICES = np.array([1.0, 2.0]), np.array([[-1.0, -1.0], [1.0, -1.0]]), [1.0, 0.0]


def test_a_multiplier_is_real_if_it_exceeds_its_share_of_what_it_is_compared_with():
    assert is_real(np.array([2.0, 1.0, np.nan]), 10.0, 0.1).tolist() == [True, False, False]


@pytest.mark.parametrize("noise", [0.0, 1e-12])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_what_is_binding_does_not_depend_on_units_nor_on_rounding(unit, noise):
    rows, columns = np.array([unit, 1.0 / unit]), np.array([1.0 / unit, unit])
    A = sp.csc_array(rows[:, None] * ROWS * columns)
    y = (np.array(PRICES) + noise * np.array([1.0, 1.0])) / rows
    found = binding(COSTS * columns, A, y, Sizes(A))
    assert found.rows.tolist() == [True, False]
    assert found.columns.tolist() == [False, True]
    assert not found.ambiguous


@pytest.mark.parametrize(
    ("price", "real", "ambiguous"),
    [(1e-3, True, False), (1e-9, False, True), (1e-14, False, False)],
)
def test_between_rounding_and_certainty_a_multiplier_is_ambiguous(price, real, ambiguous):
    A = sp.csc_array(np.array([[1.0, 1.0], [1.0, -1.0]]))
    y = np.array([1.0, price])
    found = certainly_binding(y, np.zeros(2), Sizes(A))
    assert found.rows.tolist() == [True, real]
    assert found.ambiguous is ambiguous


def test_with_more_digits_a_tiny_multiplier_is_ambiguous_until_its_error_is_known():
    A, correction = sp.csc_array(ROWS), np.array([0.0, 1e-12])
    y, sizes = np.array(PRICES), Sizes(A)
    # The second row takes what the first one lacks, so that the reduced cost of x0 is zero.
    unknown = binding(COSTS, A, y, sizes, Refinement(correction))
    assert unknown.rows.tolist() == [True, False]
    assert unknown.ambiguous
    known = binding(COSTS, A, y, sizes, Refinement(correction, error=1e-20))
    assert known.rows.tolist() == [True, True]
