"""Fronts of linear problems, against linprog and by hand: senses, units, ends and rays."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def linear_instance(seed):
    rng = np.random.default_rng(seed)
    A, demand = rng.integers(0, 4, (4, 6)), rng.integers(1, 12, 4)
    A[:, 0] += 1
    return A, demand, rng.integers(-3, 6, (2, 6)).astype(float)


@pytest.mark.parametrize("senses", ["min min", "max min", "min max", "max max"])
@pytest.mark.parametrize("seed", range(3))
def test_linear_fronts_in_all_senses_agree_with_linprog(seed, senses):
    A, demand, costs = linear_instance(seed)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    signs = [-1.0 if sense == "max" else 1.0 for sense in senses.split()]
    objectives = {
        name: cp.Maximize(-c @ x) if s < 0 else cp.Minimize(c @ x)
        for name, c, s in zip("ab", costs, signs, strict=True)
    }
    front = lx.frontier(objectives, [A @ x >= demand])
    assert np.all(np.diff(front.points[:, 0]) > 0)
    points = (front.points * signs)[:: int(signs[0])]
    for k, cost in enumerate(costs):
        best = linprog(cost, -A, -demand, bounds=(0, 9)).fun
        assert points[:, k].min() == pytest.approx(best, abs=1e-6)
    for limit in np.linspace(points[0, 0], points[-1, 0], 7)[1:-1]:
        rows, sides = np.vstack([-A, costs[0]]), np.append(-demand, limit)
        best = linprog(costs[1], rows, sides, bounds=(0, 9)).fun
        assert np.interp(limit, *points.T) == pytest.approx(best, abs=1e-6)
    for (low, high), point in zip(front.weights, front.points * signs, strict=True):
        w = (low + high) / 2
        best = linprog(w * costs[0] + (1 - w) * costs[1], -A, -demand, bounds=(0, 9)).fun
        assert point @ [w, 1 - w] == pytest.approx(best, abs=1e-6)
    assert all(s.certificate.passed and s.status == "optimal" for s in front.solutions)


def test_units_of_objectives_do_not_matter():
    A, demand, costs = linear_instance(1)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    plain, odd = (
        lx.frontier({"a": cp.Minimize(costs[0] @ x), "b": cp.Minimize(u * costs[1] @ x)},
                    [v * (A @ x) >= v * demand])
        for u, v in ((1.0, 1.0), (1e5, 1e-4))
    )  # fmt: skip
    assert odd.points / [1.0, 1e5] == pytest.approx(plain.points, abs=1e-6)


def test_maxima_and_absolute_values_are_linear_too():
    x = cp.Variable(2, name="x")
    objectives = {"far": cp.Minimize(cp.norm_inf(x)), "off": cp.Minimize(cp.norm1(x - [3, 1]))}
    front = lx.frontier(objectives)
    assert front.points == pytest.approx(np.array([[0, 4], [1, 2], [3, 0]]), abs=1e-7)


def test_a_linear_front_without_end_has_a_ray():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    front = lx.frontier({"low": cp.Minimize(x), "high": cp.Maximize(y)}, [y <= 2 * x + 1])
    assert front.points == pytest.approx(np.array([[0, 1]]))
    assert front.ray == pytest.approx([0.5, 1.0])
    assert "without end" in front.notes[0]
    other = lx.frontier({"high": cp.Maximize(y), "low": cp.Minimize(x)}, [y <= 2 * x + 1])
    assert other.points == pytest.approx(np.array([[1, 0]]))
    assert other.ray == pytest.approx([1.0, 0.5])


def test_objectives_that_agree_have_one_point():
    x = cp.Variable(2, nonneg=True, name="x")
    front = lx.frontier({"a": cp.Minimize(cp.sum(x)), "b": cp.Minimize(x[0])}, [cp.sum(x) >= 2])
    assert front.points == pytest.approx(np.array([[2, 0]]))
    same = lx.frontier({"a": cp.Minimize(cp.sum(x)), "b": cp.Minimize(2 * cp.sum(x))}, [x >= 1])
    assert same.points == pytest.approx(np.array([[2, 4]]))
