"""Linear rows beside curves and integers hold as they are written, or nothing is called optimal."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.trust import cases, curved_terms

CURVES = {
    "squares": lambda x, on: cp.sum_squares(x - 1),
    "distance": lambda x, on: cp.norm(x - 1),
    "exponential": lambda x, on: cp.sum(cp.exp(x)),
    "eigenvalue": lambda x, on: cp.lambda_max(cp.diag(x)),
    "switches": lambda x, on: cp.sum(on) - x[0],
    "squares and switches": lambda x, on: cp.sum_squares(x) + on[0] - on[1],
}


def rows(x, apart):
    return [x[0] + x[1] <= 0.3, x[0] - x[1] <= 0.1, 2 * x[0] >= round(0.4 + apart, 12), x >= -5]


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("name", CURVES)
def test_a_contradiction_in_written_digits_is_said_beside_a_curve(name, apart):
    x, on = cp.Variable(2, name="x"), cp.Variable(2, boolean=True, name="on")
    curve = cp.Minimize(CURVES[name](x, on))
    with pytest.raises(lx.StageError) as caught:
        cases.only(curve, rows(x, apart)).solve()
    assert "infeasible" in str(caught.value.status)


@pytest.mark.parametrize("name", CURVES)
def test_rows_that_just_hold_are_no_contradiction(name):
    x, on = cp.Variable(2, name="x"), cp.Variable(2, boolean=True, name="on")
    solution = cases.only(cp.Minimize(CURVES[name](x, on)), rows(x, 0.0)).solve().final
    assert solution.status == "optimal"
    assert solution.variables["x"] == pytest.approx([0.2, 0.1], abs=1e-7)


@pytest.mark.parametrize("solver", ["CLARABEL", "ECOS", "SCS", "OSQP"])
def test_no_solver_is_believed_that_overlooks_it(solver):
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.StageError):
        cases.only(cp.Minimize(cp.sum_squares(x)), rows(x, 1e-8)).solve(solver)


def test_rows_of_a_later_level_are_looked_at_too():
    x = cp.Variable(2, name="x")
    first = lx.Subproblem("first", cp.Minimize(cp.sum_squares(x)), [x >= -5, x[0] <= 0.3])
    second = lx.Subproblem(
        "second", cp.Minimize(cp.norm(x)), [first.held(atol=10.0), *rows(x, 1e-9)]
    )
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    assert list(caught.value.partial) == ["first"]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_computed_rows_that_repeat_each_other_are_no_contradiction(unit):
    rng = np.random.default_rng(4)
    A, inside = rng.normal(size=(3, 6)), rng.normal(size=6)
    A = np.vstack([A, A[0] + A[1] / 3, A[2] * 0.7 - A[1]])
    x = cp.Variable(6, name="x")
    program = cases.only(cp.Minimize(cp.sum_squares(x)), [A @ x == unit * (A @ inside)])
    solution = program.solve().final
    assert solution.status == "optimal"
    best = np.linalg.pinv(A[:3]) @ (A[:3] @ inside)
    assert solution.value == pytest.approx(unit**2 * best @ best, rel=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
def test_curves_over_rows_that_contradict_each_other_or_just_do_not():
    found = cases.tally(curved_terms.curved_digits, 30, seed=8)
    assert found["right"] == 30, found
