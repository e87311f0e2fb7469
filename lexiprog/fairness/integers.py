"""Leximin with integers: the ordered values are raised position by position.

With integers nobody in particular is settled, only how many may be how low: two who take turns have
the same ordered values. So each step maximises the value at one position of the order,

    maximise   t
    subject to at most q utilities below t,
               at most as many below each earlier level as there are positions before it,

with a binary for each utility and level that says whether it may be below. As the best point at
hand shows how many share a value, the last of those positions is tried at once: if it cannot rise,
none of them can. Every step is proved by the bound of the branch and bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.fairness.levels import raise_levels
from lexiprog.fairness.records import (
    LeximinLevel,
    NoLeximin,
    OnStep,
    OrderedResult,
    Utilities,
    no_report,
)
from lexiprog.status import Status
from lexiprog.tolerances import INTEGER_ROUNDING, MIP_FEASIBILITY, PRECISE_HIGHS, SAME_LEVEL_INTEGER
from lexiprog.typing import Array, Mask, Options

# The integer program that raises the value at one position of the order.

# Levels from the lowest up: (value, how many positions are before it).
Levels = Sequence[tuple[float, int]]

OPTIONS = PRECISE_HIGHS | {
    "mip_feasibility_tolerance": MIP_FEASIBILITY,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
}
UNBOUNDED = ("kUnbounded", "kUnboundedOrInfeasible")


class Positions:
    """Programs over one feasible set and one set of utilities.

    The columns are x, the level t, then a block of binaries for each level but the first: 1 lets a
    utility be below. The last block is for t itself.
    """

    def __init__(
        self, form: StandardForm, utilities: Utilities, options: Options, deadline: Deadline
    ) -> None:
        self._deadline = deadline
        self._A, self._bounds = sp.csr_array(form.A), Bounds.of(form)
        self._integer = np.zeros(form.c.size, dtype=bool)
        if form.integer is not None:
            self._integer[form.integer] = True
        self._utilities = utilities
        self._options = OPTIONS | dict(options)
        # If all values are multiples of a number, the level is a whole multiple too, which brings
        # the bound down to the next one.
        self._grid = utilities.grid(self._integer)
        self._ceilings: Array | None = None
        self.solves = self.nodes = 0

    def first(self) -> tuple[Array, float]:
        """A point whose smallest utility is largest, and a bound that no point exceeds."""
        return self._solved(self._program(0, (), np.zeros(0), np.inf), None)

    def raised(self, position: int, levels: Levels, start: Array) -> tuple[Array, float]:
        """A point with the highest value at ``position``, and a bound that no point exceeds.

        Parameters
        ----------
        position : int
            From zero for the smallest.
        levels : sequence of (value, positions before it)
            What the order must keep.
        start : ndarray
            A point that keeps it, to start from.
        """
        if self._ceilings is None:
            self._ceilings = np.sort(self._highest(levels[0][0]))
        ceiling = self._down(self._ceilings[position])
        values = np.array([value for value, _ in levels])
        if ceiling <= values[-1]:
            return start, float(values[-1])
        steps = np.append(np.diff(values), ceiling - values[-1])
        program = self._program(position, levels, steps, ceiling)
        gets = self._utilities.at(start)
        level = float(np.sort(gets)[position])
        below = [gets < value for value in (*values[1:], level)]
        return self._solved(program, np.concatenate([start, [level / (self._grid or 1.0)], *below]))

    def _program(self, position: int, levels: Levels, steps: Array, ceiling: float) -> HighsModel:
        """Let b_1 <= b_2 <= ... say who may be below the second level, the third, ..., and t.

        Nobody is then lower than t, less the steps between levels that his binaries let him miss;
        nor than the last level, less those steps but the last.
        """
        count, blocks, unit = len(self._utilities), steps.size, self._grid or 1.0
        rows, offsets, each = self._utilities.rows, self._utilities.offsets, sp.eye_array(count)
        no_level = sp.csr_array((count, 1))
        parts = [
            [
                self._A,
                sp.csr_array((self._A.shape[0], 1)),
                sp.csr_array((self._A.shape[0], count * blocks)),
            ],
            [rows, sp.csr_array(np.full((count, 1), -unit)), sp.kron(steps[None, :], each)],
        ]
        lower, upper = [self._bounds.row_lower, -offsets], [self._bounds.row_upper]
        upper.append(np.full(count, np.inf))
        if blocks:
            kept = np.append(steps[:-1], 0.0)
            chain = sp.eye_array(blocks - 1, blocks) - sp.eye_array(blocks - 1, blocks, k=1)
            size = (blocks - 1) * count
            parts += [
                [rows, no_level, sp.kron(kept[None, :], each)],
                [None, None, sp.kron(chain, each)],
                [None, None, sp.kron(sp.eye_array(blocks), np.ones((1, count)))],
            ]
            lower += [levels[-1][0] - offsets, np.full(size, -np.inf), np.full(blocks, -np.inf)]
            most = [before for _, before in levels[1:]] + [position]
            upper += [np.full(count, np.inf), np.zeros(size), np.array(most, dtype=float)]
        size = count * blocks
        columns = self._A.shape[1]
        cost = np.zeros(columns + 1 + size)
        cost[columns] = -unit
        floor = levels[-1][0] if levels else -np.inf
        bounds = Bounds(
            np.concatenate([self._bounds.lower, [floor / unit], np.zeros(size)]),
            np.concatenate([self._bounds.upper, [ceiling / unit], np.ones(size)]),
            np.concatenate(lower),
            np.concatenate(upper),
        )
        integer = np.concatenate([self._integer, [self._grid > 0], np.ones(size, dtype=bool)])
        return self._model(sp.block_array(parts, format="csc"), cost, bounds, integer)

    def _highest(self, least: float) -> Array:
        """The most each utility can be, integers left aside, while nobody is below ``least``."""
        matrix = sp.vstack([self._A, self._utilities.rows], format="csc")
        bounds = Bounds(
            self._bounds.lower,
            self._bounds.upper,
            np.concatenate([self._bounds.row_lower, least - self._utilities.offsets]),
            np.append(self._bounds.row_upper, np.full(len(self._utilities), np.inf)),
        )
        columns = matrix.shape[1]
        model = self._model(matrix, np.zeros(columns), bounds)
        highest, unlimited = self._utilities.offsets.copy(), []
        for i in range(len(self._utilities)):
            model.set_cost(-self._utilities.rows[[i]].toarray()[0])
            status = model.resume()
            if status in UNBOUNDED:
                unlimited.append(i)
            elif status != "kOptimal":
                raise self._failure(status)
            highest[i] -= model.info.objective_function_value
        if unlimited:
            raise NoLeximin.unlimited(unlimited)
        return highest

    def _solved(self, model: HighsModel, start: Array | None) -> tuple[Array, float]:
        if start is not None:
            model.set_start(start)
        status = model.resume()
        self.solves += 1
        if status in UNBOUNDED:
            model.set_cost(np.zeros(model.shape[1]))
            status = model.resume()
            if status == "kOptimal":
                raise NoLeximin.unlimited(range(len(self._utilities)))
        if status != "kOptimal":
            raise self._failure(status)
        info = model.info
        self.nodes += max(int(info.mip_node_count), 0)
        bound = info.mip_dual_bound if model.integer.size else info.objective_function_value
        return np.array(model.solution.col_value)[: self._A.shape[1]], self._down(-bound)

    def _down(self, bound: float) -> float:
        """The highest value that utilities can have up to a bound."""
        if not self._grid:
            return float(bound)
        return float(np.floor(bound / self._grid + INTEGER_ROUNDING) * self._grid)

    def _failure(self, status: str) -> NoLeximin:
        if status == "kInfeasible":
            return NoLeximin("no point satisfies the constraints.", Status.INFEASIBLE)
        limit = status in ("kTimeLimit", "kIterationLimit", "kSolutionLimit", "kInterrupt")
        return NoLeximin(
            f"HiGHS says {status} at integer program {self.solves}.",
            Status.NO_POINT if limit else Status.FAILED,
        )

    def _model(
        self, A: sp.csc_array, cost: Array, bounds: Bounds, integer: Mask | None = None
    ) -> HighsModel:
        return HighsModel(A, self._options, cost, bounds, integer=integer, deadline=self._deadline)


def order_levels(
    form: StandardForm,
    utilities: Utilities,
    options: Options | None = None,
    report: OnStep = no_report,
    *,
    deadline: Deadline | None = None,
) -> OrderedResult:
    """The leximin point of linear utilities over a mixed-integer linear form.

    Positions of the order are settled one after the other: nobody is stuck at any, since others
    may take his place.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers; its objective plays no part.
    utilities, options, report, deadline
        As for :func:`raise_levels`.

    Raises
    ------
    NoLeximin
        If there is no feasible point, if somebody can rise without limit, or if HiGHS fails.

    Examples
    --------
    Five whole loaves for three, the last of whom needs two for one.

    >>> import numpy as np
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> form = StandardForm(
    ...     c=np.zeros(3), offset=0.0, A=np.ones((1, 3)), b=np.array([5.0]),
    ...     cones=Cones(nonneg=1), lower=np.zeros(3), integer=np.arange(3))
    >>> fair = order_levels(form, Utilities(np.diag([1.0, 1.0, 0.5])))
    >>> [(level.value, len(level.members)) for level in fair.levels]
    [(1.0, 2), (2.0, 1)]
    """
    if not len(utilities):
        raise ValueError("there is no utility: give at least one.")
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("positions are raised over linear constraints only.")
    loop = _PositionLoop(form, utilities, options or {}, deadline or Deadline())
    loop.run(report)
    return loop.result()


class _PositionLoop:
    """The best point so far, and how much of its order is proved."""

    def __init__(
        self, form: StandardForm, utilities: Utilities, options: Options, deadline: Deadline
    ) -> None:
        self._form, self._utilities, self._options = form, utilities, options
        self._deadline = deadline
        self._positions = Positions(form, utilities, options, deadline)
        self._bounds: list[float] = []
        self._x = np.zeros(form.c.size)
        self._order = np.full(len(utilities), -np.inf)

    def run(self, report: OnStep) -> None:
        """Prove every position of the order."""
        point, bound = self._positions.first()
        self._take(point, bound, 0)
        while len(self._bounds) < len(self._utilities):
            first = len(self._bounds)
            if first:
                bound = self._raise(first, self._levels(first))
            self._bounds.append(bound)
            # While the last of those who share a value can rise, fewer may have to share it.
            while (last := self._last_alike(first)) > first:
                bound = self._raise(last, self._levels(first + 1))
                if self._last_alike(first) >= last:
                    self._bounds += [bound] * (last - first)
                    break
            report(len(self._bounds), float(self._order[first]))

    def _levels(self, proved: int) -> Levels:
        """The levels of the first positions of the order, each with the number before it."""
        values = self._order[:proved]
        starts = [0, *(np.flatnonzero(np.diff(values) > self._slack) + 1)]
        return [(float(values[start]), int(start)) for start in starts]

    def _last_alike(self, position: int) -> int:
        alike = self._order <= self._order[position] + self._slack
        return int(np.flatnonzero(alike)[-1])

    @property
    def _slack(self) -> float:
        return SAME_LEVEL_INTEGER * float(np.max(self._utilities.sizes_at(self._x), initial=0.0))

    def _raise(self, position: int, levels: Levels) -> float:
        """Maximise the value at a position, and take the point if it is better."""
        point, bound = self._positions.raised(position, levels, self._x)
        self._take(point, bound, position)
        return bound

    def _take(self, point: Array, bound: float, position: int) -> None:
        x = self._completed(point)
        order = np.sort(self._utilities.at(x))
        rise = _first_rise(order, self._order, self._slack)
        if rise is not None:
            self._x, self._order = x, order
            # The same integers may serve an earlier position at the cost of this one.
            if len(self._bounds) <= rise < position:
                return
        if bound - self._order[position] > self._slack:
            raise NoLeximin(
                f"position {position} of the order is {self._order[position]:.12g} at the best "
                f"point, but HiGHS proves no bound below {bound:.12g}.",
                Status.INACCURATE,
            )

    def _completed(self, x: Array) -> Array:
        """The point with rounded integers, and the best that the other columns can make of them."""
        whole = np.zeros(x.size, dtype=bool)
        whole[self._form.integer] = True
        x = np.where(whole, np.rint(x), x)
        if whole.all():
            return x
        lower = np.full(x.size, -np.inf) if self._form.lower is None else self._form.lower
        upper = np.full(x.size, np.inf) if self._form.upper is None else self._form.upper
        rest = replace(
            self._form,
            lower=np.where(whole, x, lower),
            upper=np.where(whole, x, upper),
            integer=None,
        )
        return raise_levels(rest, self._utilities, self._options, deadline=self._deadline).x

    def result(self) -> OrderedResult:
        """The record."""
        gets = self._utilities.at(self._x)
        ranks = np.argsort(gets, kind="stable")
        starts = [start for _, start in self._levels(gets.size)]
        levels = tuple(
            LeximinLevel(float(self._order[start]), np.sort(members))
            for start, members in zip(starts, np.split(ranks, starts[1:]), strict=True)
        )
        positions = self._positions
        return OrderedResult(
            levels, self._x, np.array(self._bounds), positions.solves, positions.nodes
        )


def _first_rise(order: Array, other: Array, slack: float) -> int | None:
    """The first position where ordered values differ, if they are better there."""
    differs = np.flatnonzero(~(np.abs(order - other) <= slack))
    if differs.size and order[differs[0]] > other[differs[0]]:
        return int(differs[0])
    return None
