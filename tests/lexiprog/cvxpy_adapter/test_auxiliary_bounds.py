"""Bounds that CVXPY guesses for the variables it adds never cut off an optimum."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def nested(weight=0.1):
    x = cp.Variable(2, nonneg=True, name="x")
    shortage = cp.maximum(2 * cp.pos(5 - np.array([1.0, 1.0]) @ x), 0)
    return cp.Minimize(cp.sum(x) + weight * shortage), x


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL", "SCIPY"])
def test_a_maximum_of_scaled_positive_parts_reaches_its_optimum(solver):
    objective, _ = nested()
    # At x = 0 the shortage is 10 and costs 1; each unit of x saves 0.2 and costs 1.
    result = lx.Program(lx.Stage("only", lx.Subproblem("p", objective))).solve(solver)
    assert result["p"].value == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(15))
def test_random_nested_maxima_have_one_optimum_whatever_the_solver(seed):
    rng = np.random.default_rng(seed)
    x = cp.Variable(3, nonneg=True, name="x")
    A = rng.integers(-2, 3, size=(2, 3)).astype(float)
    parts = [rng.uniform(0.5, 2) * cp.pos(rng.integers(1, 6) - row @ x) for row in A]
    worst = cp.maximum(*parts, cp.abs(x[0] - rng.integers(0, 3)), 0)
    cost = rng.uniform(0.2, 1.5, 3) @ x + rng.uniform(0.1, 2) * worst + 0.1 * cp.max(x)
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", cp.Minimize(cost))))
    linear, conic = program.solve("HIGHS")["p"], program.solve("CLARABEL")["p"]
    assert linear.value == pytest.approx(conic.value, rel=1e-6, abs=1e-6)


def test_a_sign_is_not_inferred_from_an_undefined_product():
    x = cp.Variable(2, name="x")
    first = lx.Subproblem("first", cp.Minimize(cp.sum_squares(x + 3)))
    y = cp.Variable(name="y")
    inner = 0.5 * (np.array([[1.0, 0.0]]) @ x)[0]
    second = lx.Subproblem("second", cp.Minimize(y), [y >= first.at(inner)])
    result = lx.Program(lx.Stage("a", first), lx.Stage("b", second)).solve()
    assert result["second"].value == pytest.approx(-1.5, abs=1e-5)
