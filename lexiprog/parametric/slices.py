"""Settle a slice of the objective space: every non-dominated point in it, proved in integers.

A slice of a bounded integer program is ``z < v`` with ``low <= z[k]``. Multipliers of its linear
relaxation, rounded to integers, give inequalities that hold whatever the floats were. They tighten
the bounds of the columns; what is left is enumerated column by column.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import STOPPED, HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.integer_programs import CostSteps, steps_of
from lexiprog.parametric.regions import non_dominated
from lexiprog.tolerances import INTEGER_ROUNDING
from lexiprog.typing import Array, Mask

Integers: TypeAlias = NDArray[np.int64]
IntegerMultipliers: TypeAlias = list[list[int]]

# Multipliers are rounded to multiples of one over this; sums of products stay below LARGEST.
SCALE, LARGEST = 1 << 10, 1 << 60
# Rounds of tightening; a round that leaves more than this share of the free columns is the last.
ROUNDS, LITTLE = 3, 0.9
# States from which on dominated ones are looked for, how many are compared with all others, and
# the share of these that is left when the rest is taken out.
MANY, BEST, SHRUNK = 1500, 48, 0.75
# Entries of a dense matrix beyond which enumeration would not pay.
DENSE = 4_000_000


@dataclass(frozen=True)
class IntegerForm:
    """``rows @ x <= sides``, ``lower <= x <= upper``, all whole numbers; ``costs`` are minimised.

    An equation is two rows.
    """

    rows: Integers
    sides: Integers
    costs: Integers
    lower: Integers
    upper: Integers

    @classmethod
    def of(cls, form: StandardForm, steps: list[CostSteps]) -> IntegerForm | None:
        """The same program in whole numbers; None if it has none, or is too large for slices."""
        n = form.c.size
        integer = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
        lower, upper = form.ranges()
        dense = (2 * form.b.size + len(steps)) * n
        if np.unique(integer).size < n or dense > DENSE or not form.is_linear:
            return None
        rows: list[Integers] = []
        sides: list[int] = []
        A = sp.csr_array(form.A)
        for i, side in enumerate(form.b.tolist()):
            row = steps_of(A[[i]].toarray()[0], integer)
            if row is None or abs(side) > LARGEST:
                return None
            limit = Fraction(f"{side:.15g}") / row.size
            rows.append(row.counts)
            sides.append(floor(limit))
            if i < form.cones.zero:
                rows.append(-row.counts)
                sides.append(-ceil(limit))
        matrix = np.array(rows, dtype=np.int64).reshape(-1, n)
        lower, upper = _tightened(matrix, np.array(sides, dtype=float), lower, upper)
        costs = np.array([step.counts for step in steps])
        largest = max(float(np.abs(m).max(initial=1)) for m in (matrix, costs))
        reach = np.maximum(np.abs(lower), np.abs(upper)).sum() * largest * SCALE
        if not reach < LARGEST / 64:
            return None
        whole = [np.array(v, dtype=np.int64) for v in (sides, lower, upper)]
        return cls(matrix, whole[0], costs, whole[1], whole[2])

    @property
    def least(self) -> Integers:
        """What the bounds of the columns alone say of the least values."""
        return np.asarray(np.minimum(self.costs * self.lower, self.costs * self.upper).sum(axis=1))

    @property
    def most(self) -> Integers:
        """The same of the largest ones."""
        return np.asarray(np.maximum(self.costs * self.lower, self.costs * self.upper).sum(axis=1))

    def holds(self, x: Integers) -> bool:
        """Whether a point is feasible."""
        inside = np.all(self.lower <= x) and np.all(x <= self.upper)
        return bool(inside and np.all(self.rows @ x <= self.sides))


def _tightened(rows: Integers, sides: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Whole bounds of the columns, with what single rows say where there are none."""
    lower, upper = np.ceil(lower - INTEGER_ROUNDING), np.floor(upper + INTEGER_ROUNDING)
    for _ in range(ROUNDS):
        if np.isfinite(lower).all() and np.isfinite(upper).all():
            break
        for row, side in zip(rows.astype(float), sides, strict=True):
            used = np.flatnonzero(row)
            least = np.where(row[used] > 0, row[used] * lower[used], row[used] * upper[used])
            endless = np.isinf(least)
            for j, own in zip(used, least, strict=True):
                if endless.sum() - np.isinf(own) > 0:
                    continue
                room = (side - (least[~endless].sum() - (0.0 if np.isinf(own) else own))) / row[j]
                if row[j] > 0:
                    upper[j] = min(upper[j], floor(room + INTEGER_ROUNDING))
                else:
                    lower[j] = max(lower[j], ceil(room - INTEGER_ROUNDING))
    return lower, upper


class Slices:
    """One linear relaxation in HiGHS, asked again and again.

    Parameters
    ----------
    form : IntegerForm
    deadline : Deadline, optional

    Attributes
    ----------
    multipliers : list of list of int
        Those of the slice settled last: of the rows, of the objectives, and of ``z[k] >= low``.
    states : int
        How many partial points were looked at.

    Examples
    --------
    >>> import numpy as np
    >>> form = IntegerForm(np.array([[3, 4, 2]]), np.array([6]), -np.array([[5, 2, 2], [1, 4, 3]]),
    ...                    np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64))
    >>> [x.tolist() for x in Slices(form).settle(np.array([1.0, 1.0]), -9, 0, cap=100)]
    [[1, 0, 1], [0, 1, 1]]
    """

    def __init__(self, form: IntegerForm, deadline: Deadline | None = None) -> None:
        self.form = form
        self.matrix: Integers = np.vstack([form.rows, form.costs])
        self.equal: Mask = np.append(np.all(self.matrix[1:] == -self.matrix[:-1], axis=1), False)
        self.weights = 1.0 / np.maximum(np.abs(self.matrix).sum(axis=1), 1)
        self.sizes: Array = np.abs(self.matrix) @ np.maximum(
            np.abs(form.lower), np.abs(form.upper)
        ).astype(float)
        m, p = len(form.rows), len(form.costs)
        self.free = Bounds(
            form.lower.astype(float), form.upper.astype(float), np.full(m + p, -np.inf),
            np.append(form.sides.astype(float), np.full(p, np.inf)),
        )  # fmt: skip
        options = {"presolve": "off", "solver": "simplex", "threads": 1}
        self.model = HighsModel(
            sp.csc_array(self.matrix.astype(float)), options, np.zeros(form.lower.size), self.free,
            deadline=deadline,
        )  # fmt: skip
        self.objective_rows = np.arange(m, m + p)
        self.multipliers: IntegerMultipliers = []
        self.states = 0

    def bound(self, u: Array, low: float, k: int) -> float:
        """About the least ``z[k]`` of the relaxation below ``u``; it only aims, and closes nothing.

        Infinite if the relaxation is empty.
        """
        self.model.set_columns(self.free.lower, self.free.upper)
        if not self._solve(k, u, low, k):
            return np.inf
        return float(ceil(self.model.info.objective_function_value - INTEGER_ROUNDING))

    def _solve(self, minimised: int, v: Array, low: float, k: int) -> bool:
        """Minimise one objective of the relaxation below ``v``; False if there is no point."""
        lower, upper = np.full(v.size, -np.inf), v - 1.0
        lower[k], upper[minimised] = low, np.inf
        self.model.set_cost(self.form.costs[minimised].astype(float))
        self.model.set_rows(lower, upper, self.objective_rows)
        status = self.model.resume()
        if status in STOPPED:
            raise OutOfTime
        if status not in ("kOptimal", "kInfeasible"):  # whatever it was, not from nothing
            status = self.model.solve()
        return status == "kOptimal"

    def settle(self, v: Array, low: float, k: int, *, cap: int) -> list[Integers] | None:
        """One point for each non-dominated value below ``v`` with ``z[k] >= low``.

        None if more than ``cap`` partial points would have to be kept.
        """
        form, self.multipliers = self.form, []
        sides = np.append(form.sides, v.astype(np.int64) - 1)
        lower, upper = form.lower.copy(), form.upper.copy()
        rows: list[Integers] = [-form.costs[k]]
        limits = [-int(low)]
        count = int(np.count_nonzero(lower < upper))
        for _ in range(ROUNDS):
            self.model.set_columns(lower.astype(float), upper.astype(float))
            for i in range(v.size):
                optimal = self._solve(i, v, low, k)
                duals = self._duals(i, optimal=optimal)
                if duals is None:
                    continue
                row, limit = self._inequality(duals, k, sides, int(low))
                slack = limit - int(np.minimum(row * lower, row * upper).sum())
                if slack < 0:
                    return []
                lower, upper = tightened_by(row, slack, lower, upper)
                rows.append(row)
                limits.append(limit)
            left = int(np.count_nonzero(lower < upper))
            if left > LITTLE * count:
                break
            count = left
        keep = [0, *range(max(1, len(rows) - 2 * v.size), len(rows))]  # the last ones are sharpest
        matrix = np.vstack([self.matrix, *(rows[j] for j in keep)])
        all_limits = np.append(sides, [limits[j] for j in keep])
        return self._enumerated(matrix, all_limits, (lower, upper), cap)

    def _duals(self, i: int, *, optimal: bool) -> Array | None:
        """Multipliers of the rows at the optimum, or those that show that there is no point."""
        if optimal:
            duals = np.array(self.model.solution.row_dual)
            duals[len(self.form.rows) + i] = -1.0
            return duals
        _, known, ray = self.model.dual_ray()
        size = float(np.abs(ray).max(initial=0.0)) if known else 0.0
        return np.asarray(ray) / size if 0.0 < size < np.inf else None

    def _inequality(self, duals: Array, k: int, sides: Integers, low: int) -> tuple[Integers, int]:
        """What multipliers say in integers, wherever they come from."""
        m = len(self.form.rows)
        weights = np.maximum(-duals, 0.0)
        above = max(float(duals[m + k]), 0.0)  # of z[k] >= low
        size = float(weights @ self.sizes) + above * float(self.sizes[m + k]) + 1.0
        scale = min(float(SCALE), LARGEST / 16 / size)
        whole = np.rint(weights * scale).astype(np.int64)
        of_low = int(np.rint(above * scale))
        self.multipliers.append([*whole.tolist(), of_low])
        row = whole @ self.matrix - of_low * self.form.costs[k]
        return row, int(whole @ sides) - of_low * low

    def _enumerated(
        self, matrix: Integers, limits: Integers, ends: tuple[Integers, Integers], cap: int
    ) -> list[Integers] | None:
        """Every point within the bounds that no other one beats; None beyond ``cap``."""
        (lower, upper), original = ends, len(self.matrix)
        free = np.flatnonzero(lower < upper)
        part = matrix[:, free]
        least = np.minimum(part * lower[free], part * upper[free]).sum(axis=1)
        slack = limits - matrix[:, lower == upper] @ lower[lower == upper] - least
        if (slack < 0).any():
            return []
        weights = np.abs(part[original:]) * (upper - lower)[free] / (slack[original:, None] + 1.0)
        free = free[np.argsort(-weights.max(axis=0), kind="stable")]
        up, down = (np.maximum(s * matrix[:, free], 0).T[:, :, None] for s in (1, -1))
        states, trail = slack[:, None].copy(), list[list[NDArray[np.intp]]]()
        for j, width in enumerate((upper - lower)[free].tolist()):
            self.model.deadline.check()
            states, parents = _branched(states, up[j], down[j], width)
            self.states += (count := states.shape[1])
            if count > MANY and j % 2:
                alive = _worth_keeping(states[:original], self.weights, self.equal)
                states, parents = np.compress(alive, states, axis=1), _kept(parents, alive)
                count = states.shape[1]
            trail.append(parents)
            if count > cap:
                return None
            if not count:
                return []
        values = -states[len(self.form.rows) : original].T
        return [_point(leaf, trail, free, lower) for leaf in non_dominated(values)]


def tightened_by(
    row: Integers, slack: int, lower: Integers, upper: Integers
) -> tuple[Integers, Integers]:
    """The bounds of columns that ``row`` leaves, if it may exceed its least value by ``slack``."""
    room = slack // np.maximum(np.abs(row), 1)
    return (
        np.where(row < 0, np.maximum(lower, upper - room), lower),
        np.where(row > 0, np.minimum(upper, lower + room), upper),
    )


def _branched(
    states: Integers, up: Integers, down: Integers, width: int
) -> tuple[Integers, list[NDArray[np.intp]]]:
    """All states with one more column fixed to each of its values, as long as slack is left.

    A state is a column of slacks.
    """
    parts, parents = [], []
    for value in range(width + 1):
        after = states - (up * value + down * (width - value))
        alive = (after >= 0).all(axis=0)
        parts.append(np.compress(alive, after, axis=1))
        parents.append(np.flatnonzero(alive))
    return np.concatenate(parts, axis=1), parents


def _kept(parents: list[NDArray[np.intp]], alive: Mask) -> list[NDArray[np.intp]]:
    ends = np.cumsum([len(part) for part in parents])[:-1]
    return [part[mask] for part, mask in zip(parents, np.split(alive, ends), strict=True)]


def _worth_keeping(slacks: Integers, weights: Array, equal: Mask) -> Mask:
    """Which states no other one beats in every slack, among the best few of each group.

    A state is a column.

    States that differ in the slack of an equation, a row that is ``equal`` to another but for its
    sign, never beat each other: they belong to other groups.
    """
    keys = np.arange(1, 2 * np.count_nonzero(equal), 2) ** 15 @ slacks[equal]
    order = np.lexsort([-(weights @ slacks), keys])
    keys, slacks = keys[order], np.take(slacks, order, axis=1)
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    if len(starts) > 1:
        starts = np.repeat(starts, np.diff(np.append(starts, len(keys))))
    left, alive, mine = np.arange(len(keys)), np.ones(len(keys), dtype=bool), slacks
    for turn in range(BEST):
        best = np.minimum(starts + turn, len(keys) - 1)
        if not alive[best].any():
            continue
        beaten = np.all(mine <= slacks[:, best], axis=0) & (best < left) & alive[best]
        alive[left[beaten]] = False
        more = ~beaten & (left > best)
        if np.count_nonzero(more) < SHRUNK * len(more):
            left, mine = left[more], np.compress(more, mine, axis=1)
            starts = starts if len(starts) == 1 else starts[more]
    kept = np.zeros(len(keys), dtype=bool)
    kept[order[alive]] = True
    return kept


def _point(
    leaf: int, trail: list[list[NDArray[np.intp]]], free: NDArray[np.intp], lower: Integers
) -> Integers:
    """The point that ends in a leaf."""
    x = lower.copy()
    for column, parents in zip(free[::-1], trail[::-1], strict=True):
        for value, part in enumerate(parents):
            if leaf < len(part):
                x[column] += value
                leaf = int(part[leaf])
                break
            leaf -= len(part)
    return x
