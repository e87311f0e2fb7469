"""Solve what has no basis to keep: integers from a neighbour's point, all of it anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from typing import Any

from lexiprog.aliases import Array
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.native import Native
from lexiprog.runners.whole.polish import made_whole
from lexiprog.solvers.clarabel import solve_conic
from lexiprog.solvers.highs_mip import solve_mip
from lexiprog.solvers.ways import Way
from lexiprog.status import Status

__all__ = ["Neighbours"]


@dataclass
class Neighbours:
    """Integer problems of HIGHS start from the last solve's point; an executor may do the work.

    Attributes
    ----------
    executor : Executor, optional
        Where forms are solved; here if None.
    only : frozenset of str
        Subproblems of which later ones use the point: they start from nothing, so that the point
        does not depend on earlier solves.
    """

    executor: Executor | None = None
    only: frozenset[str] = frozenset()
    starts: dict[str, Array] = field(default_factory=dict)

    alone = False

    def serves(self, subproblem: Subproblem, way: Way) -> bool:
        """Whether this is a problem for HIGHS with integers, or for CLARABEL and an executor."""
        if "highs_options" in way.solver.options:
            return False
        if subproblem.kind == "MILP":
            started = self.executor is not None or subproblem.name not in self.only
            return way.solver.target == "HIGHS" and started
        plain = not way.solver.options and not subproblem.integer
        return self.executor is not None and way.solver.target == "CLARABEL" and plain

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The subproblem by itself."""
        return compile_alone(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Send the form away, or solve it here; what finds nothing is tried in the usual way."""
        begin = time.perf_counter()
        compiled, name = task.native, task.subproblem.name
        form = compiled.scaled
        if task.integer:
            start = self.starts.get(name)
            start = start if start is not None and start.size == form.c.size else None
            options = task.fresh_options()
            here = [task.watch] if self.executor is None else []
            whole = self._submit(solve_mip, form, options, start, *here).result()
            if whole.x is None or whole.status is not Status.OPTIMAL:
                return Native().run(task)
            answer = answer_at(compiled, whole.x, None, iterations=None)
            answer = made_whole(
                compiled, replace(answer, bound=whole.bound, said="optimal"), task.watch
            )
        else:
            found = self._submit(solve_conic, form).result()
            if found is None:
                return Native().run(task)
            answer = answer_at(compiled, found.x, found.z, iterations=None)
        seconds = time.perf_counter() - begin
        return replace(answer, status=Status.OPTIMAL, seconds=seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember where the next solve may start."""
        if task.integer and answer.x is not None and task.subproblem.name not in self.only:
            self.starts[task.subproblem.name] = answer.x

    def _submit(self, function: Callable[..., object], *arguments: object) -> Future[Any]:
        if self.executor is not None:
            return self.executor.submit(function, *arguments)
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future
