"""The steps of an integer problem's optimum while the tolerance on an earlier one moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.curves.curve import CurveError
from lexiprog.curves.front_integer import integer_front
from lexiprog.curves.integers.search import IntegerFront
from lexiprog.curves.integers.steps import steps_of
from lexiprog.curves.pace import OutOfTime
from lexiprog.declare.references.reference import VALUES
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.sweeps.slack.moving import MovingProblem, Scene, Unsteady
from lexiprog.sweeps.slack.track import Shape, Track

__all__ = ["integer_track"]

# What a row without steps may be off, as a share of its limit.
ROUNDING = 1e-9


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
            note = f"not known beyond {here:g}: {str(reason) or scene.pace.note}"
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
    front = integer_front(limited, first, form.c, limit=limit, pace=scene.pace)
    if front.missing:
        before = front.points[:, 0] <= front.missing[0][0][0]
        front = replace(front, points=front.points[before])
    if not len(front.points):
        raise OutOfTime
    t = start + (front.points[:, 0] - form.b[row]) / unit
    t = np.where(t - start <= ROUNDING * (1.0 + abs(form.b[row]) / unit), start, t)
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
    return 0.5 * float(steps.size) if steps is not None else ROUNDING * (1.0 + abs(form.b[row]))


def _without(form: StandardForm, row: int) -> StandardForm:
    keep = np.arange(form.b.size) != row
    cones = Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - 1)
    return replace(form, A=sp.csc_array(sp.csr_array(form.A)[keep]), b=form.b[keep], cones=cones)
