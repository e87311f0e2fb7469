"""Rows that contradict each other by less than a rounding of their terms, and such as do not."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.feasible import is_met_nearby, on_touched_rows
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
