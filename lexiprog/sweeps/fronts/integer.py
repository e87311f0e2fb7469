"""The front of two objectives over whole numbers: every non-dominated point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lexiprog.curves.front_integer import IntegerFront, integer_front
from lexiprog.errors import DeclarationError
from lexiprog.sweeps.fronts.linear import TwoCosts
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement

__all__ = ["non_dominated_points"]


def non_dominated_points(
    statement: Statement,
    *,
    limit: int | None,
    time_limit: float | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two objectives of an integer program; CurveError if there is none."""
    costs = TwoCosts.of(statement, scaled=False)
    before = None if resume is None else resume.state
    if before is not None and not isinstance(before, IntegerFront):
        raise DeclarationError("the front to go on from is not one of an integer program.")
    options = {} if statement.ladder is None else dict(statement.ladder[0].options)
    try:
        told = {} if statement.wishes.elsewhere else {"tick": tick}  # callables do not travel
        front = statement.followed(
            integer_front, costs.form, costs.first, costs.form.c, limit=limit,
            time_limit=time_limit, resume=before, options=options, **told,
        )  # fmt: skip
    except ValueError as error:
        raise DeclarationError(f"frontier: {error}") from error
    offset = costs.task.form.offset
    solutions = [
        statement.certified([costs.limit(float(point[0]))], x, None, float(bound[1]) + offset)
        for point, x, bound in zip(front.points, front.solutions, front.bounds, strict=True)
    ]
    kind = "every non-dominated point" if front.complete else "non-dominated points"
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
        complete=front.complete and not front.resolution,
        discrete=True,
        error=front.resolution,
        missing=tuple((own(left), own(right)) for left, right in front.missing),
        note=_note(front),
        state=front,
    )


def _note(front: IntegerFront) -> str:
    """Why the front is not complete."""
    if front.resolution and not front.note:
        return (
            "neither objective moves in whole steps; the second may be better by up to "
            f"{front.resolution:.3g} between neighbours."
        )
    return front.note
