"""Three and more objectives: a sample of their front, on a grid of limits.

Each cell asks for the best first objective with limits on the others, which count a little as
well, so that nothing found is dominated. A cell whose answer another one has given already, or that
is tighter than one without any, is not solved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product
from math import ceil

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Constraint, Objective
from lexiprog.errors import StageError
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


def grid_points(
    statement: Statement,
    objectives: dict[str, Objective],
    constraints: Sequence[Constraint],
    *,
    solver: SolverChoice,
    limit: int | None,
    time_limit: float | None,
    tick: Callable[[str], None],
) -> Frontier:
    """A sample of the front of any number of objectives."""
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    names, signs = statement.names, statement.signs
    turns = [(name, *(other for other in names if other != name)) for name in names]
    ends = [statement.alone(*turn) for turn in turns]
    payoff = signs * np.array([statement.values(end) for end in ends])
    low, high = payoff.min(axis=0), payoff.max(axis=0)
    ranges = np.where(high - low > 0.0, high - low, 1.0)
    shares = LITTLE * signs / ranges
    shares[0] = signs[0] / ranges[0]
    total = sum(w * o.expr for w, o in zip(shares, objectives.values(), strict=True))
    cells = Statement.of(
        objectives, constraints, solver, target=cp.Minimize(total), wishes=statement.wishes
    )
    count = max(2, ceil((limit or CELLS) ** (1.0 / (len(names) - 1))))
    # The tightest limit gives way to rounding: it is met by points found under another objective.
    ends_of = [(high[j], low[j] + GIVE * ranges[j]) for j in range(1, len(names))]
    axes = [np.linspace(loose, tight, count) for loose, tight in ends_of]
    search = _Cells(cells, signs, tick)
    note = ""
    for limits in product(*axes):
        if time.monotonic() >= deadline:
            note = f"{time_limit:g} seconds were not enough for the whole grid. "
            break
        search.ask(np.array([high[0] + ranges[0], *limits]))
    points, solutions = _distinct([*payoff, *search.points], [*ends, *search.solutions], ranges)
    size = " x ".join([str(count)] * len(axes))
    return Frontier(
        names=names,
        maximised=statement.maximised,
        points=points * signs,
        solutions=tuple(solutions),
        kind=f"a sample, on a grid of {size} limits",
        complete=False,
        discrete=statement.subproblem.integer,
        error=np.nan,
        note=f"{note}there may be points between those of the grid.",
    )


class _Cells:
    """The cells that were asked for, and what they found."""

    def __init__(self, statement: Statement, signs: Array, tick: Callable[[str], None]) -> None:
        self.statement, self.signs, self.tick = statement, signs, tick
        self.points: list[Array] = []
        self.solutions: list[Solution] = []
        self.asked: list[tuple[Array, Array]] = []
        self.empty: list[Array] = []

    def ask(self, limits: Array) -> None:
        """The best point within limits, unless that is known already."""
        if any(np.all(limits <= other) for other in self.empty):
            return
        if any(np.all(limits <= own) and np.all(point <= limits) for own, point in self.asked):
            return
        try:
            solution = self.statement.solve((self.signs * limits).tolist())
        except StageError as error:
            if not error.status.is_infeasible:
                raise
            self.empty.append(limits)
            return
        point = self.signs * np.array(self.statement.values(solution))
        self.asked.append((limits, point))
        self.points.append(point)
        self.solutions.append(solution)
        self.tick(", ".join(f"{value:g}" for value in self.signs * point))


def _distinct(
    points: list[Array], solutions: list[Solution], ranges: Array
) -> tuple[Array, list[Solution]]:
    """Each point once, without those that another one beats."""
    keep: list[int] = []
    scaled = np.array(points) / ranges
    for k, point in enumerate(scaled):
        others = np.delete(scaled, k, axis=0)
        beaten = np.all(others <= point + SAME, axis=1) & np.any(others < point - SAME, axis=1)
        again = any(np.all(np.abs(scaled[j] - point) <= SAME) for j in keep)
        if not again and not beaten.any():
            keep.append(k)
    return np.array(points)[keep], [solutions[k] for k in keep]
