"""A linear level in fractions, with all that it holds solved again where floats were enough."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.compile.exact_numbers import Fractions, exact_references
from lexiprog.compile.task import Solutions, Task, prepare
from lexiprog.declare.lock import NO_SLACK
from lexiprog.declare.subproblem import Subproblem
from lexiprog.exact.rationals import DEFAULT
from lexiprog.runners.exact import Exact
from lexiprog.runners.faces.wider import owners_first
from lexiprog.runners.held_face import holds
from lexiprog.solvers.ways import Way

__all__ = ["ExactAgain"]


@dataclass
class ExactAgain:
    """Levels over rows of their own: an optimum that they hold is a fraction, not a float."""

    known: dict[str, Fractions] = field(default_factory=dict)

    alone = False

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The level's numbers; what it holds is solved on the way."""
        ours = dict(solutions)
        for owner in owners_first(subproblem):
            if owner is subproblem or ours[owner.name].exact is not None:
                continue
            answer = Exact().run(prepare(owner, way, ours, compiler=Exact().compile))
            if answer.exact is None:
                raise ArithmeticError(f"{owner.name!r} has no exact optimum")
            ours[owner.name] = replace(ours[owner.name], exact=answer.exact.value)
        read_as = way.solver.options.get("read_as", DEFAULT)
        self.known[subproblem.name] = exact_references(subproblem, ours, NO_SLACK, read_as)
        return Exact().compile(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Solve with the fractions that are known."""
        fractions = {**task.fractions, **self.known[task.subproblem.name]}
        answer = Exact().run(replace(task, fractions=fractions))
        if answer.exact is None:
            return answer
        return replace(answer, doubts=dict.fromkeys(holds(task.subproblem), 0.0))

    def accepted(self, task: Task, answer: Answer) -> None:
        """Each level solves again what it needs."""
