"""Two objectives over whole numbers: every non-dominated point, one integer program each.

From the point with the least first objective to that with the least second, each program asks for
the least first objective among all points whose second is better than the last one's (the augmented
epsilon-constraint method). Its answer is the next point, and proves that nothing lies between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.curve import CurveError
from lexiprog.parametric.integer_programs import Asked, CostSteps, IntegerPrograms, steps_of
from lexiprog.tolerances import (
    COARSE_RESOLUTION,
    FRONT_RESOLUTION,
    INTEGER_ROUNDING,
    LARGEST_WEIGHT,
    LIMIT_SLACK,
    WHOLE_GAP,
)
from lexiprog.typing import Array, Options

# Step down a front of whole numbers: from one non-dominated point to the next.


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
class Stop:
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

    def end(self, which: int, start: Array | None = None) -> Stop:
        """The point with the least first or second objective, and of those the other's least."""
        return self._in_turn((which, 1 - which), np.inf, start)

    def steps(self, left: Stop, right: Stop, resolution: float) -> Iterator[Stop]:
        """The points after ``left``, down to ``right``, whose second objective is lower each time.

        Parameters
        ----------
        left, right : Stop
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
            stop = self._at_once(limit, right) or self._in_turn((0, 1), limit, right.x)
            worse = left.values[0] - first.slack(left.values[0], left.x)
            if stop.values[0] < worse or stop.values[1] >= left.values[1]:
                raise CurveError(
                    "two answers of HiGHS contradict each other: a later point is better than one "
                    f"that was called the best ({stop.values} after {left.values}, in steps)."
                )
            yield stop
            left = stop

    def _at_once(self, limit: float, right: Stop) -> Stop | None:
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
        return Stop(values, asked.x, (float(low), bound - weight * values[0]))

    def _in_turn(self, order: tuple[int, int], limit: float, start: Array | None) -> Stop:
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
        return Stop(values, asked.x, (bounds[0], bounds[1]))

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


# A search for the points of an integer front that can stop anywhere and go on later.

Gap: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class IntegerFront:
    """The non-dominated points of two objectives over whole numbers, both minimised.

    Attributes
    ----------
    points : ndarray of shape (k, 2)
        Values of both objectives, the first rising and the second falling.
    solutions : ndarray of shape (k, n)
        A solution for each point, its integers whole.
    bounds : ndarray of shape (k, 2)
        What HiGHS proved of each point: none that comes after its predecessor has less of one
        objective, and none of those with as little of it has less of the other.
    resolution : float
        Zero if every non-dominated point is there. Otherwise every feasible point is matched by
        one of the front that is no worse in the first objective and at most this much worse in
        the second.
    missing : tuple of pairs
        Neighbours (as values) between which points may be missing; empty if the front is complete.
    note : str
        Why points are missing.
    solves, nodes : int
        Integer programs solved, and nodes of their trees.
    """

    points: Array
    solutions: Array = field(repr=False)
    bounds: Array = field(repr=False)
    resolution: float = 0.0
    missing: tuple[Gap, ...] = ()
    note: str = ""
    solves: int = 0
    nodes: int = 0
    fingerprint: str = field(default="", repr=False)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, to the resolution."""
        return not self.missing


class FrontSearch:
    """What is known of a front so far: a chain from the left, and the right end."""

    def __init__(self, staircase: Staircase, tick: Callable[[str], None], *, turned: bool) -> None:
        self.staircase, self.turned, self.tick = staircase, turned, tick
        self.chain: list[Stop] = []
        self.right: Stop | None = None
        self.resolution, self.note, self.done = 0.0, "", False

    def recall(self, front: IntegerFront) -> None:
        """Take over what an earlier search has found: one end, or a chain and the other end."""
        order = slice(None, None, -1) if self.turned else slice(None)
        for values, x, bounds in zip(
            front.points[order], front.solutions[order], front.bounds[order], strict=True
        ):
            self.chain.append(Stop(self._inside(values), x, self._inside(bounds)))
        self.resolution, self.done = front.resolution, front.complete
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
        stops = self.staircase.steps(self.chain[-1], self.right, step)
        while limit is None or len(self.chain) + 1 < limit:
            stop = next(stops, None)
            if stop is None:
                self.done = True
                return
            self._add(stop)
        self.note = f"{limit} points were asked for."

    def front(self, mark: str) -> IntegerFront:
        """What was found, in the user's units and order."""
        stops = self.chain + ([self.right] if self.right is not None and not self.done else [])
        order = slice(None, None, -1) if self.turned else slice(None)
        points = np.array([self._outside(s.values) for s in stops]).reshape(-1, 2)[order]
        size = self.staircase.programs.bounds.lower.size
        programs = self.staircase.programs
        return IntegerFront(
            points=points,
            solutions=np.array([s.x for s in stops]).reshape(-1, size)[order],
            bounds=np.array([self._outside(s.bounds) for s in stops]).reshape(-1, 2)[order],
            resolution=self.resolution,
            missing=() if self.done else (self._gap(),),
            note=self.note,
            solves=programs.solves,
            nodes=programs.nodes,
            fingerprint=mark,
        )

    def _gap(self) -> Gap:
        """The two neighbours between which nothing is known yet."""
        left = self._outside(self.chain[-1].values) if self.chain else (-np.inf, np.inf)
        right = (np.inf, -np.inf) if self.right is None else self._outside(self.right.values)
        if self.turned:
            unknown = {(-np.inf, np.inf): (np.inf, -np.inf), (np.inf, -np.inf): (-np.inf, np.inf)}
            return unknown.get(right, right), unknown.get(left, left)
        return left, right

    def _add(self, stop: Stop) -> None:
        self.chain.append(stop)
        first, second = self._outside(stop.values)
        self.tick(f"{first:g}, {second:g}")

    def _outside(self, values: tuple[float, float]) -> tuple[float, float]:
        """Values as the user states and orders them."""
        one, other = (m.outside(v) for m, v in zip(self.staircase.measures, values, strict=True))
        return (other, one) if self.turned else (one, other)

    def _inside(self, values: Array) -> tuple[float, float]:
        values = values[::-1] if self.turned else values
        one, other = (
            m.inside(float(v)) for m, v in zip(self.staircase.measures, values, strict=True)
        )
        return one, other


def integer_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    resolution: float | None = None,
    limit: int | None = None,
    deadline: Deadline | None = None,
    resume: IntegerFront | None = None,
    options: Options | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> IntegerFront:
    """Every non-dominated point of two costs over the integer points of a linear form.

    If one objective has costs on integer columns alone, in whole steps (a common divisor that is
    not too fine), the front is complete: the limit on that objective falls by one step at a time.
    Otherwise it falls by ``resolution``, which is reported.

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
    resume : IntegerFront, optional
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
    >>> front.points.tolist(), front.complete
    ([[-7.0, -4.0], [-4.0, -7.0]], True)
    """
    _check(form, first, second, limit)
    mark = _fingerprint(form, first, second)
    if resume is not None and resume.fingerprint != mark:
        raise ValueError("the front to go on from belongs to other numbers than these.")
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
    return search.front(mark)


def _check(form: StandardForm, first: Array, second: Array, limit: int | None) -> None:
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("an integer front needs linear rows: no quadratic term, no cones.")
    if form.integer is None or not len(form.integer):
        raise ValueError("an integer front needs integer columns; linear_front needs none.")
    for cost in (first, second):
        if cost.shape != form.c.shape or not np.all(np.isfinite(cost)):
            raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")
    if limit is not None and limit < 2:
        raise ValueError(f"limit is at least 2, the two ends of a front, not {limit!r}.")


def _fingerprint(form: StandardForm, first: Array, second: Array) -> str:
    """A short word for all the numbers that a front rests on."""
    A = sp.csc_array(form.A)
    A.sort_indices()
    parts = (A.indptr, A.indices, A.data, form.b, form.lower, form.upper, form.integer)
    word = hashlib.sha256(repr((A.shape, form.cones)).encode())
    for part in (*parts, first, second):
        word.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    return word.hexdigest()[:16]
