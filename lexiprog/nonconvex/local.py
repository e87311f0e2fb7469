"""Levels without convexity: a local optimum, whose first-order conditions are checked here.

A search ends at a point. Its rows and bounds are compared with their own terms; then multipliers
are found, by least squares and with the right signs, for those that bind, and what they leave of
the gradient is compared with the terms that it is summed from. The solver's own word, multipliers
and tolerances play no part.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from scipy.optimize import lsq_linear

from lexiprog.certify.certificate import Certificate
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Solutions, Task
from lexiprog.cvxpy_adapter.nonconvex import LocalPoint, local_point
from lexiprog.errors import Attempt
from lexiprog.model.expressions import as_float, evaluate, holding
from lexiprog.model.subproblem import Subproblem
from lexiprog.nonconvex.records import locks_kept, solution_of
from lexiprog.results.solution import Solution
from lexiprog.status import Fault, Status
from lexiprog.tolerances import ACTIVE, FIRST_ORDER
from lexiprog.typing import Array, FreshOptions, Leaf, Mask, Value

# What solvers call the seconds that they may take.
_TIME = {"UNO": "time_limit", "IPOPT": "max_wall_time"}
# UNO's methods, tried in order: one of them may get where the other is stuck.
_PRESETS = ("filtersqp", "ipopt")
# Where nothing bounds a variable, random starts are drawn so far around its first one.
SPREAD = 3.0
# How far, over its size, a stationary point is pushed to see whether it comes back.
PUSH = 1e-2

Start = list[tuple[Leaf, Value]]


@dataclass(frozen=True)
class FirstOrderMeasures:
    """How far a point is from first-order conditions: its rows, and what is left of its slope."""

    rows: float
    slope: float

    @property
    def worst(self) -> float:
        """The larger one; infinite if one is no number."""
        worst = max(self.rows, self.slope)
        return worst if np.isfinite(worst) else np.inf


@dataclass(frozen=True)
class _Found:
    point: LocalPoint
    measured: FirstOrderMeasures
    value: float


class LocalSearch:
    """Runs a smooth level from one start or several, and keeps the best point that is stationary.

    It touches the user's variables, which have their values back at the end.
    """

    alone = True

    def __init__(self) -> None:
        self._solutions: Solutions = {}
        self._best: _Found | None = None

    def compile(self, _: Subproblem, __: object, solutions: Solutions) -> None:
        """Only the earlier optima are noted: the search starts there."""
        self._solutions = solutions

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""

    def run(self, task: Task) -> Answer:
        """Search from each start; the best point of all is the answer."""
        begun = time.perf_counter()
        options = task.fresh_options()
        count, seed = int(options.pop("starts", 1)), int(options.pop("seed", 0))
        self._reset()
        worst: _Found | None = None
        for start in _starts(task, self._solutions, count, seed):
            found = self._from(task, start, options)
            worst = found or worst
            # Stationary is also a saddle, which a small push to either side leaves.
            for sign in (1.0, -1.0):
                if found is not None and found is self._best:
                    self._from(task, _pushed(task, found, sign, seed), options)
        seconds = time.perf_counter() - begun
        last = self._best or worst
        if last is None:
            return Answer(Status.NO_POINT, seconds=seconds)
        if self._best is None and not last.point.status.has_point:
            return Answer(last.point.status, said=last.point.said, seconds=seconds)
        self._best = last
        primal = {v.id: np.array(last.point.primal[v.id]) for v in task.subproblem.variables}
        return Answer(
            Status.LOCAL, last.point.said, value=last.value, primal=primal, claimed=last.value,
            iterations=last.point.iterations, seconds=seconds,
        )  # fmt: skip

    def _reset(self) -> None:
        self._best = None

    def _from(self, task: Task, start: Start, options: FreshOptions) -> _Found | None:
        """Where a search from ``start`` ends; kept if it is stationary and the best so far."""
        found = None
        for found in [] if task.deadline.should_stop else _searches(task, start, dict(options)):
            if found.measured.worst <= FIRST_ORDER:
                if self._best is None or _is_better(task, found, self._best):
                    self._best = found
                return found
        return found

    def certified(
        self, task: Task, stage: str, answer: Answer, solved: Solutions
    ) -> Solution | Attempt:
        """The solution, status "local", if it meets the first-order conditions."""
        name, best = task.solver.name, self._best
        if not answer.primal or best is None:
            return Attempt(name, answer.status, f"it said {answer.said}" if answer.said else "")
        measured = best.measured
        # The first two measures are those of rows and of columns.
        certificate = Certificate(
            measured.rows, measured.slope, basis="local", gap=0.0, tolerance=task.solver.accept
        )
        if not measured.worst <= FIRST_ORDER:
            reason = (
                f"no first-order point: rows are missed by {measured.rows:.1e} of their terms, the "
                f"slope is {measured.slope:.1e} of its own; it said {answer.said}"
            )
            return Attempt(name, Status.NO_ANSWER, reason, Fault.UNPROVED)
        point = solution_of(
            task, stage, answer, certificate, solver=name, status=Status.LOCAL, bound=None,
            locks=(),
        )  # fmt: skip
        locks = locks_kept(task, point, solved)
        return locks if isinstance(locks, Attempt) else point.changed(locks=locks)


def _is_better(task: Task, one: _Found, other: _Found) -> bool:
    """Whether a value is better by more than what conditions to first order leave open."""
    gain = other.value - one.value
    return (-gain if task.subproblem.maximise else gain) > FIRST_ORDER * (1.0 + abs(other.value))


def _pushed(task: Task, found: _Found, sign: float, seed: int) -> Start:
    """A point beside the one that was found."""
    draw, out = np.random.default_rng(seed), []
    for variable in task.subproblem.variables:
        at = np.asarray(found.point.primal[variable.id], dtype=float)
        push = sign * PUSH * (1.0 + np.abs(at)) * draw.choice([-1.0, 1.0], variable.shape)
        out.append((variable, np.clip(at + push, *variable.get_bounds())))
    return out


def _searches(task: Task, start: Start, options: FreshOptions) -> Iterator[_Found]:
    """Where searches from a start end, by one method after the other."""
    subproblem, name = task.subproblem, task.solver.name
    left = task.deadline.left()
    if name in _TIME and np.isfinite(left):
        options.setdefault(_TIME[name], max(left, 1.0))
    if name == "UNO" and not task.deadline.verbose:
        options.setdefault("logger", "SILENT")
    methods = _PRESETS if name == "UNO" and "preset" not in options else ("",)
    constants: Start = [(p, task.constants[p.id]) for p in subproblem.inputs]
    for method in methods:
        chosen = options | ({"preset": method} if method else {})
        with holding([*constants, *start]):
            problem = cp.Problem(subproblem.objective, list(subproblem.constraints))
            point = local_point(problem, name, chosen, verbose=task.deadline.verbose)
        if not point.primal or not np.isfinite(point.x).all():
            yield _Found(point, FirstOrderMeasures(np.inf, np.inf), np.nan)
            continue
        at = [(v, np.asarray(point.primal[v.id])) for v in subproblem.variables]
        value = as_float(evaluate(subproblem.objective.expr, [*at, *constants]))
        yield _Found(point, measure(point), value)


def _starts(task: Task, solved: Solutions, count: int, seed: int) -> Iterator[Start]:
    """The user's values or those of the last level, then random ones between bounds."""
    subproblem = task.subproblem
    given: dict[int, Value] = subproblem.memory.once("start", dict)
    known = dict(given)
    owners = [lock.owner_name for _, lock in subproblem.locks]
    for name in owners:  # the last one that is held knows best
        known |= {v.id: solved[name][v] for v in subproblem.variables if _has(solved[name], v)}
    draw = np.random.default_rng(seed)
    for number in range(count):
        start: Start = []
        for variable in subproblem.variables:
            low, up = (np.broadcast_to(side, variable.shape) for side in variable.get_bounds())
            first = known.get(variable.id)
            if first is None:
                first = _between(low, up)
            if number:
                around = SPREAD * (1.0 + np.abs(first))
                low = np.where(np.isfinite(low), low, first - around)
                up = np.where(np.isfinite(up), up, first + around)
                first = low + draw.random(variable.shape) * (up - low)
            start.append((variable, np.array(first, dtype=float)))
        yield start


def _between(low: Array, up: Array) -> Array:
    """The middle between bounds, one beside a single one, zero without."""
    bottom, top = np.isfinite(low), np.isfinite(up)
    least = np.where(bottom, low, np.where(top, up - 2.0, -1.0))
    return (least + np.where(top, up, least + 2.0)) / 2.0


def _has(solution: Solution, variable: cp.Variable) -> bool:
    try:
        solution[variable]
    except KeyError:
        return False
    return True


# First-order conditions, term by term.


def measure(point: LocalPoint) -> FirstOrderMeasures:
    """What the point misses of its rows, and of a slope of zero along what does not bind."""
    x, J = point.x, abs(point.jacobian)
    moved = J @ np.abs(x)
    sizes = np.maximum(moved, np.abs(point.rows - point.jacobian @ x))
    missed = np.maximum(point.low - point.rows, point.rows - point.up)
    rows = _share(np.maximum(missed, 0.0), np.maximum(sizes, 1.0 * (sizes == 0.0)))
    outside = np.maximum(np.maximum(point.lower - x, x - point.upper), 0.0)
    rows = max(rows, _share(outside, np.maximum(np.abs(x), 1.0)))
    return FirstOrderMeasures(rows, _slope(point, sizes))


def _share(misses: Array, sizes: Array) -> float:
    return float(np.max(misses / sizes, initial=0.0))


def _slope(point: LocalPoint, sizes: Array) -> float:
    """What the best multipliers leave of the gradient, over its terms."""
    x, g = point.x, point.gradient
    near = ACTIVE * np.maximum(sizes, 1.0)
    at_low, at_up = point.rows - point.low <= near, point.up - point.rows <= near
    columns = ACTIVE * np.maximum(np.abs(x), 1.0)
    on_low, on_up = x - point.lower <= columns, point.upper - x <= columns
    bound = sp.eye_array(x.size, format="csr")
    # g = J'y with y >= 0 where only the lower side binds, y <= 0 where only the upper one does.
    terms, signs = [], []
    for matrix, low, up in ((point.jacobian, at_low, at_up), (bound, on_low, on_up)):
        chosen = np.flatnonzero(low | up)
        terms.append(matrix[chosen])
        signs.append((_lowest(up[chosen]), _highest(low[chosen])))
    B = sp.csr_array(sp.vstack(terms)).T
    least, most = (np.concatenate([s[k] for s in signs]) for k in (0, 1))
    y = np.zeros(B.shape[1])
    if y.size:
        scale = np.sqrt(np.asarray(B.power(2).sum(axis=0))).ravel()
        scale = np.where(scale > 0.0, scale, 1.0)
        matrix = (
            (B / scale).toarray() if B.shape[0] * B.shape[1] <= 10**6 else sp.csr_array(B / scale)
        )
        found = lsq_linear(matrix, g, (least, most), tol=FIRST_ORDER**2)
        y = found.x / scale
    left = np.abs(g - B @ y)
    around = np.abs(g) + abs(B) @ np.abs(y)
    effect = left * np.maximum(np.abs(x), 1.0) / (1.0 + abs(point.objective))
    ratio = np.divide(left, around, out=np.zeros(left.shape), where=around > 0.0)
    return float(np.max(np.minimum(ratio, effect), initial=0.0))


def _lowest(up: Mask) -> Array:
    return np.where(up, -np.inf, 0.0)


def _highest(low: Mask) -> Array:
    return np.where(low, np.inf, 0.0)
