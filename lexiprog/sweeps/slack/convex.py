"""The curve of a convex problem between bounds, while the tolerance on an earlier one moves."""

from __future__ import annotations

import numpy as np

from lexiprog.curves.tangents import Sample, sandwich
from lexiprog.declare.leaves import as_float
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.result.solution import Solution
from lexiprog.sweeps.slack.cases import Cases
from lexiprog.sweeps.slack.moving import Scene, Unsteady
from lexiprog.sweeps.slack.track import Shape, Track

__all__ = ["convex_track"]

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

    pace = scene.pace
    found = sandwich(ask, 0.0, stop, error=error, limit=limit, pace=pace) if stop > 0.0 else None
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
