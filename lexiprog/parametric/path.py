"""The exact value function of a linear program whose right-hand side moves along a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import BasicPoint, HighsModel
from lexiprog.canon.multipliers import Sizes, binding, is_real
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.basis_path import (
    BlockingConstraint,
    LostBasis,
    MovingProgram,
    Segment,
    segments,
)
from lexiprog.parametric.curve_proof import place_unit, prove_curve, row_heights, slope_unit
from lexiprog.parametric.value_function import (
    CurveEnd,
    CurveError,
    CurveKind,
    NothingFeasible,
    ValueFunction,
)
from lexiprog.tolerances import DETOURS, MULTIPLIER_ROUNDING, NO_ROOM, PRECISE_HIGHS, SAME_SLOPE
from lexiprog.typing import Array, Mask

# From the segments of a basis walk to the pieces of a value function.


@dataclass
class ParametricPath:
    """The segments of a basis walk in order, without empty ones, and how they end."""

    segments: list[Segment] = field(default_factory=list)
    end: CurveEnd = CurveEnd.UNFINISHED
    blocking: tuple[Array | None, Array | None] = (None, None)
    note: str = ""

    def preceded_by(self, back: ParametricPath) -> ParametricPath:
        """The path after one that was walked from its start the other way."""
        return ParametricPath(
            segments=[_reversed(segment) for segment in reversed(back.segments)] + self.segments,
            end=self.end,
            blocking=(back.blocking[1], self.blocking[1]),
            note="; ".join(filter(None, [back.note, self.note])),
        )

    def pieces(self, cost: Array) -> list[Segment]:
        """The segments, those of one slope as one, without those too short to see."""
        steepest = max(abs(segment.slope) for segment in self.segments)
        joined: list[Segment] = []
        for segment in self.segments:
            if joined and abs(segment.slope - joined[-1].slope) <= SAME_SLOPE * steepest:
                joined[-1] = replace(joined[-1], stop=segment.stop)
            else:
                joined.append(segment)
        return _visible(joined, cost)

    @property
    def stop(self) -> float:
        """Where the last segment ends."""
        return self.segments[-1].stop

    @property
    def last_point(self) -> Array:
        """The point at ``stop``, if that is finite."""
        last = self.segments[-1]
        return np.asarray(last.x + (last.stop - last.start) * last.x_rate)


def basis_walk(
    program: MovingProgram,
    model: HighsModel,
    vertex: BasicPoint,
    interval: tuple[float, float],
    limit: int,
    known: ParametricPath | None = None,
) -> ParametricPath:
    """Walk from an optimal vertex to the end of an interval, around places where rounding wins.

    Parameters
    ----------
    program : MovingProgram
    model : HighsModel
        The same program inside HiGHS, for a new start after a detour. Its deadline is kept here
        too: where that ends is how far the path goes.
    vertex : BasicPoint
        Optimal at the start of the interval.
    interval : pair of float
    limit : int
        Most slopes.
    known : ParametricPath, optional
        One that ended early, to go on from.
    """
    path, (start, stop) = ParametricPath(), interval
    if known is not None:
        if known.end is not CurveEnd.UNFINISHED:
            return known
        path = ParametricPath(list(known.segments))
    if path.segments:  # the last one again: its basis is where the walk was
        last = path.segments.pop()
        vertex, start = last.vertex(program), last.start
    if not model.deadline.note:  # else the walk the other way was stopped already
        with model.deadline.kept():
            _PathTracer(path, program, model, stop, limit).run(vertex, start)
    if model.deadline.note and path.end is CurveEnd.UNFINISHED:
        path.note = model.deadline.note
    return path


class _PathTracer:
    """A walk that adds to a path until it ends, for which the path then has the reason."""

    def __init__(
        self,
        path: ParametricPath,
        program: MovingProgram,
        model: HighsModel,
        stop: float,
        limit: int,
    ) -> None:
        self.path, self.program, self.model = path, program, model
        self.stop, self.limit = stop, limit
        slopes = [segment.slope for segment in path.segments]
        self.slopes = sum(k == 0 or slope != slopes[k - 1] for k, slope in enumerate(slopes))
        self.last = slopes[-1] if slopes else np.nan
        speed = np.maximum(np.abs(program.lower_rate), np.abs(program.upper_rate))[program.size :]
        self.zero = SAME_SLOPE * slope_unit(program.cost, program.A, speed)

    def run(self, vertex: BasicPoint, start: float) -> None:
        """Follow the basis, and begin anew a little further on where rounding ends that."""
        path = self.path
        while True:
            try:
                for step in segments(self.program, vertex, start, self.stop):
                    self.model.deadline.check()
                    if self._ends_with(step):
                        return
                path.end = CurveEnd.STOPPED
                return
            except LostBasis as lost:
                reached = path.stop if path.segments else start
                detour = _detour(self.program, self.model, reached, self.stop)
                if detour is None:
                    path.note = f"rounding wins at t = {lost.t:g}: {lost}"
                    return
                start, vertex, added = detour
                path.segments += added

    def _ends_with(self, step: Segment | BlockingConstraint) -> bool:
        """Add what comes next; True if nothing comes after it."""
        path = self.path
        if isinstance(step, BlockingConstraint):
            path.end, path.blocking = CurveEnd.INFEASIBLE, (None, -step.y)
            return True
        if step.stop <= step.start:
            return False
        slope = 0.0 if abs(step.slope) <= self.zero else step.slope
        self.slopes, self.last = self.slopes + (slope != self.last), slope
        if self.slopes > self.limit:
            path.note = f"more than {self.limit} pieces; ask for more with limit=."
            return True
        if slope == 0.0 and self.program.loosens and self.stop == np.inf:
            # What only gives way and buys nothing buys nothing for ever.
            step = replace(step, stop=np.inf, x_rate=np.zeros_like(step.x))
        path.segments.append(replace(step, slope=slope))
        if step.stop == np.inf:
            path.end = CurveEnd.STRAIGHT if slope else CurveEnd.FLAT
        return step.stop == np.inf


def _reversed(segment: Segment) -> Segment:
    """A segment seen from ``-t``."""
    end = segment.x + (segment.stop - segment.start) * segment.x_rate
    return replace(
        segment, start=-segment.stop, stop=-segment.start, x=end, x_rate=-segment.x_rate,
        slope=-segment.slope,
    )  # fmt: skip


def _detour(
    program: MovingProgram, model: HighsModel, t: float, stop: float
) -> tuple[float, BasicPoint, list[Segment]] | None:
    """A vertex a little beyond ``t`` and the segments from ``t`` to there, walked backwards."""
    for share in DETOURS:
        beyond = t + share * max(abs(t), 1.0)
        if beyond >= stop:
            return None
        bounds = program.at(beyond)
        model.set_rows(bounds.row_lower, bounds.row_upper)
        vertex = model.optimum()
        if vertex is None:
            continue
        try:
            back = list(segments(program.backwards(), vertex, -beyond, -t))
        except LostBasis:
            continue
        kept = [_reversed(s) for s in reversed(back) if isinstance(s, Segment) and s.stop > s.start]
        return beyond, vertex, kept
    return None


def _visible(pieces: list[Segment], cost: Array) -> list[Segment]:
    """The pieces that differ by more than rounding; the next one takes the place of any other."""
    out: list[Segment] = []
    begin: Segment | None = None
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
) -> ValueFunction:
    """Trace the optimum of a linear form as ``b + t direction`` moves, from ``start`` to ``stop``.

    One linear program is solved, by HiGHS; from there the basis is followed exchange by exchange,
    so every breakpoint is met and the slopes are right derivatives. Points and multipliers prove
    the result (see ``curve_proof``), which is checked before it is returned.

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
    >>> curve.breakpoints.tolist(), curve.slopes.tolist(), str(curve.end)
    ([0.0, 2.0], [-1.0, 0.0], 'constant from there on')
    """
    _check(form, direction, start, stop, limit)
    program = MovingProgram.of(form, direction)
    origin, vertex, model = _begin(program, start, stop, near, deadline)
    return trace(form, direction, model, vertex, origin, start=start, stop=stop, limit=limit)


def trace(
    form: StandardForm,
    direction: Array,
    model: HighsModel,
    vertex: BasicPoint,
    origin: float,
    *,
    start: float,
    stop: float,
    limit: int,
    known: tuple[ParametricPath | None, ParametricPath | None] = (None, None),
) -> ValueFunction:
    """The function to both sides of an optimal vertex at ``origin``, checked.

    ``start`` may be minus infinity if nothing is feasible from somewhere on. ``known`` are the
    paths of a function that ended early. Time and Ctrl-C end it early as the model's deadline says.
    """
    program = MovingProgram.of(form, direction)
    path = basis_walk(program, model, vertex, (origin, stop), limit, known[0])
    paths: tuple[ParametricPath, ...] = (path,)
    if origin > start:
        ends = (-origin, -start)
        back = basis_walk(program.backwards(), model, vertex, ends, limit, known[1])
        path, paths = path.preceded_by(back), (path, back)
    if not path.segments and model.deadline.note:
        raise OutOfTime
    first, last = (path.segments[0].start, path.stop) if path.segments else (origin, origin)
    if last - first <= SAME_SLOPE * max(abs(first), place_unit(form.b, direction)):
        raise CurveError(path.note or f"only t = {origin:g} has a feasible point.")
    function = replace(_value_function(form, path), paths=paths)
    proof = prove_curve(form, direction, function)
    if not proof.passed:
        raise CurveError(
            f"the curve could not be proved: lines and points differ by {proof.worst:.1e} of "
            "their size. Scaling the program's rows and columns may help."
        )
    return replace(function, proof=proof)


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
    model = HighsModel(program.A, PRECISE_HIGHS, program.cost, program.at(start), deadline=deadline)
    vertex = model.optimum() if near is None else model.optimum_near(near)
    if vertex is None:
        low, high = _feasible_range(program, start, stop)
        start = _between(low, high)
        model = HighsModel(
            program.A, PRECISE_HIGHS, program.cost, program.at(start), deadline=deadline
        )
        vertex = model.optimum()
    if vertex is None:
        raise CurveError(
            f"there is no optimum at t = {start:g}, where points exist (HiGHS: "
            f"{model.status}): the objective is unbounded for every t."
        )
    return start, vertex, model


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
        model = HighsModel(A, PRECISE_HIGHS, np.append(np.zeros(program.size), sign), bounds)
        vertex = model.optimum()
        status = model.status
        if vertex is not None:
            ends.append(float(vertex.values[program.size]))
        elif sign < 0 and status in _MAY_BE_UNBOUNDED:
            ends.append(np.inf)
        else:
            raise NothingFeasible(
                f"nothing is feasible from t = {start:g} to {stop:g} (HiGHS: {status})."
            )
    return ends[0], ends[1]


def _between(low: float, high: float) -> float:
    return low + min(0.5 * (high - low), max(1.0, abs(low)))


def _value_function(form: StandardForm, path: ParametricPath) -> ValueFunction:
    """The path as arrays, yet to be proved."""
    pieces = path.pieces(form.c)
    breakpoints, points = [float(piece.start) for piece in pieces], [piece.x for piece in pieces]
    slopes = [piece.slope for piece in pieces]
    if not path.end.is_open:
        breakpoints.append(path.stop)
        points.append(path.last_point)
        slopes.append(np.nan)
    return ValueFunction(
        np.array(breakpoints),
        np.array(points) @ form.c + form.offset,
        np.array(slopes),
        CurveKind.LINEAR,
        end=path.end,
        stop=np.inf if path.end.is_open else path.stop,
        note=path.note,
        points=np.array(points),
        multipliers=_cleaned(form, np.array([-piece.y for piece in pieces])),
        ray=path.segments[-1].x_rate if path.end.is_open else None,
        blocking=path.blocking,
    )


def _cleaned(form: StandardForm, multipliers: Array) -> Array:
    """The multipliers without those that are rounding."""
    heights = row_heights(sp.csr_array(form.A))
    largest = float(np.max(np.abs(form.c), initial=0.0))
    real = is_real(np.abs(multipliers) * heights, largest, MULTIPLIER_ROUNDING)
    return np.where(real, multipliers, 0.0)


# Inequalities without slack: an earlier optimum held exactly while everything moves.
#
# A row ``a'x <= limit`` whose limit is the least value of ``a'x`` is met with equality by every
# feasible point, and rounding makes such a feasible set empty. The multipliers of that least value
# say which rows and columns are fixed (complementary slackness); fixing those says the same.


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
    limits = sides[0] + curve.breakpoints * sides[1]
    sizes = np.abs(curve.points) @ np.abs(cost) + np.abs(limits)
    room = limits - curve.values
    slope = curve.slopes[-1]
    constant = not curve.end.is_open or abs(slope - sides[1]) <= NO_ROOM * (
        abs(slope) + abs(sides[1])
    )
    if np.all(room <= NO_ROOM * sizes) and constant:
        return np.asarray(curve.multipliers[len(curve.multipliers) // 2])
    return None


def _still(
    free: _Moving, cost: Array, sides: tuple[float, float], ends: tuple[float, float]
) -> Array | None:
    """The same where only the limit may move."""
    model = HighsModel(free.form.A, PRECISE_HIGHS, cost, Bounds.of(free.form))
    vertex = model.optimum()
    if vertex is None:
        return None
    x = vertex.values[: cost.size]
    if sides[1] != 0.0 and not np.isfinite(ends[1]):
        return None
    limits = np.array([sides[0] + end * sides[1] if sides[1] else sides[0] for end in ends])
    sizes = np.abs(x) @ np.abs(cost) + np.abs(limits)
    return -vertex.y if np.all(limits - cost @ x <= NO_ROOM * sizes) else None


def _with_face(moving: _Moving, free: _Moving, cost: Array, y: Array) -> _Moving:
    """``moving`` with all that the multipliers ``y`` of ``free`` pin down fixed."""
    form = moving.form
    face = binding(cost, free.form.A, y, Sizes(free.form.A))
    fixed: Mask = np.isin(moving.rows, free.rows[face.rows])
    fixed[: form.cones.zero] = True
    size = form.c.size
    lower = np.full(size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(size, np.inf) if form.upper is None else form.upper.copy()
    bound = np.where(face.reduced > 0.0, lower, upper)
    pinned = (lower < upper) & face.columns & np.isfinite(bound)
    lower[pinned] = upper[pinned] = bound[pinned]
    order = np.argsort(~fixed, kind="stable")  # equations first
    cones = Cones(zero=int(fixed.sum()), nonneg=int((~fixed).sum()))
    A = sp.csc_array(sp.csr_array(form.A)[order])
    form = replace(form, A=A, b=form.b[order], cones=cones, lower=lower, upper=upper)
    return _Moving(form, moving.direction[order], moving.rows[order])
