"""The cascade of least squares compiled by numba, for those who have the extra ``control``.

The same decomposition as in `cascade`, by Householder reflections of rows that lie one after the
other in memory: for a hundred variables LAPACK spends most of its time on being called.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lexiprog.least_squares.cascade import Cascade
from lexiprog.least_squares.hierarchy import Rank
from lexiprog.typing import Array


def jitted_cascade(
    rows: Array, targets: Array, weights: Array, starts: tuple[int, ...], rank: Rank
) -> Cascade:
    """Solve ``rows @ x = targets`` level by level; see ``cascade``."""
    return Cascade(
        *_cascade(
            np.array(rows, order="C"), targets, weights, np.array(starts), rank.used, rank.locked,
            rank.damping,
        )
    )  # fmt: skip


@njit(cache=True, fastmath={"contract", "reassoc"})
def _dot(a, b, first, last):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(first, last):
        total += a[j] * b[j]
    return total


@njit(cache=True, fastmath={"contract", "reassoc"})
def _reflected(row, axis, factor, first, last):  # type: ignore[no-untyped-def]
    """Reflect a row, and return its entry in the first place."""
    total = 0.0
    for j in range(first, last):
        total += row[j] * axis[j]
    total *= factor
    for j in range(first, last):
        row[j] -= total * axis[j]
    return row[first]


@njit(cache=True)
def _factored(W, start, end, done, axes, factors, order, used, locked):  # type: ignore[no-untyped-def]
    """Factor a level's rows over the columns from ``done`` on.

    Returns how many pivots are used and kept, the smallest used and the largest unused one.
    """
    count, n = W.shape
    left = np.empty(end - start)
    first = np.empty(end - start)
    for k in range(start, end):
        order[k] = k
        left[k - start] = first[k - start] = _dot(W[k], W[k], done, n)
    uses, keeps, smallest, largest = 0, 0, np.inf, 0.0
    place = start
    while place < end and done < n:
        best = place
        for k in range(place + 1, end):
            if left[order[k] - start] > left[order[best] - start]:
                best = k
        order[place], order[best] = order[best], order[place]
        pivot_row = order[place]
        norm = np.sqrt(_dot(W[pivot_row], W[pivot_row], done, n))
        if norm <= used:
            largest = max(largest, norm)
            if norm <= locked:
                break
        else:
            uses += 1
            smallest = min(smallest, norm)
        keeps += 1
        axis = axes[done]
        head = W[pivot_row, done]
        beta = -norm if head > 0.0 else norm
        for j in range(done, n):
            axis[j] = W[pivot_row, j]
            W[pivot_row, j] = 0.0
        axis[done] = head - beta
        W[pivot_row, done] = beta
        factor = -1.0 / (beta * axis[done])
        factors[done] = factor
        for k in range(place + 1, end):
            row = order[k]
            entry = _reflected(W[row], axis, factor, done, n)
            rest = left[row - start] - entry * entry
            if rest < 1e-6 * first[row - start]:
                rest = first[row - start] = _dot(W[row], W[row], done + 1, n)
            left[row - start] = rest
        for row in range(end, count):
            _reflected(W[row], axis, factor, done, n)
        done += 1
        place += 1
    return uses, keeps, smallest, largest


@njit(cache=True)
def _least_squares(L, wanted, uses):  # type: ignore[no-untyped-def]
    """The least squares of full columns, by reflections; both arrays are overwritten."""
    count = L.shape[1]  # L holds a column of the system in each row
    for k in range(uses):
        norm = np.sqrt(_dot(L[k], L[k], k, count))
        if norm == 0.0:
            continue
        head = L[k, k]
        beta = -norm if head > 0.0 else norm
        axis = L[k].copy()
        axis[k] = head - beta
        factor = -1.0 / (beta * axis[k])
        for j in range(k + 1, uses):
            _reflected(L[j], axis, factor, k, count)
        _reflected(wanted, axis, factor, k, count)
        L[k, k] = beta
    y = np.zeros(uses)
    for k in range(uses - 1, -1, -1):
        value = wanted[k]
        for j in range(k + 1, uses):
            value -= L[j, k] * y[j]
        y[k] = value / L[k, k] if L[k, k] != 0.0 else 0.0
    return y


@njit(cache=True)
def _solved(W, order, start, end, done, uses, targets, weights, y, damping):  # type: ignore[no-untyped-def]
    """Find a level's own part of the point."""
    count = end - start
    wanted = np.empty(count)
    for k in range(count):
        row = order[start + k]
        wanted[k] = targets[row] - _dot(W[row], y, 0, done)
    if uses == count and damping == 0.0:
        for k in range(uses):
            row = order[start + k]
            value = wanted[k]
            for j in range(k):
                value -= W[row, done + j] * y[done + j]
            y[done + k] = value / W[row, done + k]
        return
    extra = uses if damping > 0.0 else 0
    L = np.zeros((uses, count + extra))
    right = np.zeros(count + extra)
    for k in range(count):
        row = order[start + k]
        right[k] = wanted[k] * weights[row]
        for j in range(uses):
            L[j, k] = W[row, done + j] * weights[row]
    for j in range(extra):
        L[j, count + j] = damping
    y[done : done + uses] = _least_squares(L, right, uses)


@njit(cache=True)
def _cascade(W, targets, weights, starts, used, locked, damping):  # type: ignore[no-untyped-def]
    count, n = W.shape
    levels = starts.size - 1
    axes, factors = np.zeros((n, n)), np.zeros(n)
    order = np.empty(count, dtype=np.int64)
    ranks, pivots = np.zeros((levels, 2), dtype=np.int64), np.zeros((levels, 2))
    firsts = np.zeros(levels, dtype=np.int64)
    y, done = np.zeros(n), 0
    for level in range(levels):
        start, end = starts[level], starts[level + 1]
        firsts[level] = done
        if end == start or done == n:
            continue
        uses, keeps, smallest, largest = _factored(
            W, start, end, done, axes, factors, order, used, locked
        )
        ranks[level, 0], ranks[level, 1] = uses, keeps
        pivots[level, 0], pivots[level, 1] = smallest, largest
        _solved(W, order, start, end, done, uses, targets, weights, y, damping)
        done += keeps
    multipliers, costs = np.zeros((count, levels + 1)), np.zeros((levels + 1, n))
    for level in range(levels):
        for row in range(starts[level], starts[level + 1]):
            width = firsts[level] + ranks[level, 1]
            residual = _dot(W[row], y, 0, width) - targets[row]
            own = weights[row] * weights[row] * residual
            multipliers[row, level] = own
            for j in range(width):
                costs[level, j] += own * W[row, j]
    costs[levels] = y
    for level in range(levels - 1, -1, -1):
        first, uses, start = firsts[level], ranks[level, 0], starts[level]
        for later in range(level + 1, levels + 1):
            cost = costs[later]
            for k in range(uses - 1, -1, -1):
                row = order[start + k]
                value = -cost[first + k] / W[row, first + k]
                multipliers[row, later] = value
                for j in range(first + k):
                    cost[j] += value * W[row, j]
    x = y.copy()
    for k in range(done - 1, -1, -1):
        _reflected(x, axes[k], factors[k], k, n)
    return x, multipliers, ranks, pivots
