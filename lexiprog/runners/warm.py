"""Re-solve linear problems from their last basis, for sweeps over changing limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.scaling import Scaling
from lexiprog.solvers.highs import Bounds, Session
from lexiprog.solvers.ways import Way

__all__ = ["WarmHighs"]


@dataclass
class WarmHighs:
    """One HiGHS object for each linear subproblem and way to try it, kept from solve to solve."""

    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    bases: dict[tuple[str, str], Any] = field(default_factory=dict)
    units: dict[tuple[str, str], Scaling] = field(default_factory=dict)

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
        """The subproblem by itself, in the units of its last solve while they still suit it."""
        compiled = compile_alone(subproblem, way, solutions)
        key = (subproblem.name, repr(way))
        last = self.units.get(key)
        if last is None or not last.is_near(compiled.scaling):
            last = self.units[key] = compiled.scaling
        return compiled.in_units(last)

    def run(self, task: Task) -> Answer:
        """Solve from the last basis."""
        form = task.native.scaled
        key = (task.subproblem.name, repr(task.way))
        session = self.sessions.get(key)
        if session is None or not session.has_matrix(form.A):
            session = self.sessions[key] = Session(form.A, task.options)
            self.bases.pop(key, None)
        vertex = session.run(form.c, Bounds.of(form), self.bases.get(key))
        if not vertex.optimal:
            return Answer(vertex.word, said=vertex.status, seconds=vertex.seconds)
        self.bases[key] = vertex.basis
        answer = answer_at(task.native, vertex.x, -vertex.row_dual, iterations=vertex.iterations)
        return replace(answer, seconds=vertex.seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """The basis was kept already: it is as good for a problem that was refused."""
