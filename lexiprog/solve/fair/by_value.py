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
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Constraint, Leaf, Mask, Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.declare.leaves import evaluate
from lexiprog.declare.objectives.curved import arguments
from lexiprog.declare.objectives.fairness import Fairness
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.outline.text import names_text
from lexiprog.result.solution import Solution
from lexiprog.runners.fair.linear import Note, telling
from lexiprog.solve.fair.inner import (
    Execute,
    Inner,
    OneByOne,
    fairness_of,
    no_answer,
    primal_of,
    shares_of,
)

__all__ = ["LevelsByValue"]

# Multipliers below this share of the largest may be what an interior point leaves over.
CLEAR = 1e-4
# Values closer than this share of their size are one level, however small their errors.
SAME = 1e-9
# Floors that no point satisfies are loosened by this share of their size, once.
LOOSE = 1e-7


@dataclass(frozen=True)
class _Statement:
    """The problem of any level: parameters say who is settled where."""

    subproblem: Subproblem
    active: cp.Parameter
    floors: cp.Parameter
    rows: Constraint
    kept: dict[int, list[tuple[cp.Expression, cp.Parameter, cp.Parameter]]]


@dataclass
class _Climb:
    """What is settled so far."""

    settled: Mask
    levels: Array  # in the user's sense
    errors: Array
    found: list[Solution] = field(default_factory=list)
    arguments: dict[int, list[Value]] = field(default_factory=dict)


class LevelsByValue(OneByOne):
    """A runner that solves one problem a level, each certified by the engine."""

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
        count, told = len(fair.names), telling(self._note, task, 1.0)
        climb = _Climb(np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count))
        while not climb.settled.all():
            try:
                solution = _solved(inner, statement, climb)
            except StageError as error:
                waiting = [name for name, s in zip(fair.names, climb.settled, strict=True) if not s]
                return no_answer(error, f"raising {names_text(waiting)}")
            _settle(task, fair, statement, climb, solution)
            told(int(climb.settled.sum()), solution.value)
        seconds = time.perf_counter() - start
        return _answer(task, fair, climb, seconds)


def _stated(subproblem: Subproblem, fair: Fairness) -> _Statement:
    name = subproblem.name
    level = cp.Variable(name=f"{name}: level")
    count = len(fair.names)
    active = cp.Parameter(count, nonneg=True, name=f"{name}: active")
    floors = cp.Parameter(count, name=f"{name}: floors")
    least = cp.multiply(active, level) + floors
    rows = fair.stack >= least if fair.maximise else fair.stack <= least
    kept: dict[int, list[tuple[cp.Expression, cp.Parameter, cp.Parameter]]] = {}
    equations: list[Constraint] = []
    for i, utility in enumerate(fair.parts):
        for k, part in enumerate(arguments(utility) or []):
            on = cp.Parameter(nonneg=True, name=f"{name}: keep {i}.{k}")
            at = cp.Parameter(part.shape, name=f"{name}: kept {i}.{k}")
            kept.setdefault(i, []).append((part, on, at))
            equations.append(on * part == at)
    goal = cp.Maximize(level) if fair.maximise else cp.Minimize(level)
    stated = Subproblem(name, goal, [*subproblem.constraints, rows, *equations])
    return _Statement(stated, active, floors, rows, kept)


def _solved(inner: Inner, statement: _Statement, climb: _Climb) -> Solution:
    """The optimum of the next level."""
    stage = Stage(statement.subproblem.name, statement.subproblem)
    sign = 1.0 if statement.subproblem.maximise else -1.0
    curved = np.isin(np.arange(climb.settled.size), list(climb.arguments))
    loosened = LOOSE * (1.0 + np.abs(climb.levels))
    # What is known to an error is met within it: the errors of two levels may contradict.
    for slack in (np.minimum(climb.errors, loosened), loosened):
        # Whose arguments are kept needs no floor, and one that rounding cannot meet does harm.
        given = np.where(curved, 10.0 * loosened, slack)
        floors = np.where(climb.settled, climb.levels - sign * given, 0.0)
        values: list[tuple[Leaf, Value]] = [
            (statement.active, (~climb.settled).astype(float)), (statement.floors, floors)
        ]  # fmt: skip
        for i, parts in statement.kept.items():
            held = climb.arguments.get(i)
            for k, (_, on, at) in enumerate(parts):
                values.append((on, np.array(float(held is not None))))
                values.append((at, np.zeros(at.shape) if held is None else held[k]))
        try:
            return inner.solve([stage], values)[statement.subproblem.name]
        except StageError:
            if not climb.settled.any() or slack is loosened:
                raise
    raise AssertionError("a loop over two has a second turn")


def _settle(
    task: Task, fair: Fairness, statement: _Statement, climb: _Climb, solution: Solution
) -> None:
    """Settle whoever has a multiplier that is no rounding."""
    weights = np.abs(np.asarray(solution.dual(statement.rows))).ravel()
    # Where a floor truly is, and how far below it was set.
    error = solution.uncertainty + 2.0 * float(weights[climb.settled] @ climb.errors[climb.settled])
    value = solution.value
    if climb.found:
        last = float(np.max(fair.sign * climb.levels[climb.settled]))
        near = error + float(np.max(climb.errors[climb.settled])) + SAME * solution.size
        if fair.sign * value - last <= near:
            value = fair.sign * last
    waiting = np.where(climb.settled, 0.0, weights)
    who = np.flatnonzero(waiting > CLEAR * np.max(waiting))
    if not who.size:  # no multiplier at all: whoever is lowest is as good as any
        gets = fair.sign * np.asarray(solution.at(fair.stack)).ravel()
        who = np.array([np.argmin(np.where(climb.settled, np.inf, gets))])
    climb.settled[who], climb.levels[who], climb.errors[who] = True, value, error
    leaves = [(v, solution[v]) for v in task.subproblem.variables]
    leaves += [(p, task.constants[p.id]) for p in task.subproblem.inputs]
    for i in map(int, who):
        if i in statement.kept:
            climb.arguments[i] = [evaluate(part, leaves) for part, _, _ in statement.kept[i]]
    climb.found.append(solution)


def _answer(task: Task, fair: Fairness, climb: _Climb, seconds: float) -> Answer:
    first, last = climb.found[0], climb.found[-1]
    order = sorted(set(climb.levels), reverse=not fair.maximise)
    levels = tuple((float(v), tuple(map(int, np.flatnonzero(climb.levels == v)))) for v in order)
    unsure = climb.errors / (first.unit + np.abs(climb.levels))
    doubt = ""
    if not np.max(unsure) <= task.solver.accept:
        worst = int(np.argmax(unsure))
        doubt = (
            f"the level of {fair.names[worst]!r} is known to {climb.errors[worst]:.1e} only, since "
            "it depends strongly on lower ones"
        )
    counts = [s.iterations for s in climb.found]
    return Answer(
        last.status,
        value=levels[0][0],
        primal=primal_of(task, last),
        iterations=None if None in counts else sum(c for c in counts if c is not None),
        seconds=seconds,
        shares=shares_of(task, climb.found, levels, doubt),
    )
