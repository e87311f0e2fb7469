"""Programs of all kinds whose results others prove again."""

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.results.test_result import Plant
from tests.lexiprog.small_programs import cylinder


def single(objective, *constraints, gp=False):
    problem = lx.Subproblem("p", objective, list(constraints), gp=gp)
    return lx.Program(lx.Stage("only", problem))


def transport(seed=0):
    """A linear program with equations, inequalities, bounds and free columns."""
    rng = np.random.default_rng(seed)
    x, free = cp.Variable((3, 4), nonneg=True, name="x"), cp.Variable(name="free")
    supply, demand = rng.integers(5, 9, 3) * 1e3, rng.integers(1, 4, 4) * 1e3
    cost = cp.sum(cp.multiply(rng.random((3, 4)), x)) + free
    rows = [cp.sum(x, axis=1) <= supply, cp.sum(x, axis=0) == demand, free >= cp.sum(x[0]) / 7]
    return single(cp.Minimize(cost), *rows)


def compromise(rtol=0.0):
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, fumes = 3 * x[0] + x[1], x[0] + 4 * x[1]
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    return lx.preemptive(
        {"cost": cp.Minimize(cost), "fumes": cp.Minimize(fumes), "most": cp.Maximize(x[1])},
        demand, rtol={"cost": rtol},
    )  # fmt: skip


def chain():
    """Each level leaves a face for the next; the last has 4 + 2 * 2 or 1 + 2 * 5 to choose from."""
    x = cp.Variable(4, bounds=[0, 10], name="x")
    rows = [x[0] + x[1] >= 4, x[2] + x[3] >= 5, x[0] + x[2] <= 6]
    levels = {
        "first": cp.Minimize(x[0] + x[1]),
        "second": cp.Minimize(x[2] + x[3]),
        "third": cp.Maximize(x[0] + 2 * x[2]),
    }
    return lx.preemptive(levels, rows)


def matrices():
    """A matrix of trace one that is large along e: it is e e', whatever else is wished for."""
    X = cp.Variable((3, 3), PSD=True, name="X")
    levels = {"along": cp.Maximize(cp.sum(X)), "other": cp.Maximize(X[0, 0] - 2 * X[1, 2])}
    return lx.preemptive(levels, [cp.trace(X) == 1])


def matrix():
    X, M = cp.Variable((3, 3), PSD=True, name="X"), np.diag([1.0, 2.0, 3.0]) + 0.5
    return single(cp.Minimize(cp.trace(X)), X >> M)


def knapsack():
    k, y = cp.Variable(4, integer=True, name="k"), cp.Variable(2, bounds=[-2, 1], name="y")
    weight = np.array([2, 3, 4, 5])
    return single(cp.Maximize(weight @ k + cp.sum(y)), k @ [3, 4, 5, 7] + y[0] <= 20, k >= 0)


def y3():
    return cp.Variable(3, name="y")


def geometric():
    t, u = cp.Variable(pos=True, name="t"), cp.Variable(pos=True, name="u")
    return single(cp.Maximize(t * u), t + u <= 4, gp=True)


PROGRAMS = {
    "linear": transport,
    "a chain on faces": chain,
    "a curved chain on faces": cylinder,
    "a chain of matrices on faces": matrices,
    "quadratic": lambda: single(cp.Minimize(cp.sum_squares((y := y3()) - [1, 2, 3])), sum(y) == 1),
    "second-order": lambda: single(cp.Maximize((y := y3()) @ [1, 2, 0]), cp.norm(y) <= 1e3),
    "semidefinite": matrix,
    "exponential": lambda: single(cp.Maximize(cp.sum(cp.log(y := y3()))), cp.sum(y) <= 5),
    "power": lambda: single(cp.Maximize(cp.geo_mean(y := y3(), p=[1, 2, 3])), cp.sum(y) <= 5),
    "geometric": geometric,
    "integer": knapsack,
    "several kinds": lambda: Plant().program,
}
EXACT = ("linear", "a chain on faces", "integer")
