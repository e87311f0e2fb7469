"""Every non-dominated point of an integer program with any number of objectives.

What is open are regions ``z < u`` of the objective space, given by local upper bounds. One after
the other is settled: a slice of it as a whole if the program is pure (see ``slices``), or by one
integer program that asks for the least ``z[k]`` below ``u`` in all other objectives. Each gives a
statement, "every feasible point below these limits is weakly dominated by a listed one", and the
front is complete when the statements cover all that the points leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.region_solver import (
    Crew,
    Here,
    Job,
    RegionOutcome,
    RegionSolver,
    Statement,
    There,
)
from lexiprog.parametric.regions import Regions, hypervolume
from lexiprog.parametric.value_function import CurveEnd, CurveError, CurveKind, Gap, ValueFunction
from lexiprog.tolerances import COARSE_RESOLUTION, FRONT_RESOLUTION, LIMIT_SLACK
from lexiprog.typing import Array, Mask, Options

# The first thickness of a slice, in steps of its objective.
FIRST = 8.0
# Rows up to which slices are tried before integer programs. Points a second from which on slices
# are not compared with those, the seconds of processor time after which they first are, and the
# share of the time that the loser is given.
FEW_ROWS = 10
FAST, TRIAL, AGAIN = 20.0, 0.5, 0.1
# Regions for which the open volume is computed; of more, the others are joined to the largest.
MEASURED = 400


class GrowingRows:
    """Rows of one array, to which others are added."""

    def __init__(self, columns: int) -> None:
        self._rows, self._count = np.zeros((64, columns)), 0

    def append(self, row: Array) -> None:
        """One more row."""
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._count] = row
        self._count += 1

    def keep(self, which: Mask) -> None:
        """Leave out all other rows."""
        kept = self.array[which]
        self._rows[: len(kept)], self._count = kept, len(kept)

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> Array:
        """All of them."""
        return self._rows[: self._count]

    def copy(self) -> GrowingRows:
        """The same in an array of its own."""
        other = GrowingRows(self._rows.shape[1])
        other._rows, other._count = self._rows.copy(), self._count
        return other


@dataclass
class FrontState:
    """What is known of a front: points, statements, and what they leave open."""

    regions: Regions
    low: Array  # about the least value of each objective, for choosing regions
    widths: Array
    steps: Array
    values: GrowingRows
    limits: GrowingRows  # of the statements
    points: list[Array] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    spent: dict[bool, list[float]] = field(
        default_factory=lambda: {True: [0.0, 0.0], False: [0.0, 0.0]}
    )  # by slices or not: points and seconds
    tries: int = 0
    ends: int = 0  # ends of the front that were asked for

    @classmethod
    def start(cls, top: Array, low: Array) -> FrontState:
        """Nothing is known but that all values lie between these."""
        count = top.size
        return cls(
            Regions(top), low.copy(), np.full(count, FIRST), np.ones(count), GrowingRows(count),
            GrowingRows(count),
        )  # fmt: skip

    def copy(self) -> FrontState:
        """The same in arrays and lists of its own."""
        regions = Regions(self.low)
        regions.bounds = self.regions.bounds.copy()
        return replace(
            self, regions=regions, low=self.low.copy(), widths=self.widths.copy(),
            steps=self.steps.copy(), points=list(self.points), values=self.values.copy(),
            limits=self.limits.copy(), statements=list(self.statements),
            spent={k: list(v) for k, v in self.spent.items()},
        )  # fmt: skip

    @property
    def complete(self) -> bool:
        """Whether nothing is open."""
        return not len(self.regions.bounds)

    def put(self, x: Array, z: Array) -> bool:
        """Add a point; False if its value is known."""
        if np.all(self.values.array == z, axis=1).any():
            return False
        new = self.regions.add(z)
        if new:
            closed = np.zeros(len(self.regions.bounds), dtype=bool)
            closed[-new:] = [
                bool(np.all(u <= self.limits.array, axis=1).any())
                for u in self.regions.bounds[-new:]
            ]
            self.regions.remove(closed)
        beaten = np.all(z <= self.values.array, axis=1)
        if beaten.any():  # by less than rounding, where an objective has no steps
            self.points = [x for x, out in zip(self.points, beaten, strict=True) if not out]
            self.values.keep(~beaten)
        self.points.append(x)
        self.values.append(z)
        return True

    def state(self, statement: Statement) -> None:
        """Add a statement."""
        limits = np.array(statement.limits)
        self.limits.append(limits)
        self.statements.append(statement)
        self.regions.remove(np.all(self.regions.bounds <= limits, axis=1))

    def proved_low(self, u: Array, k: int, least: float) -> float:
        """What the statements say of the least ``z[k]`` below ``u`` in the other objectives."""
        rest, limits = np.arange(u.size) != k, self.limits.array
        about = np.all(limits[:, rest] >= u[rest], axis=1)
        return max(least, float(limits[about, k].max(initial=-inf)))

    @property
    def open(self) -> float:
        """At most which share of the space between the best and the worst values is open.

        One as long as no point is known.
        """
        if self.complete:
            return 0.0
        values = self.values.array
        if not len(values):
            return 1.0
        low = np.minimum(np.where(np.isfinite(self.low), self.low, inf), values.min(axis=0))
        high = np.maximum(values.max(axis=0) + self.steps, low + self.steps)
        corners = np.minimum(self.regions.bounds, high)
        corners = np.maximum(corners, low)
        order = np.argsort(-np.prod(corners - low, axis=1))
        corners, others = corners[order[:MEASURED]], corners[order[MEASURED:]]
        for other in others:  # the one that grows least to contain it does
            joined = np.maximum(corners, other)
            grown = np.prod(joined - low, axis=1) - np.prod(corners - low, axis=1)
            corners[np.argmin(grown)] = joined[np.argmin(grown)]
        share: float = hypervolume(-corners, -low) / float(np.prod(high - low))
        return min(max(share, np.finfo(float).tiny), 1.0)


class FrontSearch:
    """The search for all non-dominated points.

    Parameters
    ----------
    solver : RegionSolver
    crew : Crew
    state : FrontState, optional
        To go on from.
    resolution : ndarray, optional
        Of objectives without steps, in units: how close two points may be; by default a share of
        their range.
    tick : callable
        Called for every point.
    leftmost : bool
        Whether to begin with the least values of the first objective, rather than with the
        largest region.
    """

    def __init__(
        self,
        solver: RegionSolver,
        crew: Crew,
        state: FrontState | None,
        *,
        resolution: Array | None = None,
        tick: Callable[[str], None] = lambda _: None,
        leftmost: bool = False,
    ) -> None:
        self.solver, self.crew, self.tick, self.leftmost = solver, crew, tick, leftmost
        count = len(solver.measures)
        whole = solver.whole
        self.least = np.full(count, -inf) if whole is None else whole.least.astype(float)
        top = np.full(count, inf) if whole is None else whole.most.astype(float) + 1.0
        self.state = FrontState.start(top, self.least) if state is None else state.copy()
        unstepped = [k for k, m in enumerate(solver.measures) if m.steps is None]
        self.axis = unstepped[0] if unstepped else None
        self.resolution = resolution
        self.new: list[Array] = []  # values found since the state was last kept

    def run(self, limit: int | None) -> None:
        """Go on until nothing is open, or ``limit`` points are known."""
        self._find_ends(limit)
        waiting: dict[Future[RegionOutcome], Array] = {}
        try:
            while len(self.state.regions.bounds) or waiting:
                if limit is not None and len(self.state.points) >= limit:
                    return
                job = self._next(list(waiting.values()))
                if job is not None and len(waiting) < self.crew.width:
                    self.solver.deadline.check()
                    waiting[self.crew.submit(job)] = job.upper
                    if len(waiting) < self.crew.width:
                        continue
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    del waiting[done]
                    with self._undivided():
                        self._take(done.result())
        finally:
            self.crew.close()

    @contextmanager
    def _undivided(self) -> Iterator[None]:
        """What Ctrl-C stops inside has not happened: no point is lost after it closed a region."""
        before, self.new = self.state, []
        self.state = before.copy()
        try:
            yield
        except BaseException:
            self.state = before
            raise
        for z in self.new:
            told = (m.outside(v) for m, v in zip(self.solver.measures, z.tolist(), strict=True))
            self.tick(", ".join(f"{value:g}" for value in told))

    def _find_ends(self, limit: int | None) -> None:
        """The best points of each objective: whether there are any, and how far they reach.

        Slices know bounds of the objectives from the start.
        """
        state, solver = self.state, self.solver
        count = len(solver.measures)
        if solver.slices is not None:
            for k in range(state.ends, count):
                bound = solver.slices.bound(self._tops + 1.0, float(self.least[k]), k)
                state.low[k], state.ends = min(bound, self._tops[k]), k + 1
            return
        for k in range(state.ends, count):
            known = self.state.points
            if limit is not None and len(known) >= limit:
                return
            x = solver.in_turn(k, np.full(count, inf), known[-1] if known else None)
            if x is None:
                raise CurveError("nothing is feasible (HiGHS: kInfeasible).")
            z = solver.values(x)
            with self._undivided():
                self.state.low[k] = z[k]
                self.state.ends += 1
                self._put(x, z)
                self._set_resolution(self.state.values.array)

    def _set_resolution(self, payoff: Array) -> None:
        """Steps of the objectives that have none of their own."""
        form, ranges = self.solver.form, np.ptp(payoff, axis=0)
        used = np.flatnonzero(np.sum([np.abs(m.row) for m in self.solver.measures], axis=0))
        finite = form.integer is not None and bool(np.all(np.isin(used, form.integer)))
        share = FRONT_RESOLUTION if finite else COARSE_RESOLUTION
        for k, measure in enumerate(self.solver.measures):
            if measure.steps is None:
                size = max(1.0, float(np.abs(payoff[:, k]).max()))
                step = share * ranges[k] if self.resolution is None else self.resolution[k]
                self.state.steps[k] = max(step, LIMIT_SLACK * size)

    @property
    def error(self) -> Array:
        """How much better than a listed point another may be; 0 where the front is exact."""
        exact = np.array([m.steps is not None for m in self.solver.measures])
        if self.axis is not None:
            exact[self.axis] = True
        return np.where(exact, 0.0, self.state.steps * self.units)

    @property
    def units(self) -> Array:
        """In which the state counts the objectives."""
        return np.array([measure.unit for measure in self.solver.measures])

    @property
    def values(self) -> Array:
        """The points' values in the order in which they were found, in the costs' own units."""
        found = self.state.values.array
        columns = [
            [measure.outside(v) for v in column]
            for measure, column in zip(self.solver.measures, found.T.tolist(), strict=True)
        ]
        return np.array(columns, dtype=float).T.reshape(found.shape)

    def shown(self, count: int) -> FrontState:
        """What the first points say; regions that others of the state lie in are open again."""
        if count >= len(self.state.points):
            return self.state
        known = self.state.values.array
        top = np.full(known.shape[1], inf) if self.solver.whole is None else self._tops + 1.0
        state = FrontState.start(top, np.minimum(self.state.low, known.min(axis=0)))
        for x, z in zip(self.state.points[:count], known[:count], strict=True):
            state.put(x, z)
        hidden, limits = known[count:], self.state.limits.array
        state.regions.remove(
            np.array(
                [
                    not np.all(hidden < u, axis=1).any() and np.all(u <= limits, axis=1).any()
                    for u in state.regions.bounds
                ],
                dtype=bool,
            )
        )
        return state

    def gaps(self, shown: FrontState | None = None) -> tuple[Gap, ...]:
        """Of two objectives: the neighbours between which points may be missing."""
        state, (first, second) = shown or self.state, self.solver.measures
        known, found = state.values.array, []
        for u in state.regions.bounds[np.argsort(state.regions.bounds[:, 0], kind="stable")]:
            left, right = (known[known[:, k] == u[k]] for k in (1, 0))
            ends = [
                tuple(z[0].tolist()) if len(z) else unknown
                for z, unknown in ((left, (-inf, inf)), (right, (inf, -inf)))
            ]
            found.append(tuple((first.outside(a), second.outside(b)) for a, b in ends))
        return tuple((left, right) for left, right in found)

    def _next(self, claimed: Sequence[Array]) -> Job | None:
        """The largest open region that nobody settles yet."""
        bounds, state = self.state.regions.bounds, self.state
        if not len(bounds):
            return None
        known = state.values.array
        low = np.where(np.isfinite(state.low), state.low, known.min(axis=0, initial=0.0))
        high = known.max(axis=0, initial=0.0) + 1.0
        extent = np.where(np.isfinite(bounds), bounds, high) - low
        logs = np.log(np.maximum(extent, 1e-9))
        sizes = logs.sum(axis=1)[:, None] - logs
        for u in claimed:
            sizes[np.all(bounds <= u, axis=1)] = -inf
        i = int(np.argmax(sizes) // sizes.shape[1])
        if sizes[i, 0] == -inf:
            return None
        if self.leftmost:
            i = int(np.argmin(np.where(sizes[:, 0] > -inf, bounds[:, 0], inf)))
        u = bounds[i].copy()
        by_slices = self._by_slices()
        order = np.arange(u.size) if self.leftmost else np.argsort(-sizes[i], kind="stable")
        axes = tuple(order.tolist()) if self.axis is None else (self.axis,)
        # An integer program has no limit on its axis: only what holds everywhere bounds the others.
        lows = state.low.copy()
        if by_slices:
            lows = np.array([state.proved_low(u, j, float(self.least[j])) for j in range(u.size)])
        return Job(u, lows, axes, state.widths, state.steps, self._start(u, axes[0]), by_slices)

    def _start(self, u: Array, k: int) -> Array | None:
        """A known point within the limits of the other objectives."""
        values, rest = self.state.values.array, np.arange(u.size) != k
        inside = np.flatnonzero(np.all(values[:, rest] <= (u - self.state.steps)[rest], axis=1))
        if not inside.size:
            return None
        return self.state.points[int(inside[np.argmin(values[inside, k])])]

    def _by_slices(self) -> bool:
        """Whether slices are the faster way, as far as both were tried.

        With few rows they are tried first, with many rows integer programs are; the other way is
        tried if slices give few points a second, or after some time, and the loser now and then.
        """
        if self.solver.whole is None:
            return False
        first = len(self.solver.whole.rows) <= FEW_ROWS
        (points, seconds), (others, other_seconds) = (
            self.state.spent[way] for way in (first, not first)
        )
        if seconds < TRIAL or (first and points >= FAST * seconds):
            return first
        if min(seconds, other_seconds) < AGAIN * max(seconds, other_seconds):
            return first == (seconds < other_seconds)
        return first == (points / seconds >= others / other_seconds)

    def _take(self, outcome: RegionOutcome) -> None:
        """Add what a job has found."""
        state, new = self.state, 0
        for x in outcome.points:
            if self.solver.whole is not None and not self.solver.whole.holds(
                np.rint(x).astype(np.int64)
            ):
                raise CurveError("a point does not hold in integers once it is rounded.")
            new += self._put(x, self.solver.values(x))
        statement = outcome.statement
        if not outcome.by_slices and self.axis is not None and outcome.points:
            k = self.axis  # without steps a limit gives way to rounding
            limits = list(statement.limits)
            limits[k] = max(limits[k], float(self.solver.values(outcome.points[0])[k]))
            statement = replace(statement, limits=tuple(limits))
        state.state(statement)
        state.widths, state.tries = outcome.widths, state.tries + outcome.tries
        rest = np.arange(state.low.size) != statement.axis
        if np.all(np.array(statement.limits)[rest] > self._tops[rest]):
            k = statement.axis
            state.low[k] = max(state.low[k], min(statement.limits[k], self._tops[k]))
        spent = state.spent[outcome.by_slices]
        spent[0] += new
        spent[1] += outcome.seconds

    @property
    def _tops(self) -> Array:
        whole = self.solver.whole
        return np.full(self.state.low.size, inf) if whole is None else whole.most.astype(float)

    def _put(self, x: Array, z: Array) -> int:
        if not self.state.put(x, z):
            return 0
        self.new.append(z)
        return 1


def search_points(
    form: StandardForm,
    costs: Array,
    *,
    limit: int | None = None,
    resolution: Array | None = None,
    deadline: Deadline | None = None,
    resume: FrontState | None = None,
    options: Options | None = None,
    tick: Callable[[str], None] = lambda _: None,
    width: int = 1,
    leftmost: bool = False,
) -> FrontSearch:
    """Search for every non-dominated point of some costs over the integer points of a linear form.

    If all costs, or all but one, are on integer columns alone and in whole steps (a common divisor
    that is not too fine), the front is complete. Otherwise every feasible point is matched by one
    that is at most ``error`` worse in each objective.

    Parameters
    ----------
    form : StandardForm
        Linear rows and integer columns; its own cost is not looked at.
    costs : ndarray of shape (p, n)
        All minimised.
    limit : int, optional
        Stop at so many points.
    resolution : ndarray, optional
        Of objectives without steps: how close two points may be.
    deadline : Deadline, optional
        How long it may take. What stops it is noted there; what was found is kept.
    resume : FrontState, optional
        What is known of the same numbers already.
    options : mapping, optional
        HiGHS options.
    tick : callable, optional
        Called for every point.
    width : int
        How many regions are settled at once by the deadline's executor, if it has one.
    leftmost : bool
        Whether to find the least values of the first objective first.

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
    >>> costs = -np.array([[5.0, 2.0, 2.0], [1.0, 4.0, 3.0], [1.0, 1.0, 1.0]])
    >>> search = search_points(form, costs)
    >>> sorted(search.values.tolist()), search.state.complete
    ([[-7.0, -4.0, -2.0], [-4.0, -7.0, -2.0]], True)
    """
    _check(form, costs)
    deadline = Deadline() if deadline is None else deadline
    solver = RegionSolver(form, costs, options or {}, deadline)
    crew: Crew = Here(solver)
    if deadline.executor is not None:
        crew = There(solver, costs, width)
    units = np.array([measure.unit for measure in solver.measures])
    search = FrontSearch(
        solver, crew, resume, resolution=None if resolution is None else resolution / units,
        tick=tick, leftmost=leftmost,
    )  # fmt: skip
    with deadline.kept():
        search.run(limit)
    if search.state.complete and not search.state.points:
        raise CurveError("nothing is feasible (HiGHS: kInfeasible).")
    return search


def _check(form: StandardForm, costs: Array) -> None:
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("an integer front needs linear rows: no quadratic term, no cones.")
    if form.integer is None or not len(form.integer):
        raise ValueError("an integer front needs integer columns; linear_front needs none.")
    if costs.shape[1:] != form.c.shape or not np.all(np.isfinite(costs)):
        raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")


def integer_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    resolution: float | None = None,
    limit: int | None = None,
    deadline: Deadline | None = None,
) -> ValueFunction:
    """The least second cost for each limit on the first, as steps: the front of two costs.

    See :func:`search_points`; it is followed from the least first cost on, slice by slice, until
    there are ``limit`` points or more.

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
    deadline = Deadline() if deadline is None else deadline
    search = search_points(
        form, np.stack([first, second]), limit=limit, deadline=deadline, leftmost=True,
        resolution=None if resolution is None else np.full(2, resolution),
    )  # fmt: skip
    done = search.state.complete
    order = np.argsort(search.values[:, 0], kind="stable")
    pairs = search.values[order]
    asked = "" if limit is None else f"{limit} points were asked for."
    return ValueFunction(
        pairs[:, 0],
        pairs[:, 1],
        np.zeros(len(pairs)),
        CurveKind.STEPS,
        end=CurveEnd.FLAT if done else CurveEnd.UNFINISHED,
        error=float(search.error.max()),
        note="" if done else deadline.note or asked,
        missing=search.gaps(),
        points=np.array([search.state.points[k] for k in order]).reshape(-1, form.c.size),
        bounds=pairs,
    )
