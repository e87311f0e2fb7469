"""Three and more objectives: a sample of their front, on a grid of limits.

Each cell asks for the best first objective with limits on the others, which count a little as
well, so that nothing found is dominated. A cell whose answer another one has given already, or that
is tighter than one without any, is not solved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from math import ceil

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array
from lexiprog.errors import StageError
from lexiprog.outline.records import counted
from lexiprog.result.solution import Solution
from lexiprog.solvers.solver import SolverChoice
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement

__all__ = ["grid_points"]

CELLS = 100
# How much the limited objectives count beside the first, in shares of their ranges.
LITTLE = 1e-3
# Points closer than this share of the ranges are one; limits give way by this share.
SAME, GIVE = 1e-6, 1e-9


@dataclass
class _Known:
    """The best point of each objective, and what cells have said; the same for any grid."""

    ends: list[Solution] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    asked: list[tuple[Array, Array]] = field(default_factory=list)  # limits, and the point found
    empty: list[Array] = field(default_factory=list)

    def connected(self, statement: Statement) -> _Known:
        """The same in lists of its own, for the statement's own variables."""
        ends, solutions = (list(map(statement.connected, p)) for p in (self.ends, self.solutions))
        return _Known(ends, solutions, list(self.asked), list(self.empty))

    def answers(self, limits: Array) -> bool:
        """Whether a cell would say nothing new."""
        return any(np.all(limits <= other) for other in self.empty) or any(
            np.all(limits <= own) and np.all(point <= limits) for own, point in self.asked
        )


def grid_points(
    statement: Statement,
    *,
    solver: SolverChoice,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """A sample of the front of any number of objectives."""
    names, signs, pace = statement.names, statement.signs, statement.pace
    known = _Known() if resume is None else resume.state.connected(statement)
    turns = [(name, *(other for other in names if other != name)) for name in names]
    with pace.kept():
        for turn in turns[len(known.ends) :]:
            known.ends.append(statement.alone(*turn))
            _tell(tick, statement, known.ends[-1])
    payoff = signs * np.array([statement.values(end) for end in known.ends]).reshape(-1, len(names))
    low, high = payoff.min(axis=0, initial=np.inf), payoff.max(axis=0, initial=-np.inf)
    ranges = np.where(high - low > 0.0, high - low, 1.0)
    count = max(2, ceil((limit or CELLS) ** (1.0 / (len(names) - 1))))
    note = f"{pace.note} The best points of some objectives are missing as well. "
    if len(known.ends) == len(names):
        left = _ask_cells(statement, solver, known, (low, high, ranges), count, tick)
        note = f"{pace.note} {counted(left, 'cell')} of the grid were not asked. " if left else ""
    everything = [*known.ends, *known.solutions]
    values = [signs * np.array(statement.values(solution)) for solution in everything]
    points, solutions = _distinct(values, everything, ranges)
    size = " x ".join([str(count)] * (len(names) - 1))
    return Frontier(
        names=names,
        maximised=statement.maximised,
        points=points.reshape(-1, len(names)) * signs,
        solutions=tuple(solutions),
        kind=f"a sample, on a grid of {size} limits",
        complete=False,
        discrete=statement.subproblem.integer,
        error=np.nan,
        note=f"{note}there may be points between those of the grid.",
        state=known,
    )


def _ask_cells(
    statement: Statement,
    solver: SolverChoice,
    known: _Known,
    reach: tuple[Array, Array, Array],
    count: int,
    tick: Callable[[str], None],
) -> int:
    """Ask for the best point of each cell; how many were left when something stopped it."""
    (low, high, ranges), signs, pace = reach, statement.signs, statement.pace
    objectives = statement.objectives
    shares = LITTLE * signs / ranges
    shares[0] = signs[0] / ranges[0]
    total = sum(w * o.expr for w, o in zip(shares, objectives.values(), strict=True))
    cells = Statement.of(objectives, statement.constraints, solver, pace, target=cp.Minimize(total))
    # The tightest limit gives way to rounding: it is met by points found under another objective.
    ends_of = [(high[j], low[j] + GIVE * ranges[j]) for j in range(1, len(low))]
    axes = [np.linspace(loose, tight, count) for loose, tight in ends_of]
    waiting = [np.array([high[0] + ranges[0], *limits]) for limits in product(*axes)]
    done = 0
    if pace.note:
        return len(waiting)
    with pace.kept():
        for limits in waiting:
            if not known.answers(limits):
                _ask(cells, known, limits, tick)
            done += 1
    return len(waiting) - done


def _ask(cells: Statement, known: _Known, limits: Array, tick: Callable[[str], None]) -> None:
    """The best point within limits."""
    try:
        solution = cells.solve((cells.signs * limits).tolist())
    except StageError as error:
        if not error.status.is_infeasible:
            raise
        known.empty.append(limits)
        return
    known.asked.append((limits, cells.signs * np.array(cells.values(solution))))
    known.solutions.append(solution)
    _tell(tick, cells, solution)


def _tell(tick: Callable[[str], None], statement: Statement, solution: Solution) -> None:
    tick(", ".join(f"{value:g}" for value in statement.values(solution)))


def _distinct(
    points: list[Array], solutions: list[Solution], ranges: Array
) -> tuple[Array, list[Solution]]:
    """Each point once, without those that another one beats."""
    keep: list[int] = []
    scaled = np.array(points).reshape(-1, ranges.size) / ranges
    for k, point in enumerate(scaled):
        others = np.delete(scaled, k, axis=0)
        beaten = np.all(others <= point + SAME, axis=1) & np.any(others < point - SAME, axis=1)
        again = any(np.all(np.abs(scaled[j] - point) <= SAME) for j in keep)
        if not again and not beaten.any():
            keep.append(k)
    return np.array(points).reshape(-1, ranges.size)[keep], [solutions[k] for k in keep]
