"""One active set over all levels of a hierarchy of least squares.

The set says which rows are held at which end. Given it, the point and the multipliers of all levels
come from one decomposition (`cascade`). A row is at home in the set if its first multiplier that
is not zero, from its own level on, pushes against its end.

From nothing, the set is mended all at once, a few times. If that does not settle it, or if there is
an optimum of similar numbers to start from, rows enter and leave one at a time, along a path on
which no level gets worse for the sake of a later one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexiprog.deadline import Deadline
from lexiprog.least_squares.cascade import LevelCascade, solve_cascade
from lexiprog.least_squares.hierarchy import Hierarchy, Indices, Rank
from lexiprog.typing import Array


class Kernel(NamedTuple):
    """Who does the arithmetic: LAPACK and NumPy, or what numba has compiled."""

    held: Callable[[Hierarchy, Indices, Rank], ActiveSet]
    signs: Callable[[Hierarchy, ActiveSet], tuple[Array, Indices]]


# How often a whole set is mended at once before rows are moved one by one.
AT_ONCE = 6
# What rounding leaves of a row's value and of a multiplier, over the terms that they are made of.
ROUNDING, NO_MULTIPLIER, MIXED = 1e-12, 1e-12, 1e-2
_EQUAL = 2  # the side of rows whose ends are the same


@dataclass  # not frozen, which takes five times as long to make
class ActiveSet:
    """Rows that are held, and the point they lead to.

    Attributes
    ----------
    side : ndarray of int
        By row: 1 at its upper end, -1 at its lower one, 2 where both are the same, 0 for others.
    rows : ndarray of int
        Those that are held.
    point : LevelCascade
        With multipliers of the held rows.
    at : ndarray
        All rows' values at the point.
    size : ndarray
        What their terms come to without signs.
    """

    side: Indices
    rows: Indices
    point: LevelCascade
    at: Array
    size: Array
    decompositions: int = 1


class NoActiveSet(ArithmeticError):
    """Rows went in and out without end."""


def find(
    hierarchy: Hierarchy,
    rank: Rank,
    start: tuple[Indices, Array] | None = None,
    kernel: Kernel | None = None,
    deadline: Deadline | None = None,
) -> ActiveSet:
    """The set at which all levels are optimal.

    ``start`` are the sides and the point of an optimum of similar numbers. OutOfTime is raised at
    the deadline.
    """
    kernel = kernel or LAPACK
    search = _Search(hierarchy, rank, kernel, deadline)
    side = np.where(hierarchy.lower == hierarchy.upper, _EQUAL, 0)
    if start is None:
        best = search.at_once(side)
        if best is None:
            best = search.one_by_one(side, np.zeros(hierarchy.columns))
    else:
        ends = np.where(start[0] > 0, hierarchy.upper, hierarchy.lower)
        held = (side == 0) & (start[0] != 0) & np.isfinite(ends)
        side[held] = np.sign(start[0][held])
        best = search.one_by_one(side, start[1])
    best.decompositions = search.decompositions
    return best


@dataclass
class _Search:
    hierarchy: Hierarchy
    rank: Rank
    kernel: Kernel
    deadline: Deadline | None = None
    decompositions: int = 0

    def held(self, side: Indices) -> ActiveSet:
        """The point that a set leads to."""
        if self.deadline is not None:
            self.deadline.check()
        self.decompositions += 1
        return self.kernel.held(self.hierarchy, side, self.rank)

    def at_once(self, side: Indices) -> ActiveSet | None:
        """Let all rows enter and leave that should; None if the set does not settle soon."""
        for _ in range(AT_ONCE):
            held = self.held(side)
            entering, leaving = self._outside(held), self._unwanted(held)
            if not entering.any() and not leaving.size:
                return held
            side = side.copy()
            side[held.rows[leaving]] = 0
            side[entering != 0] = entering[entering != 0]
        return None

    def _outside(self, held: ActiveSet) -> Indices:
        """The ends that rows beside the set are beyond, by more than rounding."""
        h = self.hierarchy
        above = held.at - h.upper > ROUNDING * (held.size + np.abs(h.upper))
        below = h.lower - held.at > ROUNDING * (held.size + np.abs(h.lower))
        out: Indices = np.where(held.side == 0, above.astype(int) - below, 0)
        return out

    def _unwanted(self, held: ActiveSet) -> Indices:
        """Positions in the set of rows that pull away from their ends, the most urgent first."""
        wrong, level = self.kernel.signs(self.hierarchy, held)
        which = np.flatnonzero(wrong < 0.0)
        if not which.size:
            return which
        return which[np.lexsort((wrong[which], level[which]))]

    def one_by_one(self, side: Indices, x: Array) -> ActiveSet:
        """Follow the path from a point; what rows beside the set exceed is made good on the way."""
        held = self.held(side)
        if not self._outside(held).any() and not self._unwanted(held).size:
            return held
        h = self.hierarchy
        # A row's value without what it may still exceed: always between its ends.
        inside = np.clip(h.A @ x, h.lower, h.upper)
        inside = np.where(side == 0, inside, np.where(side < 0, h.lower, h.upper))
        patience, limit = 4 * inside.size + 50, 20 * inside.size + 200
        back: set[int] = set()  # rows that left and were met again at once: rounding, at a corner
        last = -1
        for step in range(limit):
            share, row, which = self._first_met(held, inside)
            if share > 0.0 and self._moves(held, inside):
                back.clear()
            if row < 0:
                inside = np.where(side == 0, held.at, inside)
                leaving = [k for k in self._unwanted(held) if held.rows[k] not in back]
                if not leaving:
                    return held
                place = leaving[0] if step < patience else min(leaving)
                last = int(held.rows[place])
                side = side.copy()
                side[last] = 0
            else:
                if row == last and share == 0.0:
                    back.add(row)
                moving = side == 0
                inside = np.where(moving, inside + share * (held.at - inside), inside)
                side = side.copy()
                side[row] = which
                inside[row] = h.upper[row] if which > 0 else h.lower[row]
            held = self.held(side)
        raise NoActiveSet(f"no active set was found in {limit} steps.")

    def _moves(self, held: ActiveSet, inside: Array) -> bool:
        """Whether the way to a point is longer than rounding."""
        way = np.abs(held.at - inside)[held.side == 0]
        return bool(np.any(way > ROUNDING * held.size[held.side == 0]))

    def _first_met(self, held: ActiveSet, inside: Array) -> tuple[float, int, int]:
        """How far it is to the first end that is met on the way to a point, whose, and which."""
        h, out = self.hierarchy, self._outside(held)
        rows = np.flatnonzero(out)
        if not rows.size:
            return 1.0, -1, 0
        ends = np.where(out[rows] > 0, h.upper[rows], h.lower[rows])
        way = held.at[rows] - inside[rows]
        shares = np.divide(ends - inside[rows], way, out=np.zeros(rows.size), where=way != 0.0)
        first = int(np.argmin(shares))
        return max(float(shares[first]), 0.0), int(rows[first]), int(out[rows[first]])


def held_by_lapack(hierarchy: Hierarchy, side: Indices, rank: Rank) -> ActiveSet:
    """The point that a set leads to."""
    h, rows = hierarchy, np.flatnonzero(side)
    targets = np.where(side[rows] < 0, h.lower[rows], h.upper[rows])
    point = _with_fixed_columns(h, rows, targets, rank)
    return ActiveSet(side, rows, point, h.A @ point.x, _terms(h, point.x))


def _with_fixed_columns(h: Hierarchy, rows: Indices, targets: Array, rank: Rank) -> LevelCascade:
    """Variables that the first rows hold at a bound are taken out before all else."""
    column = h.matrix.bounded_column.take(rows)
    count = int(np.count_nonzero(column >= 0))
    fixed, others = column[:count], rows[count:]
    left = np.ones(h.columns, dtype=bool)
    left[fixed] = False
    free = np.flatnonzero(left)
    alone = free.size == h.columns - count and (fixed >= 0).all()
    if not count or not alone or rank.damping:
        return _factored(h, rows, targets, rank)
    entries = h.A[rows[:count], fixed]
    values = targets[:count] / entries
    norms, scaled = h.matrix.norms.take(others), h.matrix.unit.take(others, axis=0)
    pinned = scaled.take(fixed, axis=1)
    wanted = targets[count:] / norms - pinned @ values
    starts = np.searchsorted(others, h.starts).tolist()
    point = solve_cascade(scaled.take(free, axis=1), wanted, norms, tuple(starts), rank)
    x = np.empty(h.columns)
    x[free], x[fixed] = point.x, values
    if starts[1]:
        first = slice(count, count + starts[1])
        missed = np.abs(h.A[rows[first]] @ x - targets[first])
        if np.any(missed > ROUNDING * _terms(h, x)[rows[first]]):
            return _factored(h, rows, targets, rank)  # the first level shares what is missing
    costs = pinned.T @ point.multipliers
    costs[:, -1] += values
    costs[:, 0] = 0.0
    multipliers = np.concatenate([costs * -np.sign(entries)[:, None], point.multipliers])
    point.ranks[0] += count
    return LevelCascade(x, multipliers, point.ranks, point.pivots)


def _terms(h: Hierarchy, x: Array) -> Array:
    """What the terms of all rows come to.

    Orthogonal factors know every column to the last digits of the largest.
    """
    mixed = MIXED * float(np.sqrt(x @ x))
    return h.matrix.sizes @ np.abs(x) + mixed * h.matrix.norms


def _factored(h: Hierarchy, rows: Indices, targets: Array, rank: Rank) -> LevelCascade:
    norms = h.matrix.norms[rows]
    starts = tuple(np.searchsorted(rows, h.starts).tolist())
    unit = h.matrix.unit.take(rows, axis=0)
    return solve_cascade(unit, targets / norms, norms, starts, rank)


def lexicographic_signs(hierarchy: Hierarchy, held: ActiveSet) -> tuple[Array, Indices]:
    """The first multiplier of each held row that is not rounding, and its level.

    Positive where it pushes against the end, negative where it pulls away; zero for equations, and
    where a row is worth nothing to any level.
    """
    h, rows = hierarchy, held.rows
    multipliers = held.point.multipliers
    level = h.matrix.level_of[rows]
    ends = np.where(held.side[rows] < 0, h.lower[rows], h.upper[rows])
    rounding = ROUNDING * h.matrix.norms[rows] * (held.size[rows] + np.abs(ends))
    own = multipliers[np.arange(rows.size), level]
    real = np.abs(multipliers) > NO_MULTIPLIER * np.abs(multipliers).max(axis=0, initial=0.0)
    real[np.arange(rows.size), level] = np.abs(own) > rounding
    # A level that is met but for rounding is worth nothing to anybody.
    for k in range(h.levels):
        if not real[level == k, k].any():
            real[:, k] = False
    first = np.argmax(real, axis=1)
    chosen = multipliers[np.arange(rows.size), first]
    chosen = np.where(real.any(axis=1), chosen, 0.0)
    sign = np.where(held.side[rows] == _EQUAL, 0, np.sign(held.side[rows]))
    return chosen * sign, first


LAPACK = Kernel(held_by_lapack, lexicographic_signs)
