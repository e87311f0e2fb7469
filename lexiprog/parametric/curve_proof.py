"""Check from the numbers alone that a piecewise linear value function is exact and complete.

Multipliers with the right signs bound the optimum from below by a line in ``t``, at every ``t``.
Feasible points bound it from above at their own ``t``, and by convexity on the chords between
them. Where the line of each piece meets the points at both of its ends nothing is left between the
two bounds: no breakpoint is missing and none is too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.standard_form import StandardForm
from lexiprog.tolerances import CERTIFIED_CURVE, SMALLEST_SIZE
from lexiprog.typing import Array, Matrix

if TYPE_CHECKING:
    from lexiprog.parametric.value_function import ValueFunction

BLOCK = 32


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


def prove_curve(form: StandardForm, direction: Array, function: ValueFunction) -> CurveProof:
    """Measure the points and multipliers of a value function of ``b + t direction``."""
    breakpoints, points = function.breakpoints, function.points
    multipliers = function.multipliers
    slopes = function.slopes[: len(multipliers)]
    if not all(np.all(np.isfinite(part)) for part in (breakpoints, points, slopes, multipliers)):
        return CurveProof(np.inf, np.inf, np.inf, np.inf)
    view = _View(form, np.max(np.abs(points), axis=0))
    sides = form.b[None, :] + breakpoints[:, None] * direction[None, :]
    dual = gap = 0.0
    upper, upper_size = points @ form.c, np.abs(points) @ np.abs(form.c)
    unit = SMALLEST_SIZE * slope_unit(form.c, form.A, np.max(np.abs(sides), axis=0))
    slope_size = SMALLEST_SIZE * slope_unit(form.c, form.A, direction)
    for block in _blocks(slopes.size):
        y = multipliers[block]
        bound = view.bound(form.c, y)
        dual = max(dual, bound.wrong)
        for shift in (0, 1):  # the breakpoints at which pieces begin, and those at which they end
            at = np.arange(slopes.size)[block] + shift
            at = at[at < breakpoints.size]
            lower, size = bound.at(sides[at])
            size = _floored(np.maximum(np.maximum(upper_size[at], size), unit))
            gap = max(gap, _ratio(upper[at] - lower, size))
        size = np.maximum(np.abs(y) @ np.abs(direction), slope_size)
        gap = max(gap, _ratio(y @ direction + slopes[block], size))
    ends = 0.0
    if function.ray is not None:
        ends = view.ray(direction, function.ray, float(slopes[-1]))
    for certificate, t, sign in zip(function.blocking, breakpoints[[0, -1]], (-1, 1), strict=True):
        if certificate is not None:
            ends = max(ends, view.blocked(certificate[None, :], direction, float(t), sign))
    return CurveProof(view.violation(points, sides), dual, gap, ends)


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

    def ray(self, direction: Array, ray: Array, slope: float) -> float:
        """How far a ray is from feasible, and from having the last slope."""
        held = np.where(np.isfinite(self.lower), np.minimum(ray, 0.0), 0.0)
        held = np.where(np.isfinite(self.upper), held + np.maximum(ray, 0.0), held)
        slack = direction - self.A @ ray
        slack[self.zero :] = np.minimum(slack[self.zero :], 0.0)
        size = np.abs(direction) + self.sizes @ np.abs(ray)
        most = max(
            float(np.abs(self.form.c) @ np.abs(ray)),
            SMALLEST_SIZE * slope_unit(self.form.c, self.A, direction),
        )
        return max(
            _ratio(slack, _floored(size)),
            _ratio(held, _floored(np.abs(ray))),
            _ratio(np.array([float(self.form.c @ ray) - slope]), np.array([most])),
        )

    def blocked(self, y: Array, direction: Array, t: float, sign: float) -> float:
        """How far ``y`` is from proving that nothing is feasible beyond ``t``, going ``sign``."""
        bound = self.bound(np.zeros(self.form.c.size), y)
        shortage, size = bound.at((self.form.b + t * direction)[None, :])
        closing = -sign * float(y[0] @ direction)
        if not closing > 0.0:
            return np.inf
        # Where the shortage begins, as a distance from the breakpoint.
        off = abs(float(shortage[0])) / closing
        unit = SMALLEST_SIZE * place_unit(self.form.b, direction)
        scale = max(float(size[0]) / closing, abs(t), unit)
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
