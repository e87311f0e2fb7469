"""The one-class programs as bare matrices for scipy, with every hypothesis a column."""

import numpy as np
from scipy.optimize import linprog


def group_optimum(H, nu):
    """max rho - 1/(nu n) sum xi: the weights, then rho, then xi."""
    n, T = H.shape
    found = linprog(
        np.r_[np.zeros(T), -1, np.ones(n) / (nu * n)],
        np.hstack([-H, np.ones((n, 1)), -np.eye(n)]), np.zeros(n),
        [np.r_[np.ones(T), np.zeros(n + 1)]], [1],
        [(0, None)] * T + [(None, None)] + [(0, None)] * n,
    )  # fmt: skip
    return -found.fun


def balance(H, groups, optima, nu):
    """min chi: the weights, a level a group, xi, chi."""
    (n, T), G = H.shape, len(optima)
    member = (groups[:, None] == np.arange(G)).astype(float)
    reached = np.hstack([
        np.zeros((G, T)), -np.eye(G), (member / (nu * member.sum(axis=0))).T, -np.ones((G, 1)),
    ])  # fmt: skip
    rows = np.hstack([-H, member, -np.eye(n), np.zeros((n, 1))])
    found = linprog(
        np.r_[np.zeros(T + G + n), 1],
        np.vstack([reached, rows]), np.r_[-np.asarray(optima), np.zeros(n)],
        [np.r_[np.ones(T), np.zeros(G + n + 1)]], [1],
        [(0, None)] * T + [(None, None)] * G + [(0, None)] * n + [(None, None)],
    )  # fmt: skip
    return found.fun
