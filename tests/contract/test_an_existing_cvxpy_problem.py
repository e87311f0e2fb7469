"""Problems that exist as CVXPY problems, a matrix among them, strung together unchanged."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def test_two_existing_problems_with_matrices_make_a_program():
    # The PSD matrix nearest to diag(2, -1) is diag(2, 0), at distance 1; its largest eigenvalue
    # is 2, at the density matrix diag(1, 0).
    near = cp.Variable((2, 2), PSD=True, name="near")
    distance = cp.norm(near - np.diag([2.0, -1.0]), "fro")
    repair = lx.Subproblem("repair", cp.Problem(cp.Minimize(distance)))
    density = cp.Variable((2, 2), PSD=True, name="density")
    value = cp.trace(repair.at(near) @ density)
    largest = lx.Subproblem("largest", cp.Problem(cp.Maximize(value), [cp.trace(density) == 1]))
    result = lx.Program(lx.Stage("matrix", repair), lx.Stage("spectrum", largest)).solve()
    assert [solution.value for solution in result.values()] == pytest.approx([1, 2], rel=1e-5)
    np.testing.assert_allclose(result["repair"][near], np.diag([2, 0]), atol=1e-4)
    np.testing.assert_allclose(result["largest"][density], np.diag([1, 0]), atol=1e-3)


def test_the_caller_s_problem_is_neither_solved_nor_changed():
    x = cp.Variable(name="x")
    problem = cp.Problem(cp.Minimize(x), [x >= 3])
    first = lx.Subproblem("first", problem)
    second = lx.Subproblem("second", cp.Minimize(cp.abs(x)), [x <= first.optimum - 5])
    result = lx.Program(lx.Stage("a", first), lx.Stage("b", second)).solve()
    assert [solution.value for solution in result.values()] == pytest.approx([3, 2])
    assert problem.status is None
    assert problem.solution is None
    assert len(problem.constraints) == 1


def test_a_geometric_program_may_use_the_positive_optimum_of_an_earlier_one():
    # min w h with w h^2 >= 8, h <= 2 has w h = 8 / h = 4 at w = h = 2; then d^2 with d w >= 6 is 9,
    # and the least e with e (w h) >= 6 is 3/2.
    w, h, d, e = (cp.Variable(pos=True, name=name) for name in "whde")
    area = lx.Subproblem("area", cp.Minimize(w * h), [w * h**2 >= 8, h <= 2], gp=True)
    depth = lx.Subproblem("depth", cp.Minimize(d**2), [d * area.at(w) >= 6], gp=True)
    extra = lx.Subproblem("extra", cp.Minimize(e), [e * area.optimum >= 6], gp=True)
    result = lx.Program(lx.Stage("one", area), lx.Stage("two", depth, extra)).solve()
    assert [s.value for s in result.values()] == pytest.approx([4, 9, 1.5], rel=1e-5)
