"""The range of a multiplier among all optimal ones, worked by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.solve.prices import dual_range


def program(c, rows, b, **bounds):
    return StandardForm(np.array(c), 0.0, sp.csc_array(np.array(rows)), np.array(b),
                        Cones(nonneg=len(b)), **bounds)  # fmt: skip


def test_a_column_at_its_bound_may_have_a_reduced_cost_and_none_between():
    # min x + 2y over x + y >= 1: the multiplier is 1, and y at 0 costs one too much.
    form = program([1.0, 2.0], [[-1.0, -1.0]], [-1.0], lower=np.zeros(2), upper=np.full(2, 9.0))
    assert dual_range(form, np.array([1.0, 0.0]), np.ones(1)) == pytest.approx((1.0, 1.0))
    # At the upper bound of x, whatever is left over of 1 may be its reduced cost: -1 or less.
    full = program([1.0, 2.0], [[-1.0, -1.0]], [-9.0], lower=np.zeros(2), upper=np.full(2, 9.0))
    assert dual_range(full, np.array([9.0, 0.0]), np.ones(1)) == pytest.approx((1.0, 2.0))


def test_two_tight_rows_share_a_cost_in_any_way_and_one_that_is_loose_has_none():
    form = program([1.0], [[-1.0], [-2.0], [-1.0]], [-1.0, -2.0, 5.0])
    x = np.array([1.0])
    assert dual_range(form, x, np.array([1.0, 0.0, 0.0])) == pytest.approx((0.0, 1.0))
    assert dual_range(form, x, np.array([0.0, 1.0, 0.0])) == pytest.approx((0.0, 0.5))
    assert dual_range(form, x, np.array([0.0, 0.0, 1.0])) == pytest.approx((0.0, 0.0))


def test_a_point_that_is_not_optimal_has_none_and_curved_rows_are_not_asked():
    form = program([1.0, 2.0], [[-1.0, -1.0]], [-1.0], lower=np.zeros(2))
    assert dual_range(form, np.array([0.5, 0.5]), np.ones(1)) is None
    cone = StandardForm(np.ones(2), 0.0, sp.csc_array(-np.eye(2)), np.zeros(2), Cones(soc=(2,)))
    assert dual_range(cone, np.zeros(2), np.ones(2)) is None


def test_a_row_with_a_slack_beyond_the_tolerance_is_not_tight():
    """At x = 1 the row 2x >= 2 - 6e-7 has a slack of 6e-7, twice what counts as reached."""
    form = program([1.0], [[-1.0], [-2.0]], [-1.0, -2.0 + 6e-7])
    assert dual_range(form, np.array([1.0]), np.array([1.0, 0.0])) == pytest.approx((1.0, 1.0))
    near = program([1.0], [[-1.0], [-2.0]], [-1.0, -2.0 + 2e-7])
    assert dual_range(near, np.array([1.0]), np.array([1.0, 0.0])) == pytest.approx((0.0, 1.0))


def test_the_slope_of_a_square_is_divided_among_the_rows_at_its_point():
    """The least 3/2 x^2 - x over x >= 1 and 2x >= 2 has the slope 2 there."""
    form = program([-1.0], [[-1.0], [-2.0]], [-1.0, -2.0], P=sp.csc_array(np.array([[3.0]])))
    x = np.array([1.0])
    assert dual_range(form, x, np.array([1.0, 0.0])) == pytest.approx((0.0, 2.0))
    assert dual_range(form, x, np.array([0.0, 1.0])) == pytest.approx((0.0, 1.0))
