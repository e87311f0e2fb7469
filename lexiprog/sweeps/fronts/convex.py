"""The front of two convex objectives: points between which it is known to a stated error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lexiprog.curves.tangents import Sample, Sandwich, sandwich
from lexiprog.result.solution import Solution
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement

__all__ = ["sampled_points"]

POINTS = 1000
# A front shorter than this share of an objective's size is one point.
SAME = 1e-7


@dataclass
class _Known:
    """Samples by their place, with their solutions; the points best in each objective first."""

    ends: list[Solution] = field(default_factory=list)
    samples: dict[float, tuple[Sample, Solution]] = field(default_factory=dict)


def sampled_points(
    statement: Statement,
    *,
    error: float,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The least second objective for each limit on the first: convex, so it can be enclosed."""
    sign, other = statement.signs
    known = _Known() if resume is None else _connected(resume.state, statement)

    def tell(solution: Solution) -> None:
        tick(", ".join(f"{value:g}" for value in statement.values(solution)))

    def ask(t: float) -> Sample:
        solution = statement.solve([sign * t])
        known.samples[t] = _sample(t, solution, float(other)), solution
        tell(solution)
        return known.samples[t][0]

    def enclosed() -> Sandwich:
        return sandwich(
            ask, min(known.samples), max(known.samples), error=error, limit=limit or POINTS,
            known=tuple(sample for sample, _ in known.samples.values()), pace=statement.pace,
        )  # fmt: skip

    with statement.pace.kept():
        for turn in (statement.names, statement.names[::-1])[len(known.ends) :]:
            known.ends.append(statement.alone(*turn))
            tell(known.ends[-1])
    if len(known.ends) < 2:
        return _front(statement, known, known.ends, None)
    _place_ends(statement, known)
    found = enclosed()
    if len(found.samples) < len(known.samples):  # Ctrl-C came between finding one and telling of it
        found = enclosed()
    return _front(statement, known, [known.samples[s.t][1] for s in found.samples], found)


def _connected(known: _Known, statement: Statement) -> _Known:
    """What is known, in lists of its own."""
    samples = {t: (s, statement.connected(found)) for t, (s, found) in known.samples.items()}
    return _Known(list(map(statement.connected, known.ends)), samples)


def _front(
    statement: Statement, known: _Known, solutions: list[Solution], found: Sandwich | None
) -> Frontier:
    error = np.nan if found is None else found.error
    points = np.array([statement.values(solution) for solution in solutions])
    note = statement.pace.note if found is None else found.note
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=points.reshape(-1, 2),
        solutions=tuple(solutions),
        kind=f"points between which the front is known to {error:.2g} of {statement.names[1]}"
        if found is not None
        else "points of a front whose ends are not known",
        complete=not note,
        error=error,
        note=note,
        state=known,
    )


def _place_ends(statement: Statement, known: _Known) -> None:
    """The ends as samples, with what they say of all that lies between."""
    sign, other = statement.signs
    left, right = known.ends
    first, second = (statement.values(solution) for solution in (left, right))
    start, stop = sign * first[0], sign * second[0]
    low = float(other * second[1])
    known.samples[float(start)] = Sample(float(start), float(other * first[1]), low, None), left
    size = max(1.0, abs(start), abs(stop))
    if stop - start > SAME * size:
        # Nothing is below the least second objective, wherever the limit stands.
        known.samples[float(stop)] = Sample(float(stop), low, low, 0.0), right


def _sample(t: float, solution: Solution, sign: float) -> Sample:
    """Value, proved bound and the multiplier of the limit, which is the last constraint."""
    value = sign * solution.value
    lower = value if solution.bound is None else min(sign * solution.bound, value)
    dual = solution.duals[-1]
    slope = None if dual is None else -abs(float(np.sum(np.asarray(dual))))
    return Sample(t, value, lower, slope)
