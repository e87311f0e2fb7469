"""What is paid on a face: multipliers and prices, as the problem was declared."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


@pytest.mark.parametrize("seed", range(12))
def test_multipliers_on_a_face_are_multipliers_of_the_problem_as_declared(seed):
    """Signs, stationarity and complementary slackness, the locks' rows included."""
    rng = np.random.default_rng(seed)
    size, upper = 5, 4.0
    matrix, inside = rng.integers(-2, 4, (7, size)).astype(float), rng.integers(0, 4, size)
    senses = rng.choice(["<=", ">=", "=="], 7, p=[0.6, 0.3, 0.1])
    room = rng.integers(0, 3, 7) * np.array([{"<=": 1, ">=": -1, "==": 0}[s] for s in senses])
    sides = matrix @ inside + room
    costs = rng.integers(-2, 3, (4, size)).astype(float)
    maximise = rng.random(4) < 0.5
    x = cp.Variable(size, bounds=[0, upper], name="x")
    rows = []
    for row, sense, side in zip(matrix, senses, sides, strict=True):
        left = row @ x
        rows.append({"<=": left <= side, ">=": left >= side, "==": left == side}[sense])
    levels = {
        str(k): cp.Maximize(c @ x) if m else cp.Minimize(c @ x)
        for k, (c, m) in enumerate(zip(costs, maximise, strict=True))
    }
    program = lx.preemptive(levels, rows)
    result = program.solve()
    signs = np.where(maximise, -1.0, 1.0)
    flips = np.where(senses == ">=", -1.0, 1.0)
    for k, solution in enumerate(result.values()):
        point = solution[x]
        y = np.array([float(solution.dual(row)) for row in rows])
        locks = [solution.dual(c) for c in program[str(k)].constraints[len(rows) :]]
        assert all(lock.kind == "face" for lock in solution.locks)
        assert min([*y[senses != "=="], *locks], default=0.0) >= -1e-9
        slack = np.abs(matrix @ point - sides)
        assert np.abs(y * slack)[senses != "=="].max() <= 1e-7
        reduced = signs[k] * costs[k] + matrix.T @ (flips * y)
        reduced = reduced + sum(p * signs[j] * costs[j] for j, p in enumerate(locks))
        assert reduced[point > 1e-7].max(initial=0.0) <= 1e-7
        assert reduced[point < upper - 1e-7].min(initial=0.0) >= -1e-7


def test_the_price_on_a_face_is_in_the_units_of_both_objectives():
    # A unit more of "dear" is a thousandth more of x, which is worth 7e-3 a unit.
    x = cp.Variable(2, bounds=[0, 10], name="x")
    levels = {"dear": cp.Minimize(1000 * cp.sum(x)), "cheap": cp.Maximize(7e-3 * x[0])}
    held = lx.preemptive(levels, [cp.sum(x) >= 1]).solve("HIGHS")["cheap"]
    assert [lock.kind for lock in held.locks] == ["face"]
    assert held.price("dear") == pytest.approx(7e-6, rel=1e-9)


@pytest.mark.parametrize(("unit", "own"), [(1.0, 1.0), (1e3, 1.0), (1e-3, 10.0)])
def test_prices_are_in_the_units_of_both_levels(unit, own):
    """At (3, 1) one less of the sum saves one, one less of x0 and more of x1 saves two."""
    x = cp.Variable(2, name="x", bounds=[0, 3])
    levels = {
        "sum": cp.Maximize(unit * cp.sum(x)),
        "first": cp.Maximize(x[0]),
        "cost": cp.Minimize(own * (3 * x[0] + x[1])),
    }
    found = lx.preemptive(levels, [cp.sum(x) <= 4]).solve()["cost"]
    assert [lock.kind for lock in found.locks] == ["face", "face"]
    assert found.value == near(10 * own)
    assert found.price("sum") == near(own / unit)
    assert found.price("first") == near(2 * own)
