"""Problems that are solved inside the solve of one subproblem, with all that it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lexiprog.aliases import Leaves
from lexiprog.compile.answer import Answer, Shares, UserLevels
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Solutions, Task
from lexiprog.declare.objectives.fairness import Fairness
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.proof.certificate import Certificate
from lexiprog.proof.certify import Checked
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution

__all__ = ["Execute", "Inner", "OneByOne", "fairness_of", "no_answer", "primal_of", "shares_of"]

Execute = Callable[..., Result]


@dataclass(frozen=True)
class Inner:
    """Solves stages with the solver, the parameters and the earlier optima of a task."""

    execute: Execute
    task: Task
    solutions: Mapping[str, Solution]

    def solve(self, stages: Sequence[Stage], values: Leaves = ()) -> Result:
        """The optima of further stages; ``values`` are those of parameters of their own."""
        names = [p.name for stage in stages for p in stage.subproblems]
        return self.execute(
            stages,
            dict.fromkeys(names, (self.task.solver,)),
            workers=1,
            tick=lambda _: None,
            solved=self.solutions,
            slack=self.task.slack,
            given=Given((*self.task.given.values, *values)),
        )

    def unused(self, prefix: str) -> str:
        """A beginning that no earlier optimum's name has."""
        while any(name.startswith(prefix) for name in self.solutions):
            prefix += "'"
        return prefix


class OneByOne:
    """What runners have in common that solve inner problems, each compiled when it is its turn."""

    alone = True

    def __init__(self, execute: Execute) -> None:
        self._execute = execute
        self._solutions: Solutions = {}

    def compile(self, _: Subproblem, __: object, solutions: Solutions) -> None:
        """Only the earlier optima are noted."""
        self._solutions = solutions

    def inner(self, task: Task) -> Inner:
        """Who solves the problems within."""
        return Inner(self._execute, task, self._solutions)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""


def fairness_of(task: Task) -> Fairness:
    """The utilities of a task that has some."""
    if task.subproblem.fair is None:
        raise TypeError(f"subproblem {task.subproblem.name!r} has one objective only")
    return task.subproblem.fair


def primal_of(task: Task, solution: Solution) -> dict[int, object]:
    """What the solution of an inner problem says of the task's own variables, by CVXPY id."""
    return {v.id: np.array(solution[v]) for v in task.subproblem.variables}


def shares_of(task: Task, found: Sequence[Solution], levels: UserLevels, doubt: str = "") -> Shares:
    """The levels with what is known of them from the inner problems, the first level's first."""
    first = found[0]
    return Shares(
        levels=levels,
        checked=Checked(_worst_of([s.certificate for s in found], first.certificate), first.bound),
        unit=first.unit,
        duals=first.duals[: len(task.subproblem.constraints)],
        evidence=first.evidence,
        doubt=doubt,
    )


def _worst_of(certificates: Sequence[Certificate], first: Certificate) -> Certificate:
    """One certificate that is as bad as the worst of several in every measure."""
    measures = {
        name: float(np.max([getattr(c, name) for c in certificates])) for name in first.measures
    }
    return Certificate(
        **measures,
        tolerance=first.tolerance,
        gap_tolerance=first.gap_tolerance,
        basis=first.basis,
        radius=first.radius,
    )


def no_answer(error: StageError, which: str) -> Answer:
    """What an inner failure means for the whole."""
    tries = "; ".join(str(attempt) for attempt in error.attempts)
    return Answer(error.status, said=f"{which}: {tries}")
