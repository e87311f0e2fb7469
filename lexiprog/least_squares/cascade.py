"""Least squares level by level, for rows that all have targets: a complete orthogonal decomposition.

Every level's rows are factored over the directions that earlier levels have left, from the right,

    P M Q = [L 0],

so that later levels move along the last columns of Q alone and cannot touch what is settled.
Multipliers come from the same factors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from lexiprog.least_squares.hierarchy import Rank
from lexiprog.typing import Array


@dataclass(frozen=True)
class Cascade:
    """The point that rows with targets lead to.

    Attributes
    ----------
    x : ndarray
        The point of least norm among the best.
    multipliers : ndarray of shape (rows, levels + 1)
        What rows of earlier levels are worth to each level, their own residuals, and what all are
        worth to the norm of the point; of rows that are scaled to norm one.
    ranks : ndarray of shape (levels, 2)
        How many directions each level was solved for, and how many it keeps.
    pivots : ndarray of shape (levels, 2)
        The smallest pivot that was used, and the largest that was not.
    """

    x: Array
    multipliers: Array
    ranks: Array
    pivots: Array


def cascade(
    rows: Array, targets: Array, weights: Array, starts: tuple[int, ...], rank: Rank
) -> Cascade:
    """Solve ``rows @ x = targets`` level by level, each as least squares.

    ``rows`` are scaled to norm one before any columns were fixed; ``weights`` are their norms.
    """
    levels, n = len(starts) - 1, rows.shape[1]
    ranks, pivots = np.zeros((levels, 2), dtype=int), np.zeros((levels, 2))
    moved = np.array(rows.T, order="F")  # the rows, seen from the basis so far
    y, done = np.zeros(n), 0
    steps: list[tuple[int, int, Array, Array, Array]] = []
    costs = np.zeros((n, levels + 1))
    multipliers = np.zeros((rows.shape[0], levels + 1))
    pulls: list[Array] = []  # what damping adds to the costs of each level
    for level in range(levels):
        start, end = starts[level], starts[level + 1]
        pull = np.zeros(0)
        if end > start and done < n:
            factors, order, tau, _, _ = lapack.dgeqp3(moved[done:, start:end])
            order -= 1
            diagonal = np.abs(np.diagonal(factors))
            used = int(np.count_nonzero(diagonal > rank.used))
            kept = int(np.count_nonzero(diagonal > rank.locked))
            ranks[level] = used, kept
            pivots[level] = (
                diagonal[used - 1] if used else np.inf,
                diagonal[used] if used < diagonal.size else 0.0,
            )
            if end < moved.shape[1] and factors.shape[0] > 1:
                rest = moved[done:, end:]
                width = max(1, rest.shape[1]) * 32
                moved[done:, end:], _, _ = lapack.dormqr("L", "T", factors[:, : tau.size], tau, rest, width)
            lower = np.triu(factors[:kept]).T  # rows in the pivots' order
            picked = start + order
            wanted = targets[picked] - y[:done] @ moved[:done, picked]
            y[done : done + used] = _least_squares(lower[:, :used], wanted, weights[picked], rank)
            pull = rank.damping**2 * y[done : done + used]
            own = np.zeros((kept, end - start))
            own[:, order] = lower.T
            moved[done : done + kept, start:end] = own
            moved[done + kept :, start:end] = 0.0
            steps.append((level, done, factors, tau, picked))
            done += kept
        pulls.append(pull)
    for level in range(levels):
        start, end = starts[level], starts[level + 1]
        residual = y @ moved[:, start:end] - targets[start:end]
        multipliers[start:end, level] = weights[start:end] ** 2 * residual
        costs[:, level] = moved[:, start:end] @ multipliers[start:end, level]
    x = y.copy()
    for _, first, factors, tau, _ in reversed(steps):
        if factors.shape[0] > 1:
            x[first:] = lapack.dormqr("L", "N", factors[:, : tau.size], tau, x[first:, None], 64)[0][:, 0]
    costs[:, levels] = y
    for level, first, factors, _, picked in reversed(steps):
        used = ranks[level, 0]
        costs[first : first + used, level] += pulls[level]
        if not used:
            continue
        block = slice(first, first + used)
        later = slice(level + 1, levels + 1)
        top = picked[:used]
        found = dtrsm(1.0, factors[:used, :used], -costs[block, later])
        multipliers[top, later] = found
        costs[:first, later] += moved[:first, top] @ found
    return Cascade(x, multipliers, ranks, pivots)


def _least_squares(lower: Array, wanted: Array, weights: Array, rank: Rank) -> Array:
    """The least squares of a level over its own directions."""
    used = lower.shape[1]
    if not used:
        return np.zeros(0)
    if used == lower.shape[0] and not rank.damping:
        return np.asarray(lapack.dtrtrs(lower, wanted, lower=1)[0])
    if rank.damping:
        lower = np.vstack([lower, np.diag(np.full(used, rank.damping))])
        wanted = np.append(wanted, np.zeros(used))
        weights = np.append(weights, np.ones(used))
    found = lapack.dgels(lower * weights[:, None], wanted * weights)[1]
    return np.asarray(found[:used])
