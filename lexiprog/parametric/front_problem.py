"""The problem that each point of a front solves: one objective, with limits on the others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import FallbackSolvers, Solver, SolverChoice, resolve
from lexiprog.compile.answer import Answer, ExactAnswer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Strategy, Task, prepare
from lexiprog.cvxpy_adapter import answer_at, exact_parts
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.errors import DeclarationError, LexiprogWarning, StageError
from lexiprog.formulations.priorities import stages_in_turn
from lexiprog.model.expressions import as_float, dense
from lexiprog.model.references import found_number
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.context import solve_scenario
from lexiprog.program import Program
from lexiprog.results.fingerprint import fingerprint_of
from lexiprog.results.rebind import constant_of, with_leaves
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.certify import certify_answer
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.status import Status
from lexiprog.typing import Array, Constraint, Objective

STAGE = "front"
# Less than this share of the time left: a level that stopped short was stopped by it.
OVER = 0.1


@dataclass
class FrontProblem:
    """The last objective, optimised with limits on the others.

    Attributes
    ----------
    objectives : mapping
        All of them, by name.
    subproblem : Subproblem
        Named like the last one.
    limits : tuple of cvxpy.Parameter
        One for each of the others.
    """

    objectives: Mapping[str, Objective]
    constraints: tuple[Constraint, ...]
    subproblem: Subproblem
    limits: tuple[cp.Parameter, ...]
    given: Given  # the user's parameters
    ladder: FallbackSolvers | None
    warm: WarmHighs
    deadline: Deadline
    before: tuple[Stage, ...] = ()  # whose optima are read
    solved: Mapping[str, Solution] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        objectives: Mapping[str, Objective],
        constraints: Sequence[Constraint],
        solver: SolverChoice,
        deadline: Deadline,
        target: Objective | None = None,
        before: tuple[Stage, ...] = (),
        solved: Mapping[str, Solution] | None = None,
    ) -> FrontProblem:
        """The problem; ``target`` is optimised in the place of the last objective."""
        last = list(objectives)[-1]
        limited = list(objectives.items())[: None if target is not None else -1]
        limits = tuple(found_number(name=f"limit of {name}") for name, _ in limited)
        bounds = [
            objective.expr >= limit if _maximises(objective) else objective.expr <= limit
            for (_, objective), limit in zip(limited, limits, strict=True)
        ]
        name = last if target is None else "front"
        subproblem = Subproblem(name, target or objectives[last], [*constraints, *bounds])
        Program(*before, Stage(STAGE, subproblem))  # refuses references to other problems
        for limit in limits:
            limit.value = 0.0
        ids = {limit.id for limit in limits}
        values = Given.to([subproblem]).values
        given = Given(tuple((p, value) for p, value in values if p.id not in ids))
        ladder = resolve(solver, {STAGE: ([name], None)})[name]
        return cls(
            dict(objectives), tuple(constraints), subproblem, limits, given, ladder, WarmHighs(),
            deadline, before, solved or {},
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
        added = [(p, np.asarray(v, dtype=float)) for p, v in zip(self.limits, limits, strict=True)]
        return Given((*self.given.values, *added))

    def task(self, limits: Sequence[float]) -> Task:
        """The numbers for HiGHS with these limits."""
        asked = None if self.ladder is None else self.ladder[0]
        strategy = Strategy(asked if asked is not None and self.asks_highs else Solver("HIGHS"))
        return prepare(self.subproblem, strategy, self.solved, given=self.at(limits))

    @property
    def asks_highs(self) -> bool:
        """Whether HiGHS was asked for by name."""
        return self.ladder is not None and self.ladder[0].target == "HIGHS"

    def solve(self, limits: Sequence[float]) -> Solution:
        """The certified optimum with these limits, by the solvers that were asked for."""
        return self._in_time(
            [Stage(STAGE, self.subproblem)], {self.subproblem.name: self.ladder},
            warm=self.warm, given=self.at(limits),
        )[self.subproblem.name]  # fmt: skip

    def _in_time(
        self,
        stages: Sequence[Stage],
        ladders: Mapping[str, FallbackSolvers | None],
        *,
        warm: WarmHighs | None,
        given: Given,
    ) -> Result:
        """Certified optima; OutOfTime if there was no time for them."""
        self.deadline.check()
        asked, limited = self.deadline.left(), self.deadline.limited
        solve_options = SolveOptions(executor=self.deadline.executor, deadline=self.deadline)
        earlier = dict.fromkeys(p.name for stage in self.before for p in stage.subproblems)
        ladders = {**earlier, **ladders}
        try:
            with _quiet() if limited else nullcontext():
                result = solve_scenario(
                    [*self.before, *stages], ladders, given, warm=warm, solved=self.solved,
                    solve_options=solve_options,
                )  # fmt: skip
        except StageError as error:
            status = error.status
            unknown = not (status.is_infeasible or status.is_unbounded)
            if limited and (status.is_limit or (unknown and self._is_late(asked))):
                raise OutOfTime from error
            raise
        new = [s.status for name, s in result.items() if name not in self.solved]
        if Status.WITHIN_GAP in new and limited and self._is_late(asked):
            raise OutOfTime
        return result

    def _is_late(self, asked: float) -> bool:
        return self.deadline.left() <= OVER * asked

    def certified(
        self,
        limits: Sequence[float],
        x: Array,
        z: Array | None,
        bound: float | None = None,
        exact: tuple[Fraction, list[Fraction], list[Fraction]] | None = None,
    ) -> Solution:
        """The point ``x`` as a certified optimum; solved again if its certificate does not pass.

        Parameters
        ----------
        limits : sequence of float
        x, z : ndarray
            Point and multipliers of the form, in the user's units.
        bound : float, optional
            What was proved of the form's objective, in the user's units.
        exact : tuple, optional
            Value of the last objective, point and multipliers in fractions, which prove each other.
        """
        if self.ladder is not None and not self.asks_highs:
            return self.solve(limits)
        task = self.task(limits)
        scaling = task.native.scaling
        y = None if z is None else scaling.scaled_multipliers(z)
        answer: Answer = answer_at(task.native, scaling.scaled_point(x), y, iterations=None)
        if bound is not None:
            answer = replace(answer, bound=scaling.scaled_value(bound))
        if exact is not None:
            parts = exact_parts(task.native, *exact[1:])
            answer = replace(answer, exact=ExactAnswer(exact[0], *parts))
        verdict = certify_answer(task, STAGE, answer, self.solved)
        if isinstance(verdict, Solution):
            return verdict
        return self.solve(limits)

    def values(self, solution: Solution) -> list[float]:
        """The objectives at a solution, in their own senses."""
        return [as_float(solution.at(objective.expr)) for objective in self.objectives.values()]

    def connected(self, solution: Solution) -> Solution:
        """A solution of the same problem, declared anew since or not, for the variables here."""
        variables = self.subproblem.variables
        if all(constant_of(solution, variable) is not None for variable in variables):
            return solution
        unnamed = [v for v in variables if str(v.name()) not in solution.variables]
        if unnamed:
            raise DeclarationError(
                "the front to go on from belongs to variables of another declaration, and there is "
                f"no telling which of them is {unnamed[0].name()}: give the variables names."
            )
        leaves = {v.id: solution.variables[str(v.name())] for v in variables}
        return with_leaves(solution, leaves | {p.id: value for p, value in self.given.values})

    def alone(self, *names: str) -> Solution:
        """The optimum of one objective, or of several in order of priority."""
        levels = [(name, self.objectives[name]) for name in names]
        stages = stages_in_turn(levels, list(self.constraints))
        ladders = dict.fromkeys(names, self.ladder)
        return self._in_time(stages, ladders, warm=None, given=self.given)[names[-1]]

    @property
    def mark(self) -> str:
        """A word for all that the front depends on: the same for the same problem alone."""
        word = blake2b(fingerprint_of(self.subproblem).whole.encode(), digest_size=16)
        for solution in self.solved.values():
            word.update(repr(solution.value).encode())
        for _, value in self.given.values:
            word.update(np.ascontiguousarray(dense(value)).tobytes())
        return word.hexdigest()

    def explain(self, reason: Exception) -> Exception:
        """What is wrong with the objectives by themselves, if something is."""
        for name in self.objectives:
            try:
                self.alone(name)
            except StageError as error:
                return error
            except OutOfTime:
                break
        return reason


@contextmanager
def _quiet() -> Iterator[None]:
    """What a limit stopped is not taken here, so that nobody need be warned of it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "subproblem .* was stopped by a limit", LexiprogWarning)
        yield


def _maximises(objective: Objective) -> bool:
    return isinstance(objective, cp.Maximize)
