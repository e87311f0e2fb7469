"""One objective optimised while the others have limits: what each point of a front solves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Constraint, Objective
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.cvxpy_door import answer_at
from lexiprog.compile.task import Task, prepare
from lexiprog.declare.leaves import number
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.formulations.levels import stages_in_turn
from lexiprog.program import Program
from lexiprog.result.solution import Solution
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.hierarchy import execute
from lexiprog.solve.verdict import judge
from lexiprog.solve.wishes import Wishes
from lexiprog.solvers.solver import Ladder, Solver, SolverChoice, resolve
from lexiprog.solvers.ways import Way

__all__ = ["Statement"]

STAGE = "front"

Found = TypeVar("Found")


@dataclass
class Statement:
    """The last objective, optimised with limits on the others.

    Attributes
    ----------
    objectives : mapping
        All of them, by name.
    subproblem : Subproblem
        Named like the last one.
    limits : tuple of cvxpy.Parameter
        One for each of the others.
    wishes : Wishes
        Where it is solved.
    """

    objectives: Mapping[str, Objective]
    constraints: tuple[Constraint, ...]
    subproblem: Subproblem
    limits: tuple[cp.Parameter, ...]
    given: Given  # the user's parameters
    ladder: Ladder | None
    warm: WarmHighs
    wishes: Wishes

    @classmethod
    def of(
        cls,
        objectives: Mapping[str, Objective],
        constraints: Sequence[Constraint],
        solver: SolverChoice,
        target: Objective | None = None,
        wishes: Wishes | None = None,
    ) -> Statement:
        """The statement; ``target`` is optimised in the place of the last objective."""
        last = list(objectives)[-1]
        limited = list(objectives.items())[: None if target is not None else -1]
        limits = tuple(cp.Parameter(name=f"limit of {name}") for name, _ in limited)
        bounds = [
            objective.expr >= limit if _maximises(objective) else objective.expr <= limit
            for (_, objective), limit in zip(limited, limits, strict=True)
        ]
        name = last if target is None else "front"
        subproblem = Subproblem(name, target or objectives[last], [*constraints, *bounds])
        Program(Stage(STAGE, subproblem))  # refuses references to other problems
        for limit in limits:
            limit.value = 0.0
        own = {limit.id for limit in limits}
        values = Given.to([subproblem]).values
        given = Given(tuple((p, value) for p, value in values if p.id not in own))
        ladder = resolve(solver, {STAGE: ([name], None)})[name]
        return cls(
            dict(objectives), tuple(constraints), subproblem, limits, given, ladder, WarmHighs(),
            wishes or Wishes(),
        )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives."""
        return tuple(self.objectives)

    @property
    def maximised(self) -> tuple[bool, ...]:
        """Their senses."""
        return tuple(map(_maximises, self.objectives.values()))

    @property
    def signs(self) -> Array:
        """Factors that make all of them things to minimise."""
        return np.where(self.maximised, -1.0, 1.0)

    def at(self, limits: Sequence[float]) -> Given:
        """All parameters, with these limits."""
        own = ((p, np.asarray(v, dtype=float)) for p, v in zip(self.limits, limits, strict=True))
        return Given((*self.given.values, *own))

    def task(self, limits: Sequence[float]) -> Task:
        """The numbers for HiGHS with these limits."""
        asked = None if self.ladder is None else self.ladder[0]
        way = Way(asked if asked is not None and self._asks_highs else Solver("HIGHS"))
        return prepare(self.subproblem, way, {}, given=self.at(limits))

    @property
    def _asks_highs(self) -> bool:
        return self.ladder is not None and self.ladder[0].target == "HIGHS"

    def solve(self, limits: Sequence[float]) -> Solution:
        """The certified optimum with these limits, by the solvers that were asked for."""
        result = execute(
            [Stage(STAGE, self.subproblem)], {self.subproblem.name: self.ladder}, workers=1,
            tick=lambda _: None, solved={}, warm=self.warm, given=self.at(limits),
            wishes=self.wishes,
        )  # fmt: skip
        return result[self.subproblem.name]

    def certified(
        self, limits: Sequence[float], x: Array, z: Array | None, bound: float | None = None
    ) -> Solution:
        """The point ``x`` as a certified optimum; solved again if its certificate does not pass.

        Parameters
        ----------
        limits : sequence of float
        x, z : ndarray
            Point and multipliers of the form, in the user's units.
        bound : float, optional
            What was proved of the form's objective, in the user's units.
        """
        if self.ladder is not None and not self._asks_highs:
            return self.solve(limits)
        task = self.task(limits)
        scaling = task.native.scaling
        own = None if z is None else scaling.scaled_multipliers(z)
        answer: Answer = answer_at(task.native, scaling.scaled_point(x), own, iterations=None)
        if bound is not None:
            answer = replace(answer, bound=scaling.scaled_value(bound))
        verdict = judge(task, STAGE, answer, {})
        if isinstance(verdict, Solution):
            return verdict
        return self.solve(limits)

    def followed(self, function: Callable[..., Found], *numbers: Any, **options: Any) -> Found:
        """What a function of bare numbers finds, here or elsewhere."""
        away = self.wishes.elsewhere
        call = partial(function, **options)
        return call(*numbers) if away is None else away.call(call, *numbers)

    def values(self, solution: Solution) -> list[float]:
        """The objectives at a solution, in their own senses."""
        return [number(solution.at(objective.expr)) for objective in self.objectives.values()]

    def alone(self, *names: str) -> Solution:
        """The optimum of one objective, or of several in order of priority."""
        levels = [(name, self.objectives[name]) for name in names]
        stages = stages_in_turn(levels, list(self.constraints))
        ladders = dict.fromkeys(names, self.ladder)
        result = execute(
            stages, ladders, workers=1, tick=lambda _: None, solved={}, given=self.given,
            wishes=self.wishes,
        )  # fmt: skip
        return result[names[-1]]

    def explain(self, reason: Exception) -> Exception:
        """What is wrong with the objectives by themselves, if something is."""
        for name in self.objectives:
            try:
                self.alone(name)
            except StageError as error:
                return error
        return reason


def _maximises(objective: Objective) -> bool:
    return isinstance(objective, cp.Maximize)
