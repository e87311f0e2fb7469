"""Random margins, and the paper's programs written out for scipy, sharing no code with ours."""

import numpy as np
from scipy.optimize import linprog


def margins(seed, *, points=60, members=6, classes=3, kind="votes"):
    rng = np.random.default_rng(seed)
    shares = np.array([0.6, 0.25, 0.15][:classes])
    y = np.r_[np.arange(classes), rng.choice(classes, points - classes, p=shares / shares.sum())]
    skill = 0.5 + 0.4 * rng.random((classes, members))
    if kind == "votes":
        return np.where(rng.random((points, members)) < skill[y], 1.0, -1.0), y
    return np.clip(skill[y] - 0.3 + rng.normal(0, 0.5, (points, members)), -1, 1), y


def shares_of_classes(y, weights):
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    return weights / np.array([weights[y == label].sum() for label in y])


def solve(c, A_ub, b_ub, A_eq, b_eq, bounds):
    found = linprog(c, A_ub, b_ub, A_eq, b_eq, bounds, method="highs")
    assert found.status == 0, found.message
    return found


def class_optimum(M, y, label, *, weights=None, theta=1.0, cap=1.0):
    w = shares_of_classes(y, weights)[y == label]
    rows = M[y == label]
    n, T = rows.shape
    return solve(
        np.r_[np.zeros(T), w], np.hstack([-rows, -np.eye(n)]), np.full(n, -theta),
        [np.r_[np.ones(T), np.zeros(n)]], [1.0], [(0, cap)] * T + [(0, None)] * n,
    ).fun  # fmt: skip


def balance(M, y, optima, *, costs=None, weights=None, theta=1.0, cap=1.0, chi_free=True):
    w = shares_of_classes(y, weights)
    n, T = M.shape
    labels = np.unique(y)
    costs = np.ones(len(labels)) if costs is None else np.asarray(costs, float)
    own = (y == labels[:, None]) * w * costs[:, None]
    rows = np.hstack([np.zeros((len(labels), T)), own, -np.ones((len(labels), 1))])
    A = np.vstack([rows, np.hstack([-M, -np.eye(n), np.zeros((n, 1))])])
    b = np.r_[costs * optima, np.full(n, -theta)]
    bounds = [(0, cap)] * T + [(0, None)] * n + [(None if chi_free else 0, None)]
    return solve(
        np.r_[np.zeros(T + n), 1.0], A, b, [np.r_[np.ones(T), np.zeros(n + 1)]], [1.0], bounds
    ).fun


def paper_dual_class(M, y, label):
    w = shares_of_classes(y, None)
    n, T = M.shape
    return -solve(
        np.r_[-1.0 * (y == label), 1.0], np.hstack([M.T, -np.ones((T, 1))]), np.zeros(T),
        [np.r_[np.ones(n), 0.0]], [1.0], [(0, cap) for cap in w] + [(None, None)],
    ).fun  # fmt: skip


def paper_dual_balance(M, y, optima):
    w = shares_of_classes(y, None)
    n, T = M.shape
    labels = np.unique(y)
    own = (y[:, None] == labels).astype(float) * w[:, None]
    A = np.vstack([
        np.hstack([M.T, np.zeros((T, len(labels))), -np.ones((T, 1))]),
        np.hstack([np.eye(n), -own, np.zeros((n, 1))]),
        np.r_[np.zeros(n), np.ones(len(labels)), 0.0][None],
    ])  # fmt: skip
    b = np.r_[np.zeros(T + n), 1.0]
    bounds = [(0, None)] * (n + len(labels)) + [(None, None)]
    equal = [np.r_[np.ones(n), np.zeros(len(labels) + 1)]]
    return -solve(np.r_[-np.ones(n), optima, 1.0], A, b, equal, [1.0], bounds).fun


OPTIONS = {
    "plain": {},
    "target": {"theta": 0.4},
    "cap": {"cap": 0.3},
    "weights": {"weights": np.arange(60) % 4 + 1},
    "all": {"theta": 0.5, "cap": 0.4, "weights": np.arange(60) % 3},
}


def ours(options):
    names = {"theta": "margin_target", "cap": "weight_cap", "weights": "sample_weight"}
    return {names[name]: value for name, value in options.items()}
