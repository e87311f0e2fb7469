"""The front of two convex objectives: points between which it is known to a stated error."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from lexiprog.curves.tangents import Sample, sandwich
from lexiprog.errors import DeclarationError
from lexiprog.result.solution import Solution
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement

__all__ = ["sampled_points"]

POINTS = 1000
# A front shorter than this share of an objective's size is one point.
SAME = 1e-7


def sampled_points(
    statement: Statement,
    *,
    error: float,
    limit: int | None,
    time_limit: float | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The least second objective for each limit on the first: convex, so it can be enclosed."""
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    sign, other = statement.signs
    known: dict[float, tuple[Sample, Solution]] = {}
    if resume is not None:
        if not isinstance(resume.state, dict):
            raise DeclarationError("the front to go on from is not one of a convex program.")
        known |= resume.state

    def ask(t: float) -> Sample:
        if t not in known:
            solution = statement.solve([sign * t])
            known[t] = _sample(t, solution, float(other)), solution
            tick(", ".join(f"{value:g}" for value in statement.values(solution)))
        return known[t][0]

    if not known:
        _ends(statement, known)
        tick("both ends")
    start, stop = min(known), max(known)
    found = sandwich(
        ask, start, stop, error=error, limit=limit or POINTS,
        known=tuple(sample for sample, _ in known.values()),
        go_on=lambda: time.monotonic() < deadline,
    )  # fmt: skip
    solutions = [known[sample.t][1] for sample in found.samples]
    points = np.array([statement.values(solution) for solution in solutions])
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=points,
        solutions=tuple(solutions),
        kind=f"points between which the front is known to {found.error:.2g} of "
        f"{statement.names[1]}",
        complete=not found.note,
        error=found.error,
        note=found.note,
        state=known,
    )


def _ends(statement: Statement, known: dict[float, tuple[Sample, Solution]]) -> None:
    """The points that are best in one objective, and of those in the other."""
    names, (sign, other) = statement.names, statement.signs
    left, right = statement.alone(*names), statement.alone(*names[::-1])
    first, second = (statement.values(solution) for solution in (left, right))
    start, stop = sign * first[0], sign * second[0]
    low = float(other * second[1])
    known[float(start)] = Sample(float(start), float(other * first[1]), low, None), left
    size = max(1.0, abs(start), abs(stop))
    if stop - start > SAME * size:
        # Nothing is below the least second objective, wherever the limit stands.
        known[float(stop)] = Sample(float(stop), low, low, 0.0), right


def _sample(t: float, solution: Solution, sign: float) -> Sample:
    """Value, proved bound and the multiplier of the limit, which is the last constraint."""
    value = sign * solution.value
    lower = value if solution.bound is None else min(sign * solution.bound, value)
    dual = solution.duals[-1]
    slope = None if dual is None else -abs(float(np.sum(np.asarray(dual))))
    return Sample(t, value, lower, slope)
