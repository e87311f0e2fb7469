"""The exact curve of a linear problem while the tolerance on an earlier one moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm
from lexiprog.deadline import OutOfTime
from lexiprog.errors import StageError
from lexiprog.model.expressions import as_float
from lexiprog.model.references import VALUES
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.context import Cases, MovingProblem, Scene, Unsteady
from lexiprog.parametric.curve import Curve, CurveEnd, CurveError
from lexiprog.parametric.integer_fronts import IntegerFront, integer_front
from lexiprog.parametric.integer_programs import steps_of
from lexiprog.parametric.outer_inner import Sample, sandwich
from lexiprog.parametric.path import on_faces, parametric_curve
from lexiprog.parametric.value_function import Shape, Track, end_text
from lexiprog.results.solution import Solution
from lexiprog.tolerances import BEND, LIMIT_SLACK, PRECISE_HIGHS, SAME_PLACE, SAME_POINT
from lexiprog.typing import Array


@dataclass(frozen=True)
class _Piece:
    """A curve between two tolerances: knots, values, slopes in the form's own units."""

    knots: Array
    values: Array
    slopes: Array
    end: CurveEnd
    note: str = ""


def linear_track(scene: Scene, subproblem: Subproblem, limit: int) -> Track:
    """The optimum of a linear problem for every tolerance.

    Between tolerances at which something that it reads bends, its right-hand side moves along a
    line, so that its optimum is a convex piecewise linear curve there (see ``curves.parametric``).

    Raises
    ------
    Unsteady
        If its numbers do not follow the tolerance in straight lines.
    CurveError
        If there is no curve: nothing is feasible, or the objective is unbounded.
    """
    moving = MovingProblem.of(scene, subproblem)
    pieces = list(_pieces(scene, subproblem, moving, limit))
    sign = -1.0 if subproblem.maximise else 1.0
    knots = np.concatenate([piece.knots for piece in pieces])
    values, slopes = (
        sign * moving.scaling.value(1.0) * np.concatenate([getattr(p, name) for p in pieces])
        for name in ("values", "slopes")
    )
    knots[0] = _snapped(knots[0], scene)
    last = pieces[-1]
    knots, values, slopes = _joined(knots, values + 0.0, slopes + 0.0)
    open_ended = last.end.is_open
    return Track(
        knots,
        values,
        slopes,
        Shape.LINEAR,
        stop=np.inf if open_ended else float(knots[-1]),
        end=end_text(float(knots[-1]), float(slopes[-1])) if open_ended else _closed(last, knots),
        note=last.note,
    )


def _pieces(
    scene: Scene, subproblem: Subproblem, moving: MovingProblem, limit: int
) -> Iterator[_Piece]:
    """The curve from kink to kink of what the problem reads."""
    start, stop = scene.start(subproblem), scene.stop(subproblem)
    kinks = scene.kinks(subproblem)
    kinks = kinks[(kinks > start) & (kinks < stop)]
    ends = [start, *kinks.tolist(), stop]
    found = 0
    for here, there in pairwise(ends):
        first = not found
        try:
            piece = _piece(moving, here, there, limit)
        except (CurveError, OutOfTime, KeyboardInterrupt) as error:
            if first and (there == ends[-1] or not isinstance(error, CurveError)):
                raise
            if first:
                continue  # nothing is feasible yet; a later stretch may be
            yield _stopped(here, str(error) or scene.deadline.note)
            return
        found += piece.knots.size
        if found > limit:
            yield replace(
                piece,
                end=CurveEnd.UNFINISHED,
                note=f"more than {limit} pieces; ask for more with limit=.",
            )
            return
        yield piece
        if piece.end is CurveEnd.INFEASIBLE or piece.end is CurveEnd.UNFINISHED:
            return


def _piece(moving: MovingProblem, start: float, stop: float, limit: int) -> _Piece:
    """The curve on one stretch; ``t`` is counted from its start, for the sake of rounding."""
    direction = moving.direction(start, stop)
    form = replace(moving.form, b=moving.sides(start))
    width = stop - start
    form, direction = on_faces(form, direction, moving.tight, 0.0, width)
    if not direction.any():
        return _still(form, start, stop)
    curve = parametric_curve(
        form, direction, stop=width, limit=limit, near=moving.near, deadline=moving.scene.deadline
    )
    knots, end = start + curve.knots, curve.end
    if end is CurveEnd.INFEASIBLE and stop - knots[-1] <= SAME_PLACE * max(width, abs(stop)):
        # What is fixed on this stretch can often not be met beyond it.
        knots[-1], end = stop, CurveEnd.STOPPED
    return _Piece(knots, curve.values, _slopes(curve), end, curve.note)


def _slopes(curve: Curve) -> Array:
    """A right derivative for each knot."""
    return curve.slopes if curve.end.is_open else np.append(curve.slopes, np.nan)


def _still(form: StandardForm, start: float, stop: float) -> _Piece:
    """Nothing that matters moves."""
    handle = HighsModel(form.A, PRECISE_HIGHS, form.c, Bounds.of(form))
    corner = handle.optimum()
    if corner is None:
        said = handle.status
        raise CurveError(f"there is no optimum from {start:g} on (HiGHS: {said}).")
    value = float(form.c @ corner.values[: form.c.size]) + form.offset
    if np.isinf(stop):
        return _Piece(np.array([start]), np.array([value]), np.zeros(1), CurveEnd.FLAT)
    return _Piece(
        np.array([start, stop]), np.full(2, value), np.array([0.0, np.nan]), CurveEnd.STOPPED
    )


def _stopped(t: float, note: str) -> _Piece:
    """A curve that ends here, with the reason."""
    empty = np.zeros(0)
    return _Piece(empty, empty, empty, CurveEnd.UNFINISHED, f"not known beyond {t:g}: {note}")


def _snapped(t: float, scene: Scene) -> float:
    """Zero, if the first feasible tolerance is zero but for rounding."""
    return 0.0 if t <= SAME_POINT * max(1.0, scene.solved[scene.name].size) else t


def _joined(knots: Array, values: Array, slopes: Array) -> tuple[Array, Array, Array]:
    """Stretches as one curve: what ends one begins the next, and no bend means no knot."""
    keep = np.ones(knots.size, dtype=bool)
    for k in range(knots.size - 1):
        if np.isnan(slopes[k]):  # the end of a stretch: the next one begins here
            keep[k] = False
    knots, values, slopes = knots[keep], values[keep], slopes[keep]
    bent = np.ones(knots.size, dtype=bool)
    for k in range(1, knots.size):
        before, after = slopes[k - 1], slopes[k]
        size = max(abs(before), abs(after))
        bent[k] = np.isnan(after) or abs(after - before) > BEND * size
    return knots[bent], values[bent], slopes[bent]


def _closed(piece: _Piece, knots: Array) -> str:
    if piece.end is CurveEnd.INFEASIBLE:
        return f"infeasible beyond {knots[-1]:g}"
    return "" if piece.note else f"not followed beyond {knots[-1]:g}"


# The curve of a convex problem between bounds, while the tolerance on an earlier one moves.

# How far a curve without end is followed, in sizes of the held optimum.
REACH = 10.0


def convex_track(
    scene: Scene, cases: Cases, stage: str, subproblem: Subproblem, *, error: float, limit: int
) -> Track:
    """The optimum of a convex problem, which is convex in the tolerance, to a stated error.

    Multipliers of the moving lock are tangents that the curve is never below, feasible points
    are chords that it is never above; new tolerances are tried where the two are furthest apart.

    Raises
    ------
    Unsteady
        If something else than the lock moves, so that the curve need not be convex.
    """
    for _, reference in subproblem.references:
        if scene.moves(reference) and reference.owner_name != scene.name:
            raise Unsteady(f"{reference.owner_name!r} moves as well, and it need not be convex")
    if subproblem.gp:
        raise Unsteady("geometric programs are not convex in the tolerance")
    sign = -1.0 if subproblem.maximise else 1.0
    stop, end = _stop(scene, cases, stage, subproblem)

    def ask(t: float) -> Sample:
        found = _solution(cases, t, subproblem.name)
        lower = found.value if found.bound is None else found.bound
        price = _price(found, subproblem, scene.name)
        slope = None if price is None else -price
        return Sample(t, sign * found.value, min(sign * lower, sign * found.value), slope)

    deadline = scene.deadline
    found = (
        sandwich(ask, 0.0, stop, error=error, limit=limit, deadline=deadline)
        if stop > 0.0
        else None
    )
    samples = (ask(0.0),) if found is None else found.samples
    slopes = [np.nan if s.slope is None else sign * s.slope for s in samples]
    if not end:
        slopes[-1] = 0.0
    return Track(
        np.array([s.t for s in samples]),
        sign * np.array([s.value for s in samples]),
        np.array(slopes),
        Shape.BOUNDED,
        stop=stop if end else np.inf,
        error=0.0 if found is None else found.error,
        end=end or f"constant from {stop:g} on",
        note="" if found is None else found.note,
    )


def _stop(scene: Scene, cases: Cases, stage: str, subproblem: Subproblem) -> tuple[float, str]:
    """The tolerance from which on the lock does not matter; a remark if there may be none."""
    kept = [
        constraint
        for position, constraint in enumerate(subproblem.constraints)
        if position not in _positions(subproblem, scene.name)
    ]
    held = scene.program[scene.name]
    try:
        free = Subproblem(subproblem.name, subproblem.objective, kept)
        solution = cases.alone(stage, free, scene.solved)
        value = as_float(solution.at(held.objective.expr))
    except (StageError, KeyError):
        reach = REACH * max(1.0, abs(scene.optimum))
        return reach, f"not followed beyond {reach:g}: nothing else bounds it"
    return max(scene.optimum - value if held.maximise else value - scene.optimum, 0.0), ""


def _positions(subproblem: Subproblem, name: str) -> list[int]:
    return [position for position, lock in subproblem.locks if lock.owner_name == name]


def _solution(cases: Cases, t: float, name: str) -> Solution:
    try:
        return cases(t)[name]
    except StageError as error:
        if name in error.partial:  # a later problem failed, which is no matter of this curve
            return error.partial[name]
        raise


def _price(found: Solution, subproblem: Subproblem, name: str) -> float | None:
    """The multiplier of the lock, as the certificate's bound was computed with it."""
    total = 0.0
    for position in _positions(subproblem, name):
        record = next(lock for lock in found.locks if lock.name == name)
        dual = found.duals[position]
        if record.kind == "argument" or dual is None:
            return None
        total += abs(float(np.sum(np.asarray(dual))))
    return total


# The steps of an integer problem's optimum while the tolerance on an earlier one moves.


def integer_track(scene: Scene, subproblem: Subproblem, *, limit: int) -> Track:
    """The optimum of an integer problem for every tolerance: a staircase.

    Its steps are the non-dominated points of the held objective and its own (see
    ``curves.front_integer``). Where other optima that it holds move too, each of their steps has a
    staircase of its own.
    """
    starts, stop = _stretches(scene, subproblem)
    ends = [*starts[1:], stop]
    sign = -1.0 if subproblem.maximise else 1.0
    knots: list[Array] = []
    values: list[Array] = []
    error, note, count = 0.0, "", 0
    for here, there in zip(starts, ends, strict=True):
        try:
            front, t, offset = _stairs(scene, subproblem, here, there, max(limit - count, 2))
        except (CurveError, OutOfTime, KeyboardInterrupt) as reason:
            if not count:
                raise
            note = f"not known beyond {here:g}: {str(reason) or scene.deadline.note}"
            stop = here
            break
        knots.append(t)
        values.append(sign * (front.points[: t.size, 1] + offset))
        error, count = max(error, front.resolution), count + t.size
        if not front.complete:
            stop = float(t[-1])
            note = f"not known beyond {stop:g}: {front.note}"
            break
    all_knots, all_values = np.concatenate(knots), np.concatenate(values)
    keep = np.append(True, np.abs(np.diff(all_values)) > 0.0)
    last = float(all_knots[keep][-1])
    return Track(
        all_knots[keep],
        all_values[keep],
        np.zeros(int(keep.sum())),
        Shape.STEPS,
        stop=stop,
        error=error,
        end=f"constant from {last:g} on" if np.isinf(stop) else "",
        note=note,
    )


def _stretches(scene: Scene, subproblem: Subproblem) -> tuple[list[float], float]:
    """Tolerances at which something else that the problem reads makes a step."""
    starts = {0.0}
    for _, reference in subproblem.references:
        track = scene.tracks.get(reference.owner_name)
        if track is None:
            continue
        if track.shape is not Shape.STEPS or track.error:
            raise Unsteady(f"{reference.owner_name!r} is not known in steps")
        if reference.kind not in VALUES:
            raise Unsteady(f"it reads {reference.label}, of which the curve knows nothing")
        starts |= set(track.knots.tolist())
    stop = scene.stop(subproblem)
    return sorted(t for t in starts if scene.start(subproblem) <= t < stop), stop


def _stairs(
    scene: Scene, subproblem: Subproblem, start: float, stop: float, limit: int
) -> tuple[IntegerFront, Array, float]:
    """The front from one tolerance to another, the tolerance of each point, and the offset.

    Of a front that is not complete only what lies before its gap, as there may be steps in it.
    """
    moving = MovingProblem.at(scene, subproblem, start)
    form, row, unit = moving.task.form, _own_row(moving), 0.0
    b = form.b.copy()
    for reference, rate, _ in moving.rates:
        own = reference.owner_name == scene.name
        for other in () if own else np.flatnonzero(rate):
            b[other] += _allowance(form, int(other))
    for reference, rate, _ in moving.rates:
        if reference.owner_name == scene.name and reference.lock is not None:
            unit = abs(float(rate[row]))
    first = np.asarray(sp.csr_array(form.A)[[row]].toarray()).ravel()
    limited = replace(form, b=b)
    if np.isfinite(stop):
        limited.b[row] += unit * (stop - start) - _allowance(form, row)
    else:
        limited = _without(limited, row)
    front = integer_front(limited, first, form.c, limit=limit, deadline=scene.deadline)
    if front.missing:
        before = front.points[:, 0] <= front.missing[0][0][0]
        front = replace(front, points=front.points[before])
    if not len(front.points):
        raise OutOfTime
    t = start + (front.points[:, 0] - form.b[row]) / unit
    t = np.where(t - start <= LIMIT_SLACK * (1.0 + abs(form.b[row]) / unit), start, t)
    # Of those with no more than is given up already, the last.
    here = max(int(np.sum(t <= start)) - 1, 0)
    return replace(front, points=front.points[here:]), t[here:], form.offset


def _own_row(moving: MovingProblem) -> int:
    """The inequality that the tolerance moves."""
    name, zero = moving.scene.name, moving.task.form.cones.zero
    rows = {
        int(row)
        for reference, rate, moves in moving.rates
        if moves and reference.owner_name == name
        for row in np.flatnonzero(rate)
    }
    if len(rows) != 1 or min(rows) < zero:
        raise Unsteady("the tolerance moves more than one row, or an equation")
    return rows.pop()


def _allowance(form: StandardForm, row: int) -> float:
    """Half a step of a row, or what rounding may make of its limit."""
    coefficients = np.asarray(sp.csr_array(form.A)[[row]].toarray()).ravel()
    integer = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
    steps = steps_of(coefficients, integer)
    return 0.5 * float(steps.size) if steps is not None else LIMIT_SLACK * (1.0 + abs(form.b[row]))


def _without(form: StandardForm, row: int) -> StandardForm:
    keep = np.arange(form.b.size) != row
    cones = Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - 1)
    return replace(form, A=sp.csc_array(sp.csr_array(form.A)[keep]), b=form.b[keep], cones=cones)
