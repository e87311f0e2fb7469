"""A problem while a tolerance or limit moves: its numbers, and its solutions one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar, overload

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.solver import FallbackSolvers, Solver
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Strategy, Task, compile_for, prepare
from lexiprog.cvxpy_adapter import columns_of
from lexiprog.deadline import Deadline, OutOfTime, RemoteCaller
from lexiprog.errors import StageError, UnknownName
from lexiprog.model.expressions import CVXPY_LOCK, holding
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.references import VALUES, Reference
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.value_function import CurveError, CurveKind, ValueFunction
from lexiprog.program import Program
from lexiprog.results.rebind import constant_of
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.driver import execute
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.tolerances import SAME_SLOPE
from lexiprog.typing import Array, Record, Value


class Unsteady(Exception):
    """The numbers of a problem do not follow the tolerance in straight lines; says why."""


def rate_of(task: Task, parameter: cp.Parameter, label: str) -> Array:
    """What a unit of one placeholder adds to the right-hand side; Unsteady if it does more.

    All entries of a vector move together, as the limits of utilities that are held do.
    """
    subproblem, constants = task.subproblem, task.constants
    leaves = [(p, constants[p.id]) for p in subproblem.inputs]
    value = np.asarray(constants[parameter.id], dtype=float)
    # A power of two as large as the value itself: nothing is rounded that was not before.
    step = 2.0 ** np.ceil(np.log2(np.max(np.abs(value), initial=1.0)))
    if parameter.attributes.get("nonpos") or parameter.attributes.get("neg"):
        step = -step
    moved = []
    with CVXPY_LOCK, holding(leaves):
        for factor in (1.0, 2.0):
            with holding([(parameter, value + factor * step)]):
                moved.append(compile_for(subproblem, Solver("HIGHS"), dict(task.options)).form)
    form = task.form
    for other in moved:
        _check_same(form, other, label)
    rate = (moved[0].b - form.b) / step
    size = np.abs(form.b) + np.abs(moved[1].b)
    if np.any(np.abs(moved[1].b - moved[0].b - rate * step) > SAME_SLOPE * size):
        raise Unsteady(f"{label} does not enter in a straight line")
    noise = SAME_SLOPE * np.max(np.abs(rate), initial=0.0)
    return np.asarray(np.where(np.abs(rate) > noise, rate, 0.0))


def _check_same(form: StandardForm, other: StandardForm, label: str) -> None:
    """Refuse a placeholder that changes more than the right-hand side."""
    if form.A.shape != other.A.shape or (form.A != other.A).nnz or np.any(form.c != other.c):
        raise Unsteady(f"{label} stands in a coefficient of a variable")
    if form.offset != other.offset:
        raise Unsteady(f"{label} stands in the objective")
    for limits, others in ((form.lower, other.lower), (form.upper, other.upper)):
        if limits is not None and others is not None and not np.array_equal(limits, others):
            raise Unsteady(f"{label} stands in a variable's bounds")


@dataclass(frozen=True)
class LimitedObjective:
    """An inequality that one parameter moves, ``cost @ x <= side + unit * t``, taken out.

    Attributes
    ----------
    form : StandardForm
        The form without that row, which is ``row`` in the whole form.
    """

    form: StandardForm
    row: int
    cost: Array
    side: float
    unit: float

    @classmethod
    def of(cls, form: StandardForm, row: int, unit: float) -> LimitedObjective:
        """The row taken out of a linear form."""
        keep, A = np.arange(form.b.size) != row, sp.csr_array(form.A)
        cones = Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - 1)
        return cls(
            replace(form, A=sp.csc_array(A[keep]), b=form.b[keep], cones=cones),
            row,
            np.asarray(A[[row]].toarray()).ravel(),
            float(form.b[row]),
            unit,
        )

    def limit(self, value: float) -> float:
        """The parameter at which the row is met by a value of the cost."""
        return (value - self.side) / self.unit

    def multipliers(self, y: Array) -> Array:
        """Multipliers of the whole form from those of the other rows and then this one."""
        return np.insert(y[:-1], self.row, y[-1])


@dataclass(frozen=True)
class _Value:
    """What stands for a solution of which only the value is known."""

    value: float
    unit: float = 1.0

    def __getitem__(self, variable: cp.Variable | str) -> Value:
        raise UnknownName(variable)


@dataclass
class ParametricContext:
    """One level whose tolerance moves, and what is known of the others.

    Attributes
    ----------
    name : str
        The level.
    scenarios : ScenarioCache
        The program, and its results at single tolerances.
    solved : dict
        Solutions of what does not depend on the tolerance.
    functions : dict
        Value functions of what does.
    error, limit : float, int
        How well a convex function is to be known, and the most breakpoints of one function.
    deadline : Deadline
        What Ctrl-C stops is kept.
    """

    name: str
    scenarios: ScenarioCache
    solved: dict[str, Solution]
    error: float
    limit: int
    deadline: Deadline
    functions: dict[str, ValueFunction] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        """The whole program."""
        return self.scenarios.program

    @property
    def given(self) -> Given:
        """The values that its parameters had at first."""
        return self.scenarios.given

    def at(self, t: float) -> Result:
        """The whole program solved at ``t``."""
        return self.scenarios.at({self.name: t})

    def alone(self, subproblem: Subproblem) -> Solution:
        """One later problem by itself, without slack."""
        return self.scenarios.alone(subproblem, self.solved, self.name)

    def reason_of(self, stopped: BaseException) -> str:
        """Why a function ends early; Ctrl-C and the end of time are noted in the deadline."""
        if isinstance(stopped, CurveError):
            return str(stopped)
        with self.deadline.kept():
            _raise(stopped)
        return self.deadline.note

    @property
    def optimum(self) -> float:
        """The optimum whose tolerance moves."""
        return self.solved[self.name].value

    def moves(self, reference: Reference) -> bool:
        """Whether the value of a reference depends on the tolerance."""
        if reference.owner_name in self.functions:
            return True
        return reference.lock is not None and reference.owner_name == self.name

    def depends(self, subproblem: Subproblem) -> bool:
        """Whether a problem does."""
        return any(self.moves(reference) for _, reference in subproblem.references)

    def known_at(self, t: float) -> Record:
        """Solutions to read references from at ``t``, values alone where they move."""
        values = {name: float(function.at(t)) for name, function in self.functions.items()}
        return self.solved | {name: _Value(v) for name, v in values.items()}

    def task(self, subproblem: Subproblem, t: float) -> Task:
        """The problem with its numbers at ``t``, for HiGHS."""
        strategy = Strategy(Solver("HIGHS"))
        return prepare(
            subproblem, strategy, self.known_at(t), Slack({self.name: t}), given=self.given
        )  # fmt: skip

    def value(self, reference: Reference, t: float) -> float:
        """What a moving reference stands for at ``t``."""
        if reference.owner_name == self.name and reference.lock is not None:
            return reference.lock.limit(self.optimum, t)
        optimum = float(self.functions[reference.owner_name].at(t))
        if reference.lock is None:
            return optimum
        with self.given.held():
            return reference.lock.limit(optimum, reference.lock.tolerance(optimum))

    def kinks(self, subproblem: Subproblem) -> Array:
        """Tolerances between which all that the problem reads moves in straight lines."""
        kinks = [np.zeros(1)]
        for _, reference in subproblem.references:
            function = self.functions.get(reference.owner_name)
            if function is None:
                continue
            kinks.append(function.breakpoints)
            lock = reference.lock
            with self.given.held():
                atol, rtol = (0.0, 0.0) if lock is None else lock.tolerances
            if rtol > 0.0:
                turns = {0.0, atol / rtol, -atol / rtol}
                kinks += [_crossings(function, level) for level in turns]
        return np.unique(np.concatenate(kinks))

    def read_by(self, subproblem: Subproblem) -> list[ValueFunction]:
        """The value functions of what a problem reads."""
        owners = {reference.owner_name for _, reference in subproblem.references}
        return [function for name, function in self.functions.items() if name in owners]

    def stop(self, subproblem: Subproblem) -> float:
        """The last tolerance at which all that the problem reads is known."""
        return min((function.stop for function in self.read_by(subproblem)), default=np.inf)

    def start(self, subproblem: Subproblem) -> float:
        """The first such tolerance."""
        return max((function.start for function in self.read_by(subproblem)), default=0.0)


def _raise(error: BaseException) -> None:
    raise error


def _crossings(function: ValueFunction, level: float) -> Array:
    """Where a piecewise linear function crosses a level."""
    ends = np.append(function.breakpoints[1:], np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = function.breakpoints + (level - function.values) / function.slopes
    return np.asarray(t[np.isfinite(t) & (t > function.breakpoints) & (t < ends)])


@dataclass(frozen=True)
class MovingProblem:
    """A linear problem's numbers at one tolerance, and how its right-hand side follows what moves.

    Attributes
    ----------
    task : Task
        With the numbers at the first tolerance.
    rates : list of (Reference, ndarray, bool)
        What each unit of a reference adds to the right-hand side, and whether it moves.
    """

    context: ParametricContext
    task: Task
    origin: float
    rates: list[tuple[Reference, Array, bool]]

    @classmethod
    def of(cls, context: ParametricContext, subproblem: Subproblem) -> MovingProblem:
        """The numbers of a problem; Unsteady if they don't follow in straight lines."""
        for _, reference in subproblem.references:
            if context.moves(reference):
                _check_reading(context, reference)
        return cls.at(context, subproblem, context.start(subproblem))

    @classmethod
    def at(cls, context: ParametricContext, subproblem: Subproblem, origin: float) -> MovingProblem:
        """The numbers at ``origin``, whatever the problem reads."""
        task = context.task(subproblem, origin)
        rates = [
            (reference, rate_of(task, parameter, reference.label), context.moves(reference))
            for parameter, reference in subproblem.references
            if (parameter.size == 1 and context.moves(reference)) or reference.lock is not None
        ]
        return cls(context, task, origin, rates)

    @property
    def scaling(self) -> Scaling:
        """The units in which curves are traced."""
        return self.task.native.scaling

    @property
    def form(self) -> StandardForm:
        """The numbers at the first tolerance, in these units."""
        return self.task.native.scaled

    @property
    def near(self) -> Array:
        """The point of the level whose tolerance moves, in these units, as far as it goes."""
        x, held = np.full(self.form.c.size, np.nan), self.context.solved[self.context.name]
        columns = columns_of(self.task.native)
        for variable in self.task.subproblem.variables:
            value = constant_of(held, variable)
            if value is not None and variable.id in columns:
                x[columns[variable.id]] = value
        return self.scaling.scaled_point(x)

    def sides(self, t: float) -> Array:
        """The right-hand side at ``t``, in these units."""
        b = self.task.form.b.copy()
        for reference, rate, moves in self.rates:
            if moves:
                b += rate * (
                    self.context.value(reference, t) - self.context.value(reference, self.origin)
                )
        return np.asarray(b * self.scaling.rows)

    def direction(self, start: float, stop: float) -> Array:
        """What a unit of tolerance adds to the right-hand side from ``start`` to ``stop``."""
        end = stop if np.isfinite(stop) else start + max(1.0, abs(self.context.optimum), abs(start))
        total = np.zeros_like(self.task.form.b)
        for reference, rate, moves in self.rates:
            if not moves:
                continue
            if reference.owner_name == self.context.name and reference.lock is not None:
                total += rate * (-1.0 if reference.lock.maximise else 1.0)
                continue
            change = self.context.value(reference, end) - self.context.value(reference, start)
            total += rate * (change / (end - start))
        return np.asarray(total * self.scaling.rows)

    @property
    def tight(self) -> list[int]:
        """Inequalities that hold an earlier optimum without tolerance, but for the moving one."""
        zero, rows = self.form.cones.zero, []
        for reference, rate, _ in self.rates:
            lock = reference.lock
            if reference.owner_name == self.context.name or (lock and any(lock.tolerances)):
                continue
            rows += [int(row) for row in np.flatnonzero(rate) if row >= zero]
        return list(dict.fromkeys(rows))


def _check_reading(context: ParametricContext, reference: Reference) -> None:
    """Refuse readings that are no numbers a curve tells."""
    if reference.kind not in VALUES:
        raise Unsteady(f"it reads {reference.label}, of which the curve knows nothing")
    function = context.functions.get(reference.owner_name)
    if function is not None and function.kind is not CurveKind.LINEAR:
        raise Unsteady(f"{reference.owner_name!r} is not known as straight lines")


# Programs at one set of numbers after another.

Item = TypeVar("Item")


@dataclass
class ScenarioCache:
    """Certified results of one program for any tolerances, each found once.

    Attributes
    ----------
    head : mapping
        Solutions that no tolerance moves; what is solved with less slack is then feasible with
        more, and where integer problems start.
    """

    program: Program
    ladders: Mapping[str, FallbackSolvers | None]
    given: Given
    head: Mapping[str, Solution] = field(default_factory=dict)
    executor: RemoteCaller | None = None
    warm: WarmHighs = field(default_factory=WarmHighs)
    results: dict[tuple[tuple[str, float], ...], Result] = field(default_factory=dict)
    deadline: Deadline | None = None

    def at(self, tolerances: Mapping[str, float]) -> Result:
        """The result with these tolerances in place of the declared ones."""
        key = tuple(sorted(tolerances.items()))
        if key not in self.results:
            # Without slack a linear optimum is held by its face, which is found on the way.
            slack = any(tolerances.values())
            again = not slack and all(self.program[n].kind == "LP" for n in self.head)
            head = {} if again else self.head
            self.results[key] = self._solve(self.program.stages, dict(tolerances), head)
        return self.results[key]

    def alone(self, subproblem: Subproblem, solved: Mapping[str, Solution], name: str) -> Solution:
        """One problem of the program by itself, without slack on ``name``."""
        names = [[p.name for p in s.subproblems] for s in self.program.stages]
        before = next(k for k, members in enumerate(names) if subproblem.name in members)
        stage = self.program.stages[before].name
        kept = sorted(set().union(*names[:before]) & set(solved))
        stages = [Stage("before", *(self.program[other] for other in kept))] if kept else []
        head = {other: solved[other] for other in kept}
        result = self._solve((*stages, Stage(stage, subproblem)), {name: 0.0}, head)
        return result[subproblem.name]

    @property
    def _asked_for(self) -> Deadline | None:
        """The deadline, if it matters: only what runs in other threads has to hear of Ctrl-C."""
        if self.deadline is None or not (self.deadline.limited or self.executor is not None):
            return None
        self.deadline.check()
        return self.deadline

    def _solve(
        self,
        stages: Sequence[Stage],
        tolerances: dict[str, float],
        solved: Mapping[str, Solution],
    ) -> Result:
        less = [
            key
            for key in (self.results if self.head else ())
            if dict(key).keys() == tolerances.keys() and all(t <= tolerances[n] for n, t in key)
        ]
        starts = self.results[max(less)] if less else {}
        deadline = self._asked_for
        try:
            return solve_scenario(
                stages, self.ladders, self.given, warm=self.warm, solved=solved,
                slack=slack_of(self.program, tolerances),
                solve_options=SolveOptions(
                    starts=starts, executor=self.executor, deadline=deadline
                ),
            )  # fmt: skip
        except StageError as error:
            if deadline is not None and error.status.is_limit:
                _check_time(deadline, error)
            raise


def _check_time(deadline: Deadline, failure: StageError) -> None:
    """Raise OutOfTime where time or Ctrl-C is the reason of a failure."""
    if deadline.over or deadline.cancelled:
        raise OutOfTime from failure


def solve_scenario(
    stages: Sequence[Stage],
    ladders: Mapping[str, FallbackSolvers | None],
    given: Given,
    *,
    warm: WarmHighs | None,
    solve_options: SolveOptions,
    solved: Mapping[str, Solution],
    slack: Slack = NO_SLACK,
) -> Result:
    """Certified optima of some stages for one set of numbers, one after the other."""
    return execute(
        stages, ladders, workers=1, tick=lambda _: None, solved=solved, slack=slack, warm=warm,
        given=given, solve_options=solve_options,
    )  # fmt: skip


def in_threads(
    work: Callable[[list[int], threading.Event], Item],
    order: Sequence[int] | NDArray[np.intp],
    width: int,
    name: str,
    deadline: Deadline | None = None,
) -> list[Item]:
    """Share out scenarios, neighbours to one thread each, and return what each of them returns.

    ``work`` gets its part, and an event that tells it to stop because another part failed; what
    it has begun on the ``deadline`` is cancelled then.
    """
    stop = threading.Event()
    parts = [part.tolist() for part in np.array_split(order, max(1, min(width, len(order))))]
    if len(parts) == 1:  # here, where Ctrl-C arrives
        return [work(parts[0], stop)]
    with ThreadPoolExecutor(len(parts), thread_name_prefix=name) as pool:
        try:
            return list(pool.map(work, parts, [stop] * len(parts)))
        except BaseException:  # an error, or Ctrl-C: the others need not go on
            stop.set()
            if deadline is not None:
                deadline.cancel()
            raise


def slack_of(program: Program, tolerances: Mapping[str, float]) -> Slack:
    """These tolerances in place of the declared ones; none that is none and was declared as none.

    What is said to be loosened, by nothing even, is held by its value and no longer by its face.
    """
    locks = [lock for p in program.subproblems.values() for _, lock in p.locks]
    some = {lock.owner_name for lock in locks if lock.parameters or lock.atol or lock.rtol}
    return Slack({name: t for name, t in tolerances.items() if t > 0.0 or name in some})


def given_up_in(result: Result, later: Iterable[str], name: str) -> float:
    """Drift of a level in the last problem that holds it."""
    drifts = [lock.drift for p in later for lock in result[p].locks if lock.name == name]
    return drifts[-1]


class Later(Sequence[Item]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, size: int, make: Callable[[int], Item]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        positions = range(self._size)[index]
        if isinstance(positions, range):
            return [self._make(position) for position in positions]
        return self._make(positions)

    def __iter__(self) -> Iterator[Item]:
        return (self._make(position) for position in range(self._size))
