"""Is it the whole curve? A check from the numbers alone, whatever found them.

Multipliers that are right in sign bound the optimum from below by a line in ``t``, at every ``t``.
Feasible points bound it from above at their own ``t``, and by convexity on the chords between
them. Where the line of each piece meets the points at both of its ends there is nothing between
the two bounds: no knot is missing and none is too many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Matrix
from lexiprog.forms.standard_form import StandardForm

__all__ = ["CurveProof", "place_unit", "prove_curve", "slope_unit"]

TOLERANCE = 1e-8
# A row or column is measured against its own terms, but never against less than this share of the
# largest: what misses zero by 1e-15 has not missed all of it.
FLOOR = 1e-6


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
        return self.worst <= TOLERANCE


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
    view = _View(form)
    sides = form.b[None, :] + knots[:, None] * direction[None, :]
    primal = view.violation(points, sides)
    dual = view.wrong_signs(form.c, multipliers)
    upper, upper_size = points @ form.c, np.abs(points) @ np.abs(form.c)
    gap, unit = 0.0, slope_unit(form.c, form.A, np.max(np.abs(sides), axis=0))
    for shift in (0, 1):  # the knots at which pieces begin, and those at which they end
        at = np.arange(slopes.size) + shift
        at = at[at < knots.size]
        lower, lower_size = view.lines(form.c, multipliers[: at.size], sides[at])
        size = _floored(np.maximum(np.maximum(upper_size[at], lower_size), FLOOR * unit))
        gap = max(gap, _ratio(upper[at] - lower, size))
    claimed = -(multipliers @ direction)
    size = np.abs(multipliers) @ np.abs(direction)
    size = np.maximum(size, FLOOR * slope_unit(form.c, form.A, direction))
    gap = max(gap, _ratio(claimed - slopes, size))
    return CurveProof(primal, dual, gap, view.ends(direction, knots, slopes, ray, walls))


def slope_unit(cost: Array, A: Matrix, direction: Array) -> float:
    """How steep a curve may well be: the largest cost, bought with a unit of a moving row.

    With a right-hand side in the place of the direction, how large a value may well be.
    """
    size, heights = np.abs(direction), _heights(A)
    shares = np.divide(size, heights, out=np.zeros_like(size), where=heights > 0.0)
    return float(np.max(np.abs(cost), initial=0.0) * np.max(shares, initial=0.0))


def place_unit(b: Array, direction: Array) -> float:
    """How far ``t`` may well go before it matters: the largest side over the fastest change."""
    largest = float(np.max(np.abs(b), initial=0.0))
    return (largest or 1.0) / float(np.max(np.abs(direction)))


class _View:
    """A form with what the measures have in common."""

    def __init__(self, form: StandardForm) -> None:
        self.form = form
        self.A = sp.csr_array(form.A, copy=True)
        self.A.eliminate_zeros()
        self.sizes = abs(self.A)
        self.heights = _heights(self.A)
        size = form.c.size
        self.lower = np.full(size, -np.inf) if form.lower is None else form.lower
        self.upper = np.full(size, np.inf) if form.upper is None else form.upper

    def violation(self, points: Array, sides: Array) -> float:
        """How far points are outside of rows and bounds.

        A row is measured against its terms, over all points; a column against its own size and
        against what would shift one of its rows by all that the row consists of.
        """
        slack = sides - (self.A @ points.T).T
        slack[:, self.form.cones.zero :] = np.minimum(slack[:, self.form.cones.zero :], 0.0)
        beyond = np.maximum(np.maximum(self.lower - points, points - self.upper), 0.0)
        heights = np.where(self.heights > 0.0, self.heights, 1.0)
        rows = np.max(np.abs(sides) + (self.sizes @ np.abs(points).T).T, axis=0)
        rows = _floored(rows / heights) * heights
        near = np.minimum(np.abs(self.lower), np.abs(self.upper))
        columns = np.maximum(np.max(np.abs(points), axis=0), np.where(near < np.inf, near, 0.0))
        entries = sp.csc_array(self.sizes)
        filled = entries.indptr[:-1] < entries.indptr[1:]  # reduceat has no answer for empty ones
        if filled.any():
            shifts = np.minimum.reduceat(
                rows[entries.indices] / entries.data, entries.indptr[:-1][filled]
            )
            columns[filled] = np.maximum(columns[filled], shifts)
        return max(_ratio(slack, rows), _ratio(beyond, columns))

    def wrong_signs(self, cost: Array, y: Array) -> float:
        """Multipliers of inequalities below zero, and reduced costs that no bound stops."""
        reduced = cost + (self.A.T @ y.T).T
        terms = _floored(np.abs(cost) + (self.sizes.T @ np.abs(y).T).T)
        loose = np.where(reduced > 0.0, ~np.isfinite(self.lower), ~np.isfinite(self.upper))
        negative = np.minimum(y[:, self.form.cones.zero :], 0.0)
        heights = np.max(np.abs(y), axis=1, keepdims=True, initial=0.0)
        return max(
            _ratio(np.where(loose, reduced, 0.0), terms),
            _ratio(negative, np.broadcast_to(heights, negative.shape)),
        )

    def lines(self, cost: Array, y: Array, sides: Array) -> tuple[Array, Array]:
        """Lower bounds by ``y`` for the right-hand sides, and the size of their terms."""
        y = y.copy()
        y[:, self.form.cones.zero :] = np.maximum(y[:, self.form.cones.zero :], 0.0)
        reduced = cost + (self.A.T @ y.T).T
        rest = np.where(reduced > 0.0, self.lower, self.upper)
        rest = np.where(np.isfinite(rest), rest, 0.0)  # told by wrong_signs
        below = np.sum(reduced * rest, axis=1) - np.sum(y * sides, axis=1)
        size = np.sum(np.abs(reduced * rest), axis=1) + np.sum(np.abs(y * sides), axis=1)
        return below, size

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
            slack[self.form.cones.zero :] = np.minimum(slack[self.form.cones.zero :], 0.0)
            size = np.abs(direction) + self.sizes @ np.abs(ray)
            rise = float(self.form.c @ ray) - slopes[-1]
            most = max(
                float(np.abs(self.form.c) @ np.abs(ray)),
                FLOOR * slope_unit(self.form.c, self.A, direction),
            )
            worst = max(
                _ratio(slack, _floored(size)),
                _ratio(held, _floored(np.abs(ray))),
                _ratio(np.array([rise]), np.array([most])),
            )
        for wall, knot, way in zip(walls, (knots[0], knots[-1]), (-1.0, 1.0), strict=True):
            if wall is not None:
                worst = max(worst, self._wall(wall[None, :], direction, knot, way))
        return worst

    def _wall(self, y: Array, direction: Array, knot: float, way: float) -> float:
        """Whether ``y`` leaves no room exactly beyond ``knot``, going the given way."""
        nothing = np.zeros(self.form.c.size)
        wrong = self.wrong_signs(nothing, y)
        shortage, size = self.lines(nothing, y, (self.form.b + knot * direction)[None, :])
        closing = -way * float(y[0] @ direction)
        if not closing > 0.0:
            return np.inf
        # Where the shortage begins, as a distance from the knot.
        off = abs(float(shortage[0])) / closing
        unit = FLOOR * place_unit(self.form.b, direction)
        scale = max(float(size[0]) / closing, abs(knot), unit)
        return max(wrong, off / scale)


def _heights(A: Matrix) -> Array:
    """The largest entry of each row."""
    return np.asarray(abs(sp.csr_array(A)).max(axis=1).todense()).ravel()


def _floored(sizes: Array) -> Array:
    """Sizes of which none is much smaller than the largest."""
    return np.asarray(np.maximum(sizes, FLOOR * np.max(sizes, initial=0.0)))


def _ratio(errors: Array, sizes: Array) -> float:
    """The largest error over its size; an error of zero is none, whatever its size."""
    errors = np.abs(errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(errors == 0.0, 0.0, errors / sizes)
    return float(np.max(shares, initial=0.0))
