"""Quasiconvex levels: both ends of the interval that holds the optimum are proved.

The best level t of a quasiconvex f over a convex set C is searched by convex problems,

    minimise   s
    subject to x in C
               x in {f <= t}, each of whose constraints may be missed by s

A point of C proves that the optimum is at most its f; a certified s > 0 proves that no point of C
has f <= t. Steps at the best level so far (Dinkelbach's, for ratios) lower the upper end fast; then
the lower end is proved just below it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import enclosing
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Solutions, Task
from lexiprog.cvxpy_adapter.nonconvex import convex_form
from lexiprog.errors import Attempt, LexiprogWarning, StageError
from lexiprog.fairness.any_solver import Execute, Inner, OneByOne
from lexiprog.infeasibility.demands import Demand, elastic
from lexiprog.model.expressions import as_float, evaluate, holding
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.nonconvex.records import locks_kept, solution_of
from lexiprog.results.solution import Solution
from lexiprog.status import Fault, Status
from lexiprog.tolerances import BISECTION_TARGET, BISECTION_UNBOUNDED
from lexiprog.typing import Constraint, Leaf, Value

# Problems that one level may take; a linear ratio takes about six.
MOST = 150
# How much farther the next try for the lower end goes.
WIDER = 10.0


@dataclass
class _Search:
    """The interval so far, and the point of its upper end."""

    upper: float = np.inf
    lower: float = -np.inf
    best: Solution | None = None
    solves: int = 0
    said: str = ""
    status: Status = Status.OPTIMAL
    basis: str = "bisection"

    @property
    def target(self) -> float:
        """How narrow the interval is meant to be."""
        return BISECTION_TARGET * (1.0 + abs(self.upper))

    @property
    def found(self) -> bool:
        """Whether the interval is narrow enough."""
        return self.upper - self.lower <= 2.0 * self.target


class Bisection(OneByOne):
    """Solves a quasiconvex level by convex ones, each of them certified."""

    def __init__(self, execute: Execute) -> None:
        super().__init__(execute)
        self._search = _Search()

    def run(self, task: Task) -> Answer:
        """Bring both ends together; what is known then is kept for :meth:`certified`."""
        begun = time.perf_counter()
        self._search = search = _Search()
        chosen = task.solver is not enclosing()
        level = _Level(replace(self.inner(task), as_asked=chosen), task)
        try:
            if level.hard is not None and not level.solve_convex(search):
                _descend(level, search)
        except StageError as error:
            if search.best is None:
                tries = "; ".join(map(str, error.attempts))
                return Answer(error.status, said=tries, seconds=time.perf_counter() - begun)
            search.said = str(error)
        if search.best is None or search.status is not Status.OPTIMAL:
            status = Status.INFEASIBLE if level.hard is None else search.status
            return Answer(status, said=search.said, seconds=time.perf_counter() - begun)
        value = -search.upper if task.subproblem.maximise else search.upper
        primal = {v.id: np.array(search.best[v]) for v in task.subproblem.variables}
        return Answer(
            Status.OPTIMAL, search.said, value=value, primal=primal, claimed=search.upper,
            iterations=search.solves, seconds=time.perf_counter() - begun,
        )  # fmt: skip

    def certified(
        self, task: Task, stage: str, answer: Answer, solved: Solutions
    ) -> Solution | Attempt:
        """The solution with the interval that was proved, if that is narrow enough."""
        search, name = self._search, task.solver.name
        if not answer.primal or search.best is None:
            return Attempt(name, answer.status, answer.said)
        bound, size = search.lower, 1.0 + abs(search.upper)
        own = search.best.certificate
        gap = (search.upper - search.lower) / size
        accept = task.solver.accept
        # The point has to be feasible; that it is optimal is proved by the interval alone.
        certificate = replace(
            own, columns=0.0, slackness=0.0, gap=gap, tolerance=accept, basis=search.basis,
            interval=(search.lower, search.upper),
        )  # fmt: skip
        if not certificate.passed:
            reason = f"{certificate}; proved between {search.lower:.10g} and {search.upper:.10g}"
            return Attempt(name, answer.status, f"{reason} {search.said}".strip(), Fault.GAP)
        locks = locks_kept(task, search.best, solved)
        if isinstance(locks, Attempt):
            return locks
        return solution_of(
            task, stage, answer, certificate, solver=search.best.solver, status=Status.OPTIMAL,
            bound=-bound if task.subproblem.maximise else bound, locks=locks,
        )  # fmt: skip


class _Level:
    """The convex problems of one level."""

    def __init__(self, inner: Inner, task: Task) -> None:
        self.inner, self.task, self.subproblem = inner, task, task.subproblem
        own = self.subproblem
        self.cost = -own.objective.expr if own.maximise else own.objective.expr
        # Between whole numbers lies no level of its own.
        self.whole = _is_whole_valued(own.objective.expr)
        self.values: list[tuple[Leaf, Value]] = [(p, task.constants[p.id]) for p in own.inputs]
        self.name = inner.unused(f"{own.name}: level")
        self.endless = False  # whether some level can be met by any amount
        self.hard: list[Constraint] | None = []
        with holding(self.values):
            for constraint in own.constraints:
                if constraint.is_dcp():
                    self.hard.append(constraint)
                    continue
                found = convex_form(constraint)
                if found is None:
                    self.hard = None
                    return
                self.hard += found

    def _solve(self, objective: cp.Minimize, extra: Iterable[Constraint]) -> Solution:
        constraints = [*(self.hard or ()), *extra]
        named = {v.id for c in (objective, *constraints) for v in c.variables()}
        # Every variable has a value then, also one that nothing bounds at this level.
        zero = sum(cp.sum(v) * 0.0 for v in self.subproblem.variables if v.id not in named)
        problem = cp.Problem(type(objective)(objective.expr + zero), constraints)
        subproblem = Subproblem(self.name, problem)
        with warnings.catch_warnings():  # what is not known well enough is told by the interval
            warnings.simplefilter("ignore", LexiprogWarning)
            return self.inner.solve([Stage(self.name, subproblem)])[self.name]

    def solve_convex(self, search: _Search) -> bool:
        """Whether the objective is convex, so that one problem does it."""
        if not self.cost.is_convex():
            return False
        search.best = self._solve(cp.Minimize(self.cost), ())
        search.solves, search.basis = 1, search.best.certificate.basis
        search.upper = self.value_at(search.best)
        bound = search.best.bound
        search.lower = -np.inf if bound is None else min(float(bound), search.upper)
        return True

    def feasible(self) -> Solution:
        """Any point of the convex set."""
        return self._solve(cp.Minimize(cp.Constant(0.0)), ())

    def miss(self, level: float) -> Solution | None:
        """The point that misses a level by least, with the proved least miss; None for nowhere."""
        slack = cp.Variable(name="miss by")
        with holding(self.values):
            parts = convex_form(self.cost <= level)
        if parts is None:
            return None
        rows: list[Constraint] = []
        for part in parts:
            rows += elastic(Demand(part, ""), slack) or [part]
        try:
            return self._solve(cp.Minimize(slack), rows)
        except StageError as error:
            if not error.status.is_unbounded:
                raise
        self.endless = True
        return self._solve(cp.Minimize(slack), [*rows, slack >= -1.0])

    def value_at(self, solution: Solution) -> float:
        """The objective in the minimising sense at a point; infinite where it has no value."""
        point = [(v, solution[v]) for v in self.subproblem.variables]
        with np.errstate(all="ignore"):
            value = as_float(evaluate(self.cost, [*point, *self.values]))
        return value if np.isfinite(value) else np.inf


_WHOLE_VALUED = (cp.ceil, cp.floor, cp.length, cp.sign)
_SAME_VALUES = (type(-cp.Variable()), cp.maximum, cp.minimum, cp.max, cp.min)


def _is_whole_valued(expression: cp.Expression) -> bool:
    """Whether its values are whole numbers: CVXPY rounds its argument to four digits there."""
    if isinstance(expression, _SAME_VALUES):
        return all(map(_is_whole_valued, expression.args))
    return isinstance(expression, _WHOLE_VALUED)


def _descend(level: _Level, search: _Search) -> None:
    """Lower the upper end as far as it goes, then prove the lower end below it."""
    _take(level, search, level.feasible())
    if level.cost.is_nonneg():
        search.lower = 0.0
    if not np.isfinite(search.upper):  # at a pole: any level that has points does
        search.upper = 1.0
        while search.best is None and search.upper < BISECTION_UNBOUNDED:
            search.upper *= WIDER
            _try(level, search, search.upper)
    if level.whole:
        while _goes_on(level, search):
            if _try(level, search, search.upper - 0.5):
                search.lower = search.upper
        return
    width = 0.0
    while _goes_on(level, search) and width == 0.0:
        before = search.upper
        _try(level, search, search.upper)
        if level.endless:
            width = 1.0 + abs(search.upper)
        elif before - search.upper <= WIDER * search.target:
            width = search.target
    _enclose(level, search, width)


def _goes_on(level: _Level, search: _Search) -> bool:
    stopped = search.solves >= MOST or level.task.deadline.should_stop
    return search.best is not None and not search.found and not stopped


def _enclose(level: _Level, search: _Search, width: float) -> None:
    """Try levels below the upper end, farther and farther, until one is proved to be empty."""
    while _goes_on(level, search):
        before, room = search.upper, (search.upper - search.lower) / 2.0
        if _try(level, search, search.upper - min(width, room)):
            width = max(search.target, (search.upper - search.lower) / 2.0)
            continue
        if search.upper == before and width >= room:
            return  # what lies between the ends cannot be told apart in floats
        width *= WIDER
        if search.upper < -BISECTION_UNBOUNDED:
            search.status, search.said = Status.UNBOUNDED, "levels of any depth have points"
            return


def _try(level: _Level, search: _Search, target: float) -> bool:
    """Look at one level; whether the lower end has risen."""
    search.solves += 1
    at = search.upper
    try:
        found = level.miss(target)
    except StageError as error:  # nothing is known of this level: another one may tell more
        if error.status.is_infeasible:
            raise
        search.said = str(error)
        return False
    if found is None:
        search.lower = max(search.lower, target)
        return True
    _take(level, search, found)
    if target < at and found.bound is not None and found.bound > 0.0:
        search.lower = max(search.lower, target)
        return True
    return False


def _take(level: _Level, search: _Search, found: Solution) -> None:
    """Keep a point if it is the best so far: it satisfies all that is asked for but the level."""
    value = level.value_at(found)
    if value < search.upper or (search.best is None and np.isfinite(value)):
        search.upper, search.best = value, found
