"""A later problem while the tolerance moves: what it reads, and how its numbers follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, overload

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import Ladder, Solver
from lexiprog.backends.strategies import Strategy
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Task, compile_for, prepare
from lexiprog.cvxpy_adapter import columns_of
from lexiprog.deadline import Deadline, RemoteCaller
from lexiprog.model.expressions import CVXPY_LOCK, holding
from lexiprog.model.lock import Slack
from lexiprog.model.references import VALUES, Reference
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.value_function import Shape, Track
from lexiprog.program import Program
from lexiprog.results.rebind import constant_of
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.driver import execute
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.tolerances import SAME_SLOPE
from lexiprog.typing import Array, Matrix, Record, Value

# How a linear problem's right-hand side follows one of its parameters.


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
        if not (_alike(form.A, other.A) and np.array_equal(form.c, other.c)):
            raise Unsteady(f"{label} stands in a coefficient of a variable")
        if form.offset != other.offset:
            raise Unsteady(f"{label} stands in the objective")
        for one, two in ((form.lower, other.lower), (form.upper, other.upper)):
            if one is not None and two is not None and not np.array_equal(one, two):
                raise Unsteady(f"{label} stands in a variable's bounds")
    rate = (moved[0].b - form.b) / step
    size = np.abs(form.b) + np.abs(moved[1].b)
    if np.any(np.abs(moved[1].b - moved[0].b - rate * step) > SAME_SLOPE * size):
        raise Unsteady(f"{label} does not enter in a straight line")
    noise = SAME_SLOPE * np.max(np.abs(rate), initial=0.0)
    return np.asarray(np.where(np.abs(rate) > noise, rate, 0.0))


def _alike(A: Matrix, B: Matrix) -> bool:
    if A.shape != B.shape:
        return False
    return bool((A != B).nnz == 0)


@dataclass(frozen=True)
class _Value:
    """What stands for a solution of which only the value is known."""

    value: float
    unit: float = 1.0

    def __getitem__(self, variable: cp.Variable | str) -> Value:
        raise KeyError(variable)


@dataclass
class Scene:
    """One level whose tolerance moves, and what is known of the others."""

    program: Program
    name: str
    given: Given
    solved: dict[str, Solution]  # of what does not depend on the tolerance
    tracks: dict[str, Track]  # of what does
    deadline: Deadline  # what Ctrl-C stops is kept

    @property
    def optimum(self) -> float:
        """The optimum whose tolerance moves."""
        return self.solved[self.name].value

    def moves(self, reference: Reference) -> bool:
        """Whether the value of a reference depends on the tolerance."""
        if reference.owner_name in self.tracks:
            return True
        return reference.lock is not None and reference.owner_name == self.name

    def depends(self, subproblem: Subproblem) -> bool:
        """Whether a problem does."""
        return any(self.moves(reference) for _, reference in subproblem.references)

    def known_at(self, t: float) -> Record:
        """Solutions to read references from at ``t``, values alone where they move."""
        values = {name: float(track.at(t)) for name, track in self.tracks.items()}
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
        own = float(self.tracks[reference.owner_name].at(t))
        if reference.lock is None:
            return own
        with self.given.held():
            return reference.lock.limit(own, reference.lock.tolerance(own))

    def kinks(self, subproblem: Subproblem) -> Array:
        """Tolerances between which all that the problem reads moves in straight lines."""
        found = [np.zeros(1)]
        for _, reference in subproblem.references:
            track = self.tracks.get(reference.owner_name)
            if track is None:
                continue
            found.append(track.knots)
            lock = reference.lock
            with self.given.held():
                atol, rtol = (0.0, 0.0) if lock is None else lock.tolerances
            if rtol > 0.0:
                turns = {0.0, atol / rtol, -atol / rtol}
                found += [_crossings(track, level) for level in turns]
        return np.unique(np.concatenate(found))

    def stop(self, subproblem: Subproblem) -> float:
        """The last tolerance at which all that the problem reads is known."""
        owners = {reference.owner_name for _, reference in subproblem.references}
        return min((t.stop for name, t in self.tracks.items() if name in owners), default=np.inf)

    def start(self, subproblem: Subproblem) -> float:
        """The first such tolerance."""
        owners = {reference.owner_name for _, reference in subproblem.references}
        known = [float(t.knots[0]) for name, t in self.tracks.items() if name in owners]
        return max(known, default=0.0)


def _crossings(track: Track, level: float) -> Array:
    """Where a piecewise linear track crosses a level."""
    ends = np.append(track.knots[1:], np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = track.knots + (level - track.values) / track.slopes
    return np.asarray(t[np.isfinite(t) & (t > track.knots) & (t < ends)])


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

    scene: Scene
    task: Task
    origin: float
    rates: list[tuple[Reference, Array, bool]]

    @classmethod
    def of(cls, scene: Scene, subproblem: Subproblem) -> MovingProblem:
        """The numbers of a problem; Unsteady if they don't follow in straight lines."""
        for _, reference in subproblem.references:
            if scene.moves(reference):
                _check_reading(scene, reference)
        return cls.at(scene, subproblem, scene.start(subproblem))

    @classmethod
    def at(cls, scene: Scene, subproblem: Subproblem, origin: float) -> MovingProblem:
        """The numbers at ``origin``, whatever the problem reads."""
        task = scene.task(subproblem, origin)
        rates = [
            (reference, rate_of(task, parameter, reference.label), scene.moves(reference))
            for parameter, reference in subproblem.references
            if (parameter.size == 1 and scene.moves(reference)) or reference.lock is not None
        ]
        return cls(scene, task, origin, rates)

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
        x, held = np.full(self.form.c.size, np.nan), self.scene.solved[self.scene.name]
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
                    self.scene.value(reference, t) - self.scene.value(reference, self.origin)
                )
        return np.asarray(b * self.scaling.rows)

    def direction(self, start: float, stop: float) -> Array:
        """What a unit of tolerance adds to the right-hand side from ``start`` to ``stop``."""
        end = stop if np.isfinite(stop) else start + max(1.0, abs(self.scene.optimum), abs(start))
        total = np.zeros_like(self.task.form.b)
        for reference, rate, moves in self.rates:
            if not moves:
                continue
            if reference.owner_name == self.scene.name and reference.lock is not None:
                total += rate * (-1.0 if reference.lock.maximise else 1.0)
                continue
            change = self.scene.value(reference, end) - self.scene.value(reference, start)
            total += rate * (change / (end - start))
        return np.asarray(total * self.scaling.rows)

    @property
    def tight(self) -> list[int]:
        """Inequalities that hold an earlier optimum without tolerance, but for the moving one."""
        zero, rows = self.form.cones.zero, []
        for reference, rate, _ in self.rates:
            lock = reference.lock
            if reference.owner_name == self.scene.name or (lock and any(lock.tolerances)):
                continue
            rows += [int(row) for row in np.flatnonzero(rate) if row >= zero]
        return list(dict.fromkeys(rows))


def _check_reading(scene: Scene, reference: Reference) -> None:
    """Refuse readings that are no numbers a curve tells."""
    if reference.kind not in VALUES:
        raise Unsteady(f"it reads {reference.label}, of which the curve knows nothing")
    track = scene.tracks.get(reference.owner_name)
    if track is not None and track.shape is not Shape.LINEAR:
        raise Unsteady(f"{reference.owner_name!r} is not known as straight lines")


# The program at one tolerance after another, each solved when it is first asked for.

Item = TypeVar("Item")


@dataclass
class Cases:
    """Certified results of one program at any tolerance on one level, each found once."""

    program: Program
    name: str
    head: Mapping[str, Solution]
    ladders: Mapping[str, Ladder | None]
    given: Given
    executor: RemoteCaller | None = None
    warm: WarmHighs = field(default_factory=WarmHighs)
    found: dict[float, Result] = field(default_factory=dict)

    def __call__(self, tolerance: float) -> Result:
        """The result at a tolerance."""
        if tolerance not in self.found:
            # Without slack a linear optimum is held by its face, which is found on the way.
            again = tolerance == 0.0 and all(self.program[n].kind == "LP" for n in self.head)
            head = {} if again else self.head
            self.found[tolerance] = self._execute(self.program.stages, tolerance, head)
        return self.found[tolerance]

    def alone(self, stage: str, subproblem: Subproblem, solved: Mapping[str, Solution]) -> Solution:
        """One later problem by itself, without slack."""
        before = next(k for k, s in enumerate(self.program.stages) if s.name == stage)
        known = {name for s in self.program.stages[:before] for name in _names(s)} & set(solved)
        stages = [Stage("before", *(self.program[name] for name in sorted(known)))] if known else []
        result = self._execute(
            (*stages, Stage(stage, subproblem)), 0.0, {name: solved[name] for name in known}
        )
        return result[subproblem.name]

    def _execute(
        self, stages: tuple[Stage, ...], tolerance: float, solved: Mapping[str, Solution]
    ) -> Result:
        # What was found with less slack is feasible here, and where integers start.
        begun = max((t for t in self.found if t <= tolerance), default=None)
        points = {} if begun is None else self.found[begun]
        solve_options = SolveOptions(starts=points, executor=self.executor)
        slack = slack_of(self.program, {self.name: tolerance})
        return execute(
            stages, self.ladders, workers=1, tick=lambda _: None, solved=solved,
            slack=slack, warm=self.warm, given=self.given, solve_options=solve_options,
        )  # fmt: skip


def slack_of(program: Program, tolerances: Mapping[str, float]) -> Slack:
    """These tolerances in place of the declared ones; none that is none and was declared as none.

    What is said to be loosened, by nothing even, is held by its value and no longer by its face.
    """
    locks = [lock for p in program.subproblems.values() for _, lock in p.locks]
    some = {lock.owner_name for lock in locks if lock.parameters or lock.atol or lock.rtol}
    return Slack({name: t for name, t in tolerances.items() if t > 0.0 or name in some})


def _names(stage: Stage) -> list[str]:
    return [p.name for p in stage.subproblems]


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
