"""Run a task on its solver through CVXPY's own interface."""

from __future__ import annotations

import time
from dataclasses import replace

from lexiprog.compile import cvxpy_door
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.polish import made_whole
from lexiprog.solvers.ways import Way

__all__ = ["Native"]


class Native:
    """Any solver that CVXPY knows, cold."""

    alone = False

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The subproblem by itself."""
        return compile_alone(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Solve the compiled numbers, make whole numbers whole, and translate back."""
        start = time.perf_counter()
        raw = cvxpy_door.run(task.native, task.fresh_options())
        answer = cvxpy_door.interpret(task.native, raw)
        if task.integer:
            answer = made_whole(task.native, answer)
        return replace(answer, seconds=time.perf_counter() - start)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""
