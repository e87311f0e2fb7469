"""Small problems of many kinds, each with a number that can be changed in one place."""

import json
import sys

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy.transforms.partial_optimize import partial_optimize

import lexiprog as lx
from lexiprog.results.fingerprint import fingerprint_of


def minimised(objective, *constraints, gp=False):
    return lx.Subproblem("p", cp.Minimize(objective), list(constraints), gp=gp)


def x(size=3, **attributes):
    return cp.Variable(size, name="x", **attributes)


def with_parameter(t):
    v, p = x(), cp.Parameter(3, name="p", nonneg=True, value=[1, 2, 3])
    return minimised(cp.sum(v), v >= p, v[0] >= t)


def with_inner_problem(t):
    v, inner = x(), cp.Variable()
    problem = cp.Problem(cp.Minimize(v[0] + inner), [inner >= t * v[1] ** 2])
    return minimised(partial_optimize(problem, opt_vars=[inner]), v >= -1)


def with_support(t):
    z, y = cp.Variable(3), x()
    return minimised(cp.suppfunc(z, [cp.norm(z) <= t])(y), cp.sum(y) >= 1)


def with_perspective(t):
    v, scale = cp.Variable(name="v"), cp.Variable(name="scale", nonneg=True)
    return minimised(cp.perspective(cp.square(v - t), scale), scale >= 0.1, v >= 3)


def with_bounds_by_parameter(t):
    v = x(bounds=[np.zeros(3), cp.Parameter(3, name="top", value=[9, 9, 9])])
    return minimised(-cp.sum(v), t * v[0] <= 1)


def posynomial(t):
    a, b = cp.Variable(pos=True, name="a"), cp.Variable(pos=True, name="b")
    return minimised(a + t * b, a * b >= 1, gp=True)


KINDS = {
    "a constant": lambda t: minimised(cp.sum(v := x()), v >= t),
    "a cost": lambda t: minimised(t * (v := x())[0] + v[1], v >= 0),
    "one entry of many": lambda t: minimised(
        cp.sum(v := x(2000)), v >= np.where(np.arange(2000) == 1234, t, 0.0)
    ),
    "a sparse matrix": lambda t: minimised(
        cp.sum(v := x()), sp.csr_array(([t, 1.0], ([0, 1], [2, 0])), shape=(2, 3)) @ v >= 1, v >= 0
    ),
    "which entry": lambda t: minimised(cp.sum(v := x(5)), v[int(t)] >= 1, v >= 0),
    "a slice": lambda t: minimised(cp.sum(v := x(5)), v[: int(t)] >= 1, v >= 0),
    "a list of entries": lambda t: minimised(cp.sum(v := x(5)), v[[0, int(t)]] >= 1, v >= 0),
    "how many are summed": lambda t: minimised(cp.sum_largest(v := x(5), int(t)), v >= 1),
    "a power": lambda t: minimised(cp.sum(cp.power(v := x(), 1 + t)), v >= 1),
    "a norm": lambda t: minimised(cp.norm(v := x(), 1 + t), cp.sum(v) >= 1),
    "a huber threshold": lambda t: minimised(cp.sum(cp.huber(v := x(), t)), cp.sum(v) >= 1),
    "an axis": lambda t: minimised(cp.sum(cp.max(v := x((2, 2)), axis=int(t) - 1)), v >= 1),
    "a quadratic form": lambda t: minimised(
        cp.quad_form(v := x(), np.diag([1.0, 2.0, t])), cp.sum(v) >= 1
    ),
    "weights of a mean": lambda t: minimised(-cp.geo_mean(v := x(), p=[1, 2, t]), cp.sum(v) <= 1),
    "a lower bound": lambda t: minimised(cp.sum(x(bounds=[-t, 10]))),
    "an attribute": lambda t: minimised(cp.sum(v := x(integer=t > 1)), v >= 0.5),
    "which are whole": lambda t: minimised(cp.sum(v := x(boolean=[(int(t),)])), v >= 0.5),
    "a cone": lambda t: minimised((v := x())[0], cp.SOC(v[0] + t, v[1:]), v[1] >= 1),
    "a power cone": lambda t: minimised(
        cp.sum(v := x()), cp.PowCone3D(v[0], v[1], v[2], t / 4), v[2] >= 1
    ),
    "a semidefinite cone": lambda t: minimised(
        cp.trace(v := x((2, 2), symmetric=True)), v >> np.array([[1.0, t], [t, 5.0]])
    ),
    "a finite set": lambda t: minimised(cp.sum(v := x()), cp.FiniteSet(v, [t, 7, 9])),
    "equal or at least": lambda t: minimised(
        cp.sum(v := x()), v[0] >= 1 if t > 1 else v[0] == 1, v >= 0
    ),
    "sense": lambda t: lx.Subproblem(
        "p", (cp.Maximize if t > 1 else cp.Minimize)((v := x())[0]), [v >= 0, v <= 1]
    ),
    "a complex number": lambda t: minimised(cp.abs(x(complex=True)[0] - t * 1j)),
    "beside a parameter": with_parameter,
    "bounds by a parameter": with_bounds_by_parameter,
    "an inner problem": with_inner_problem,
    "the set of a support function": with_support,
    "the function of a perspective": with_perspective,
    "a geometric program": posynomial,
}


def digests():
    """Of every kind, as plain texts."""
    return {name: fingerprint_of(make(2.0)).whole for name, make in KINDS.items()}


if __name__ == "__main__":
    for _ in range(37):  # other numbers for everything that follows
        cp.Variable()
    json.dump(digests(), sys.stdout)
