"""Random integer chains, small ones with their true answers and large ones that take long."""

import itertools

import cvxpy as cp
import numpy as np

import lexiprog as lx


def small_chain(seed):
    """A program of three levels, and the values that enumeration finds for them.

    Whole numbers, tolerances, an equation in half of them and a big M in a third: a column y is
    open only if its switch is, and opening costs.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    x = cp.Variable(n, integer=True, bounds=[0, 2], name="x")
    switch = cp.Variable(2, boolean=True, name="switch")
    rows, most = rng.integers(1, 6, (2, n)), rng.integers(4, 14, 2)
    rules = [rows @ x <= most]
    points = np.array(list(itertools.product(*[range(3)] * n, range(2), range(2))))
    kept = (points[:, :n] @ rows.T <= most).all(axis=1)
    if seed % 2:
        total = int(rng.integers(1, n))
        rules.append(cp.sum(x) == total)
        kept &= points[:, :n].sum(axis=1) == total
    large = 10.0 ** rng.integers(2, 7) if seed % 3 == 0 else 2.0
    rules.append(x[:2] <= large * switch)
    kept &= (points[:, :2] <= large * points[:, n:]).all(axis=1)
    points = points[kept]
    weights = rng.integers(-5, 6, (3, n + 2))
    senses = [cp.Maximize if up else cp.Minimize for up in rng.integers(0, 2, 3)]
    tolerances = [float(t) for t in rng.choice([0, 0, 1, 2], 3)]
    names = ["first", "second", "third"]
    objectives = [w[:n] @ x + w[n:] @ switch + 0.5 for w in weights]
    levels = {k: sense(e) for k, sense, e in zip(names, senses, objectives, strict=True)}
    program = lx.preemptive(levels, rules, atol=dict(zip(names, tolerances, strict=True)))
    answers = []
    for weight, sense, tolerance in zip(weights, senses, tolerances, strict=True):
        values = (points @ weight + 0.5) * (1 if sense is cp.Maximize else -1)
        if not values.size:
            return program, None
        answers.append(float(values.max()) * (1 if sense is cp.Maximize else -1))
        points = points[values >= values.max() - tolerance]
    return program, answers


def hard_knapsack(seed=0, items=200, rows=30, levels=2):
    """Knapsacks with many rows, which take hours to prove; a point is found at once."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(5, 100, (rows, items))
    take = cp.Variable(items, boolean=True, name="take")
    gains = rng.integers(5, 100, (levels, items))
    senses = [cp.Maximize, cp.Minimize]
    objectives = {f"level {k}": senses[k % 2](gains[k] @ take) for k in range(levels)}
    return lx.preemptive(objectives, [weights @ take <= weights.sum(axis=1) // 3])


def medium_cover(seed, sets=60, points=40):
    """A set cover of three levels that takes a second or so."""
    rng = np.random.default_rng(seed)
    covers = (rng.random((points, sets)) < 0.12).astype(int)
    covers[np.arange(points), rng.integers(0, sets, points)] = 1
    take = cp.Variable(sets, boolean=True, name="take")
    costs = rng.integers(1, 30, (2, sets))
    levels = {
        "cost": cp.Minimize(costs[0] @ take),
        "risk": cp.Minimize(costs[1] @ take),
        "count": cp.Maximize(cp.sum(take)),
    }
    return lx.preemptive(levels, [covers @ take >= 1], rtol={"cost": 0.05, "risk": 0.05})
