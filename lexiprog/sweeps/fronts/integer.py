"""The front of two objectives over whole numbers: every non-dominated point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array
from lexiprog.curves.front_integer import IntegerFront, integer_front
from lexiprog.errors import DeclarationError
from lexiprog.result.solution import Solution
from lexiprog.sweeps.fronts.linear import TwoCosts
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement

__all__ = ["non_dominated_points"]


def non_dominated_points(
    statement: Statement,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two objectives of an integer program; CurveError if there is none."""
    costs = TwoCosts.of(statement, scaled=False)
    options = {} if statement.ladder is None else dict(statement.ladder[0].options)
    try:
        front = statement.pace.follow(
            integer_front, costs.form, costs.first, costs.form.c, limit=limit,
            resume=None if resume is None else resume.state, options=options, told=tick,
        )  # fmt: skip
    except ValueError as error:
        raise DeclarationError(f"frontier: {error}") from error
    offset = costs.task.form.offset
    solutions: list[Solution] = []
    with statement.pace.kept():
        for point, x, bound in zip(front.points, front.solutions, front.bounds, strict=True):
            limits = [costs.limit(float(point[0]))]
            solutions.append(statement.certified(limits, x, None, float(bound[1]) + offset))
    shown = front
    if len(solutions) < len(front.points):  # stopped here: what was found is kept, but not shown
        gap = (_pair(front.points[max(len(solutions) - 1, 0)]), _pair(front.points[-1]))
        shown = replace(front, missing=(*front.missing, gap), note=statement.pace.note)
    kind = "every non-dominated point" if shown.complete else "non-dominated points"
    if front.resolution:
        kind = "non-dominated points, a sample"
    sign = -1.0 if statement.maximised[1] else 1.0

    def own(values: tuple[float, float]) -> tuple[float, float]:
        return costs.limit(values[0]), sign * (values[1] + offset)

    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=np.array([statement.values(found) for found in solutions]).reshape(-1, 2),
        solutions=tuple(solutions),
        kind=kind,
        complete=shown.complete and not front.resolution,
        discrete=True,
        error=front.resolution,
        missing=tuple((own(left), own(right)) for left, right in shown.missing),
        note=_note(shown),
        state=front,
    )


def _pair(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _note(front: IntegerFront) -> str:
    """Why the front is not complete."""
    if front.resolution and not front.note:
        return (
            "neither objective moves in whole steps; the second may be better by up to "
            f"{front.resolution:.3g} between neighbours."
        )
    return front.note
