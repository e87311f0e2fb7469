"""Levels by value, for any solver and any curve.

Each level is a problem of its own,

    maximise   t
    subject to utility_i >= t                  whoever is not settled
               utility_i >= level_i            whoever is
               the constraints of the subproblem

and whoever has a multiplier that is no rounding is settled at its optimum. Whoever is stuck without
one stays: the next problem then finds the same value once more, and settles the next of them.

What a settled utility that is strictly curved depends on is the same at all points that keep its
level, and is kept itself: a bound on a curve would leave it the square root of every error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import EXACT
from lexiprog.canon.multipliers import is_real
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import Measures
from lexiprog.compile.answer import Answer, ExactAnswer, LeximinAnswer, UserLevels
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Solutions, Strategy, Task
from lexiprog.errors import StageError
from lexiprog.fairness.backend import Note, reporting
from lexiprog.fairness.objective import Fairness
from lexiprog.model.expressions import evaluate, key_of
from lexiprog.model.references import found_number
from lexiprog.model.reformulate import arguments
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import Backend
from lexiprog.solve.options import SolveOptions
from lexiprog.status import Status
from lexiprog.summary import names_text
from lexiprog.tolerances import FLOOR_SLACK, MULTIPLIER_INTERIOR, SAME_LEVEL_SUM, SAME_VALUE
from lexiprog.typing import Array, Constraint, Leaf, Leaves, Mask, Value

# Problems that are solved inside the solve of one subproblem, with all that it knows.

Execute = Callable[..., Result]


@dataclass(frozen=True)
class Inner:
    """Solves stages with the solver, the parameters and the earlier optima of a task."""

    execute: Execute
    task: Task
    solutions: Mapping[str, Solution]
    as_asked: bool = True  # whether the task's solver is asked, else the default ones

    def solve(self, stages: Sequence[Stage], values: Leaves = ()) -> Result:
        """The optima of further stages; ``values`` are those of parameters of their own."""
        names = [p.name for stage in stages for p in stage.subproblems]
        return self.execute(
            stages,
            dict.fromkeys(names, (self.task.solver,) if self.as_asked else None),
            workers=1,
            tick=lambda _: None,
            solved=self.solutions,
            slack=self.task.slack,
            given=Given((*self.task.given.values, *values)),
            solve_options=SolveOptions(deadline=self.task.deadline),
        )

    def unused(self, prefix: str) -> str:
        """A beginning that no earlier optimum's name has."""
        while any(name.startswith(prefix) for name in self.solutions):
            prefix += "'"
        return prefix


class OneByOne:
    """What backends have in common that solve inner problems, each compiled when it is its turn."""

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


def leximin_of(
    task: Task, optima: Sequence[Solution], levels: UserLevels, inaccurate: str = ""
) -> LeximinAnswer:
    """The levels with what is known of them from the inner problems, the first level's first."""
    first = optima[0]
    worst = _worst_of([solution.certificate for solution in optima], first.certificate)
    return LeximinAnswer(
        levels=levels,
        measured=Measures(worst, first.bound),
        unit=first.unit,
        duals=first.duals[: len(task.subproblem.constraints)],
        evidence=first.evidence,
        inaccurate=inaccurate,
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
        row_tolerance=max(c.row_tolerance for c in certificates),
        basis=first.basis,
        interval=first.interval,
    )


def no_answer(error: StageError, which: str) -> Answer:
    """What an inner failure means for the whole."""
    tries = "; ".join(str(attempt) for attempt in error.attempts)
    return Answer(error.status, reason=f"{which}: {tries}")


@dataclass(frozen=True)
class _Statement:
    """The problem of any level: parameters say who is settled where."""

    subproblem: Subproblem
    active: cp.Parameter
    floors: cp.Parameter
    rows: Constraint
    kept: dict[int, list[tuple[cp.Expression, cp.Parameter, cp.Parameter]]]


@dataclass
class Settled:
    """Who is settled so far, where, and how well that is known."""

    settled: Mask
    levels: Array  # in the user's sense
    errors: Array
    optima: list[Solution] = field(default_factory=list)
    arguments: dict[int, list[Value]] = field(default_factory=dict)

    def add(self, task: Task, fair: Fairness, statement: _Statement, solution: Solution) -> None:
        """Settle whoever has a multiplier that is no rounding, at the optimum of a level."""
        weights = np.abs(np.asarray(solution.dual(statement.rows))).ravel()
        # Where a floor truly is, and how far below it was set.
        inherited = float(weights[self.settled] @ self.errors[self.settled])
        error, value = solution.uncertainty + 2.0 * inherited, solution.value
        if self.optima:
            last = float(np.max(fair.sign * self.levels[self.settled]))
            near = error + float(np.max(self.errors[self.settled])) + SAME_VALUE * solution.size
            if fair.sign * value - last <= near:
                value = fair.sign * last
        waiting = np.where(self.settled, 0.0, weights)
        who = np.flatnonzero(is_real(waiting, float(np.max(waiting)), MULTIPLIER_INTERIOR))
        if not who.size:  # no multiplier at all: whoever is lowest is as good as any
            gets = fair.sign * np.asarray(solution.at(fair.stack)).ravel()
            who = np.array([np.argmin(np.where(self.settled, np.inf, gets))])
        self.settled[who], self.levels[who], self.errors[who] = True, value, error
        leaves = [(v, solution[v]) for v in task.subproblem.variables]
        leaves += [(p, task.constants[p.id]) for p in task.subproblem.inputs]
        for i in map(int, who):
            if i in statement.kept:
                self.arguments[i] = [evaluate(part, leaves) for part, _, _ in statement.kept[i]]
        self.optima.append(solution)


class LevelsByValue(OneByOne):
    """A backend that solves one problem a level, each certified by the engine."""

    def __init__(self, execute: Execute, note: Note) -> None:
        super().__init__(execute)
        self._note = note

    def run(self, task: Task) -> Answer:
        """Settle everybody."""
        start = time.perf_counter()
        fair = fairness_of(task)
        statement = task.subproblem.memory.once(
            "levels by value", lambda: _stated(task.subproblem, fair)
        )
        inner = self.inner(task)
        count, report = len(fair.names), reporting(self._note, task, 1.0)
        state = Settled(np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count))
        while not state.settled.all():
            try:
                solution = _solved(inner, statement, state)
            except StageError as error:
                waiting = [name for name, s in zip(fair.names, state.settled, strict=True) if not s]
                return no_answer(error, f"raising {names_text(waiting)}")
            state.add(task, fair, statement, solution)
            report(int(state.settled.sum()), solution.value)
        seconds = time.perf_counter() - start
        return _answer(task, fair, state, seconds)


def _stated(subproblem: Subproblem, fair: Fairness) -> _Statement:
    name = subproblem.name
    level = cp.Variable(name=f"{name}: level")
    count = len(fair.names)
    active = cp.Parameter(count, nonneg=True, name=f"{name}: active")
    floors = found_number((count,), name=f"{name}: floors")
    least = cp.multiply(active, level) + floors
    rows = fair.stack >= least if fair.maximise else fair.stack <= least
    kept: dict[int, list[tuple[cp.Expression, cp.Parameter, cp.Parameter]]] = {}
    equations: list[Constraint] = []
    for i, utility in enumerate(fair.parts):
        for k, part in enumerate(arguments(utility) or []):
            on = cp.Parameter(nonneg=True, name=f"{name}: keep {i}.{k}")
            at = found_number(part.shape, name=f"{name}: kept {i}.{k}")
            kept.setdefault(i, []).append((part, on, at))
            equations.append(on * part == at)
    goal = cp.Maximize(level) if fair.maximise else cp.Minimize(level)
    stated = Subproblem(name, goal, [*subproblem.constraints, rows, *equations])
    return _Statement(stated, active, floors, rows, kept)


def _solved(inner: Inner, statement: _Statement, state: Settled) -> Solution:
    """The optimum of the next level."""
    stage = Stage(statement.subproblem.name, statement.subproblem)
    sign = 1.0 if statement.subproblem.maximise else -1.0
    curved = np.isin(np.arange(state.settled.size), list(state.arguments))
    loosened = FLOOR_SLACK * (1.0 + np.abs(state.levels))
    # What is known to an error is met within it: the errors of two levels may contradict.
    for slack in (np.minimum(state.errors, loosened), loosened):
        # Whose arguments are kept needs no floor, and one that rounding cannot meet does harm.
        given = np.where(curved, 10.0 * loosened, slack)
        floors = np.where(state.settled, state.levels - sign * given, 0.0)
        values: list[tuple[Leaf, Value]] = [
            (statement.active, (~state.settled).astype(float)), (statement.floors, floors)
        ]  # fmt: skip
        for i, parts in statement.kept.items():
            held = state.arguments.get(i)
            for k, (_, on, at) in enumerate(parts):
                values.append((on, np.array(float(held is not None))))
                values.append((at, np.zeros(at.shape) if held is None else held[k]))
        try:
            return inner.solve([stage], values)[statement.subproblem.name]
        except StageError:
            if not state.settled.any() or slack is loosened:
                raise
    raise AssertionError("a loop over two has a second turn")


def _answer(task: Task, fair: Fairness, state: Settled, seconds: float) -> Answer:
    first, last = state.optima[0], state.optima[-1]
    order = sorted(set(state.levels), reverse=not fair.maximise)
    levels = tuple((float(v), tuple(map(int, np.flatnonzero(state.levels == v)))) for v in order)
    unsure = state.errors / (first.unit + np.abs(state.levels))
    doubt = ""
    if not np.max(unsure) <= task.solver.accept:
        worst = int(np.argmax(unsure))
        doubt = (
            f"the level of {fair.names[worst]!r} is known to {state.errors[worst]:.1e} only, since "
            "it depends strongly on lower ones"
        )
    counts = [s.iterations for s in state.optima]
    return Answer(
        last.status,
        value=levels[0][0],
        primal=primal_of(task, last),
        iterations=None if None in counts else sum(c for c in counts if c is not None),
        seconds=seconds,
        leximin=leximin_of(task, state.optima, levels, doubt),
    )


# Levels by ordered sums: the sum of the k worst utilities for k = 1, 2, ..., each sum held.
#
# One problem a utility, but true for integers and fractions too, and for solvers that give no
# multipliers.
#
# Reference: Ogryczak and Sliwinski, "On direct methods for lexicographic min-max optimization",
# ICCSA 2006.


class LevelsBySums(OneByOne):
    """A backend that solves one problem a utility."""

    def run(self, task: Task) -> Answer:
        """Settle every position of the order."""
        start = time.perf_counter()
        fair = fairness_of(task)
        inner = self.inner(task)
        prefix = inner.unused(f"{task.subproblem.name}, sum of")
        stages = task.subproblem.memory.once(
            ("ordered sums", prefix), lambda: _stages(task.subproblem, fair, prefix)
        )
        try:
            result = inner.solve(stages)
        except StageError as error:
            return no_answer(error, error.subproblem)
        return _answer_by_sums(task, fair, result, time.perf_counter() - start)


def _stages(subproblem: Subproblem, fair: Fairness, prefix: str) -> list[Stage]:
    worst = cp.sum_smallest if fair.maximise else cp.sum_largest
    goal = cp.Maximize if fair.maximise else cp.Minimize
    count = len(fair.names)
    held: list[Constraint] = []
    stages = []
    for k in range(1, count + 1):
        total = fair.objective.expr if k == 1 else worst(fair.stack, k)
        total = cp.sum(fair.stack) if k == count else total
        name = f"{prefix} {k}"
        part = Subproblem(name, goal(total), [*subproblem.constraints, *held])
        held.append(part.held())
        stages.append(Stage(name, part))
    return stages


def _answer_by_sums(task: Task, fair: Fairness, result: Result, seconds: float) -> Answer:
    optima = list(result.values())
    first, last = optima[0], optima[-1]
    gets = np.asarray(last.at(fair.stack), dtype=float).ravel()
    order = np.argsort(fair.sign * gets, kind="stable")
    slack = SAME_LEVEL_SUM * (first.unit + float(np.max(np.abs(gets))))
    groups = np.split(order, np.flatnonzero(np.diff(fair.sign * gets[order]) > slack) + 1)
    levels = tuple((float(gets[group[0]]), tuple(map(int, np.sort(group)))) for group in groups)
    levels = ((first.value, levels[0][1]), *levels[1:])
    doubted = [s.name for s in optima if s.status is Status.INACCURATE]
    doubt = f"{doubted[0]!r} is not known well enough" if doubted else ""
    exact = None
    if first.exact is not None and last.exact is not None:
        variables = enumerate(task.subproblem.variables)
        known = {v.id: last.exact_variables.get(key_of(v, k)) for k, v in variables}
        duals = zip(task.subproblem.constraints, first.exact_duals, strict=False)
        exact = ExactAnswer(
            first.exact,
            {key: value for key, value in known.items() if value is not None},
            {c.id: dual for c, dual in duals if dual is not None},
        )
    return Answer(
        last.status,
        value=first.value,
        primal=primal_of(task, last),
        seconds=seconds,
        leximin=leximin_of(task, optima, levels, doubt),
        exact=exact,
    )


# Who solves a fair problem that is not linear, or not for HiGHS.


def leximin_backend(
    execute: Execute, note: Note, subproblem: Subproblem, strategy: Strategy
) -> Backend:
    """By value where multipliers settle people; by sums where there are none, or fractions."""
    if subproblem.integer or strategy.solver.is_custom or strategy.solver.target == EXACT:
        return LevelsBySums(execute)
    return LevelsByValue(execute, note)
