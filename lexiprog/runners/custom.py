"""Run a solver of the user's own, an object with ``solve(problem)``."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.compile.cvxpy_door import HAS_POINT, Answer
from lexiprog.compile.task import Task
from lexiprog.declare.leaves import CVXPY_LOCK, dense, evaluate


def solve_with(task: Task) -> Answer:
    """Hand over a problem at its current parameter values and read the variables back."""
    subproblem = task.subproblem
    with CVXPY_LOCK:
        for variable in subproblem.variables:  # nothing stale may pass for an answer
            variable.save_value(None)
        problem = cp.Problem(subproblem.objective, list(subproblem.constraints))
        task.solver.target.solve(problem, **task.fresh_options())
        status = problem.status or (
            cp.OPTIMAL if all(v.value is not None for v in subproblem.variables) else "no answer"
        )
        if status not in HAS_POINT:
            return Answer(str(status))
        primal = {v.id: _copy(v.value) for v in subproblem.variables}
        claimed = problem.value
    if claimed is None and all(value is not None for value in primal.values()):
        claimed = evaluate(
            subproblem.objective.expr, [(v, primal[v.id]) for v in subproblem.variables]
        )
    value = np.nan if claimed is None else float(np.real(claimed))
    return Answer(str(status), value=value, claimed=value, primal=primal)


def _copy(value: Any) -> Any:
    return None if value is None else np.array(dense(value))
