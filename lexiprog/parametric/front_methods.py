"""How each kind of front is found: linear, integer, convex, and on a grid of limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from math import ceil
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.solver import SolverChoice
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.task import Task
from lexiprog.errors import DeclarationError, StageError
from lexiprog.parametric.context import LimitedObjective, rate_of
from lexiprog.parametric.front import Frontier
from lexiprog.parametric.front_problem import FrontProblem
from lexiprog.parametric.front_proof import FrontProof
from lexiprog.parametric.fronts import linear_front
from lexiprog.parametric.integer_search import FrontSearch, search_points
from lexiprog.parametric.value_function import Gap, Sample, ValueFunction, sandwich
from lexiprog.results.solution import Solution
from lexiprog.summary import counted
from lexiprog.tolerances import FRONT_RESOLUTION, LIMIT_SLACK, ROW_ROUNDING, SAME_POINT
from lexiprog.typing import Array

PIECES = 1000
# Which share of the time the front is followed for; the rest is for its certificates.
FOLLOWING = 0.5
# The same for integer fronts, whose certificates take less.
SEARCHING = 0.85


def _limited(problem: FrontProblem, *, scaled: bool) -> tuple[Task, LimitedObjective]:
    """The numbers of a problem without the limit on its first objective, and that objective.

    In equilibrated units or in the user's own.
    """
    task, limit = problem.task([0.0]), problem.limits[0]
    rate = rate_of(task, limit, str(limit.name()))
    row = int(np.flatnonzero(rate)[0])
    if not scaled:
        return task, LimitedObjective.of(task.form, row, float(rate[row]))
    unit = float(rate[row]) * float(task.native.scaling.rows[row])
    return task, LimitedObjective.of(task.native.scaled, row, unit)


def _frontier(
    problem: FrontProblem, solutions: list[Solution], *, kind: str, note: str, **others: Any
) -> Frontier:
    """The front of two objectives that certified solutions make."""
    points = np.array([problem.values(solution) for solution in solutions])
    return Frontier(
        names=problem.names,
        maximised=problem.maximised,
        points=points.reshape(-1, 2),
        solutions=tuple(solutions),
        kind=kind,
        note=note,
        **{"complete": not note, "open": np.nan if note else 0.0} | others,
    )


def only_point(problem: FrontProblem) -> Frontier:
    """The front of one objective: its optimum."""
    solutions: list[Solution] = []
    with problem.deadline.kept():
        solutions.append(problem.solve([]))
    points = np.array([problem.values(solution) for solution in solutions]).reshape(-1, 1)
    return Frontier(
        problem.names, problem.maximised, points, tuple(solutions),
        kind="the only point", complete=bool(solutions), note=problem.deadline.note,
        open=0.0 if solutions else 1.0,
    )  # fmt: skip


# Two linear objectives: every extreme point, with the weights for which it is best.


@dataclass(frozen=True)
class _LinearState:
    """A front as far as it was followed, and the optima certified so far by their first cost."""

    front: ValueFunction | None
    solutions: dict[float, Solution]


def extreme_points(
    problem: FrontProblem,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two linear objectives; CurveError if there is none.

    Following it takes half of the time at most, so that some is left to certify its points.
    """
    (task, limited), deadline = _limited(problem, scaled=True), problem.deadline
    state = _LinearState(None, {}) if resume is None else resume.state
    front = state.front
    solutions = {t: problem.connected(solution) for t, solution in state.solutions.items()}
    following = deadline.child(FOLLOWING * deadline.left())
    with deadline.kept():
        front = following.follow(
            linear_front, limited.form, limited.cost, limited.form.c,
            limit=(limit or PIECES) + 1, resume=front,
        )  # fmt: skip
    state = _LinearState(front, solutions)
    if front is None or not front.breakpoints.size:
        return _frontier(problem, [], kind="extreme points", note=deadline.note, state=state)
    places, done = front.breakpoints.tolist(), list[int]()
    with deadline.kept():
        for k in range(len(places))[:: -1 if _is_backwards(front) else 1][:limit]:
            if places[k] not in solutions:
                deadline.check()
                solutions[places[k]] = _certified(problem, task, limited, front, k)
            done.append(k)
            _tell(tick, problem, solutions[places[k]])
    done.sort()
    scales = np.array([abs(limited.unit), task.native.scaling.cost])
    common = {"weights": _in_users_units(front.weights[done], scales), "state": state}
    shown = [solutions[places[k]] for k in done]
    if front.complete and len(done) == len(places):
        ray = _ray(front, scales, problem.signs)
        return _frontier(problem, shown, kind="every extreme point", note="", ray=ray, **common)
    asked = f"{limit} points were asked for." if len(done) == limit else ""
    note, gap = (
        deadline.note or asked or front.note,
        _linear_gap(problem, task, limited, front, done),
    )
    return _frontier(problem, shown, kind="extreme points", note=note, missing=(gap,), **common)


def _is_backwards(front: ValueFunction) -> bool:
    """Whether the walk began at the last point: what is missing lies before the first."""
    return front.inverted or front.paths[0].segments[0].slope == 0.0


def _ray(front: ValueFunction, scales: Array, signs: Array) -> Array | None:
    """The direction in which a complete front has no end, in the user's units and senses."""
    if front.inverted:
        ray = np.array([1.0 / front.slope_before, 1.0])
    else:
        ray = np.array([1.0, front.slopes[-1]])
    if not ray.all():
        return None
    ray = ray / scales * signs
    return np.asarray(ray / np.max(np.abs(ray)))


def _linear_gap(
    problem: FrontProblem,
    task: Task,
    limited: LimitedObjective,
    front: ValueFunction,
    done: list[int],
) -> Gap:
    """Between which ends points are missing: the last one known and the end of the front."""
    second = problem.signs[1] * task.native.scaling.value(1.0)

    def values(k: int) -> tuple[float, float]:
        value = float(second * (front.values[k] + limited.form.offset))
        return limited.limit(float(front.breakpoints[k])), value

    backwards = _is_backwards(front)
    far = 0 if backwards else len(front.breakpoints) - 1
    signs = np.inf * problem.signs * ([-1.0, 1.0] if backwards else [1.0, -1.0])
    end = values(far) if front.complete else (float(signs[0]), float(signs[1]))
    near = len(front.breakpoints) - 1 - far
    last = values((done[0] if backwards else done[-1]) if done else near)
    return (end, last) if backwards else (last, end)


def _certified(
    problem: FrontProblem, task: Task, limited: LimitedObjective, front: ValueFunction, k: int
) -> Solution:
    """The certified optimum behind one point, from the front's own multipliers if there are any."""
    limits, scaling = [limited.limit(float(front.breakpoints[k]))], task.native.scaling
    if not front.multipliers.size:
        return problem.solve(limits)
    y = limited.multipliers(front.multipliers[k])
    return problem.certified(limits, scaling.point(front.points[k]), scaling.multipliers(y))


def _in_users_units(weights: Array, scales: Array) -> Array:
    """Shares of the costs in the form's units as shares of the objectives themselves."""
    first, second = weights * scales[0], (1.0 - weights) * scales[1]
    return np.asarray(first / (first + second))


# Objectives over whole numbers: every non-dominated point.


@dataclass(frozen=True)
class ObjectiveRows:
    """The numbers of a problem without limits, with all objectives as costs to minimise.

    Attributes
    ----------
    form : StandardForm
        In the user's units.
    costs : ndarray of shape (p, n)
    sides, units : ndarray of shape (p,)
        An objective's own value is ``(cost - side) / unit``.
    limits, rest : ndarray of int
        Which rows of the whole form are limits, and which are those of ``form``.
    """

    form: StandardForm
    costs: Array
    sides: Array
    units: Array
    limits: NDArray[np.intp]
    rest: NDArray[np.intp]

    @classmethod
    def of(cls, problem: FrontProblem) -> ObjectiveRows:
        """Take the limits out of a linear problem."""
        task = problem.task([0.0] * len(problem.limits))
        form, A = task.form, sp.csr_array(task.form.A)
        rows, units = [], []
        for limit in problem.limits:
            rate = rate_of(task, limit, str(limit.name()))
            rows.append(int(np.flatnonzero(rate)[0]))
            units.append(float(rate[rows[-1]]))
        keep = np.setdiff1d(np.arange(form.b.size), rows)
        cones = Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - len(rows))
        return cls(
            replace(form, A=sp.csc_array(A[keep]), b=form.b[keep], cones=cones),
            np.vstack([A[rows].toarray(), form.c]),
            np.append(form.b[rows], -form.offset),
            np.append(units, problem.signs[-1]),
            np.array(rows, dtype=np.intp),
            keep,
        )

    def multipliers(self, weights: Array, rows: Array) -> Array:
        """Multipliers of the whole form from weights of the objectives and those of the rows."""
        z = np.zeros(self.limits.size + self.rest.size, dtype=weights.dtype)
        z[self.limits], z[self.rest] = weights[:-1], rows
        return np.asarray(z / weights[-1])

    def own(self, values: Array) -> Array:
        """Costs as values of the objectives."""
        return np.asarray((values - self.sides) / self.units) + 0.0

    def limits_at(self, values: Array, x: Array, room: Array | float = 0.0) -> list[float]:
        """Limits of the objectives that a point with these costs keeps, however they are rounded.

        ``room`` is how far they may be from the costs anyway.
        """
        sizes = np.abs(self.costs) @ np.abs(x) + np.abs(self.sides)
        found: list[float] = self.own(values + np.maximum(room, ROW_ROUNDING * sizes))[:-1].tolist()
        return found


def non_dominated_points(
    problem: FrontProblem,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
    width: int = 1,
) -> Frontier:
    """The front of any number of objectives of an integer program; CurveError if there is none."""
    objectives = ObjectiveRows.of(problem)
    deadline = problem.deadline.child(SEARCHING * problem.deadline.left())  # ended with the search
    options = {} if problem.ladder is None else dict(problem.ladder[0].options)
    try:
        search = search_points(
            objectives.form, objectives.costs, limit=limit, deadline=deadline, options=options,
            resume=None if resume is None else resume.state, tick=tick, width=width,
        )  # fmt: skip
    except ValueError as reason:
        raise DeclarationError(f"frontier: {reason}") from reason
    values = objectives.own(search.values)
    count = len(values) if limit is None else min(limit, len(values))
    solutions = _certified_points(problem, objectives, search, count, resume)
    count = len(solutions)
    shown = search.shown(count)
    stopped = problem.deadline.note or deadline.note or f"{limit} points were asked for."
    note = "" if shown.complete else stopped
    kind = "every non-dominated point" if shown.complete else "non-dominated points"
    error, sampled = search.error, np.flatnonzero(search.error)
    if sampled.size:
        kind = "non-dominated points, a sample"
        better = [f"{problem.names[k]} by up to {error[k] / abs(objectives.units[k]):.3g}"
                  for k in sampled]  # fmt: skip
        note = note or (
            f"objectives without whole steps may be better between neighbours: {', '.join(better)}."
        )
    gaps: tuple[Gap, ...] = ()
    if values.shape[1] == 2:
        gaps = tuple(
            (_pair(objectives, left), _pair(objectives, right))
            for left, right in search.gaps(shown)
        )
    return Frontier(
        names=problem.names,
        maximised=problem.maximised,
        points=values[:count],
        solutions=solutions,
        kind=kind,
        complete=shown.complete and not sampled.size,
        discrete=True,
        error=float(np.max(error / np.abs(objectives.units))),
        missing=gaps,
        open=shown.open,
        proof=FrontProof.of_integers(
            search.state, search.solver.whole, (error / search.units).tolist()
        ),
        note=note,
        state=search.state,
    )


def _pair(objectives: ObjectiveRows, values: tuple[float, float]) -> tuple[float, float]:
    first, second = objectives.own(np.array(values)).tolist()
    return first, second


def _certified_points(
    problem: FrontProblem,
    objectives: ObjectiveRows,
    search: FrontSearch,
    count: int,
    resume: Frontier | None,
) -> tuple[Solution, ...]:
    """The certified solutions, as many as there is time for; those there are already are kept."""
    solutions: list[Solution] = []
    known = {}
    if resume is not None:
        places = [resume.names.index(name) for name in problem.names]
        known = dict(zip(map(tuple, resume.points[:, places]), resume.solutions, strict=True))
    # No other value lies within half a step, in which limits that are rounded may differ.
    half = np.array([0.5 * m.unit if m.steps is not None else 0.0 for m in search.solver.measures])
    with problem.deadline.kept():
        for x, values in zip(search.state.points[:count], search.values, strict=False):
            if (again := known.get(tuple(objectives.own(values)))) is not None:
                solutions.append(problem.connected(again))
                continue
            bound = float(objectives.costs[-1] @ x) + objectives.form.offset
            limits = objectives.limits_at(values, x, half)
            solutions.append(problem.certified(limits, x, None, bound))
    return tuple(solutions)


# The front of two convex objectives: points between which it is known to a stated error.

POINTS = 1000


@dataclass
class _Samples:
    """Samples by their place, with their solutions; the points best in each objective first."""

    ends: list[Solution] = field(default_factory=list)
    samples: dict[float, tuple[Sample, Solution]] = field(default_factory=dict)

    def connected(self, problem: FrontProblem) -> _Samples:
        """The same in lists of its own, for the problem's own variables."""
        samples = {
            t: (sample, problem.connected(solution))
            for t, (sample, solution) in self.samples.items()
        }
        return _Samples(list(map(problem.connected, self.ends)), samples)


def sampled_points(
    problem: FrontProblem,
    *,
    error: float,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The least second objective for each limit on the first: convex, so it can be enclosed."""
    sign, other = problem.signs
    state = _Samples() if resume is None else resume.state.connected(problem)

    def ask(t: float) -> Sample:
        solution = problem.solve([sign * t])
        state.samples[t] = _sample(t, solution, float(other)), solution
        _tell(tick, problem, solution)
        return state.samples[t][0]

    def enclosed() -> ValueFunction:
        return sandwich(
            ask, min(state.samples), max(state.samples), error=error, limit=limit or POINTS,
            known=tuple(sample for sample, _ in state.samples.values()), deadline=problem.deadline,
        )  # fmt: skip

    with problem.deadline.kept():
        for turn in (problem.names, problem.names[::-1])[len(state.ends) :]:
            state.ends.append(problem.alone(*turn))
            _tell(tick, problem, state.ends[-1])
    if len(state.ends) < 2:
        kind = "points of a front whose ends are not known"
        return _frontier(
            problem, state.ends, kind=kind, note=problem.deadline.note, error=np.nan, state=state
        )
    _place_ends(problem, state)
    front = enclosed()
    if front.breakpoints.size < len(state.samples):  # Ctrl-C came between finding and telling
        front = enclosed()
    return _frontier(
        problem,
        [state.samples[t][1] for t in front.breakpoints.tolist()],
        kind=f"points between which the front is known to {front.error:.2g} of {problem.names[1]}",
        note=front.note,
        error=front.error,
        state=state,
    )


def _place_ends(problem: FrontProblem, state: _Samples) -> None:
    """The ends as samples, with what they say of all that lies between."""
    sign, other = problem.signs
    left, right = state.ends
    first, second = (problem.values(solution) for solution in (left, right))
    start, stop = sign * first[0], sign * second[0]
    low = float(other * second[1])
    state.samples[float(start)] = Sample(float(start), float(other * first[1]), low, None), left
    size = max(1.0, abs(start), abs(stop))
    if stop - start > SAME_POINT * size:
        # Nothing is below the least second objective, wherever the limit stands.
        state.samples[float(stop)] = Sample(float(stop), low, low, 0.0), right


def _sample(t: float, solution: Solution, sign: float) -> Sample:
    """Value, proved bound and the multiplier of the limit, which is the last constraint."""
    value = sign * solution.value
    lower = value if solution.bound is None else min(sign * solution.bound, value)
    dual = solution.duals[-1]
    slope = None if dual is None else -abs(float(np.sum(np.asarray(dual))))
    return Sample(t, value, lower, slope)


# Three and more objectives: a sample of their front, on a grid of limits.
#
# Each cell asks for the best first objective with limits on the others, which count a little as
# well, so that nothing found is dominated. A cell whose answer another one has given already, or
# that is tighter than one without any, is not solved.

CELLS = 100
# How much the limited objectives count beside the first, in shares of their ranges.
LITTLE = 1e-3


@dataclass
class _GridState:
    """The best point of each objective, and what cells have said; the same for any grid."""

    ends: list[Solution] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    asked: list[tuple[Array, Array]] = field(default_factory=list)  # limits, and the point found
    empty: list[Array] = field(default_factory=list)
    unproved: list[Array] = field(default_factory=list)  # cells without a certified optimum

    def connected(self, problem: FrontProblem) -> _GridState:
        """The same in lists of its own, for the problem's own variables."""
        ends, solutions = (list(map(problem.connected, p)) for p in (self.ends, self.solutions))
        return _GridState(ends, solutions, list(self.asked), list(self.empty))

    def answers(self, limits: Array) -> bool:
        """Whether a cell would say nothing new."""
        return any(np.all(limits <= other) for other in self.empty) or any(
            np.all(limits <= asked) and np.all(point <= limits) for asked, point in self.asked
        )


def grid_points(
    problem: FrontProblem,
    *,
    solver: SolverChoice,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """A sample of the front of any number of objectives."""
    names, signs, deadline = problem.names, problem.signs, problem.deadline
    state = _GridState() if resume is None else resume.state.connected(problem)
    turns = [(name, *(other for other in names if other != name)) for name in names]
    with deadline.kept():
        for turn in turns[len(state.ends) :]:
            state.ends.append(problem.alone(*turn))
            _tell(tick, problem, state.ends[-1])
    payoff = signs * np.array([problem.values(end) for end in state.ends]).reshape(-1, len(names))
    low, high = payoff.min(axis=0, initial=np.inf), payoff.max(axis=0, initial=-np.inf)
    ranges = np.where(high - low > 0.0, high - low, 1.0)
    count = max(2, ceil((limit or CELLS) ** (1.0 / (len(names) - 1))))
    note = f"{deadline.note} The best points of some objectives are missing as well. "
    if len(state.ends) == len(names):
        left = _ask_cells(problem, solver, state, (low, high, ranges), count, tick)
        note = (
            f"{deadline.note} {counted(left, 'cell')} of the grid were not asked. " if left else ""
        )
    if state.unproved:
        note += f"{counted(len(state.unproved), 'cell')} of the grid had no certified optimum; "
    everything = [*state.ends, *state.solutions]
    values = [signs * np.array(problem.values(solution)) for solution in everything]
    points, solutions = _distinct(values, everything, ranges)
    size = " x ".join([str(count)] * (len(names) - 1))
    return Frontier(
        names=names,
        maximised=problem.maximised,
        points=points.reshape(-1, len(names)) * signs,
        solutions=tuple(solutions),
        kind=f"a sample, on a grid of {size} limits",
        complete=False,
        discrete=problem.subproblem.integer,
        error=np.nan,
        open=np.nan,
        note=f"{note}there may be points between those of the grid.",
        state=state,
    )


def _ask_cells(
    problem: FrontProblem,
    solver: SolverChoice,
    state: _GridState,
    reach: tuple[Array, Array, Array],
    count: int,
    tick: Callable[[str], None],
) -> int:
    """Ask for the best point of each cell; how many were left when something stopped it."""
    (low, high, ranges), signs, deadline = reach, problem.signs, problem.deadline
    objectives = problem.objectives
    shares = LITTLE * signs / ranges
    shares[0] = signs[0] / ranges[0]
    total = sum(w * o.expr for w, o in zip(shares, objectives.values(), strict=True))
    cells = FrontProblem.of(
        objectives, problem.constraints, solver, deadline, target=cp.Minimize(total),
        before=problem.before, solved=problem.solved,
    )  # fmt: skip
    # The tightest limit gives way to rounding: it is met by points found under another objective.
    ends_of = [(high[j], low[j] + LIMIT_SLACK * ranges[j]) for j in range(1, len(low))]
    axes = [np.linspace(loose, tight, count) for loose, tight in ends_of]
    waiting = [np.array([high[0] + ranges[0], *limits]) for limits in product(*axes)]
    done = 0
    if deadline.note:
        return len(waiting)
    with deadline.kept():
        for limits in waiting:
            if not state.answers(limits):
                _ask(cells, state, limits, tick)
            done += 1
    return len(waiting) - done


def _ask(
    cells: FrontProblem, state: _GridState, limits: Array, tick: Callable[[str], None]
) -> None:
    """The best point within limits."""
    try:
        solution = cells.solve((cells.signs * limits).tolist())
    except StageError as error:
        if error.status.is_unbounded:
            raise
        (state.empty if error.status.is_infeasible else state.unproved).append(limits)
        return
    state.asked.append((limits, cells.signs * np.array(cells.values(solution))))
    state.solutions.append(solution)
    _tell(tick, cells, solution)


def _tell(tick: Callable[[str], None], problem: FrontProblem, solution: Solution) -> None:
    tick(", ".join(f"{value:g}" for value in problem.values(solution)))


def _distinct(
    points: list[Array], solutions: list[Solution], ranges: Array
) -> tuple[Array, list[Solution]]:
    """Each point once, without those that another one beats."""
    keep: list[int] = []
    scaled = np.array(points).reshape(-1, ranges.size) / ranges
    for k, point in enumerate(scaled):
        others = np.delete(scaled, k, axis=0)
        near = FRONT_RESOLUTION
        beaten = np.all(others <= point + near, axis=1) & np.any(others < point - near, axis=1)
        again = any(np.all(np.abs(scaled[j] - point) <= near) for j in keep)
        if not again and not beaten.any():
            keep.append(k)
    return np.array(points).reshape(-1, ranges.size)[keep], [solutions[k] for k in keep]
