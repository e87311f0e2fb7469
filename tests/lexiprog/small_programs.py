"""Small programs that several files of tests solve, each with the answer worked by hand."""

import cvxpy as cp

import lexiprog as lx


def cylinder():
    """The right end leaves a line, of which the lowest point is held as well: 0 + 4 is left."""
    x = cp.Variable(3, name="x")
    levels = {
        "right": cp.Maximize(x[0]),
        "low": cp.Minimize(x[2]),
        "other": cp.Maximize(x[1] + x[2]),
    }
    return lx.preemptive(levels, [cp.norm(x[:2]) <= 2, cp.norm(x[2] - 5) <= 1, x[2] <= 7])


def plant():
    """Two ways to meet a demand, with their cost and their fumes.

    The vertices of the demand region are (0, 8), (8/3, 8/3) and (8, 0): cost is least, 8, at the
    first and fumes are least, 8, at the last.
    """
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, fumes = 3 * x[0] + x[1], x[0] + 4 * x[1]
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    clean = lx.Subproblem("clean", cp.Minimize(fumes), demand)
    return x, demand, cheap, clean
