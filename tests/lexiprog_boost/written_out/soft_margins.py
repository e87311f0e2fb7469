"""A1, A2 and A3 written out for scipy's linprog, one point at a time: independent answers."""

import numpy as np
from scipy.optimize import linprog


def primal(margins, upper, lower=None):
    """Largest r - sum upper xi + sum lower zeta with rho + xi - zeta = r; upper None means A1."""
    margins = np.asarray(margins, dtype=float)
    n, n_members = margins.shape
    # Columns: alpha (T), r, xi (n), zeta (n).
    if upper is None:
        slack_cost, slack_bound = np.zeros(n), (0, 0)
    else:
        slack_cost, slack_bound = np.broadcast_to(upper, n), (0, None)
    surplus_gain = np.zeros(n) if lower is None else np.broadcast_to(lower, n)
    cost = np.concatenate([np.zeros(n_members), [-1.0], slack_cost, -surplus_gain])
    rows, right = [], []
    for i in range(n):
        row = np.zeros(len(cost))
        row[:n_members], row[n_members] = margins[i], -1
        row[n_members + 1 + i], row[n_members + 1 + n + i] = 1, -1
        rows.append(row)
        right.append(0.0)
    rows.append(np.concatenate([np.ones(n_members), np.zeros(1 + 2 * n)]))
    right.append(1.0)
    bounds = [(0, None)] * n_members + [(None, None)] + [slack_bound] * n + [(0, None)] * n
    found = linprog(cost, A_eq=np.array(rows), b_eq=right, bounds=bounds)
    assert found.status == 0, found.message
    return -found.fun, found.x[:n_members]


def dual(margins, upper, lower=None):
    """Least s with M' D <= s, sum D = 1 and D between its bounds."""
    margins = np.asarray(margins, dtype=float)
    n, n_members = margins.shape
    above = np.ones(n) if upper is None else np.broadcast_to(upper, n)
    below = np.zeros(n) if lower is None else np.broadcast_to(lower, n)
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([margins.T, -np.ones(n_members)]),
        b_ub=np.zeros(n_members),
        A_eq=[np.append(np.ones(n), 0.0)],
        b_eq=[1.0],
        bounds=[*zip(below, above, strict=True), (None, None)],
    )
    assert found.status == 0, found.message
    return found.fun, found.x[:-1]


def random_problem(seed, n=23, n_members=5):
    rng = np.random.default_rng(seed)
    if seed % 2:
        margins = rng.choice([-1.0, 1.0], size=(n, n_members), p=[0.3, 0.7])
    else:
        margins = rng.uniform(-0.8, 1.0, size=(n, n_members))
    y = np.where(np.arange(n) < n // 4, "rare", "many")
    return margins, y, rng.integers(0, 4, size=n)


def weighted_votes(seed, n=60, n_members=4):
    rng = np.random.default_rng(seed)
    margins = rng.choice([-1.0, 1.0], size=(n, n_members), p=[0.3, 0.7])
    return margins, rng.integers(0, 4, size=n), np.where(rng.random(n) < 0.2, 3.0, 1.0)
