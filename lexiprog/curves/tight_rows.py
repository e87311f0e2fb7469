"""Rows that leave no room: an earlier optimum held exactly, while everything moves.

A row ``a'x <= limit`` whose limit is the least value that ``a'x`` can have is met with equality by
every feasible point. Put to a solver as it is, it leaves a feasible set without inside, which
rounding makes empty. The multipliers of that least value say which rows and columns it pins down
(complementary slackness), and fixing those in its place says the same without any tightness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask
from lexiprog.curves.curve import CurveError, NothingFeasible
from lexiprog.curves.handle import PRECISE, Handle
from lexiprog.curves.parametric import parametric_curve
from lexiprog.forms.optimal_face import Sizes, binding
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.solvers.highs import Bounds

__all__ = ["on_faces"]

# Room below this share of a row's terms is rounding.
ROOM = 1e-8


@dataclass(frozen=True)
class _Moving:
    """A linear form whose right-hand side moves, and where its rows stood at first."""

    form: StandardForm
    direction: Array
    rows: NDArray[np.intp]

    def cost(self, cost: Array) -> StandardForm:
        """The form with another cost and no offset."""
        return replace(self.form, c=cost, offset=0.0)

    def without(self, originals: Sequence[int]) -> _Moving:
        """The same without some rows."""
        keep = ~np.isin(self.rows, originals)
        zero = self.form.cones.zero
        cones = Cones(zero=int(keep[:zero].sum()), nonneg=int(keep[zero:].sum()))
        A, b = sp.csr_array(self.form.A)[keep], self.form.b[keep]
        form = replace(self.form, A=sp.csc_array(A), b=b, cones=cones)
        return _Moving(form, self.direction[keep], self.rows[keep])


def on_faces(
    form: StandardForm, direction: Array, rows: Sequence[int], start: float, stop: float
) -> tuple[StandardForm, Array]:
    """The form, and its direction, with those of ``rows`` that leave no room put as a face.

    Parameters
    ----------
    form : StandardForm
        Linear rows only, with ``b + t direction`` as right-hand side.
    direction : ndarray of shape (m,)
    rows : sequence of int
        Inequalities that may leave no room from ``start`` to ``stop``, in order of priority.
    start, stop : float
        Where ``t`` begins and ends.

    Raises
    ------
    CurveError
        If nothing is feasible.
    """
    moving = _Moving(form, direction, np.arange(form.b.size))
    waiting = list(rows)
    while waiting:
        row = waiting[0]
        free = moving.without(waiting)
        where = int(np.flatnonzero(moving.rows == row)[0])
        cost = np.asarray(sp.csr_array(moving.form.A)[[where]].toarray()).ravel()
        sides = (moving.form.b[where], moving.direction[where])
        y = _multipliers_if_tight(free, cost, sides, start, stop)
        if y is not None:
            moving = _with_face(moving.without([row]), free, cost, y)
        waiting.pop(0)
    return moving.form, moving.direction


def _multipliers_if_tight(
    free: _Moving, cost: Array, sides: tuple[float, float], start: float, stop: float
) -> Array | None:
    """The multipliers of the least ``cost``, if that is all the row allows, from end to end.

    The room that is left is concave in ``t``: none at both ends and in between means none at all.
    """
    if not free.direction.any():
        return _still(free, cost, sides, (start, stop))
    try:
        curve = parametric_curve(free.cost(cost), free.direction, start=start, stop=stop)
    except NothingFeasible:
        raise
    except CurveError:
        return None  # no least value: there is room
    limits = sides[0] + curve.knots * sides[1]
    sizes = np.abs(curve.points) @ np.abs(cost) + np.abs(limits)
    room = limits - curve.values
    middle = curve.slopes.size // 2
    steady = abs(curve.slopes[-1] - sides[1]) <= ROOM * (abs(curve.slopes[-1]) + abs(sides[1]))
    if np.all(room <= ROOM * sizes) and (steady or not curve.end.is_open):
        return np.asarray(curve.multipliers[middle])
    return None


def _still(
    free: _Moving, cost: Array, sides: tuple[float, float], ends: tuple[float, float]
) -> Array | None:
    """The same where only the limit may move."""
    handle = Handle(free.form.A, cost, Bounds.of(free.form), PRECISE)
    corner = handle.optimum()
    if corner is None:
        return None
    x = corner.values[: cost.size]
    if sides[1] != 0.0 and not np.isfinite(ends[1]):
        return None
    limits = np.array([sides[0] + end * sides[1] if sides[1] else sides[0] for end in ends])
    sizes = np.abs(x) @ np.abs(cost) + np.abs(limits)
    return -corner.y if np.all(limits - cost @ x <= ROOM * sizes) else None


def _with_face(moving: _Moving, free: _Moving, cost: Array, y: Array) -> _Moving:
    """``moving`` with all that the multipliers ``y`` of ``free`` pin down fixed."""
    form = moving.form
    found = binding(cost, free.form.A, y, Sizes(free.form.A))
    fixed: Mask = np.isin(moving.rows, free.rows[found.rows])
    fixed[: form.cones.zero] = True
    size = form.c.size
    lower = np.full(size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(size, np.inf) if form.upper is None else form.upper.copy()
    bound = np.where(found.reduced > 0.0, lower, upper)
    pinned = (lower < upper) & found.columns & np.isfinite(bound)
    lower[pinned] = upper[pinned] = bound[pinned]
    order = np.argsort(~fixed, kind="stable")  # equations first
    cones = Cones(zero=int(fixed.sum()), nonneg=int((~fixed).sum()))
    A = sp.csc_array(sp.csr_array(form.A)[order])
    form = replace(form, A=A, b=form.b[order], cones=cones, lower=lower, upper=upper)
    return _Moving(form, moving.direction[order], moving.rows[order])
