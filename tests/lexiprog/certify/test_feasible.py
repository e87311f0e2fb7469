"""Rows that contradict each other by less than a rounding of their terms, and such as do not."""

from dataclasses import replace
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.decimals import DecimalResiduals, decimal_residuals
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.feasible import (
    equilibrium,
    is_met_nearby,
    least_steps,
    on_touched_rows,
    unit_factors,
)
from lexiprog.certify.terms import TermSizes


def rows(A, b, equations=0):
    A = sp.csc_array(np.array(A, float))
    cones = Cones(zero=equations, nonneg=len(b) - equations)
    return StandardForm(np.zeros(A.shape[1]), 0.0, A, np.array(b, float), cones)


def met(form, x):
    terms = TermSizes(form, np.array(x), np.zeros(form.b.size))
    return is_met_nearby(
        terms, np.array(x), touched=1e-12, decimals=lambda: None
    )  # fmt: skip


def test_independent_rows_that_are_missed_by_rounding_are_met_nearby():
    form = rows([[3.0, 1.0], [1.0, 3.0]], [1.0, 1.0], equations=2)
    third = np.linalg.solve(np.array([[3.0, 1.0], [1.0, 3.0]]), np.ones(2)) * (1 + 2.0**-52)
    assert met(form, third)


@pytest.mark.parametrize("scale", [1.0, 2.0**-20, 3e8])
@pytest.mark.parametrize("apart", [0.0, 2.0**-50, -(2.0**-50)])
def test_three_equations_of_two_columns_are_met_only_if_they_agree(apart, scale):
    A, b = np.array([[3.0, 1.0], [1.0, 7.0], [4.0, 8.0]]), np.array([1.0, 1.0, 2.0 + apart])
    factors = np.array([1.0, 1.0, scale])  # by which nothing is rounded
    form = rows(factors[:, None] * A, factors * b, 3)
    assert met(form, np.linalg.solve(A[:2], b[:2])) == (apart == 0.0)


def test_a_point_is_moved_onto_the_rows_that_it_nearly_touches():
    form = rows([[3.0, 1.0], [1.0, 3.0], [1.0, 0.0]], [1.0, 1.0, 5.0])
    terms = TermSizes(form, np.array([0.25, 0.25]), np.zeros(3))
    near = np.array([0.25 + 1e-12, 0.25 - 3e-13])
    found = on_touched_rows(terms, near, touched=1e-9, pressed=np.zeros(3, bool))
    np.testing.assert_array_equal(found.nearest, [0.25, 0.25])


def test_a_point_that_misses_nothing_needs_no_other():
    """x <= 1 and x >= 1 - 1e-13 at 1: as equations they would contradict each other."""
    form = rows([[1.0], [-1.0]], [1.0, 1e-13 - 1.0])
    assert met(form, [1.0]) is True
    assert met(form, [1.0 + 2.0**-52]) is False


def test_a_row_whose_terms_are_all_zero_holds_where_its_columns_stay():
    """x <= y at (0, 0) beside 3 z <= 1, which z misses by a rounding."""
    form = rows([[1.0, -1.0, 0.0], [0.0, 0.0, 3.0]], [0.0, 1.0])
    assert met(form, [0.0, 0.0, np.nextafter(1 / 3, 1.0)]) is True
    both = rows([[1.0, -1.0, 0.0], [1.0, 0.0, 3.0]], [0.0, 1.0])
    terms = TermSizes(both, np.zeros(3), np.zeros(2))
    found = on_touched_rows(
        terms, np.array([0.0, 0.0, 0.5]), touched=0.5, pressed=np.zeros(2, bool)
    )
    assert found.nearest == pytest.approx([0.0, 0.0, 1 / 3], rel=1e-15)


@pytest.mark.parametrize(("limit", "upper", "fits"), [(0.4, 9.0, True), (0.3, 9.0, False),
                                                      (0.4, 0.3, False)])  # fmt: skip
def test_a_point_on_its_rows_that_is_beyond_others_or_a_bound_is_none(limit, upper, fits):
    """3 x <= 1 is pressed on at 1/4: at 1/3 both x + y <= 3/10 and x <= 3/10 are missed."""
    form = rows([[3.0, 0.0], [1.0, 1.0]], [1.0, limit])
    form, point = replace(form, upper=np.array([upper, 9.0])), np.array([0.25, 0.0])
    terms, pressed = TermSizes(form, point, np.zeros(2)), np.array([True, False])
    found = on_touched_rows(terms, point, touched=1e-9, pressed=pressed)
    assert (found is not None) == fits
    assert found is None or found.nearest == pytest.approx([1 / 3, 0.0], rel=1e-15)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_column_at_its_end_stays_there(side):
    """x + y = 1, with x = 0 the end of its range and y a little too large: only y may move."""
    form = rows([[1.0, side]], [1.0], equations=1)
    ends = np.array([0.0, -9.0]), np.array([9.0, 9.0])
    if side < 0.0:  # beyond an upper end
        ends = np.array([-9.0, -9.0]), np.array([0.0, 9.0])
        form = rows([[-1.0, 1.0]], [1.0], equations=1)
    form = replace(form, lower=ends[0], upper=ends[1])
    point = np.array([0.0, 1.0 + 2.0**-40])
    terms = TermSizes(form, point, np.zeros(1))
    found = on_touched_rows(terms, point, touched=1e-9, pressed=np.zeros(1, bool))
    assert found.nearest.tolist() == [0.0, 1.0]
    assert met(form, point)


@pytest.mark.parametrize("beyond", [-1, 1])
@pytest.mark.parametrize("other", ["bound", "row"])
def test_independent_rows_are_not_met_beyond_what_limits_their_solution(beyond, other):
    """2x - y = 1 and x + y = 2 at (1, 1), where x is limited to a little less or more than 1."""
    A, b = [[2.0, -1.0], [1.0, 1.0]], [1.0, 2.0]
    limit = 1.0 + beyond * 2.0**-30
    if other == "bound":
        form = replace(rows(A, b, 2), lower=np.array([-9.0, -9.0]), upper=np.array([limit, 9.0]))
    else:
        form = rows([*A, [1.0, 0.0]], [*b, limit], 2)
    assert met(form, [1.0 - 2.0**-29, 1.0 + 2.0**-29]) == (beyond > 0)


def test_rows_of_whole_numbers_are_met_nearby_unless_they_contradict_each_other_in_fractions():
    rng = np.random.default_rng(5)
    said = []
    for _ in range(100):
        A = rng.integers(-3, 4, (3, 3)).astype(float)
        sums = rng.random() < 0.5
        A[2] = A[:2].sum(axis=0) if sums else A[2]
        if np.linalg.matrix_rank(A) < 3 - sums:
            continue
        b = A @ (rng.integers(1, 4, 3) / 3.0)  # rounded, so that sums may contradict their parts
        one, other, total = map(Fraction, b.tolist())
        point = np.linalg.lstsq(A, b)[0]
        said.append((sums, met(rows(A, b, 3), point)))
        assert said[-1][1] == (not sums or one + other == total)
    assert {(False, True), (True, True), (True, False)} == set(said)


CONTRADICTIONS = {
    "sum of two": ([[7, 5, 7, 7, 3], [5, 3, 3, 6, 1]], [81.0, 9.2], 1e-12),
    "sum of three": ([[6, 4, 7, 5], [7, 4, 3, 2], [1, 9, 2, 6]], [19.0, 22.0, 4.1], 2e-12),
}


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_digits_that_were_written_decide_beside_terms_of_thousands(case, fits):
    parts, sides, gap = CONTRADICTIONS[case]
    total = round(sum(sides) + (-gap if fits else gap), 13)
    x = cp.Variable(len(parts[0]), name="x")
    limits = [np.array(v) @ x <= side for v, side in zip(parts, sides, strict=True)]
    limits += [np.sum(parts, axis=0) @ x >= total, x >= -100, x <= 100]
    cost = cp.Minimize(np.arange(-3.0, len(parts[0]) - 3.0) @ x)
    program = lx.Program(lx.Stage("only", lx.Subproblem("only", cost, limits)))
    if fits:
        assert program.solve().final.status == "optimal"
        return
    with pytest.raises(lx.StageError) as caught:
        program.solve()
    assert "infeasible" in caught.value.status


def test_equations_that_agree_as_decimals_are_met_as_such():
    """x / 10 + y / 5 = 0.3 and x / 5 + y / 10 = 0.3, and their sum, of which floats differ."""
    form = rows([[0.1, 0.2], [0.2, 0.1], [0.3, 0.3]], [0.3, 0.3, 0.6], equations=3)
    terms, x = TermSizes(form, np.ones(2), np.zeros(3)), np.ones(2)
    matrix = form.A.copy()
    matrix.data = decimal_residuals(form.A.data)
    meant = DecimalResiduals(np.zeros(2), matrix, decimal_residuals(form.b))
    assert is_met_nearby(terms, x, touched=1e-12, decimals=lambda: meant)
    assert not is_met_nearby(terms, x, touched=1e-12, decimals=lambda: None)
    other = replace(meant, sides=meant.sides + 1e-17 * np.eye(3)[2])
    assert not is_met_nearby(terms, x, touched=1e-12, decimals=lambda: other)


# Factors that bring a matrix to about one.


def test_factors_bring_rows_and_columns_to_about_one():
    rng = np.random.default_rng(3)
    units = 2.0 ** rng.integers(-30, 31, 5), 2.0 ** rng.integers(-30, 31, 4)
    slopes = rng.uniform(0.5, 1.0, (5, 4)) * rng.choice([-1, 1], (5, 4))
    slopes *= units[0][:, None] * units[1]
    slopes[4], slopes[:, 3] = 0.0, 0.0
    rows, columns = equilibrium(slopes)
    scaled = np.abs(slopes * rows[:, None] * columns)[:4, :3]
    assert np.abs(np.log2(np.append(scaled.max(axis=0), scaled.max(axis=1)))).max() <= 60 / 2**4
    assert (rows[4], columns[3]) == (1.0, 1.0)
    empty = equilibrium(np.zeros((0, 2)))
    assert (empty[0].tolist(), empty[1].tolist()) == ([], [1.0, 1.0])
    empty = equilibrium(np.zeros((2, 0)))
    assert (empty[0].tolist(), empty[1].tolist()) == ([1.0, 1.0], [])


@pytest.mark.parametrize("power", [0, 20, 40])
def test_factors_bring_a_symmetric_matrix_to_about_one(power):
    rng = np.random.default_rng(1)
    units = 2.0 ** rng.integers(-power, power + 1, 6)
    square = rng.uniform(0.5, 1.0, (6, 6)) * rng.choice([-1, 1], (6, 6))
    square = (square + square.T) * units[:, None] * units
    square[5], square[:, 5] = 0.0, 0.0
    system = sp.csc_array(square)
    scale, others = equilibrium(system)
    largest = np.abs(square * scale[:, None] * scale).max(axis=0)
    assert largest[:5] == pytest.approx(np.ones(5), abs=0.75 if power else 0.05)
    np.testing.assert_allclose(scale, others, rtol=1e-14)
    assert scale[5] == 1.0
    np.testing.assert_array_equal(system.toarray(), square)


def test_factors_of_units_begin_with_the_columns_sizes():
    """Of 1/8 and 1/2 in the first row, 1/4 in the second; columns of sizes 2 and 1, one of none."""
    effects = sp.csc_array(np.array([[0.125, 0.5, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0]]))
    by_row, by_column = unit_factors(effects, np.array([2.0, 1.0, 0.0]))
    # [[1/16, 1/2], [0, 1/4]], of which the rows become [1/8, 1] and [0, 1]; then the columns.
    assert by_row.tolist() == [2.0, 4.0, 1.0]
    assert by_column.tolist() == [4.0, 1.0, 1.0]


def test_least_steps_are_those_of_normal_equations():
    """Effects of 2 and 1 of two rows: 5 y + regular y is wanted, and the steps are 2 y and y."""
    effects = sp.csc_array(np.array([[2.0], [1.0]]))
    for regular in (0.0, 5.0):
        steps = least_steps(effects, regular)(np.array([10.0]))
        assert steps == pytest.approx(np.array([20.0, 10.0]) / (5.0 + regular), rel=1e-15)
    with np.errstate(all="ignore"):
        assert least_steps(sp.csc_array((2, 1)), 0.0) is None
