"""The exact front of two linear objectives: every extreme point, with its weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from math import ceil
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.backends.solver import SolverChoice
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.task import Task
from lexiprog.errors import DeclarationError, StageError
from lexiprog.parametric.context import rate_of
from lexiprog.parametric.front_points import Statement
from lexiprog.parametric.front_record import Frontier, Gap
from lexiprog.parametric.integer_fronts import IntegerFront, integer_front
from lexiprog.parametric.linear_fronts import LinearFront, linear_front
from lexiprog.parametric.outer_inner import Sample, Sandwich, sandwich
from lexiprog.results.solution import Solution
from lexiprog.summary import counted
from lexiprog.tolerances import FRONT_RESOLUTION, LIMIT_SLACK, SAME_POINT
from lexiprog.typing import Array

PIECES = 1000
# Which share of the time the front is followed for; the rest is for its certificates.
FOLLOWING = 0.5


@dataclass(frozen=True)
class TwoCosts:
    """The numbers of a statement: two costs over rows without the limit on the first.

    ``first``, in the row that the limit makes, is ``unit`` times the objective plus a constant.
    """

    task: Task
    form: StandardForm
    row: int
    first: Array
    unit: float
    shift: float

    @classmethod
    def of(cls, statement: Statement, *, scaled: bool) -> TwoCosts:
        """The numbers, in equilibrated units or in the user's own."""
        task = statement.task([0.0])
        limit = statement.limits[0]
        rate = rate_of(task, limit, str(limit.name()))
        row = int(np.flatnonzero(rate)[0])
        form, unit = task.form, float(rate[row])
        if scaled:
            form, unit = task.native.scaled, unit * float(task.native.scaling.rows[row])
        keep = np.arange(form.b.size) != row
        A = sp.csr_array(form.A)
        free = replace(
            form,
            A=sp.csc_array(A[keep]),
            b=form.b[keep],
            cones=Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - 1),
        )
        first = np.asarray(A[[row]].toarray()).ravel()
        return cls(task, free, row, first, unit, float(form.b[row]))

    def limit(self, value: float) -> float:
        """The limit, in the user's sense, at which the row is met by ``value``."""
        return (value - self.shift) / self.unit

    def multipliers(self, y: Array) -> Array:
        """Multipliers of all rows from those of the rows without the limit and then the limit."""
        return np.insert(y[:-1], self.row, y[-1])


@dataclass(frozen=True)
class _Known:
    """A front as far as it was followed, and the optima certified so far by their first cost."""

    front: LinearFront | None
    solutions: dict[float, Solution]


def extreme_points(
    statement: Statement,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two linear objectives; CurveError if there is none.

    Following it takes half of the time at most, so that some is left to certify its points.
    """
    costs, deadline = TwoCosts.of(statement, scaled=True), statement.deadline
    before = _Known(None, {}) if resume is None else resume.state
    known = [before.front]
    solutions = {t: statement.connected(found) for t, found in before.solutions.items()}
    following = deadline.child(FOLLOWING * deadline.left())
    with deadline.kept():
        known.append(
            following.follow(
                linear_front, costs.form, costs.first, costs.form.c, limit=(limit or PIECES) + 1,
                resume=known[0],
            )
        )  # fmt: skip
    front = known[-1]
    if front is None or not front.points.size:
        return _frontier(statement, [], note=deadline.note, state=_Known(front, solutions))
    order = range(len(front.points))[:: -1 if front.backwards else 1][:limit]
    places = [float(value) for value in front.solutions @ costs.first]
    done: list[int] = []
    with deadline.kept():
        for k in order:
            if places[k] not in solutions:
                deadline.check()
                solutions[places[k]] = _solution(statement, costs, front, k)
            done.append(k)
            tick(", ".join(f"{v:g}" for v in statement.values(solutions[places[k]])))
    complete = front.complete and len(done) == len(front.points)
    asked = f"{limit} points were asked for." if len(done) == limit else ""
    note = "" if complete else deadline.note or asked or front.note
    done.sort()
    ray = None
    if front.ray is not None and complete:
        scale = np.array([abs(costs.unit), costs.task.native.scaling.cost])
        ray = front.ray / scale * statement.signs
        ray = ray / np.max(np.abs(ray))
    return _frontier(
        statement,
        [solutions[places[k]] for k in done],
        weights=_in_users_units(
            front.weights[done], abs(costs.unit), costs.task.native.scaling.cost
        ),
        ray=ray,
        note=note,
        missing=() if complete else (_gap(statement, costs, front, done),),
        state=_Known(front, solutions),
    )


def _frontier(
    statement: Statement, solutions: list[Solution], *, note: str, **others: Any
) -> Frontier:
    points = np.array([statement.values(solution) for solution in solutions])
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=points.reshape(-1, 2),
        solutions=tuple(solutions),
        kind="extreme points" if note else "every extreme point",
        complete=not note,
        note=note,
        **others,
    )


def _gap(statement: Statement, costs: TwoCosts, front: LinearFront, done: list[int]) -> Gap:
    """Between which ends points are missing: the last one known and the end of the front."""
    other = statement.signs[1] * costs.task.native.scaling.value(1.0)

    def values(k: int) -> tuple[float, float]:
        x = front.solutions[k]
        second = float(other * (costs.form.c @ x + costs.form.offset))
        return costs.limit(float(costs.first @ x)), second

    far = 0 if front.backwards else len(front.points) - 1
    sign = -1.0 if front.backwards else 1.0
    first, second = sign * np.inf * statement.signs * [1.0, -1.0]
    end = values(far) if front.complete else (float(first), float(second))
    near = len(front.points) - 1 - far
    known = values((done[0] if front.backwards else done[-1]) if done else near)
    return (end, known) if front.backwards else (known, end)


def _solution(statement: Statement, costs: TwoCosts, front: LinearFront, k: int) -> Solution:
    """The certified optimum behind one point, from the curve's own multipliers if they serve."""
    scaling = costs.task.native.scaling
    x = front.solutions[k]
    limits = [costs.limit(float(costs.first @ x))]
    if front.turned:
        return statement.solve(limits)
    y = front.curve.multipliers[min(front.pieces[k], front.curve.slopes.size - 1)]
    z = costs.multipliers(np.append(y[:-1], y[-1] / front.size))
    return statement.certified(limits, scaling.point(x), scaling.multipliers(z))


def _in_users_units(weights: Array, first: float, second: float) -> Array:
    """Shares of the costs in the form's units as shares of the objectives themselves."""
    one, other = weights * first, (1.0 - weights) * second
    return np.asarray(one / (one + other))


# The front of two objectives over whole numbers: every non-dominated point.


def non_dominated_points(
    statement: Statement,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two objectives of an integer program; CurveError if there is none."""
    costs = TwoCosts.of(statement, scaled=False)
    options = {} if statement.ladder is None else dict(statement.ladder[0].options)
    try:
        front = statement.deadline.follow(
            integer_front, costs.form, costs.first, costs.form.c, limit=limit,
            resume=None if resume is None else resume.state, options=options, here={"tick": tick},
        )  # fmt: skip
    except ValueError as error:
        raise DeclarationError(f"frontier: {error}") from error
    offset = costs.task.form.offset
    solutions: list[Solution] = []
    with statement.deadline.kept():
        for point, x, bound in zip(front.points, front.solutions, front.bounds, strict=True):
            limits = [costs.limit(float(point[0]))]
            solutions.append(statement.certified(limits, x, None, float(bound[1]) + offset))
    shown = front
    if len(solutions) < len(front.points):  # stopped here: what was found is kept, but not shown
        gap = (_pair(front.points[max(len(solutions) - 1, 0)]), _pair(front.points[-1]))
        shown = replace(front, missing=(*front.missing, gap), note=statement.deadline.note)
    kind = "every non-dominated point" if shown.complete else "non-dominated points"
    if front.resolution:
        kind = "non-dominated points, a sample"
    sign = -1.0 if statement.maximised[1] else 1.0

    def own(values: tuple[float, float]) -> tuple[float, float]:
        return costs.limit(values[0]), sign * (values[1] + offset)

    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=np.array([statement.values(found) for found in solutions]).reshape(-1, 2),
        solutions=tuple(solutions),
        kind=kind,
        complete=shown.complete and not front.resolution,
        discrete=True,
        error=front.resolution,
        missing=tuple((own(left), own(right)) for left, right in shown.missing),
        note=_note(shown),
        state=front,
    )


def _pair(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _note(front: IntegerFront) -> str:
    """Why the front is not complete."""
    if front.resolution and not front.note:
        return (
            "neither objective moves in whole steps; the second may be better by up to "
            f"{front.resolution:.3g} between neighbours."
        )
    return front.note


# The front of two convex objectives: points between which it is known to a stated error.

POINTS = 1000


@dataclass
class _KnownCurve:
    """Samples by their place, with their solutions; the points best in each objective first."""

    ends: list[Solution] = field(default_factory=list)
    samples: dict[float, tuple[Sample, Solution]] = field(default_factory=dict)


def sampled_points(
    statement: Statement,
    *,
    error: float,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The least second objective for each limit on the first: convex, so it can be enclosed."""
    sign, other = statement.signs
    known = _KnownCurve() if resume is None else _connected(resume.state, statement)

    def tell(solution: Solution) -> None:
        tick(", ".join(f"{value:g}" for value in statement.values(solution)))

    def ask(t: float) -> Sample:
        solution = statement.solve([sign * t])
        known.samples[t] = _sample(t, solution, float(other)), solution
        tell(solution)
        return known.samples[t][0]

    def enclosed() -> Sandwich:
        return sandwich(
            ask, min(known.samples), max(known.samples), error=error, limit=limit or POINTS,
            known=tuple(sample for sample, _ in known.samples.values()),
            deadline=statement.deadline,
        )  # fmt: skip

    with statement.deadline.kept():
        for turn in (statement.names, statement.names[::-1])[len(known.ends) :]:
            known.ends.append(statement.alone(*turn))
            tell(known.ends[-1])
    if len(known.ends) < 2:
        return _front(statement, known, known.ends, None)
    _place_ends(statement, known)
    found = enclosed()
    if len(found.samples) < len(known.samples):  # Ctrl-C came between finding one and telling of it
        found = enclosed()
    return _front(statement, known, [known.samples[s.t][1] for s in found.samples], found)


def _connected(known: _KnownCurve, statement: Statement) -> _KnownCurve:
    """What is known, in lists of its own."""
    samples = {t: (s, statement.connected(found)) for t, (s, found) in known.samples.items()}
    return _KnownCurve(list(map(statement.connected, known.ends)), samples)


def _front(
    statement: Statement, known: _KnownCurve, solutions: list[Solution], found: Sandwich | None
) -> Frontier:
    error = np.nan if found is None else found.error
    points = np.array([statement.values(solution) for solution in solutions])
    note = statement.deadline.note if found is None else found.note
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=points.reshape(-1, 2),
        solutions=tuple(solutions),
        kind=f"points between which the front is known to {error:.2g} of {statement.names[1]}"
        if found is not None
        else "points of a front whose ends are not known",
        complete=not note,
        error=error,
        note=note,
        state=known,
    )


def _place_ends(statement: Statement, known: _KnownCurve) -> None:
    """The ends as samples, with what they say of all that lies between."""
    sign, other = statement.signs
    left, right = known.ends
    first, second = (statement.values(solution) for solution in (left, right))
    start, stop = sign * first[0], sign * second[0]
    low = float(other * second[1])
    known.samples[float(start)] = Sample(float(start), float(other * first[1]), low, None), left
    size = max(1.0, abs(start), abs(stop))
    if stop - start > SAME_POINT * size:
        # Nothing is below the least second objective, wherever the limit stands.
        known.samples[float(stop)] = Sample(float(stop), low, low, 0.0), right


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
class _KnownGrid:
    """The best point of each objective, and what cells have said; the same for any grid."""

    ends: list[Solution] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    asked: list[tuple[Array, Array]] = field(default_factory=list)  # limits, and the point found
    empty: list[Array] = field(default_factory=list)

    def connected(self, statement: Statement) -> _KnownGrid:
        """The same in lists of its own, for the statement's own variables."""
        ends, solutions = (list(map(statement.connected, p)) for p in (self.ends, self.solutions))
        return _KnownGrid(ends, solutions, list(self.asked), list(self.empty))

    def answers(self, limits: Array) -> bool:
        """Whether a cell would say nothing new."""
        return any(np.all(limits <= other) for other in self.empty) or any(
            np.all(limits <= own) and np.all(point <= limits) for own, point in self.asked
        )


def grid_points(
    statement: Statement,
    *,
    solver: SolverChoice,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """A sample of the front of any number of objectives."""
    names, signs, deadline = statement.names, statement.signs, statement.deadline
    known = _KnownGrid() if resume is None else resume.state.connected(statement)
    turns = [(name, *(other for other in names if other != name)) for name in names]
    with deadline.kept():
        for turn in turns[len(known.ends) :]:
            known.ends.append(statement.alone(*turn))
            _tell(tick, statement, known.ends[-1])
    payoff = signs * np.array([statement.values(end) for end in known.ends]).reshape(-1, len(names))
    low, high = payoff.min(axis=0, initial=np.inf), payoff.max(axis=0, initial=-np.inf)
    ranges = np.where(high - low > 0.0, high - low, 1.0)
    count = max(2, ceil((limit or CELLS) ** (1.0 / (len(names) - 1))))
    note = f"{deadline.note} The best points of some objectives are missing as well. "
    if len(known.ends) == len(names):
        left = _ask_cells(statement, solver, known, (low, high, ranges), count, tick)
        note = (
            f"{deadline.note} {counted(left, 'cell')} of the grid were not asked. " if left else ""
        )
    everything = [*known.ends, *known.solutions]
    values = [signs * np.array(statement.values(solution)) for solution in everything]
    points, solutions = _distinct(values, everything, ranges)
    size = " x ".join([str(count)] * (len(names) - 1))
    return Frontier(
        names=names,
        maximised=statement.maximised,
        points=points.reshape(-1, len(names)) * signs,
        solutions=tuple(solutions),
        kind=f"a sample, on a grid of {size} limits",
        complete=False,
        discrete=statement.subproblem.integer,
        error=np.nan,
        note=f"{note}there may be points between those of the grid.",
        state=known,
    )


def _ask_cells(
    statement: Statement,
    solver: SolverChoice,
    known: _KnownGrid,
    reach: tuple[Array, Array, Array],
    count: int,
    tick: Callable[[str], None],
) -> int:
    """Ask for the best point of each cell; how many were left when something stopped it."""
    (low, high, ranges), signs, deadline = reach, statement.signs, statement.deadline
    objectives = statement.objectives
    shares = LITTLE * signs / ranges
    shares[0] = signs[0] / ranges[0]
    total = sum(w * o.expr for w, o in zip(shares, objectives.values(), strict=True))
    cells = Statement.of(
        objectives, statement.constraints, solver, deadline, target=cp.Minimize(total)
    )
    # The tightest limit gives way to rounding: it is met by points found under another objective.
    ends_of = [(high[j], low[j] + LIMIT_SLACK * ranges[j]) for j in range(1, len(low))]
    axes = [np.linspace(loose, tight, count) for loose, tight in ends_of]
    waiting = [np.array([high[0] + ranges[0], *limits]) for limits in product(*axes)]
    done = 0
    if deadline.note:
        return len(waiting)
    with deadline.kept():
        for limits in waiting:
            if not known.answers(limits):
                _ask(cells, known, limits, tick)
            done += 1
    return len(waiting) - done


def _ask(cells: Statement, known: _KnownGrid, limits: Array, tick: Callable[[str], None]) -> None:
    """The best point within limits."""
    try:
        solution = cells.solve((cells.signs * limits).tolist())
    except StageError as error:
        if not error.status.is_infeasible:
            raise
        known.empty.append(limits)
        return
    known.asked.append((limits, cells.signs * np.array(cells.values(solution))))
    known.solutions.append(solution)
    _tell(tick, cells, solution)


def _tell(tick: Callable[[str], None], statement: Statement, solution: Solution) -> None:
    tick(", ".join(f"{value:g}" for value in statement.values(solution)))


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
