"""Re-solve linear problems from their last basis, for sweeps over changing limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from lexiprog.compile import cvxpy_door
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.subproblem import Subproblem
from lexiprog.solvers.highs import Bounds, Session
from lexiprog.solvers.ways import Way

__all__ = ["WarmHighs"]


@dataclass
class WarmHighs:
    """One HiGHS object for each linear subproblem and way to try it, kept from solve to solve."""

    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    bases: dict[tuple[str, str], Any] = field(default_factory=dict)

    alone = False

    @staticmethod
    def serves(subproblem: Subproblem, way: Way) -> bool:
        """Whether this is a plain linear problem for HIGHS."""
        return (
            way.solver.target == "HIGHS"
            and subproblem.kind == "LP"
            and "highs_options" not in way.solver.options
        )

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The subproblem by itself."""
        return compile_alone(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Solve from the last basis."""
        form = task.form
        key = (task.subproblem.name, repr(task.way))
        session = self.sessions.get(key)
        if session is None or not session.has_matrix(form.A):
            session = self.sessions[key] = Session(form.A, task.options)
            self.bases.pop(key, None)
        vertex = session.run(form.c, Bounds.of(form), self.bases.get(key))
        if vertex.optimal:
            self.bases[key] = vertex.basis
        # What CVXPY's interface to HiGHS would have returned.
        raw = {
            "solution": SimpleNamespace(col_value=vertex.x, row_dual=vertex.row_dual),
            "info": vertex.info,
            "model_status": vertex.status,
            "run_time": vertex.seconds,
            "dual_ray": (None, None, np.zeros(form.b.size)),
        }
        return replace(cvxpy_door.interpret(task.native, raw), seconds=vertex.seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """The basis was kept already: it is as good for a problem that was refused."""
