"""The cascade of least squares compiled by numba, for those who have the extra ``control``.

The same decomposition as in `cascade`, by Householder reflections of rows that lie one after the
other in memory: for a hundred variables LAPACK spends most of its time on being called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np
from numba import njit

from lexiprog.least_squares.active_set import MIXED, NO_MULTIPLIER, ROUNDING, ActiveSet
from lexiprog.least_squares.cascade import LevelCascade
from lexiprog.least_squares.check import COUNTS, MET, ROUNDED, Check
from lexiprog.least_squares.hierarchy import Hierarchy, Indices, Rank
from lexiprog.typing import Array

# Rows times reflections from which on products of matrices are faster.
MANY = 500

Taken = ParamSpec("Taken")
Returned = TypeVar("Returned")


def _heeding_ctrl_c(function: Callable[Taken, Returned]) -> Callable[Taken, Returned]:
    """The function, which raises KeyboardInterrupt where numba makes a SystemError of it."""

    @wraps(function)
    def heeding(*arguments: Taken.args, **options: Taken.kwargs) -> Returned:
        try:
            return function(*arguments, **options)
        except SystemError as error:
            reason: BaseException | None = error
            while reason is not None and not isinstance(reason, KeyboardInterrupt):
                reason = reason.__cause__ or reason.__context__
            raise reason or error from None

    return heeding


@_heeding_ctrl_c
def jitted_held(hierarchy: Hierarchy, side: Indices, rank: Rank) -> ActiveSet:
    """The point that a set leads to; see ``held_by_lapack``."""
    h = hierarchy
    rows, at, size, *point = _held(
        h.A, h.matrix.norms, h.matrix.start_of, h.lower, h.upper, side, rank.used, rank.locked,
        rank.damping, ROUNDING, MIXED,
    )  # fmt: skip
    return ActiveSet(side, rows, LevelCascade(*point), at, size)


@njit(cache=True, fastmath={"contract", "reassoc"})
def _dot(a, b, first, last):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(first, last):
        total += a[j] * b[j]
    return total


@njit(cache=True, fastmath={"contract", "reassoc"})
def _reflect(W, top, bottom, axis, factor, first):  # type: ignore[no-untyped-def]
    """Reflect rows from ``top`` up to ``bottom``, four at a time to keep the processor busy."""
    n, row = W.shape[1], top
    while row + 4 <= bottom:
        one, two, three, four = 0.0, 0.0, 0.0, 0.0
        for j in range(first, n):
            entry = axis[j]
            one += W[row, j] * entry
            two += W[row + 1, j] * entry
            three += W[row + 2, j] * entry
            four += W[row + 3, j] * entry
        one, two, three, four = one * factor, two * factor, three * factor, four * factor
        for j in range(first, n):
            entry = axis[j]
            W[row, j] -= one * entry
            W[row + 1, j] -= two * entry
            W[row + 2, j] -= three * entry
            W[row + 3, j] -= four * entry
        row += 4
    while row < bottom:
        one = 0.0
        for j in range(first, n):
            one += W[row, j] * axis[j]
        one *= factor
        for j in range(first, n):
            W[row, j] -= one * axis[j]
        row += 1


@njit(cache=True)
def _mirror(row, axis, first):  # type: ignore[no-untyped-def]
    """The reflection that leaves a row its entry in the first place alone, and that entry."""
    norm = np.sqrt(_dot(row, row, first, row.size))
    beta = -norm if row[first] > 0.0 else norm
    for j in range(first, row.size):
        axis[j] = row[j]
        row[j] = 0.0
    axis[first] -= beta
    row[first] = beta
    return -1.0 / (beta * axis[first])


@njit(cache=True)
def _factored(W, start, end, done, axes, factors, order, used, locked):  # type: ignore[no-untyped-def]
    """Factor a level's rows over the columns from ``done`` on; pivots' rows are put first.

    Returns how many pivots are used and kept, the smallest used and the largest unused one.
    """
    n = W.shape[1]
    left = np.empty(end - start)
    full = np.empty(end - start)
    for k in range(start, end):
        left[k - start] = full[k - start] = _dot(W[k], W[k], done, n)
    uses, keeps, smallest, largest = 0, 0, np.inf, 0.0
    place = start
    while place < end and done < n:
        best = place
        for k in range(place + 1, end):
            if left[k - start] > left[best - start]:
                best = k
        if best != place:
            order[place], order[best] = order[best], order[place]
            left[best - start], full[best - start] = left[place - start], full[place - start]
            for j in range(n):
                W[place, j], W[best, j] = W[best, j], W[place, j]
        norm = np.sqrt(_dot(W[place], W[place], done, n))
        if norm <= used:
            largest = max(largest, norm)
            if norm <= locked:
                break
        else:
            uses += 1
            smallest = min(smallest, norm)
        keeps += 1
        factors[done] = _mirror(W[place], axes[done], done)
        _reflect(W, place + 1, end, axes[done], factors[done], done)
        for k in range(place + 1, end):
            rest = left[k - start] - W[k, done] * W[k, done]
            if rest < 1e-6 * full[k - start]:
                rest = full[k - start] = _dot(W[k], W[k], done + 1, n)
            left[k - start] = rest
        done += 1
        place += 1
    _reflect_later(W, end, axes, factors, done - keeps, done)
    return uses, keeps, smallest, largest


@njit(cache=True)
def _reflect_later(W, end, axes, factors, first, last):  # type: ignore[no-untyped-def]
    """Reflect the rows of later levels, by products of whole matrices where that pays."""
    count = W.shape[0]
    if (last - first) * (count - end) < MANY:
        for k in range(first, last):
            _reflect(W, end, count, axes[k], factors[k], k)
        return
    V = axes[first:last, first:].copy()
    inner = V @ V.T
    size = last - first
    T = np.zeros((size, size))  # the reflections in turn are 1 - V' T V
    for k in range(size):
        T[k, k] = factors[first + k]
        for i in range(k):
            total = 0.0
            for j in range(i, k):
                total += T[i, j] * inner[j, k]
            T[i, k] = -factors[first + k] * total
    rest = W[end:, first:].copy()
    rest -= (rest @ V.T) @ T @ V
    W[end:, first:] = rest


@njit(cache=True)
def _least_squares(L):  # type: ignore[no-untyped-def]
    """The least squares of columns, each in a row of L, whose last row is what they should add to.

    By reflections; L is overwritten.
    """
    uses = L.shape[0] - 1
    axis = np.zeros(L.shape[1])
    for k in range(uses):
        if _dot(L[k], L[k], k, L.shape[1]) > 0.0:
            factor = _mirror(L[k], axis, k)
            _reflect(L, k + 1, uses + 1, axis, factor, k)
    y = np.zeros(uses)
    for k in range(uses - 1, -1, -1):
        value = L[uses, k]
        for j in range(k + 1, uses):
            value -= L[j, k] * y[j]
        y[k] = value / L[k, k] if L[k, k] != 0.0 else 0.0
    return y


@njit(cache=True)
def _solved(W, start, end, done, uses, targets, weights, y, damping):  # type: ignore[no-untyped-def]
    """Find a level's own part of the point."""
    count = end - start
    if uses == count and damping == 0.0:
        for k in range(uses):
            value = targets[start + k] - _dot(W[start + k], y, 0, done + k)
            y[done + k] = value / W[start + k, done + k]
        return
    extra = uses if damping > 0.0 else 0
    L = np.zeros((uses + 1, count + extra))
    for k in range(count):
        weight = weights[start + k]
        L[uses, k] = weight * (targets[start + k] - _dot(W[start + k], y, 0, done))
        for j in range(uses):
            L[j, k] = W[start + k, done + j] * weight
    for j in range(extra):
        L[j, count + j] = damping
    y[done : done + uses] = _least_squares(L)


@njit(cache=True)
def _cascade(W, targets, weights, starts, used, locked, damping):  # type: ignore[no-untyped-def]
    count, n = W.shape
    levels = starts.size - 1
    axes, factors = np.zeros((n, n)), np.zeros(n)
    order = np.arange(count)
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
        targets[start:end], weights[start:end] = (
            targets[order[start:end]],
            weights[order[start:end]],
        )
        ranks[level, 0], ranks[level, 1] = uses, keeps
        pivots[level, 0], pivots[level, 1] = smallest, largest
        _solved(W, start, end, done, uses, targets, weights, y, damping)
        done += keeps
    multipliers, costs = np.zeros((count, levels + 1)), np.zeros((levels + 1, n))
    for level in range(levels):
        width = firsts[level] + ranks[level, 1]
        for k in range(starts[level], starts[level + 1]):
            own = weights[k] * weights[k] * (_dot(W[k], y, 0, width) - targets[k])
            multipliers[order[k], level] = own
            for j in range(width):
                costs[level, j] += own * W[k, j]
    costs[levels] = y
    for level in range(levels - 1, -1, -1):
        first, start = firsts[level], starts[level]
        for k in range(ranks[level, 0] - 1, -1, -1):
            for later in range(level + 1, levels + 1):
                value = -costs[later, first + k] / W[start + k, first + k]
                multipliers[order[start + k], later] = value
                for j in range(first + k):
                    costs[later, j] += value * W[start + k, j]
    x = y.copy().reshape(1, n)
    for k in range(done - 1, -1, -1):
        _reflect(x, 0, 1, axes[k], factors[k], k)
    return x[0], multipliers, ranks, pivots


@njit(cache=True)
def _held(A, norms, starts, lower, upper, side, used, locked, damping, rounding, mixed):  # type: ignore[no-untyped-def]
    rows = np.flatnonzero(side)
    targets = np.empty(rows.size)
    for k in range(rows.size):
        targets[k] = lower[rows[k]] if side[rows[k]] < 0 else upper[rows[k]]
    fixed = _fixed_columns(A, rows, starts[1] if damping == 0.0 else 0)
    x, multipliers, ranks, pivots = _on_rows(
        A, norms, starts, rows, targets, fixed, used, locked, damping
    )
    at, size = _sizes(A, norms, x, mixed)
    for k in range(fixed.size, rows.size if fixed.size else 0):
        row = rows[k]
        if row >= starts[1]:
            break
        if abs(at[row] - targets[k]) > rounding * size[row]:
            # The first level has to share what is missing.
            x, multipliers, ranks, pivots = _on_rows(
                A, norms, starts, rows, targets, fixed[:0], used, locked, damping
            )
            at, size = _sizes(A, norms, x, mixed)
            break
    return rows, at, size, x, multipliers, ranks, pivots


@njit(cache=True)
def _fixed_columns(A, rows, first):  # type: ignore[no-untyped-def]
    """Columns that the first held rows bound, one each; none if other rows come in between."""
    fixed, taken = np.empty(rows.size, dtype=np.int64), np.zeros(A.shape[1], dtype=np.bool_)
    count, alone = 0, True
    for k in range(rows.size):
        if rows[k] >= first:
            break
        entries, column = 0, -1
        for j in range(A.shape[1]):
            if A[rows[k], j] != 0.0:
                entries, column = entries + 1, j
        if entries == 1:
            alone = alone and count == k and not taken[column]
            taken[column] = True
            fixed[count] = column
            count += 1
    return fixed[:count] if alone else fixed[:0]


@njit(cache=True)
def _sizes(A, norms, x, mixed):  # type: ignore[no-untyped-def]
    """All rows' values, and what their terms come to."""
    at, size, sizes = np.empty(norms.size), np.empty(norms.size), np.abs(x)
    most = mixed * np.sqrt(_dot(x, x, 0, x.size))
    for i in range(norms.size):
        at[i], size[i] = _row(A, i, x, sizes)
        size[i] += most * norms[i]
    return at, size


@njit(cache=True)
def _on_rows(A, norms, starts, rows, targets, fixed, used, locked, damping):  # type: ignore[no-untyped-def]
    """Solve for the held rows, of which the first ones fix columns."""
    n, count = A.shape[1], fixed.size
    left = np.ones(n, dtype=np.bool_)
    left[fixed] = False
    free = np.flatnonzero(left)
    others = rows.size - count
    W, pinned = np.empty((others, free.size)), np.empty((others, count))
    wanted, weights, values = np.empty(others), np.empty(others), np.empty(count)
    for k in range(count):
        values[k] = targets[k] / A[rows[k], fixed[k]]
    inner = np.zeros(starts.size, dtype=np.int64)
    for k in range(others):
        row = rows[count + k]
        norm = weights[k] = norms[row]
        wanted[k] = targets[count + k] / norm
        for j in range(free.size):
            W[k, j] = A[row, free[j]] / norm
        for j in range(count):
            pinned[k, j] = A[row, fixed[j]] / norm
            wanted[k] -= pinned[k, j] * values[j]
        level = starts.size - 1
        while row < starts[level]:
            inner[level] += 1
            level -= 1
    y, found, ranks, pivots = _cascade(W, wanted, weights, inner, used, locked, damping)
    if not count:
        return y, found, ranks, pivots
    x = np.empty(n)
    x[free], x[fixed] = y, values
    multipliers = np.empty((rows.size, found.shape[1]))
    multipliers[count:] = found
    last = found.shape[1] - 1
    for k in range(count):
        sign = -1.0 if A[rows[k], fixed[k]] > 0.0 else 1.0
        for level in range(found.shape[1]):
            cost = values[k] if level == last else 0.0
            if level:
                for i in range(others):
                    cost += pinned[i, k] * found[i, level]
            multipliers[k, level] = sign * cost
    ranks[0] += count
    return x, multipliers, ranks, pivots


@_heeding_ctrl_c
def jitted_signs(hierarchy: Hierarchy, held: ActiveSet) -> tuple[Array, Indices]:
    """The first multiplier of each held row that is not rounding; see ``lexicographic_signs``."""
    h = hierarchy
    signs: tuple[Array, Indices] = _signs(
        held.rows, held.side, h.matrix.level_of, h.matrix.norms, h.lower, h.upper, held.size,
        held.point.multipliers, h.levels, ROUNDING, NO_MULTIPLIER,
    )  # fmt: skip
    return signs


@njit(cache=True)
def _signs(  # type: ignore[no-untyped-def]
    rows, side, level_of, norms, lower, upper, size, multipliers, levels, rounding, none
):
    count = rows.size
    least = np.zeros(levels + 1)
    for k in range(count):
        for later in range(levels + 1):
            least[later] = max(least[later], none * abs(multipliers[k, later]))
    real = np.zeros(levels + 1, dtype=np.bool_)
    real[levels] = True
    first, worth = np.zeros(count, dtype=np.int64), np.zeros(count)
    own = np.zeros(count, dtype=np.bool_)
    for k in range(count):
        row = rows[k]
        end = lower[row] if side[row] < 0 else upper[row]
        limit = rounding * norms[row] * (size[row] + abs(end))
        own[k] = abs(multipliers[k, level_of[row]]) > limit
        if own[k]:
            real[level_of[row]] = True
    for k in range(count):
        row = rows[k]
        level = level_of[row]
        for later in range(level, levels + 1):
            counts = own[k] if later == level else abs(multipliers[k, later]) > least[later]
            if counts and real[later]:
                first[k] = later
                if side[row] != 2:
                    worth[k] = multipliers[k, later] * side[row]
                break
    return worth, first


@_heeding_ctrl_c
def jitted_check(hierarchy: Hierarchy, held: ActiveSet) -> Check:
    """Measure a point by the multipliers of the rows that hold it; see ``check_levels``."""
    h = hierarchy
    share = ROUNDED + held.point.pivots[:, 1].max(initial=0.0) / COUNTS
    return Check(
        *_check(
            h.A, h.matrix.norms, h.matrix.level_of, h.lower, h.upper, h.levels, held.point.x,
            held.rows, held.side, held.point.multipliers, share, ROUNDED, MET, COUNTS,
        )
    )  # fmt: skip


@njit(cache=True, fastmath={"contract", "reassoc"})
def _row(A, i, x, sizes):  # type: ignore[no-untyped-def]
    """A row's value at a point, and what its terms come to."""
    at, size = 0.0, 0.0
    for j in range(x.size):
        at += A[i, j] * x[j]
        size += abs(A[i, j]) * sizes[j]
    return at, size


@njit(cache=True, fastmath={"contract", "reassoc"})
def _add(A, i, factor, balance, weight):  # type: ignore[no-untyped-def]
    """Add a row times a multiplier to what multipliers leave of the costs, and to its terms."""
    size = abs(factor)
    for j in range(balance.size):
        balance[j] += factor * A[i, j]
        weight[j] += size * abs(A[i, j])


@njit(cache=True)
def _violations(A, norms, lower, upper, x, rounded, met):  # type: ignore[no-untyped-def]
    """Values of the rows, their terms, and what lies beyond their ends by more than rounding."""
    count = A.shape[0]
    at, size, terms, violations = np.zeros((4, count))
    sizes = np.abs(x)
    mixed = rounded * np.sqrt(_dot(x, x, 0, x.size))
    for i in range(count):
        at[i], size[i] = _row(A, i, x, sizes)
        size[i] += mixed * norms[i]
        terms[i] = size[i]
        if at[i] > upper[i]:
            violations[i] = at[i] - upper[i]
            terms[i] += abs(upper[i])
        elif at[i] < lower[i]:
            violations[i] = at[i] - lower[i]
            terms[i] += abs(lower[i])
        if abs(violations[i]) <= met * terms[i]:
            violations[i] = 0.0
    return at, size, terms, violations


@njit(cache=True)
def _own(A, norms, level_of, level, violations, terms, share, rounded, balance, weight):  # type: ignore[no-untyped-def]
    """A level's own part: its value, and what its terms come to in the gap and in each column."""
    value, worth, floor = 0.0, 0.0, 0.0
    for i in range(A.shape[0]):
        if level_of[i] == level:
            value += violations[i] * violations[i]
            worth += abs(violations[i]) * terms[i]
            floor += norms[i] * (share * abs(violations[i]) + rounded * terms[i])
            if violations[i] != 0.0:
                _add(A, i, violations[i], balance, weight)
    return value, worth, floor


@njit(cache=True)
def _held_slack(rows, side, level_of, lower, upper, at, size, violations, missed):  # type: ignore[no-untyped-def]
    """How far met rows are from the ends at which they are held, and what these come to."""
    slack, ends = np.zeros(rows.size), np.zeros(rows.size)
    for k in range(rows.size):
        row = rows[k]
        end = lower[row] if side[row] < 0 else upper[row]
        ends[k] = size[row] + abs(end)
        if violations[row] == 0.0:
            slack[k] = abs(at[row] - end)
            if slack[k] > 0.0:
                level = level_of[row]
                missed[level] = max(missed[level], slack[k] / ends[k])
    return slack, ends


@njit(cache=True)
def _check(  # type: ignore[no-untyped-def]
    A, norms, level_of, lower, upper, levels, x, rows, side, found, share, rounded, met, counts
):
    at, size, terms, violations = _violations(A, norms, lower, upper, x, rounded, met)
    values, missed, columns, gap = np.zeros((4, levels))
    slack, ends = _held_slack(rows, side, level_of, lower, upper, at, size, violations, missed)
    free = (violations[rows] != 0.0) | (lower[rows] == upper[rows])
    signs = np.where(side[rows] > 0, 1.0, -1.0)
    balance, weight = np.zeros((2, x.size))
    for level in range(levels):
        balance[:], weight[:] = 0.0, 0.0
        values[level], worth, floor = _own(
            A, norms, level_of, level, violations, terms, share, rounded, balance, weight
        )
        if values[level] == 0.0:
            continue
        charges, largest = 0.0, np.max(np.abs(found[:, level]))
        for k in range(rows.size):
            if level_of[rows[k]] < level and (free[k] or found[k, level] * signs[k] > 0.0):
                multiplier = found[k, level] / norms[rows[k]]
                _add(A, rows[k], multiplier, balance, weight)
                floor += share * abs(found[k, level])
                charges += slack[k] * abs(multiplier)
                worth += ends[k] * abs(multiplier)
        columns[level] = np.max(np.abs(balance) / (weight + floor))
        gap[level] = (charges + np.abs(x) @ np.abs(balance)) / worth
        for k in range(rows.size):
            if level_of[rows[k]] < level and found[k, level] * signs[k] > counts * largest:
                free[k] = True
    return values, violations, missed, columns, gap
