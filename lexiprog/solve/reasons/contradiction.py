"""An infeasible problem explained: what contradicts what, and which earlier optimum would yield."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from lexiprog.compile.binding import bind_references
from lexiprog.declare.leaves import CVXPY_LOCK, automatic_names
from lexiprog.declare.lock import Slack
from lexiprog.declare.subproblem import Subproblem
from lexiprog.declare.text import written
from lexiprog.errors import ConflictPart
from lexiprog.outline.records import counted
from lexiprog.result.solution import Solution
from lexiprog.solve.reasons.conflict import SECONDS, Contradiction, find_conflict
from lexiprog.solve.reasons.demands import Demand
from lexiprog.solve.relaxation import least_relaxation, optima_in

__all__ = ["explain"]

Conflict = tuple[ConflictPart, ...]


def explain(
    subproblem: Subproblem,
    solutions: Mapping[str, Solution],
    slack: Slack,
    seconds: float = SECONDS,
) -> tuple[Conflict, str]:
    """The conflict, and what it means in a sentence or two."""
    until = time.monotonic() + seconds
    with CVXPY_LOCK:
        bind_references(subproblem, solutions, slack)
        found = find_conflict(subproblem, seconds)
        if found is None:
            return (), _dependence(subproblem)
        parts = tuple(
            _part(subproblem, demand, until) for demand in (*found.constraints, *found.bounds)
        )
        parts += tuple(ConflictPart(f"{name} is whole") for name in found.whole)
        return parts, f"{_statement(parts, found)} {_way_out(subproblem, parts, until)}".strip()


def _dependence(subproblem: Subproblem) -> str:
    """What to say where no solver confirms the contradiction."""
    named = sorted({label for c in subproblem.constraints for label in optima_in(c)})
    depends = f"It depends on {', '.join(named)}. " if named else ""
    return (
        f"{depends}What contradicts what could not be found: it is so close to feasible, or so "
        "large, that solvers do not agree on it."
    )


def _part(subproblem: Subproblem, demand: Demand, until: float) -> ConflictPart:
    if demand.position is None:
        return ConflictPart(demand.text, entries=_entries(demand), expression=demand.text)
    constraint = subproblem.constraints[demand.position]
    optima = optima_in(constraint)
    left = until - time.monotonic()
    relaxation = None
    if optima and left > 0:
        relaxation = least_relaxation(subproblem, [demand.position], left)
    return ConflictPart(
        demand.text,
        demand.position + 1,
        constraint.label,
        written(constraint, automatic_names(subproblem.variables)),
        _entries(demand),
        optima,
        relaxation,
    )


def _entries(demand: Demand) -> tuple[tuple[int, ...], ...]:
    if demand.entries is None or not demand.entrywise:
        return ()
    shape = demand.constraint.expr.shape
    if len(demand.entries) == demand.constraint.expr.size:
        return ()
    return tuple(tuple(int(k) for k in np.unravel_index(e, shape)) for e in demand.entries)


def _statement(parts: Conflict, found: Contradiction) -> str:
    listed = "; ".join(map(str, parts))
    if len(parts) == 1:
        return f"This cannot hold, whatever else is left out: {listed}."
    bounds = "" if not (found.bounds or found.whole) else " and bounds"
    head = f"These {counted(len(parts), 'constraint')}{bounds} cannot hold together"
    if not found.minimal:
        return f"{head}, though perhaps not all of them are needed for that: {listed}."
    return f"{head}, and none of them can be left out: {listed}."


def _way_out(subproblem: Subproblem, parts: Conflict, until: float) -> str:
    """Which earlier optimum to relax, and by how much."""
    with_optima = [part for part in parts if part.optima]
    every = [k for k, c in enumerate(subproblem.constraints) if optima_in(c)]
    if not with_optima:
        return (
            "No earlier optimum takes part: relaxing those it depends on would not help."
            if every
            else ""
        )
    cures = [part for part in with_optima if part.relaxation is not None]
    if cures:
        return " ".join(
            f"The earlier optimum {' and '.join(part.optima)} would have to be relaxed by "
            f"{part.relaxation:.6g}, no less, in constraint {part.position}."
            for part in sorted(cures, key=lambda part: part.relaxation or 0.0)
        )
    named = ", ".join(dict.fromkeys(label for part in with_optima for label in part.optima))
    together = least_relaxation(subproblem, every, max(until - time.monotonic(), 0.1))
    if together is None:
        return f"It depends on {named}, but relaxing that alone would not help."
    names = sorted({label for k in every for label in optima_in(subproblem.constraints[k])})
    return (
        f"The earlier optima {', '.join(names)} would have to be relaxed by {together:.6g} in sum."
    )
