"""Fronts of two objectives of bare programs: the least second one for each limit on the first.

Linear programs: the breakpoints of that value function, as long as it falls, are the extreme points
of the front, and its slopes the weights at which the best point changes; a proof of the function is
a proof of the front. Integer programs: from the point with the least first objective to that with
the least second, each program asks for the least first objective among all points whose second is
better than the last one's (the augmented epsilon-constraint method). Its answer is the next point,
and proves that nothing lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.basis_path import MovingProgram
from lexiprog.parametric.integer_programs import Asked, CostSteps, IntegerPrograms, steps_of
from lexiprog.parametric.path import parametric_curve, trace
from lexiprog.parametric.value_function import CurveEnd, CurveError, CurveKind, Gap, ValueFunction
from lexiprog.tolerances import (
    COARSE_RESOLUTION,
    FRONT_RESOLUTION,
    INTEGER_ROUNDING,
    LARGEST_WEIGHT,
    LIMIT_SLACK,
    PRECISE_HIGHS,
    WHOLE_GAP,
)
from lexiprog.typing import Array, Options


def linear_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    limit: int = 1000,
    resume: ValueFunction | None = None,
    deadline: Deadline | None = None,
) -> ValueFunction:
    """Every extreme non-dominated point of two costs over the feasible set of a linear form.

    The breakpoints are the values of the first cost. The ends are lexicographic optima: no point
    is dominated, not even weakly. The last row of the multipliers is that of the limit.

    Parameters
    ----------
    form : StandardForm
        Linear rows only; its own cost is not looked at.
    first, second : ndarray of shape (n,)
        The costs, both minimised.
    limit : int
        Most points; a front with more says that it is not complete.
    resume : ValueFunction, optional
        An unfinished front of the same numbers to go on from.
    deadline : Deadline, optional
        How long it may take, and what stopped it; what was found by then is kept.

    Raises
    ------
    CurveError
        If nothing is feasible, or neither objective has a lowest value.
    OutOfTime
        If there was no time for a single point.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.zeros(2), offset=0.0, b=np.array([-8.0, -8.0]),
    ...                     A=sp.csc_array([[-1.0, -2.0], [-2.0, -1.0]]),
    ...                     cones=Cones(nonneg=2), lower=np.zeros(2))
    >>> front = linear_front(form, np.array([3.0, 1.0]), np.array([1.0, 4.0]))
    >>> front.pairs.round(6).tolist()
    [[8.0, 32.0], [10.666667, 13.333333], [24.0, 8.0]]
    >>> front.weights.round(6).tolist()
    [[0.875, 1.0], [0.285714, 0.875], [0.0, 0.285714]]
    """
    _check_costs(form, first, second)
    if resume is not None:
        return _longer(form, first, second, limit, resume, deadline)
    bounded, direction = _with_bound(form, first, second)
    unlimited = replace(Bounds.of(bounded), row_upper=np.append(form.b, np.inf))
    model = HighsModel(bounded.A, PRECISE_HIGHS, second, unlimited, deadline=deadline)
    vertex = model.optimum()
    if vertex is None or not _has_least(model, first, second):
        return _unbounded_front(form, first, second, limit, deadline)
    # From the second objective's end, where the bound does not matter yet, to where it leaves no
    # point: that is the first objective's end, met from inside.
    origin = float(first @ vertex.values[: form.c.size])
    curve = trace(
        bounded, direction, model, vertex, origin, start=-np.inf, stop=np.inf, limit=limit
    )
    return _front(curve, first, second)


def _with_bound(form: StandardForm, bound: Array, cost: Array) -> tuple[StandardForm, Array]:
    """Minimise ``cost`` with ``bound @ x <= t`` as last row, and how that moves with ``t``."""
    size = _size(bound)
    row = sp.csr_array(bound[None, :] / size)
    direction = np.append(np.zeros(form.b.size), 1.0 / size)
    cones = replace(form.cones, nonneg=form.cones.nonneg + 1)
    A = sp.csc_array(sp.vstack([form.A, row]))
    b = np.append(form.b, 0.0)
    return replace(form, c=cost, offset=0.0, A=A, b=b, cones=cones), direction


def _has_least(model: HighsModel, cost: Array, afterwards: Array) -> bool:
    model.set_cost(cost)
    bounded = model.optimum(warm=True) is not None
    model.set_cost(afterwards)
    return bounded


def _longer(
    form: StandardForm,
    first: Array,
    second: Array,
    limit: int,
    resume: ValueFunction,
    deadline: Deadline | None,
) -> ValueFunction:
    """The front from where an unfinished one ends."""
    bound, cost = (second, first) if resume.inverted else (first, second)
    bounded, direction = _with_bound(form, bound, cost)
    program = MovingProgram.of(bounded, direction)
    forward, *rest = resume.paths
    model = HighsModel(bounded.A, PRECISE_HIGHS, cost, Bounds.of(bounded), deadline=deadline)
    begin = forward.segments[0]
    curve = trace(
        bounded, direction, model, begin.vertex(program), begin.start,
        start=-np.inf if rest else begin.start, stop=np.inf, limit=limit,
        known=(forward, rest[0] if rest else None),
    )  # fmt: skip
    return _front(curve, first, second, inverted=resume.inverted)


def _unbounded_front(
    form: StandardForm, first: Array, second: Array, limit: int, deadline: Deadline | None
) -> ValueFunction:
    """The front if one objective alone has a lowest value: from there on without end."""
    for bound, cost in ((first, second), (second, first)):
        model = HighsModel(form.A, PRECISE_HIGHS, bound, Bounds.of(form), deadline=deadline)
        vertex = model.optimum()
        if vertex is not None:
            lowest = float(bound @ vertex.values[: form.c.size])
            bounded, direction = _with_bound(form, bound, cost)
            curve = parametric_curve(
                bounded, direction, start=lowest, limit=limit, deadline=deadline
            )
            return _front(curve, first, second, inverted=bound is second)
    status = model.status
    raise CurveError(
        f"there is no front (HiGHS: {status}): nothing is feasible, or both objectives fall "
        "without limit. Bound one of them."
    )


def _front(
    curve: ValueFunction, first: Array, second: Array, *, inverted: bool = False
) -> ValueFunction:
    """The falling part of a curve; ``inverted`` if it limits the second objective."""
    count, falling = len(curve.multipliers), int(np.sum(curve.slopes < 0.0))
    slopes, before, end = np.append(curve.slopes[:falling], 0.0), -np.inf, CurveEnd.FLAT
    if falling == count and curve.end.is_open:
        slopes, end = slopes[:-1], CurveEnd.STRAIGHT
    keep = np.arange(slopes.size)
    if curve.note:  # where a walk was stopped there need not be a vertex
        end, forwards = CurveEnd.UNFINISHED, curve.paths[0].segments[0].slope < 0.0
        before = before if forwards else float(slopes[0])
        keep = keep[:-1] if forwards else keep[1:]
    limited, least = (second, first) if inverted else (first, second)
    points, multipliers = curve.points[keep], curve.multipliers[np.minimum(keep, count - 1)]
    multipliers[:, -1] /= _size(limited)
    front = replace(
        curve,
        breakpoints=points @ limited,
        values=points @ least,
        slopes=slopes[keep],
        slope_before=before,
        end=end,
        stop=np.inf,
        points=points,
        multipliers=multipliers,
    )
    return front.inverse() if inverted else front


def _size(bound: Array) -> float:
    return float(np.max(np.abs(bound), initial=0.0)) or 1.0


def _check_costs(form: StandardForm, first: Array, second: Array) -> None:
    for cost in (first, second):
        if cost.shape != form.c.shape or not np.all(np.isfinite(cost)):
            raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")


# Fronts over whole numbers: from one non-dominated point to the next.


@dataclass(frozen=True)
class Measure:
    """An objective in its own units: steps if it has any, else shares of its largest cost."""

    unit: float
    row: Array
    steps: CostSteps | None

    @classmethod
    def of(cls, cost: Array, integer: NDArray[np.intp]) -> Measure:
        """The measure of a cost, given the columns that are whole."""
        steps = steps_of(cost, integer)
        if steps is not None:
            return cls(float(steps.size), steps.counts.astype(float), steps)
        unit = float(np.max(np.abs(cost)))
        return cls(unit, cost / unit, None)

    def value(self, x: Array) -> float:
        """The objective in its units; a whole number if there are steps."""
        return float(self.steps.count(x)) if self.steps is not None else float(self.row @ x)

    def outside(self, value: float) -> float:
        """A value as the user states it."""
        return value * self.unit if self.steps is None else float(int(value) * self.steps.size)

    def inside(self, value: float) -> float:
        """A user's value in units."""
        return value / self.unit if self.steps is None else float(round(value / self.unit))

    def slack(self, value: float, x: Array) -> float:
        """What this objective may give up where it is to be held."""
        size = float(np.abs(self.row) @ np.abs(x))
        return 0.0 if self.steps is not None else LIMIT_SLACK * max(abs(value), size)

    @property
    def gap(self) -> float:
        """The gap at which a value is the optimum."""
        return WHOLE_GAP if self.steps is not None else LIMIT_SLACK


@dataclass(frozen=True)
class FrontPoint:
    """A non-dominated point: values in units, solution, and lower bounds that prove it."""

    values: tuple[float, float]
    x: Array
    bounds: tuple[float, float]


class Staircase:
    """The points with the least first objective for each limit on the second.

    Parameters
    ----------
    programs : IntegerPrograms
        With the rows of both measures.
    measures : pair of Measure
    """

    def __init__(self, programs: IntegerPrograms, measures: tuple[Measure, Measure]) -> None:
        self.programs, self.measures = programs, measures

    def end(self, which: int, start: Array | None = None) -> FrontPoint:
        """The point with the least first or second objective, and of those the other's least."""
        return self._in_turn((which, 1 - which), np.inf, start)

    def steps(self, left: FrontPoint, right: FrontPoint, resolution: float) -> Iterator[FrontPoint]:
        """The points after ``left``, down to ``right``, whose second objective is lower each time.

        Parameters
        ----------
        left, right : FrontPoint
        resolution : float
            By how much lower, in units; one step at least where there are steps.
        """
        first, second = self.measures
        reached = right.values[1] + second.slack(right.values[1], right.x)
        while left.values[1] > reached:
            limit = left.values[1] - max(resolution, 1.0 if second.steps else 0.0)
            if limit < right.values[1]:
                yield right
                return
            point = self._at_once(limit, right) or self._in_turn((0, 1), limit, right.x)
            worse = left.values[0] - first.slack(left.values[0], left.x)
            if point.values[0] < worse or point.values[1] >= left.values[1]:
                raise CurveError(
                    "two answers of HiGHS contradict each other: a later point is better than one "
                    f"that was called the best ({point.values} after {left.values}, in steps)."
                )
            yield point
            left = point

    def _at_once(self, limit: float, right: FrontPoint) -> FrontPoint | None:
        """Both objectives in one program, the first counting more than all of the second."""
        first, second = self.measures
        if first.steps is None or second.steps is None:
            return None
        weight = limit - right.values[1] + 1.0
        cost = weight * first.row + second.row
        if float(np.max(np.abs(cost), initial=0.0)) > LARGEST_WEIGHT:
            return None
        asked = self._ask(cost, (np.inf, limit), right.x, gap=WHOLE_GAP)
        values = (first.value(asked.x), second.value(asked.x))
        bound = ceil(asked.bound - INTEGER_ROUNDING)
        if bound < weight * values[0] + values[1]:
            return None
        low = ceil((bound - limit) / weight - INTEGER_ROUNDING)
        return FrontPoint(values, asked.x, (float(low), bound - weight * values[0]))

    def _in_turn(self, order: tuple[int, int], limit: float, start: Array | None) -> FrontPoint:
        """One objective, then the other with the first held; ``limit`` on the second of both."""
        one, other = order
        measure = self.measures[one]
        asked = self._ask(measure.row, (np.inf, limit), start, gap=measure.gap)
        best, bounds = measure.value(asked.x), [0.0, 0.0]
        bounds[one] = _proved(asked, best, measure)
        limits = [np.inf, limit]
        limits[one] = min(limits[one], best + measure.slack(best, asked.x))
        second = self.measures[other]
        asked = self._ask(second.row, (limits[0], limits[1]), asked.x, gap=second.gap)
        bounds[other] = _proved(asked, second.value(asked.x), second)
        values = (self.measures[0].value(asked.x), self.measures[1].value(asked.x))
        return FrontPoint(values, asked.x, (bounds[0], bounds[1]))

    def _ask(
        self, cost: Array, limits: tuple[float, float], start: Array | None, *, gap: float
    ) -> Asked:
        asked = self.programs.ask(cost, limits, start, gap=gap)
        if asked is None:
            raise CurveError("nothing is feasible (HiGHS: kInfeasible).")
        return asked


def _proved(asked: Asked, value: float, measure: Measure) -> float:
    """The bound, which must be the value itself where that is a whole number."""
    if measure.steps is None:
        return asked.bound
    bound = float(ceil(asked.bound - INTEGER_ROUNDING))
    if bound < value:
        raise CurveError(
            f"HiGHS calls {value:g} steps optimal, but its bound is {asked.bound:g}: not proved."
        )
    return bound


class FrontSearch:
    """What is known of a front so far: a chain from the left, and the right end."""

    def __init__(self, staircase: Staircase, tick: Callable[[str], None], *, turned: bool) -> None:
        self.staircase, self.turned, self.tick = staircase, turned, tick
        self.chain: list[FrontPoint] = []
        self.right: FrontPoint | None = None
        self.resolution, self.note, self.done = 0.0, "", False

    def recall(self, front: ValueFunction) -> None:
        """Take over what an earlier search has found: one end, or a chain and the other end."""
        order = slice(None, None, -1) if self.turned else slice(None)
        for values, x, bounds in zip(
            front.pairs[order], front.points[order], front.bounds[order], strict=True
        ):
            self.chain.append(FrontPoint(self._inside(values), x, self._inside(bounds)))
        self.resolution, self.done = front.error, front.complete
        if not self.done and len(self.chain) > 1:
            self.right = self.chain.pop()

    def run(self, resolution: float | None, share: float, limit: int | None) -> None:
        """Go on until the chain meets the right end, or ``limit`` points are there."""
        if self.done:
            return
        if not self.chain:
            self._add(self.staircase.end(0))
        if self.right is None:
            self.right = self.staircase.end(1, self.chain[0].x)
        second = self.staircase.measures[1]
        if resolution is not None:
            step = resolution / second.unit
        else:
            height = self.chain[0].values[1] - self.right.values[1]
            step = 0.0 if second.steps else share * height
        exact = second.steps is not None and step <= 1.0
        self.resolution = 0.0 if exact else step * second.unit
        points = self.staircase.steps(self.chain[-1], self.right, step)
        while limit is None or len(self.chain) + 1 < limit:
            point = next(points, None)
            if point is None:
                self.done = True
                return
            self._add(point)
        self.note = f"{limit} points were asked for."

    def front(self) -> ValueFunction:
        """What was found, in the user's units and order."""
        known = self.chain + ([self.right] if self.right is not None and not self.done else [])
        order = slice(None, None, -1) if self.turned else slice(None)
        pairs = np.array([self._outside(p.values) for p in known]).reshape(-1, 2)[order]
        size = self.staircase.programs.bounds.lower.size
        return ValueFunction(
            pairs[:, 0],
            pairs[:, 1],
            np.zeros(len(pairs)),
            CurveKind.STEPS,
            end=CurveEnd.FLAT if self.done else CurveEnd.UNFINISHED,
            error=self.resolution,
            note=self.note,
            missing=() if self.done else (self._gap(),),
            points=np.array([p.x for p in known]).reshape(-1, size)[order],
            bounds=np.array([self._outside(p.bounds) for p in known]).reshape(-1, 2)[order],
        )

    def _gap(self) -> Gap:
        """The two neighbours between which nothing is known yet."""
        left = self._outside(self.chain[-1].values) if self.chain else (-np.inf, np.inf)
        right = (np.inf, -np.inf) if self.right is None else self._outside(self.right.values)
        if self.turned:
            unknown = {(-np.inf, np.inf): (np.inf, -np.inf), (np.inf, -np.inf): (-np.inf, np.inf)}
            return unknown.get(right, right), unknown.get(left, left)
        return left, right

    def _add(self, point: FrontPoint) -> None:
        self.chain.append(point)
        first, second = self._outside(point.values)
        self.tick(f"{first:g}, {second:g}")

    def _outside(self, values: tuple[float, float]) -> tuple[float, float]:
        """Values as the user states and orders them."""
        first, second = (m.outside(v) for m, v in zip(self.staircase.measures, values, strict=True))
        return (second, first) if self.turned else (first, second)

    def _inside(self, values: Array) -> tuple[float, float]:
        values = values[::-1] if self.turned else values
        first, second = (
            m.inside(float(v)) for m, v in zip(self.staircase.measures, values, strict=True)
        )
        return first, second


def integer_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    resolution: float | None = None,
    limit: int | None = None,
    deadline: Deadline | None = None,
    resume: ValueFunction | None = None,
    options: Options | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> ValueFunction:
    """Every non-dominated point of two costs over the integer points of a linear form.

    If one objective has costs on integer columns alone, in whole steps (a common divisor that is
    not too fine), the front is complete: the limit on that objective falls by one step at a time.
    Otherwise it falls by ``resolution``, and every feasible point is matched by one of the front
    that is no worse in the first objective and at most ``error`` worse in the second.

    Parameters
    ----------
    form : StandardForm
        Linear rows and integer columns; its own cost is not looked at.
    first, second : ndarray of shape (n,)
        The costs, both minimised.
    resolution : float, optional
        Least difference of the second objective between two points, where no step is known.
    limit : int, optional
        Most points.
    deadline : Deadline, optional
        How long it may take. What stops it is noted there; what was found is kept, and ``missing``
        says where there may be more.
    resume : ValueFunction, optional
        An unfinished front of the same numbers to go on from.
    options : mapping, optional
        HiGHS options.
    tick : callable, optional
        Told of every point.

    Raises
    ------
    CurveError
        If nothing is feasible, an objective is unbounded or a point cannot be proved.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.zeros(3), offset=0.0, A=sp.csc_array([[3.0, 4.0, 2.0]]),
    ...                     b=np.array([6.0]), cones=Cones(nonneg=1), lower=np.zeros(3),
    ...                     upper=np.ones(3), integer=np.arange(3))
    >>> front = integer_front(form, np.array([-5.0, -2.0, -2.0]), np.array([-1.0, -4.0, -3.0]))
    >>> front.pairs.tolist(), front.complete
    ([[-7.0, -4.0], [-4.0, -7.0]], True)
    """
    _check(form, first, second, limit)
    integer = np.asarray(form.integer, dtype=np.intp)
    measures = [Measure.of(first, integer), Measure.of(second, integer)]
    # The one that is limited should have steps, so that none of its values is passed over.
    turned = measures[1].steps is None and measures[0].steps is not None
    if turned:
        measures.reverse()
    rows = np.stack([measure.row for measure in measures])
    programs = IntegerPrograms(form, rows, options or {}, deadline)
    search = FrontSearch(Staircase(programs, (measures[0], measures[1])), tick, turned=turned)
    if resume is not None:
        search.recall(resume)
    finite = bool(np.all(np.isin(np.flatnonzero(np.abs(first) + np.abs(second)), integer)))
    with programs.model.deadline.kept():
        search.run(resolution, FRONT_RESOLUTION if finite else COARSE_RESOLUTION, limit)
    if not search.done:
        search.note = programs.model.deadline.note or search.note
    return search.front()


def _check(form: StandardForm, first: Array, second: Array, limit: int | None) -> None:
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("an integer front needs linear rows: no quadratic term, no cones.")
    if form.integer is None or not len(form.integer):
        raise ValueError("an integer front needs integer columns; linear_front needs none.")
    _check_costs(form, first, second)
    if limit is not None and limit < 2:
        raise ValueError(f"limit is at least 2, the two ends of a front, not {limit!r}.")
