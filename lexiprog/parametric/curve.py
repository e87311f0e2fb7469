"""The optimum of a linear program as a function of one moving limit: convex, piecewise linear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.standard_form import StandardForm
from lexiprog.errors import LexiprogError
from lexiprog.tolerances import CERTIFIED_CURVE, SMALLEST_SIZE
from lexiprog.typing import Array, Matrix

if TYPE_CHECKING:
    from lexiprog.parametric.path import Trail


# What is large and what is small in a linear program whose right-hand side moves.


def row_heights(A: Matrix) -> Array:
    """The largest entry of each row."""
    return np.asarray(abs(sp.csr_array(A)).max(axis=1).todense()).ravel()


def slope_unit(cost: Array, A: Matrix, direction: Array) -> float:
    """How steep a curve may well be: the largest cost, bought with a unit of a moving row.

    With a right-hand side in the place of the direction, how large a value may well be.
    """
    size, heights = np.abs(direction), row_heights(A)
    shares = np.divide(size, heights, out=np.zeros_like(size), where=heights > 0.0)
    return float(np.max(np.abs(cost), initial=0.0) * np.max(shares, initial=0.0))


def place_unit(b: Array, direction: Array) -> float:
    """How far ``t`` may well go before it matters: the largest side over the fastest change."""
    largest = float(np.max(np.abs(b), initial=0.0))
    return (largest or 1.0) / float(np.max(np.abs(direction)))


# Is it the whole curve? A check from the numbers alone, whatever found them.
#
# Multipliers that are right in sign bound the optimum from below by a line in ``t``, at every
# ``t``. Feasible points bound it from above at their own ``t``, and by convexity on the chords
# between them. Where the line of each piece meets the points at both of its ends there is nothing
# between the two bounds: no knot is missing and none is too many.

BLOCK = 32


@dataclass(frozen=True)
class CurveProof:
    """How far the lines below a curve and the points above it are from meeting.

    Attributes
    ----------
    primal : float
        Largest violation of a row or bound by a point, over the terms of that row.
    dual : float
        Largest multiplier or reduced cost of the wrong sign, over the terms it is made of.
    gap : float
        Largest distance between a line and the points at its ends, over the terms of both.
    ends : float
        The same three for what is claimed of the two ends.
    """

    primal: float
    dual: float
    gap: float
    ends: float

    @property
    def worst(self) -> float:
        """The largest measure; not-a-number if one is."""
        return float(np.max([self.primal, self.dual, self.gap, self.ends]))

    @property
    def passed(self) -> bool:
        """Whether the curve may be called exact."""
        return self.worst <= CERTIFIED_CURVE


def prove_curve(
    form: StandardForm,
    direction: Array,
    knots: Array,
    points: Array,
    slopes: Array,
    multipliers: Array,
    *,
    ray: Array | None = None,
    walls: tuple[Array | None, Array | None] = (None, None),
) -> CurveProof:
    """Measure a curve's points and multipliers against each other; see ``Curve`` for shapes."""
    if not all(np.all(np.isfinite(part)) for part in (knots, points, slopes, multipliers)):
        return CurveProof(np.inf, np.inf, np.inf, np.inf)
    view = _View(form, np.max(np.abs(points), axis=0))
    sides = form.b[None, :] + knots[:, None] * direction[None, :]
    dual = gap = 0.0
    upper, upper_size = points @ form.c, np.abs(points) @ np.abs(form.c)
    unit = SMALLEST_SIZE * slope_unit(form.c, form.A, np.max(np.abs(sides), axis=0))
    slope_size = SMALLEST_SIZE * slope_unit(form.c, form.A, direction)
    for block in _blocks(slopes.size):
        y = multipliers[block]
        bound = view.bound(form.c, y)
        dual = max(dual, bound.wrong)
        for shift in (0, 1):  # the knots at which pieces begin, and those at which they end
            at = np.arange(slopes.size)[block] + shift
            at = at[at < knots.size]
            lower, size = bound.at(sides[at])
            size = _floored(np.maximum(np.maximum(upper_size[at], size), unit))
            gap = max(gap, _ratio(upper[at] - lower, size))
        size = np.maximum(np.abs(y) @ np.abs(direction), slope_size)
        gap = max(gap, _ratio(y @ direction + slopes[block], size))
    primal = view.violation(points, sides)
    return CurveProof(primal, dual, gap, view.ends(direction, knots, slopes, ray, walls))


@dataclass(frozen=True)
class _Bound:
    """What multipliers bound the optimum by: ``constant - y'b``, with the size of the constant."""

    y: Array
    constant: Array
    size: Array
    wrong: float  # what had to be put right in them first, relative to its terms

    def at(self, sides: Array) -> tuple[Array, Array]:
        """The bounds for right-hand sides, one a row of ``y``, and the size of their terms."""
        terms = self.y[: len(sides)] * sides
        lower = self.constant[: len(sides)] - np.sum(terms, axis=1)
        return lower, self.size[: len(sides)] + np.sum(np.abs(terms), axis=1)


class _View:
    """A form, and how far its columns ever reach, with what the measures have in common."""

    def __init__(self, form: StandardForm, reach: Array) -> None:
        self.form, self.reach = form, reach
        self.A = sp.csr_array(form.A, copy=True)
        self.A.eliminate_zeros()
        self.sizes = abs(self.A)
        self.heights, self.zero = row_heights(self.A), form.cones.zero
        size = form.c.size
        self.lower = np.full(size, -np.inf) if form.lower is None else form.lower
        self.upper = np.full(size, np.inf) if form.upper is None else form.upper

    def violation(self, points: Array, sides: Array) -> float:
        """How far points are outside of rows and bounds.

        A row is measured against its terms, over all points; a column against its own size and
        against what would shift one of its rows by all that the row consists of.
        """
        heights = np.where(self.heights > 0.0, self.heights, 1.0)
        rows = np.max(np.abs(sides), axis=0)
        for block in _blocks(len(points)):
            terms = np.abs(sides[block]) + (self.sizes @ np.abs(points[block]).T).T
            rows = np.maximum(rows, np.max(terms, axis=0))
        rows = _floored(rows / heights) * heights
        near = np.minimum(np.abs(self.lower), np.abs(self.upper))
        columns = np.maximum(self.reach, np.where(near < np.inf, near, 0.0))
        entries = sp.csc_array(self.sizes)
        filled = entries.indptr[:-1] < entries.indptr[1:]  # reduceat has no answer for empty ones
        if filled.any():
            shifts = rows[entries.indices] / entries.data
            shifts = np.minimum.reduceat(shifts, entries.indptr[:-1][filled])
            columns[filled] = np.maximum(columns[filled], shifts)
        worst = 0.0
        for block in _blocks(len(points)):
            slack = sides[block] - (self.A @ points[block].T).T
            slack[:, self.zero :] = np.minimum(slack[:, self.zero :], 0.0)
            beyond = np.maximum(self.lower - points[block], points[block] - self.upper)
            worst = max(worst, _ratio(slack, rows), _ratio(np.maximum(beyond, 0.0), columns))
        return worst

    def bound(self, cost: Array, y: Array) -> _Bound:
        """The lower bounds that multipliers prove, once their signs are put right.

        A reduced cost that no bound of its column stops is charged over the column's reach.
        """
        negative = np.minimum(y[:, self.zero :], 0.0)
        # Where all multipliers are zero but for rounding, the costs tell what counts as zero.
        rows = self.heights[self.zero :]
        smallest = SMALLEST_SIZE * float(np.max(np.abs(cost), initial=0.0))
        least = smallest / np.where(rows > 0.0, rows, 1.0)
        heights = np.max(np.abs(y), axis=1, keepdims=True, initial=0.0)
        wrong = _ratio(negative, np.maximum(heights, least))
        y = y.copy()
        y[:, self.zero :] -= negative
        reduced = cost + (self.A.T @ y.T).T
        stop = np.where(reduced > 0.0, self.lower, self.upper)
        loose = ~np.isfinite(stop)
        if loose.any():
            sizes = _floored(np.abs(cost) + (self.sizes.T @ np.abs(y).T).T)
            wrong = max(wrong, _ratio(np.where(loose, reduced, 0.0), sizes))
        terms = np.where(loose, -np.abs(reduced) * self.reach, reduced * np.where(loose, 0.0, stop))
        return _Bound(y, np.sum(terms, axis=1), np.sum(np.abs(terms), axis=1), wrong)

    def ends(
        self,
        direction: Array,
        knots: Array,
        slopes: Array,
        ray: Array | None,
        walls: tuple[Array | None, Array | None],
    ) -> float:
        """What is wrong with the ray and with the proofs of infeasibility."""
        worst = 0.0
        if ray is not None:
            held = np.where(np.isfinite(self.lower), np.minimum(ray, 0.0), 0.0)
            held = np.where(np.isfinite(self.upper), held + np.maximum(ray, 0.0), held)
            slack = direction - self.A @ ray
            slack[self.zero :] = np.minimum(slack[self.zero :], 0.0)
            size = np.abs(direction) + self.sizes @ np.abs(ray)
            rise = float(self.form.c @ ray) - slopes[-1]
            most = max(
                float(np.abs(self.form.c) @ np.abs(ray)),
                SMALLEST_SIZE * slope_unit(self.form.c, self.A, direction),
            )
            worst = max(
                _ratio(slack, _floored(size)),
                _ratio(held, _floored(np.abs(ray))),
                _ratio(np.array([rise]), np.array([most])),
            )
        for wall, knot, sign in zip(walls, (knots[0], knots[-1]), (-1.0, 1.0), strict=True):
            if wall is not None:
                worst = max(worst, self._wall(wall[None, :], direction, knot, sign))
        return worst

    def _wall(self, y: Array, direction: Array, knot: float, sign: float) -> float:
        """Whether ``y`` leaves no room exactly beyond ``knot``, going the given way."""
        bound = self.bound(np.zeros(self.form.c.size), y)
        shortage, size = bound.at((self.form.b + knot * direction)[None, :])
        closing = -sign * float(y[0] @ direction)
        if not closing > 0.0:
            return np.inf
        # Where the shortage begins, as a distance from the knot.
        off = abs(float(shortage[0])) / closing
        unit = SMALLEST_SIZE * place_unit(self.form.b, direction)
        scale = max(float(size[0]) / closing, abs(knot), unit)
        return max(bound.wrong, off / scale)


def _blocks(count: int) -> Iterator[slice]:
    """So many at a time as stay close to the processor."""
    return (slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK))


def _floored(sizes: Array) -> Array:
    """Sizes of which none is much smaller than the largest."""
    return np.asarray(np.maximum(sizes, SMALLEST_SIZE * np.max(sizes, initial=0.0)))


def _ratio(errors: Array, sizes: Array) -> float:
    """The largest error over its size; an error of zero is none, whatever its size.

    What is no number is infinitely wrong, since a maximum would pass over it.
    """
    errors = np.abs(errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(errors == 0.0, 0.0, errors / sizes)
    return float(np.max(np.where(np.isnan(shares), np.inf, shares), initial=0.0))


class CurveError(LexiprogError, ArithmeticError):
    """There is no curve: nothing is feasible, nothing bounds the objective, or no proof is left."""


class NothingFeasible(CurveError):
    """There is no curve, because there is no point anywhere on its way."""


class CurveEnd(StrEnum):
    """What comes after the last knot of a curve."""

    FLAT = "constant from there on"
    STRAIGHT = "the last slope for ever"
    INFEASIBLE = "infeasible beyond"
    STOPPED = "stopped where it was asked to"
    UNFINISHED = "not followed further"

    @property
    def is_open(self) -> bool:
        """Whether the last piece has no end."""
        return self in (CurveEnd.FLAT, CurveEnd.STRAIGHT)


@dataclass(frozen=True)
class Curve:
    """``v(t)``, the optimum with ``b + t direction`` as right-hand side, and what proves it.

    Attributes
    ----------
    knots : ndarray of shape (k,)
        Where pieces begin, rising; if the last piece has an end, that is the last knot.
    values : ndarray of shape (k,)
        The optimum at each knot.
    slopes : ndarray of shape (p,)
        Slope of each piece, rising; ``p`` is ``k`` for an open end, else ``k - 1``.
    end : CurveEnd
    points : ndarray of shape (k, n)
        An optimal point at each knot.
    multipliers : ndarray of shape (p, m)
        Multipliers of the rows that are optimal all along a piece, ``c + A'y = reduced``.
    ray : ndarray of shape (n,), optional
        What each further unit of ``t`` adds to the last point, if the end is open.
    walls : pair of ndarray or None
        Multipliers that prove infeasibility before the first and beyond the last knot.
    direction : ndarray of shape (m,)
    note : str
        Why an unfinished curve ends.
    proof : CurveProof
        What an independent look at these numbers found.
    exchanges : int
        Basic variables that were exchanged.
    trails : tuple
        The walks that it is made of, forwards and back from where they began, to go on from.
    """

    knots: Array
    values: Array
    slopes: Array
    end: CurveEnd
    points: Array = field(repr=False)
    multipliers: Array = field(repr=False)
    ray: Array | None = field(repr=False)
    walls: tuple[Array | None, Array | None] = field(repr=False)
    direction: Array = field(repr=False)
    proof: CurveProof
    note: str = ""
    exchanges: int = 0
    trails: tuple[Trail, ...] = field(default=(), repr=False, compare=False)

    @property
    def start(self) -> float:
        """The first ``t`` with an optimum."""
        return float(self.knots[0])

    @property
    def stop(self) -> float:
        """The last ``t`` that is known; infinite for an open end."""
        return np.inf if self.end.is_open else float(self.knots[-1])

    @property
    def breakpoints(self) -> Array:
        """Where the slope changes."""
        return self.knots[1:] if self.end.is_open else self.knots[1:-1]

    def __call__(self, t: float | Array) -> Array:
        """The optimum at ``t``: infinite where nothing is feasible, nan where it is not known."""
        t = np.asarray(t, dtype=float)
        piece = np.clip(self._piece(t), 0, self.knots.size - 1)
        slopes = self.slopes if self.end.is_open else np.append(self.slopes, 0.0)
        with np.errstate(invalid="ignore"):  # infinity times a slope of zero
            along = np.where(slopes[piece] == 0.0, 0.0, (t - self.knots[piece]) * slopes[piece])
        out = self.values[piece] + along
        unknown = np.inf if self.walls[0] is not None else np.nan
        out = np.where(t < self.start, unknown, out)
        unknown = np.inf if self.end is CurveEnd.INFEASIBLE else np.nan
        return np.asarray(np.where(t > self.stop, unknown, out))

    def slope(self, t: float) -> float:
        """The right derivative at ``t``: minus what one more unit of ``t`` buys there."""
        if self.start <= t < self.stop:
            return float(self.slopes[int(self._piece(np.asarray(t)))])
        return np.inf if t == self.stop and self.end is CurveEnd.INFEASIBLE else np.nan

    def point(self, t: float) -> Array:
        """An optimal point at ``t``, between those at the knots around it."""
        self._known(t)
        piece = int(self._piece(np.asarray(t)))
        if piece + 1 < self.knots.size:
            here, there = self.knots[piece : piece + 2]
            share = (t - here) / (there - here)
            return np.asarray((1.0 - share) * self.points[piece] + share * self.points[piece + 1])
        if self.ray is None:
            return np.asarray(self.points[-1].copy())
        return np.asarray(self.points[-1] + (t - self.knots[-1]) * self.ray)

    def multiplier(self, t: float) -> Array:
        """Optimal multipliers of the rows at ``t``, of the piece that begins there if one does."""
        self._known(t)
        piece = min(int(self._piece(np.asarray(t))), self.slopes.size - 1)
        return np.asarray(self.multipliers[piece].copy())

    def _piece(self, t: Array) -> Array:
        return np.maximum(np.searchsorted(self.knots, t, side="right") - 1, 0)

    def _known(self, t: float) -> None:
        if not self.start <= t <= self.stop:
            raise ValueError(
                f"the curve runs from {self.start:g} to {self.stop:g} ({self.end}); {t:g} is "
                "outside."
            )
