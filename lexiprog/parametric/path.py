"""The whole curve of a linear program as its right-hand side moves along a line, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import BasicPoint, HighsModel
from lexiprog.canon.multipliers import Sizes, binding, is_real
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.basis_path import Lost, MovingProgram, Stretch, Wall, stretches
from lexiprog.parametric.curve import (
    Curve,
    CurveEnd,
    CurveError,
    NothingFeasible,
    place_unit,
    prove_curve,
    row_heights,
    slope_unit,
)
from lexiprog.tolerances import DETOURS, MULTIPLIER_ROUNDING, NO_ROOM, PRECISE_HIGHS, SAME_SLOPE
from lexiprog.typing import Array, Mask

# From the stretches of a walk to the pieces of a curve: resumed where lost, joined, tidied.


@dataclass
class Trail:
    """The stretches of a curve in order, those without length left out, and how they end."""

    steps: list[Stretch] = field(default_factory=list)
    end: CurveEnd = CurveEnd.UNFINISHED
    walls: tuple[Array | None, Array | None] = (None, None)
    note: str = ""
    exchanges: int = 0

    def preceded_by(self, back: Trail) -> Trail:
        """The trail after one that was walked from its start the other way."""
        return Trail(
            steps=[turned(step) for step in reversed(back.steps)] + self.steps,
            end=self.end,
            walls=(back.walls[1], self.walls[1]),
            note="; ".join(filter(None, [back.note, self.note])),
            exchanges=back.exchanges + self.exchanges,
        )

    def pieces(self, cost: Array) -> list[Stretch]:
        """The steps, those of one slope as one, without those too short to see."""
        steepest = max(abs(step.slope) for step in self.steps)
        joined: list[Stretch] = []
        for step in self.steps:
            if joined and abs(step.slope - joined[-1].slope) <= SAME_SLOPE * steepest:
                joined[-1] = replace(joined[-1], stop=step.stop)
            else:
                joined.append(step)
        return _visible(joined, cost)

    @property
    def stop(self) -> float:
        """Where the last step ends."""
        return self.steps[-1].stop

    @property
    def last_point(self) -> Array:
        """The point at ``stop``, if that is finite."""
        step = self.steps[-1]
        return np.asarray(step.x + (step.stop - step.start) * step.x_rate)


class Leg(NamedTuple):
    """A way to go: from an optimal vertex at ``start`` to ``stop``."""

    corner: BasicPoint
    start: float
    stop: float


def walk_along(
    program: MovingProgram, handle: HighsModel, leg: Leg, limit: int, known: Trail | None = None
) -> Trail:
    """Walk to the end of a leg, around places where rounding wins.

    Parameters
    ----------
    program : MovingProgram
    handle : HighsModel
        The same program inside HiGHS, for a new start after a detour. Its deadline is kept here
        too: where that ends is how far the trail goes.
    leg : Leg
    limit : int
        Most slopes.
    known : Trail, optional
        One that ended early, to go on from.
    """
    trail = Trail()
    if known is not None:
        if known.end is not CurveEnd.UNFINISHED:
            return known
        trail = Trail(list(known.steps), exchanges=known.exchanges)
    if trail.steps:  # the last one again: its basis is where the walk stood
        stood = trail.steps.pop()
        leg = Leg(stood.corner(program), stood.start, leg.stop)
    if not handle.deadline.note:  # else the walk the other way was stopped already
        with handle.deadline.kept():
            _walk(trail, program, handle, leg, limit)
    if handle.deadline.note and trail.end is CurveEnd.UNFINISHED:
        trail.note = handle.deadline.note
    return trail


def _walk(trail: Trail, program: MovingProgram, handle: HighsModel, leg: Leg, limit: int) -> None:
    """Add to the trail until it ends, for which it then has the reason."""
    corner, start, stop = leg
    slopes, last = 0, np.nan
    for before in trail.steps:
        slopes, last = slopes + (before.slope != last), before.slope
    speed = np.maximum(np.abs(program.lower_rate), np.abs(program.upper_rate))[program.size :]
    zero = SAME_SLOPE * slope_unit(program.cost, program.A, speed)
    while True:
        try:
            for step in stretches(program, corner, start, stop):
                handle.deadline.check()
                trail.exchanges += 1
                if isinstance(step, Wall):
                    trail.end, trail.walls = CurveEnd.INFEASIBLE, (None, -step.y)
                    return
                if step.stop <= step.start:
                    continue
                slope = 0.0 if abs(step.slope) <= zero else step.slope
                slopes, last = slopes + (slope != last), slope
                if slopes > limit:
                    trail.note = f"more than {limit} pieces; ask for more with limit=."
                    return
                if slope == 0.0 and program.loosens and stop == np.inf:
                    # What only gives way and buys nothing buys nothing for ever.
                    step = replace(step, stop=np.inf, x_rate=np.zeros_like(step.x))
                trail.steps.append(replace(step, slope=slope))
                if step.stop == np.inf:
                    trail.end = CurveEnd.STRAIGHT if slope else CurveEnd.FLAT
                    return
            trail.end = CurveEnd.STOPPED
            return
        except Lost as lost:
            reached = trail.stop if trail.steps else start
            found = _detour(program, handle, reached, stop)
            if found is None:
                trail.note = f"rounding wins at t = {lost.t:g}: {lost}"
                return
            start, corner, steps = found
            trail.steps += steps


def turned(step: Stretch) -> Stretch:
    """A stretch seen from ``-t``."""
    end = step.x + (step.stop - step.start) * step.x_rate
    return replace(
        step, start=-step.stop, stop=-step.start, x=end, x_rate=-step.x_rate, slope=-step.slope
    )


def _detour(
    program: MovingProgram, handle: HighsModel, t: float, stop: float
) -> tuple[float, BasicPoint, list[Stretch]] | None:
    """A vertex a little beyond ``t`` and the stretches from ``t`` to there, walked backwards."""
    for share in DETOURS:
        beyond = t + share * max(abs(t), 1.0)
        if beyond >= stop:
            return None
        bounds = program.at(beyond)
        handle.set_rows(bounds.row_lower, bounds.row_upper)
        corner = handle.optimum()
        if corner is None:
            continue
        try:
            back = list(stretches(program.backwards(), corner, -beyond, -t))
        except Lost:
            continue
        steps = [turned(s) for s in reversed(back) if isinstance(s, Stretch) and s.stop > s.start]
        return beyond, corner, steps
    return None


def _visible(pieces: list[Stretch], cost: Array) -> list[Stretch]:
    """The pieces that can be told from rounding; the next one takes the place of any other."""
    out: list[Stretch] = []
    begin: Stretch | None = None
    for k, piece in enumerate(pieces):
        begin = piece if begin is None else begin
        bend = pieces[min(k + 1, len(pieces) - 1)].slope - pieces[max(k - 1, 0)].slope
        size = float(np.abs(cost) @ np.abs(piece.x))
        if abs(bend) * (piece.stop - piece.start) > SAME_SLOPE * size or len(pieces) == 1:
            out.append(replace(piece, start=begin.start, x=begin.x))
            begin = None
    if begin is not None:
        out[-1] = replace(out[-1], stop=pieces[-1].stop)
    return out


_MAY_BE_UNBOUNDED = ("kUnbounded", "kUnboundedOrInfeasible")


def parametric_curve(
    form: StandardForm,
    direction: Array,
    *,
    start: float = 0.0,
    stop: float = np.inf,
    limit: int = 1000,
    near: Array | None = None,
    deadline: Deadline | None = None,
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
    deadline : Deadline, optional
        How long it may take; a curve that would take longer is handed over unfinished.

    Raises
    ------
    CurveError
        If nothing is feasible, the objective is unbounded, or the curve cannot be proved.

    Examples
    --------
    Minimise ``-x`` with ``x <= t`` and ``x <= 2``:

    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.array([-1.0]), offset=0.0, A=sp.csc_array([[1.0]]),
    ...                     b=np.array([0.0]), cones=Cones(nonneg=1),
    ...                     lower=np.array([0.0]), upper=np.array([2.0]))
    >>> curve = parametric_curve(form, np.array([1.0]))
    >>> curve.knots.tolist(), curve.slopes.tolist(), str(curve.end)
    ([0.0, 2.0], [-1.0, 0.0], 'constant from there on')
    """
    _check(form, direction, start, stop, limit)
    program = MovingProgram.of(form, direction)
    origin, corner, handle = _begin(program, start, stop, near, deadline)
    return trace(form, direction, handle, corner, origin, start=start, stop=stop, limit=limit)


def trace(
    form: StandardForm,
    direction: Array,
    handle: HighsModel,
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
    trails of a curve that ended early. Time and Ctrl-C end a curve early as the deadline says.
    """
    program = MovingProgram.of(form, direction)
    trail = walk_along(program, handle, Leg(corner, origin, stop), limit, known[0])
    trails: tuple[Trail, ...] = (trail,)
    if origin > start:
        leg = Leg(corner, -origin, -start)
        back = walk_along(program.backwards(), handle, leg, limit, known[1])
        trail, trails = trail.preceded_by(back), (trail, back)
    if not trail.steps and handle.deadline.note:
        raise OutOfTime
    first, last = (trail.steps[0].start, trail.stop) if trail.steps else (origin, origin)
    if last - first <= SAME_SLOPE * max(abs(first), place_unit(form.b, direction)):
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
    program: MovingProgram, start: float, stop: float, near: Array | None, deadline: Deadline | None
) -> tuple[float, BasicPoint, HighsModel]:
    """An optimal vertex at ``start``, or at a later place if there is none."""
    handle = HighsModel(
        program.A, PRECISE_HIGHS, program.cost, program.at(start), deadline=deadline
    )
    corner = handle.optimum() if near is None else handle.optimum_near(near)
    if corner is None:
        low, high = _feasible_range(program, start, stop)
        start = _between(low, high)
        handle = HighsModel(
            program.A, PRECISE_HIGHS, program.cost, program.at(start), deadline=deadline
        )
        corner = handle.optimum()
    if corner is None:
        raise CurveError(
            f"there is no optimum at t = {start:g}, where points exist (HiGHS: "
            f"{handle.status}): the objective is unbounded for every t."
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
        handle = HighsModel(A, PRECISE_HIGHS, np.append(np.zeros(program.size), sign), bounds)
        corner = handle.optimum()
        said = handle.status
        if corner is not None:
            ends.append(float(corner.values[program.size]))
        elif sign < 0 and said in _MAY_BE_UNBOUNDED:
            ends.append(np.inf)
        else:
            raise NothingFeasible(
                f"nothing is feasible from t = {start:g} to {stop:g} (HiGHS: {said})."
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
    largest = float(np.max(np.abs(form.c), initial=0.0))
    real = is_real(np.abs(multipliers) * heights, largest, MULTIPLIER_ROUNDING)
    return np.where(real, multipliers, 0.0)


# Rows that leave no room: an earlier optimum held exactly, while everything moves.
#
# A row ``a'x <= limit`` whose limit is the least value that ``a'x`` can have is met with equality
# by every feasible point. Put to a solver as it is, it leaves a feasible set without inside, which
# rounding makes empty. The multipliers of that least value say which rows and columns it pins down
# (complementary slackness), and fixing those in its place says the same without any tightness.


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
    steady = abs(curve.slopes[-1] - sides[1]) <= NO_ROOM * (abs(curve.slopes[-1]) + abs(sides[1]))
    if np.all(room <= NO_ROOM * sizes) and (steady or not curve.end.is_open):
        return np.asarray(curve.multipliers[middle])
    return None


def _still(
    free: _Moving, cost: Array, sides: tuple[float, float], ends: tuple[float, float]
) -> Array | None:
    """The same where only the limit may move."""
    handle = HighsModel(free.form.A, PRECISE_HIGHS, cost, Bounds.of(free.form))
    corner = handle.optimum()
    if corner is None:
        return None
    x = corner.values[: cost.size]
    if sides[1] != 0.0 and not np.isfinite(ends[1]):
        return None
    limits = np.array([sides[0] + end * sides[1] if sides[1] else sides[0] for end in ends])
    sizes = np.abs(x) @ np.abs(cost) + np.abs(limits)
    return -corner.y if np.all(limits - cost @ x <= NO_ROOM * sizes) else None


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
