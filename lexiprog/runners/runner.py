"""What every way to run a task has in common: a task in, an answer out."""

from __future__ import annotations

from typing import Protocol

from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.compile.task import Solutions, Task
from lexiprog.declare.subproblem import Subproblem
from lexiprog.solvers.ways import Way

__all__ = ["Runner"]


class Runner(Protocol):
    """Someone who can run a task.

    Attributes
    ----------
    alone : bool
        Whether it touches the user's own CVXPY objects, and so must run in the caller's thread
        while nothing else does.
    """

    alone: bool

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions, /) -> Compiled | None:
        """The numbers it works on; None if it takes problems as they are."""

    def run(self, task: Task) -> Answer:
        """Solve; may raise whatever the solver raises."""

    def accepted(self, task: Task, answer: Answer) -> None:
        """Told of its answer once that is certified."""
