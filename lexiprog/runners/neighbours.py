"""Solve integers, which have no basis to keep, from a neighbour's point."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from lexiprog.aliases import Array
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.native import Native
from lexiprog.runners.whole.polish import made_whole
from lexiprog.solvers.highs_mip import solve_mip
from lexiprog.solvers.ways import Way
from lexiprog.status import Status

__all__ = ["Neighbours"]


@dataclass
class Neighbours:
    """Integer problems of HIGHS start from the last solve's point.

    Attributes
    ----------
    only : frozenset of str
        Subproblems of which later ones use the point: they start from nothing, so that the point
        does not depend on earlier solves.
    """

    only: frozenset[str] = frozenset()
    starts: dict[str, Array] = field(default_factory=dict)

    alone = False

    def serves(self, subproblem: Subproblem, way: Way) -> bool:
        """Whether this is a problem for HIGHS with integers whose point nobody else uses."""
        return (
            subproblem.kind == "MILP"
            and way.solver.target == "HIGHS"
            and "highs_options" not in way.solver.options
            and subproblem.name not in self.only
        )

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The subproblem by itself."""
        return compile_alone(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Search from where the last solve ended; what finds nothing is tried in the usual way."""
        begin = time.perf_counter()
        compiled = task.native
        form = compiled.scaled
        start = self.starts.get(task.subproblem.name)
        start = start if start is not None and start.size == form.c.size else None
        whole = solve_mip(form, task.fresh_options(), start, task.watch)
        if whole.x is None or whole.status is not Status.OPTIMAL:
            return Native().run(task)
        answer = answer_at(compiled, whole.x, None, iterations=None)
        answer = made_whole(
            compiled, replace(answer, bound=whole.bound, said="optimal"), task.watch
        )
        seconds = time.perf_counter() - begin
        return replace(answer, status=Status.OPTIMAL, seconds=seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember where the next solve may start."""
        if answer.x is not None:
            self.starts[task.subproblem.name] = answer.x
