"""Linear optima beyond the digits of floats: iterative refinement on a warm HiGHS object.

HiGHS keeps rows and reduced costs to an absolute tolerance. Where rows are nearly parallel a miss
of 1e-9 may move a vertex by one, and a reduced cost of 1e-10 may be a true one. As Gleixner, Steffy
and Wolter do (2016), what is missed is taken in twice the working precision, blown up, and solved
as a linear program in the correction, from the basis that the last one ended at; its answer is
scaled back and added. Each round gains about as many digits as HiGHS has, until pairs of floats
have no more. If the basis was the right one no round pivots; if not, they lead to the right one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import highspy
import numpy as np

from lexiprog.backends.highs import HighsModel, Vertex
from lexiprog.canon.compensated import Pair, Sums, transposed_times
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Bounds, by_columns
from lexiprog.deadline import Deadline
from lexiprog.tolerances import (
    DOUBLE_DOUBLE_EPS,
    REFINED_AT_ALL,
    REFINED_FULLY,
    ROW_MISSED,
    STABLE_SIGN,
)
from lexiprog.typing import Array, Mask, Matrix

Number = TypeVar("Number", float, Array)

ROUNDS = 12
MISSED = "a point that misses rows by more than rounding"
DOUBT = (
    "its point misses some row by more than rounding, and no better one was found: perhaps the "
    "rows contradict each other by so little, or are nearly parallel"
)
# A miss is blown up by at most this much more than the one before, so that no round is lost to an
# early stroke of luck in one of the two sides.
GROWTH = 2.0**40


@dataclass(frozen=True)
class Refined:
    """A vertex and its multipliers in twice the working precision.

    Attributes
    ----------
    x, y : Pair
        The point and the multipliers of its rows, ``cost = A' y + reduced``.
    basis : object
        Where HiGHS ended.
    miss : float
        The largest violation of a row, a bound or complementarity.
    error : float
        By about how much a multiplier may be wrong still.
    gain : float
        How many times as large as the costs' miss the multipliers' change was in the last round.
    """

    x: Pair
    y: Pair
    basis: highspy.HighsBasis
    miss: float
    error: float
    gain: float


def is_off(A: Matrix, bounds: Bounds, x: Array) -> bool:
    """Whether a point misses a row or a bound by more than rounding.

    A proved bound says nothing of that: next to nearly parallel rows no feasible point may be near.
    """
    sides = ((bounds.lower, x, bounds.upper), (bounds.row_lower, A @ x, bounds.row_upper))
    return any(misses(*side) for side in sides)


def misses(lower: Array, values: Array, upper: Array) -> bool:
    """Whether some value is outside of its limits by more than rounding."""
    outside = np.maximum(lower - values, values - upper) > ROW_MISSED * (1.0 + np.abs(values))
    return bool(np.count_nonzero(outside))


def refined(
    model: HighsModel, A: Matrix, cost: Array, bounds: Bounds, vertex: Vertex, deadline: Deadline,
    residuals: DecimalResiduals | None = None,
) -> Refined | None:  # fmt: skip
    """The vertex with twice the digits, multipliers of what was meant; None if there is none."""
    sides = _Sides(A, cost, bounds, residuals)
    at = _At(Pair.of(vertex.x), Pair.of(vertex.row_dual), vertex.basis)
    left, blown, gain = sides.left(at), np.ones(2), np.inf
    for _ in range(ROUNDS):
        if left.miss <= REFINED_FULLY and gain < np.inf:
            break
        blown = np.minimum(GROWTH * blown, _power(1.0 / np.maximum(left.misses, REFINED_FULLY)))
        for point, price in _factors(*blown.tolist()):
            found = _corrected(model, sides, at, point, price, deadline)
            now = None if found is None else sides.left(found)
            goal = max(0.5 * left.miss, REFINED_FULLY)
            if found is not None and now is not None and now.miss <= goal:
                break
        else:
            break
        gain = found.distance(at) * price
        at, left = found, now
    if not left.miss <= REFINED_AT_ALL or not gain < np.inf:
        return None
    rounding, gain = DOUBLE_DOUBLE_EPS * (1.0 + _largest(np.abs(at.y.high))), max(gain, 1.0)
    return Refined(at.x, at.y, at.basis, left.miss, gain * max(left.miss, rounding), gain)


def _factors(point: float, price: float) -> Iterator[tuple[float, float]]:
    """By how much to blow up the misses of the point and of the multipliers: less and less.

    Where much has to change on one side, too much of the other is more than HiGHS bears.
    """
    yield point, price
    yield _power(np.sqrt(point)), price
    yield point, _power(np.sqrt(price))
    yield 1.0, price
    yield point, 1.0


@dataclass(frozen=True)
class _At:
    """A point and multipliers on the way."""

    x: Pair
    y: Pair
    basis: highspy.HighsBasis

    def distance(self, other: _At) -> float:
        """How far its multipliers are from those of another."""
        mine, before = self.y, other.y
        return _largest(np.abs((mine.high - before.high) + (mine.low - before.low)))


def _corrected(
    model: HighsModel, sides: _Sides, at: _At, point: float, price: float, deadline: Deadline
) -> _At | None:
    """One round, with the point's and the multipliers' misses blown up by so much."""
    # HiGHS knows no costs of rows: weak multipliers go back into the costs of the columns, and
    # rows with strong ones are equations.
    strong = np.abs(at.y.high) * price >= STABLE_SIGN
    y = Pair(*(np.where(strong, part, 0.0) for part in at.y))
    left = sides.left(replace(at, y=y))
    found = model.run(
        price * left.reduced, left.bounds(point, strong, y), at.basis, deadline=deadline
    )
    if not found.optimal:
        return None
    return _At(at.x.plus(found.x / point), y.plus(found.row_dual / price), found.basis)


def _power(numbers: Number) -> Number:
    """Powers of two not above the numbers: to multiply by them rounds nothing."""
    power: Number = np.exp2(np.floor(np.log2(numbers)))
    return power


@dataclass(frozen=True)
class _Left:
    """What a point and multipliers leave: room to each limit, and reduced costs."""

    reduced: Array
    column_room: tuple[Array, Array]
    row_room: tuple[Array, Array]
    misses: Array  # of the point, of the multipliers

    @property
    def miss(self) -> float:
        return float(np.max(self.misses))

    def bounds(self, factor: float, strong: Mask, y: Pair) -> Bounds:
        """Limits of a correction, blown up; rows with strong multipliers stay at theirs."""
        low, high = self.column_room
        below, above = self.row_room
        held = np.where(y.high > 0.0, below, above)
        return Bounds(
            factor * low,
            factor * high,
            factor * np.where(strong, held, below),
            factor * np.where(strong, held, above),
        )


class _Sides:
    """A linear program, looked at in twice the working precision."""

    def __init__(
        self, A: Matrix, cost: Array, bounds: Bounds, residuals: DecimalResiduals | None
    ) -> None:
        self._columns = by_columns(A)
        self._rows = by_columns(self._columns.T)
        self._cost, self._bounds, self._residuals = cost, bounds, residuals

    def left(self, at: _At) -> _Left:
        """Residuals and what they say."""
        x, y = at.x, at.y
        activity = _times(self._rows, x)
        pulled = _times(self._columns, y)
        costs = Sums.of(self._cost).plus(Sums(-pulled.high, -pulled.low, pulled.error))
        if self._residuals is not None:
            costs = costs.plus_floats(self._residuals.of_reduced_costs(-y.high))
        reduced = costs.nearest
        limits = self._bounds
        point = Sums(x.high, x.low, np.zeros(x.high.size))
        columns = _room(limits.lower, limits.upper, point)
        rows = _room(limits.row_lower, limits.row_upper, activity)
        ends = [_misses(*columns, reduced), _misses(*rows, y.high)]
        return _Left(reduced, columns, rows, np.max(ends, axis=0))


def _times(matrix: Matrix, numbers: Pair) -> Sums:
    sums = transposed_times(matrix, numbers.high)
    return sums.plus(transposed_times(matrix, numbers.low)) if numbers.low.any() else sums


def _room(lower: Array, upper: Array, values: Sums) -> tuple[Array, Array]:
    """Limits less values, as floats; infinite ones stay."""
    out = []
    for limits in (lower, upper):
        finite = np.isfinite(limits)
        numbers = Sums.of(np.where(finite, limits, 0.0))
        room = numbers.plus(Sums(-values.high, -values.low, values.error)).nearest
        out.append(np.where(finite, room, limits))
    return out[0], out[1]


def _misses(below: Array, above: Array, multipliers: Array) -> tuple[float, float]:
    """The largest violation of a limit, and the largest multiplier where no limit is near.

    A multiplier belongs to a limit that is reached, so the smaller of both is wrong: the distance
    counts as the point's miss, the multiplier as the other's.
    """
    beyond = np.maximum(np.maximum(below, -above), 0.0)
    away = np.abs(np.where(multipliers > 0.0, below, above))
    sizes = np.abs(multipliers)
    fixed = below == above  # whatever its sign
    away = np.where(fixed, np.abs(below), away)
    near = away <= sizes
    primal = max(_largest(beyond), _largest(away[near]))
    return primal, _largest(sizes[~near])


def _largest(values: Array) -> float:
    return float(np.max(values, initial=0.0))
