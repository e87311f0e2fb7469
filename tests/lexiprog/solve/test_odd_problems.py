"""Problems of odd shape that CVXPY takes: the engine takes them too, with the same answers."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def solve(objective, constraints, solver=None):
    return lx.Program(lx.Stage("s", lx.Subproblem("p", objective, constraints))).solve(solver)["p"]


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL", "ECOS", "SCS", "OSQP"])
@pytest.mark.parametrize("rows", [slice(0, 1), np.array([[1]])], ids=["(1,)", "(1, 1)"])
def test_an_objective_with_one_entry_is_a_number(solver, rows):
    x = cp.Variable(2, nonneg=True, name="x")
    costs = np.array([[3.0, 1.0], [2.0, 2.0]])
    expression = costs[:1] @ x if isinstance(rows, slice) else cp.reshape(costs[0] @ x, (1, 1), "F")
    found = solve(cp.Minimize(expression), [cp.sum(x) >= 4], solver)
    assert found.value == pytest.approx(4.0, abs=1e-5)
    assert isinstance(found.value, float)


def test_a_held_objective_may_have_one_entry():
    x = cp.Variable(2, nonneg=True, name="x")
    cost = np.array([[1.0, 1.0]]) @ x
    levels = {"cost": cp.Minimize(cost), "first": cp.Maximize(x[0])}
    assert lx.preemptive(levels, [cp.sum(x) >= 4]).solve().final.value == pytest.approx(4.0)


def test_a_complex_equality_has_its_multiplier():
    z = cp.Variable(2, complex=True, name="z")
    equality = z[0] + 1j * z[1] == 1 + 2j
    objective = cp.Minimize(cp.sum(cp.abs(z)))
    plain = cp.Problem(objective, [equality])
    plain.solve("CLARABEL")
    dual = np.array(equality.dual_value)
    found = solve(objective, [equality])
    assert found.value == pytest.approx(np.sqrt(5), abs=1e-6)
    np.testing.assert_allclose(found.dual(equality), dual, atol=1e-5)


def test_a_perspective_is_solved():
    x, s = cp.Variable(name="x"), cp.Variable(nonneg=True, name="s")
    objective = cp.Minimize(cp.perspective(cp.square(x), s) + s)
    assert solve(objective, [x >= 1]).value == pytest.approx(2.0, abs=1e-6)


def test_one_of_finitely_many_values_is_chosen():
    x = cp.Variable(name="x")
    found = solve(cp.Minimize(cp.abs(x - 2.2)), [cp.FiniteSet(x, [1, 2, 3])])
    assert found.value == pytest.approx(0.2)
    assert float(found["x"]) == pytest.approx(2.0)
