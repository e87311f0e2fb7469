"""Least squares level by level, for rows with targets: a complete orthogonal decomposition.

Every level's rows are factored over the directions that earlier levels have left, from the right,

    P M Q = [L 0],

so that later levels move along the last columns of Q alone and cannot touch what is settled.
Multipliers come from the same factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from lexiprog.least_squares.hierarchy import Indices, Rank
from lexiprog.typing import Array


@dataclass(frozen=True)
class LevelCascade:
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


def solve_cascade(
    rows: Array, targets: Array, weights: Array, starts: tuple[int, ...], rank: Rank
) -> LevelCascade:
    """Solve ``rows @ x = targets`` level by level, each as least squares.

    ``rows`` are scaled to norm one before any columns were fixed; ``weights`` are their norms.
    """
    levels, n = len(starts) - 1, rows.shape[1]
    ranks, pivots = np.zeros((levels, 2), dtype=int), np.zeros((levels, 2))
    moved = np.array(rows.T, order="F")  # the rows, seen from the basis so far
    y, done = np.zeros(n), 0
    steps: list[_Step] = []
    for level in range(levels):
        start, end = starts[level], starts[level + 1]
        if end == start or done == n:
            continue
        factors, order, tau, _, _ = lapack.dgeqp3(moved[done:, start:end])
        order -= 1
        step = _Step(level, done, factors, tau, start + order)
        diagonal = np.abs(np.diagonal(factors))
        used, kept = (int(np.count_nonzero(diagonal > cut)) for cut in (rank.used, rank.locked))
        ranks[level] = used, kept
        pivots[level] = (
            diagonal[used - 1] if used else np.inf,
            diagonal[used] if used < diagonal.size else 0.0,
        )
        if end < moved.shape[1]:
            moved[done:, end:] = step.turned(moved[done:, end:], "T")
        lower = np.triu(factors[:kept]).T  # rows in the pivots' order
        wanted = targets[step.rows] - y[:done] @ moved[:done, step.rows]
        y[done : done + used] = _least_squares(lower[:, :used], wanted, weights[step.rows], rank)
        own = np.zeros((kept, end - start))
        own[:, order] = lower.T
        moved[done : done + kept, start:end] = own
        moved[done + kept :, start:end] = 0.0
        steps.append(step)
        done += kept
    x = y.copy()
    for step in reversed(steps):
        x[step.first :] = step.turned(x[step.first :, None], "N")[:, 0]
    multipliers = _multipliers(moved, targets, weights, starts, y, steps, ranks)
    return LevelCascade(x, multipliers, ranks, pivots)


class _Step(NamedTuple):
    """The factors of a level over the directions from ``first`` on; rows in the pivots' order."""

    level: int
    first: int
    factors: Array
    tau: Array
    rows: Indices

    def turned(self, columns: Array, transposed: str) -> Array:
        """Columns, seen from the basis that the factors make."""
        if self.factors.shape[0] == 1:
            return columns
        axes, width = self.factors[:, : self.tau.size], 32 * max(1, columns.shape[1])
        out: Array = lapack.dormqr("L", transposed, axes, self.tau, columns, width)[0]
        return out


def _multipliers(
    moved: Array,
    targets: Array,
    weights: Array,
    starts: tuple[int, ...],
    y: Array,
    steps: list[_Step],
    ranks: Indices,
) -> Array:
    """What rows are worth to each level, and to the norm of the point, from the last level up."""
    levels = len(starts) - 1
    multipliers, costs = np.zeros((targets.size, levels + 1)), np.zeros((y.size, levels + 1))
    for level in range(levels):
        own = slice(starts[level], starts[level + 1])
        multipliers[own, level] = weights[own] ** 2 * (y @ moved[:, own] - targets[own])
        costs[:, level] = moved[:, own] @ multipliers[own, level]
    costs[:, levels] = y
    for step in reversed(steps):
        used = ranks[step.level, 0]
        if used:
            later, rows = slice(step.level + 1, levels + 1), step.rows[:used]
            left = costs[step.first : step.first + used, later]
            found = dtrsm(1.0, step.factors[:used, :used], -left)
            multipliers[rows, later] = found
            costs[: step.first, later] += moved[: step.first, rows] @ found
    return multipliers


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
