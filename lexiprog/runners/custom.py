"""Run a solver of the user's own, an object with ``solve(problem)``."""

from __future__ import annotations

import time

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.declare.leaves import as_float, dense, evaluate, holding
from lexiprog.solvers.custom_solver import CustomSolver
from lexiprog.status import Status

__all__ = ["Custom"]


class Custom:
    """An object that is handed the problem at its current parameter values."""

    alone = True

    def compile(self, *_: object) -> None:
        """There is nothing to compile."""

    def run(self, task: Task) -> Answer:
        """Hand over the problem and read its variables back."""
        start = time.perf_counter()
        subproblem, own = task.subproblem, task.solver.target
        if not isinstance(own, CustomSolver):
            raise TypeError(f"{own!r} has no method solve(problem)")
        with holding((p, task.constants[p.id]) for p in subproblem.inputs):
            for variable in subproblem.variables:  # nothing stale may pass for an answer
                variable.save_value(None)
            problem = cp.Problem(subproblem.objective, list(subproblem.constraints))
            own.solve(problem, **task.fresh_options())
            seconds = time.perf_counter() - start
            found = all(v.value is not None for v in subproblem.variables)
            said = problem.status or (Status.OPTIMAL if found else Status.NO_ANSWER)
            status = Status.of(said)
            if not status.has_point:
                return Answer(status, said=str(said), seconds=seconds)
            primal = {v.id: _copy(v.value) for v in subproblem.variables}
            claimed = problem.value
        known = [(v, point) for v in subproblem.variables if (point := primal[v.id]) is not None]
        if claimed is None and len(known) == len(primal):
            claimed = evaluate(subproblem.objective.expr, known)
        value = np.nan if claimed is None else as_float(claimed)
        return Answer(status, value=value, claimed=value, primal=primal, seconds=seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """What it keeps is its own affair."""


def _copy(value: Value | None) -> Value | None:
    return None if value is None else np.array(dense(value))
