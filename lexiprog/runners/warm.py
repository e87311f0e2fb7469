"""Re-solve linear problems from their last basis, for sweeps over changing limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from lexiprog.compile.task import Task
from lexiprog.solvers.highs import Bounds, Session


@dataclass
class WarmHighs:
    """One HiGHS object for each linear subproblem and way to try it, kept from solve to solve."""

    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    bases: dict[tuple[str, str], Any] = field(default_factory=dict)

    def serves(self, task: Task) -> bool:
        """Whether the task is a plain linear problem for HIGHS."""
        return (
            task.solver.target == "HIGHS"
            and task.subproblem.kind == "LP"
            and "highs_options" not in task.options
        )

    def run(self, task: Task) -> Any:
        """Solve from the last basis; the answer has the shape CVXPY's interface returns."""
        form = task.native.form
        key = (task.subproblem.name, repr(task.rung))
        session = self.sessions.get(key)
        if session is None or not session.has_matrix(form.A):
            session = self.sessions[key] = Session(form.A, task.options)
            self.bases.pop(key, None)
        vertex = session.run(form.c, Bounds.of(form), self.bases.get(key))
        if vertex.optimal:
            self.bases[key] = vertex.basis
        return {
            "solution": SimpleNamespace(col_value=vertex.x, row_dual=vertex.row_dual),
            "info": vertex.info,
            "model_status": vertex.status,
            "run_time": vertex.seconds,
            "dual_ray": (None, None, np.zeros(form.b.size)),
        }
