"""The whole curve of a linear program as its right-hand side moves along a line, exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.curves.curve import Curve, CurveError, NothingFeasible
from lexiprog.curves.curve_proof import prove_curve
from lexiprog.curves.handle import PRECISE, BasicPoint, Handle
from lexiprog.curves.pace import OutOfTime, Pace
from lexiprog.curves.walking.moving import MovingProgram
from lexiprog.curves.walking.trail import Leg, Trail, walk_along
from lexiprog.curves.walking.units import place_unit, row_heights
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds

__all__ = ["parametric_curve", "trace"]

# Curves shorter than this share of their place are one point.
SAME = 1e-12
# Multipliers that move no reduced cost by more than this share of the largest cost are rounding of
# many exchanges: zeros are handed over, and the proof is of those.
NOISE = 1e-12

_SAYS = highspy.HighsModelStatus
_MAY_BE_UNBOUNDED = (_SAYS.kUnbounded, _SAYS.kUnboundedOrInfeasible)


def parametric_curve(
    form: StandardForm,
    direction: Array,
    *,
    start: float = 0.0,
    stop: float = np.inf,
    limit: int = 1000,
    near: Array | None = None,
    pace: Pace | None = None,
) -> Curve:
    """Trace the optimum of a linear form as ``b + t direction`` moves, from ``start`` to ``stop``.

    One linear program is solved, by HiGHS; from there the basis is followed exchange by exchange,
    so every knot is met and the slopes are the right derivatives. Points and multipliers prove
    the result (see ``curve_proof``), which is checked before it is handed over.

    Parameters
    ----------
    form : StandardForm
        Linear rows only: no quadratic term, no integers.
    direction : ndarray of shape (m,)
        What one unit of ``t`` adds to ``b``.
    start, stop : float
        Where ``t`` begins and ends.
    limit : int
        Most pieces; a curve with more is handed over unfinished.
    near : ndarray of shape (n,), optional
        A point to begin the first solve with, such as an optimum of another cost; not a number
        where nothing is known.
    pace : Pace, optional
        How long it may take; a curve that would take longer is handed over unfinished.

    Raises
    ------
    CurveError
        If nothing is feasible, the objective is unbounded, or the curve cannot be proved.

    Examples
    --------
    Minimise ``-x`` with ``x <= t`` and ``x <= 2``:

    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.array([-1.0]), offset=0.0, A=sp.csc_array([[1.0]]),
    ...                     b=np.array([0.0]), cones=Cones(nonneg=1),
    ...                     lower=np.array([0.0]), upper=np.array([2.0]))
    >>> curve = parametric_curve(form, np.array([1.0]))
    >>> curve.knots.tolist(), curve.slopes.tolist(), str(curve.end)
    ([0.0, 2.0], [-1.0, 0.0], 'constant from there on')
    """
    _check(form, direction, start, stop, limit)
    program = MovingProgram.of(form, direction)
    origin, corner, handle = _begin(program, start, stop, near, pace)
    return trace(form, direction, handle, corner, origin, start=start, stop=stop, limit=limit)


def trace(
    form: StandardForm,
    direction: Array,
    handle: Handle,
    corner: BasicPoint,
    origin: float,
    *,
    start: float,
    stop: float,
    limit: int,
    known: tuple[Trail | None, Trail | None] = (None, None),
) -> Curve:
    """The curve to both sides of an optimal vertex at ``origin``, checked; see above for the rest.

    ``start`` may be minus infinity if the curve is known to end before that. ``known`` are the
    trails of a curve that ended early. Time and Ctrl-C end a curve early as the handle's pace says.
    """
    program = MovingProgram.of(form, direction)
    trail = walk_along(program, handle, Leg(corner, origin, stop), limit, known[0])
    trails: tuple[Trail, ...] = (trail,)
    if origin > start:
        leg = Leg(corner, -origin, -start)
        back = walk_along(program.backwards(), handle, leg, limit, known[1])
        trail, trails = trail.preceded_by(back), (trail, back)
    if not trail.steps and handle.pace.note:
        raise OutOfTime
    first, last = (trail.steps[0].start, trail.stop) if trail.steps else (origin, origin)
    if last - first <= SAME * max(abs(first), place_unit(form.b, direction)):
        raise CurveError(trail.note or f"only t = {origin:g} has a feasible point.")
    curve = replace(_curve(form, direction, trail), trails=trails)
    if not curve.proof.passed:
        raise CurveError(
            f"the curve could not be proved: lines and points differ by {curve.proof.worst:.1e} of "
            "their size. Scaling the program's rows and columns may help."
        )
    return curve


def _check(form: StandardForm, direction: Array, start: float, stop: float, limit: int) -> None:
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("a parametric curve needs a linear program: no quadratic term, no cones.")
    if form.integer is not None and form.integer.size:
        raise ValueError("a parametric curve needs a linear program: its integers make it jump.")
    if direction.shape != form.b.shape or not np.all(np.isfinite(direction)):
        raise ValueError(f"direction has a finite entry for each of the {form.b.size} rows.")
    if not np.any(direction):
        raise ValueError("direction is zero: nothing moves.")
    if not (np.isfinite(start) and start < stop):
        raise ValueError(f"a curve runs from a finite t to a later one, not {start!r} to {stop!r}.")
    if limit < 1:
        raise ValueError(f"limit is at least 1 piece, not {limit!r}.")


def _begin(
    program: MovingProgram, start: float, stop: float, near: Array | None, pace: Pace | None
) -> tuple[float, BasicPoint, Handle]:
    """An optimal vertex at ``start``, or at a later place if there is none."""
    handle = Handle(program.A, program.cost, program.at(start), PRECISE, pace=pace)
    corner = handle.optimum() if near is None else handle.optimum_near(near)
    if corner is None:
        low, high = _feasible_range(program, start, stop)
        start = _between(low, high)
        handle = Handle(program.A, program.cost, program.at(start), PRECISE, pace=pace)
        corner = handle.optimum()
    if corner is None:
        raise CurveError(
            f"there is no optimum at t = {start:g}, where points exist (HiGHS: "
            f"{handle.highs.getModelStatus().name}): the objective is unbounded for every t."
        )
    return start, corner, handle


def _feasible_range(program: MovingProgram, start: float, stop: float) -> tuple[float, float]:
    """First and last ``t`` with a feasible point: two linear programs with ``t`` as a column."""
    moving = np.where(program.upper_rate != 0.0, program.upper_rate, program.lower_rate)
    A = sp.hstack([program.A, -sp.csc_array(moving[program.size :, None])])
    still = program.at(0.0)
    bounds = Bounds(
        np.append(still.lower, start),
        np.append(still.upper, stop),
        still.row_lower,
        still.row_upper,
    )
    ends = []
    for sign in (1.0, -1.0):
        handle = Handle(A, np.append(np.zeros(program.size), sign), bounds, PRECISE)
        corner = handle.optimum()
        said = handle.highs.getModelStatus()
        if corner is not None:
            ends.append(float(corner.values[program.size]))
        elif sign < 0 and said in _MAY_BE_UNBOUNDED:
            ends.append(np.inf)
        else:
            raise NothingFeasible(
                f"nothing is feasible from t = {start:g} to {stop:g} (HiGHS: {said.name})."
            )
    return ends[0], ends[1]


def _between(low: float, high: float) -> float:
    return low + min(0.5 * (high - low), max(1.0, abs(low)))


def _curve(form: StandardForm, direction: Array, trail: Trail) -> Curve:
    """The trail as arrays, with its proof."""
    pieces = trail.pieces(form.c)
    knots, points = [float(piece.start) for piece in pieces], [piece.x for piece in pieces]
    if not trail.end.is_open:
        knots.append(trail.stop)
        points.append(trail.last_point)
    parts: dict[str, Any] = {
        "knots": np.array(knots),
        "points": np.array(points),
        "slopes": np.array([piece.slope for piece in pieces]),
        "multipliers": _cleaned(form, np.array([-piece.y for piece in pieces])),
        "ray": trail.steps[-1].x_rate if trail.end.is_open else None,
        "walls": trail.walls,
    }
    return Curve(
        values=parts["points"] @ form.c + form.offset,
        end=trail.end,
        direction=direction.copy(),
        proof=prove_curve(form, direction, **parts),
        note=trail.note,
        exchanges=trail.exchanges,
        **parts,
    )


def _cleaned(form: StandardForm, multipliers: Array) -> Array:
    """The multipliers without those that are rounding."""
    heights = row_heights(sp.csr_array(form.A))
    least = NOISE * float(np.max(np.abs(form.c), initial=0.0))
    return np.where(np.abs(multipliers) * heights > least, multipliers, 0.0)
