"""The exact curve of a linear problem while the tolerance on an earlier one moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lexiprog.aliases import Array
from lexiprog.curves.curve import Curve, CurveEnd, CurveError
from lexiprog.curves.handle import PRECISE, Handle
from lexiprog.curves.pace import OutOfTime
from lexiprog.curves.parametric import parametric_curve
from lexiprog.curves.tight_rows import on_faces
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds
from lexiprog.sweeps.slack.moving import MovingProblem, Scene
from lexiprog.sweeps.slack.track import Shape, Track, end_text

__all__ = ["linear_track"]

# A first feasible tolerance below this share of the held optimum's size is zero but for rounding.
START = 1e-7
# A stretch that ends this close to its end, as a share of the tolerance there, has reached it.
REACHED = 1e-9
# Slopes of neighbours that differ by less than this share are one.
BEND = 1e-9


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
            yield _stopped(here, str(error) or scene.pace.note)
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
        form, direction, stop=width, limit=limit, near=moving.near, pace=moving.scene.pace
    )
    knots, end = start + curve.knots, curve.end
    if end is CurveEnd.INFEASIBLE and stop - knots[-1] <= REACHED * max(width, abs(stop)):
        # What is fixed on this stretch can often not be met beyond it.
        knots[-1], end = stop, CurveEnd.STOPPED
    return _Piece(knots, curve.values, _slopes(curve), end, curve.note)


def _slopes(curve: Curve) -> Array:
    """A right derivative for each knot."""
    return curve.slopes if curve.end.is_open else np.append(curve.slopes, np.nan)


def _still(form: StandardForm, start: float, stop: float) -> _Piece:
    """Nothing that matters moves."""
    handle = Handle(form.A, form.c, Bounds.of(form), PRECISE)
    corner = handle.optimum()
    if corner is None:
        said = handle.highs.getModelStatus().name
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
    return 0.0 if t <= START * max(1.0, scene.solved[scene.name].size) else t


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
