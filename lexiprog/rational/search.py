"""Find and prove the end of a linear program: a basis from floats, corrected, then exact.

What HiGHS says is only a hint where to look. An optimal basis is solved exactly and accepted if
its point is within all limits and its reduced costs have the right signs. If not, what is wrong is
magnified and given back to HiGHS; the simplex method in exact arithmetic does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline
from lexiprog.rational.basis import BASIC, LOWER, ZERO, Basis, Effort, Found
from lexiprog.rational.numbers import Integer, Vector
from lexiprog.rational.program import IntegerMatrix, Limits
from lexiprog.rational.simplex import Simplex
from lexiprog.tolerances import LARGEST_ENTRY, PRECISE_HIGHS
from lexiprog.typing import Array, Options, Value

# Ask HiGHS for a basis: the whole numbers as floats of moderate size, and scaled corrections.

PASSES = 8  # of geometric scaling
# Iterations of HiGHS per row and column, for a correction and for a first guess.
FEW, MANY = 1, 100
SPREAD = 20  # bits between the middle and the largest of costs or limits that are kept at one


class FloatModel:
    """A program as HiGHS sees it, in powers of two that make its numbers moderate.

    Parameters
    ----------
    matrix : IntegerMatrix
        Whole numbers.
    options : mapping
        HiGHS options besides `PRECISE_HIGHS`.
    """

    def __init__(self, matrix: IntegerMatrix, options: Options) -> None:
        self._whole, self._options = matrix, PRECISE_HIGHS | dict(options)
        n, m = matrix.n, matrix.m
        starts = np.cumsum([0, *(len(places) for places, _ in matrix.columns)])
        places = np.array([i for line, _ in matrix.columns for i in line], dtype=np.int32)
        values = [value for _, line in matrix.columns for value in line]
        logs = np.array([math.log2(abs(value)) for value in values])
        owners = np.repeat(np.arange(n), np.diff(starts))
        self._row, self._column = _scaling(logs, places, owners, m, n)
        shifts = (self._row[places] + self._column[owners]).tolist()
        floats = np.array([scaled(v, 1, s) for v, s in zip(values, shifts, strict=True)])
        floats = np.clip(floats, -LARGEST_ENTRY, LARGEST_ENTRY)
        self._floats = sp.csc_array((floats, places, starts), shape=(m, n))
        self._models: dict[bool, HighsModel] = {}

    def guess(
        self,
        cost: Sequence[int],
        lower: Limits,
        upper: Limits,
        start: Basis | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> tuple[str, Basis | None]:
        """HiGHS's status and basis, from a basis to start with if there is one."""
        n = self._whole.n
        level, height = self._sizes(cost, lower, upper)
        limits = self._bounds(lower, upper, level)
        costs = np.array(
            [scaled(c, 1, s - height) for c, s in zip(cost, self._column.tolist(), strict=True)]
        )
        bounds = Bounds(limits[0][:n], limits[1][:n], limits[0][n:], limits[1][n:])
        vertex = self._model(explicit=False).run(
            costs, bounds, None if start is None else start.to_highs(n), deadline=deadline
        )
        if not vertex.basis.valid:
            return vertex.status, None
        return vertex.status, Basis.from_highs(vertex.basis, lower, upper)

    def correct(
        self,
        basis: Basis,
        point: Vector,
        reduced: Vector,
        cost: Sequence[int],
        lower: Limits,
        upper: Limits,
        *,
        deadline: Deadline | None = None,
    ) -> Basis | None:
        """A better basis: what is wrong with an exact point, magnified, solved in floats.

        With the point moved to zero and the objective replaced by its reduced costs, violations
        far below HiGHS's tolerances can be scaled to size one. (Gleixner, Steffy and Wolter,
        "Iterative refinement for linear programming", 2016.) Rows' activities are columns here,
        for they have reduced costs too.
        """
        size = self._whole.n + self._whole.m
        level, height = self._sizes(cost, lower, upper)
        shifts = self._shifts(level)
        low, high, slope = (np.zeros(size) for _ in range(3))
        pairs = zip(point.numerators, point.denominators, strict=True)
        for v, (top, bottom) in enumerate(pairs):
            low[v] = _difference(lower[v], top, bottom, shifts[v], -np.inf)
            high[v] = _difference(upper[v], top, bottom, shifts[v], np.inf)
            shift = -shifts[v] - level - height
            slope[v] = scaled(reduced.numerators[v], reduced.denominators[v], shift)
        at = basis.places
        outside = max(low.max(initial=0.0), -high.min(initial=0.0))
        movable = (at != BASIC) & (low < high)
        toward = np.where(at == ZERO, -np.abs(slope), np.where(at == LOWER, slope, -slope))
        steepest = -toward[movable].min(initial=0.0)
        limits = Bounds(
            low * _magnified(outside), high * _magnified(outside), *np.zeros((2, self._whole.m))
        )
        start = basis.to_highs(size, self._whole.m)
        with np.errstate(over="ignore"):  # a column that cannot move may cost as much as it likes
            costs = slope * _magnified(steepest)
        vertex = self._model(explicit=True).run(costs, limits, start, deadline=deadline)
        # Even where HiGHS gives up, its last basis may be the right one.
        return Basis.from_highs(vertex.basis, lower, upper) if vertex.basis.valid else None

    def _model(self, *, explicit: bool) -> HighsModel:
        """HiGHS on the matrix, or with the rows' activities as columns of their own."""
        if explicit not in self._models:
            floats = self._floats
            if explicit:
                floats = sp.hstack([floats, -sp.eye_array(self._whole.m)], format="csc")
            # Nearly dependent rows can make HiGHS stall; exact pivots are quicker then.
            patience = (FEW if explicit else MANY) * (sum(floats.shape) + 100)
            limit = {"simplex_iteration_limit": patience}
            self._models[explicit] = HighsModel(floats, limit | self._options)
        return self._models[explicit]

    def _sizes(self, cost: Sequence[int], lower: Limits, upper: Limits) -> tuple[int, int]:
        """Powers of two that limits, and that costs, have in their middle."""
        level = _middle([*lower, *upper], self._shifts(0) * 2)
        return level, _middle(cost, self._column.tolist())

    def _shifts(self, level: int) -> list[int]:
        """Powers of two that take each variable to HiGHS's units."""
        return [*(-self._column - level).tolist(), *(self._row - level).tolist()]

    def _bounds(self, lower: Limits, upper: Limits, level: int) -> tuple[Array, Array]:
        shifts = self._shifts(level)
        pairs = ((lower, -np.inf), (upper, np.inf))
        low, high = (
            np.array(
                [
                    none if value is None else scaled(value, 1, shift)
                    for value, shift in zip(limits, shifts, strict=True)
                ]
            )
            for limits, none in pairs
        )
        return low, high


def scaled(top: Integer, bottom: Integer, shift: int) -> float:
    """``top / bottom * 2**shift`` as a float, for whole numbers of any size."""
    if not top:
        return 0.0
    gap = 64 - top.bit_length() + bottom.bit_length()
    quotient = (top << gap) // bottom if gap >= 0 else top // (bottom << -gap)
    try:
        return math.ldexp(float(int(quotient)), shift - gap)
    except OverflowError:
        return math.inf if top > 0 else -math.inf


def _magnified(violation: float) -> float:
    """The power of two that takes a small violation to size one."""
    return 1.0 if not 0 < violation < 1 else 2.0 ** -round(math.log2(violation))


def _difference(limit: int | None, top: Integer, bottom: Integer, shift: int, none: float) -> float:
    return none if limit is None else scaled(limit * bottom - top, bottom, shift)


def _middle(values: Iterable[int | None], shifts: Iterable[int]) -> int:
    """The power of two of the middle value after shifting, or a little below the largest."""
    sizes = [v.bit_length() + s for v, s in zip(values, shifts, strict=True) if v]
    return max(int(np.median(sizes)), max(sizes) - SPREAD) if sizes else 0


def _scaling(
    logs: Array, rows: NDArray[np.int32], columns: NDArray[np.intp], m: int, n: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Powers of two for rows and columns that bring the entries near one, geometrically."""
    row, column = np.zeros(m), np.zeros(n)
    for _ in range(PASSES):
        row = -_halfway(logs + column[columns], rows, m)
        column = -_halfway(logs + row[rows], columns, n)
    return np.rint(row).astype(int), np.rint(column).astype(int)


def _halfway(values: Array, groups: Value, size: int) -> Array:
    """Halfway between the least and the largest value of each group; zero for empty groups."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, groups, values)
    np.maximum.at(high, groups, values)
    empty = np.isinf(low)
    low[empty] = high[empty] = 0.0
    middle: Array = (low + high) / 2
    return middle


ROUNDS = 6  # of corrections in floats


class Search:
    """One matrix, searched for many objectives and limits.

    Parameters
    ----------
    matrix : IntegerMatrix
        Whole numbers.
    options : mapping
        HiGHS options.
    """

    def __init__(self, matrix: IntegerMatrix, options: Options) -> None:
        self._matrix, self._options = matrix, options
        self._floats = FloatModel(matrix, options)

    def run(
        self,
        cost: Sequence[int],
        lower: Limits,
        upper: Limits,
        effort: Effort,
        *,
        start: Basis | None = None,
        solvable: bool = False,
        deadline: Deadline | None = None,
    ) -> Found:
        """The optimum, or a proof that there is none.

        Parameters
        ----------
        cost : sequence of int
            Costs of the columns.
        lower, upper : list of int or None
            Limits of all variables, which do not cross.
        effort : Effort
            Is added to.
        start : Basis, optional
            Where HiGHS begins.
        solvable : bool
            Whether it is known that there is an optimum, whatever HiGHS says.
        deadline : Deadline, optional
            After which OutOfTime is raised.
        """
        simplex = Simplex(self._matrix, cost, lower, upper, deadline or Deadline())
        status, basis = self._guess(simplex, effort, start)
        if status != "kOptimal" and start is not None:
            # From a basis HiGHS works without presolve, which is the more fragile way.
            status, basis = self._guess(simplex, effort)
        hint = basis or start or Basis.of_rows(self._matrix, lower, upper)
        if not solvable and status in ("kInfeasible", "kUnboundedOrInfeasible", "kUnbounded"):
            found = self._without_optimum(simplex, status, effort)
            if isinstance(found, Found):
                return found
            hint = found
        try:
            return simplex.run(self._corrected(simplex, hint, effort))
        finally:
            effort.pivots += simplex.pivots

    def _guess(
        self, simplex: Simplex, effort: Effort, start: Basis | None = None
    ) -> tuple[str, Basis | None]:
        simplex.deadline.check()
        effort.runs += 1
        return self._floats.guess(
            simplex.cost, simplex.lower, simplex.upper, start, deadline=simplex.deadline
        )

    def _corrected(self, simplex: Simplex, basis: Basis, effort: Effort) -> Basis:
        """The best basis of those that floats find, given each time what is exactly wrong."""
        seen: dict[bytes, tuple[int, Basis]] = {}
        for _ in range(ROUNDS):
            corner, point, reduced = simplex.look(basis)
            effort.core = max(effort.core, corner.factor.core_size)
            outside = simplex.too_low_or_high(corner, point)
            wrong = len(outside) + len(simplex.worth_moving(corner, reduced))
            seen[basis.places.tobytes()] = wrong, corner.basis
            if not wrong:
                return corner.basis
            better = self._floats.correct(
                corner.basis, point, reduced, simplex.cost, simplex.lower, simplex.upper,
                deadline=simplex.deadline,
            )  # fmt: skip
            effort.runs += 1
            effort.corrections += 1
            if better is None or better.places.tobytes() in seen:
                break
            basis = better
        return min(seen.values(), key=lambda found: found[0])[1]

    def _without_optimum(self, simplex: Simplex, status: str, effort: Effort) -> Found | Basis:
        """A proof that there is no optimum, or a basis within the limits if there may be one."""
        if status != "kInfeasible":
            inside = replace(simplex, cost=[0] * self._matrix.n)
            status, basis = self._guess(inside, effort)
            if status == "kOptimal" and basis is not None:
                found = inside.run(self._corrected(inside, basis, effort))
                effort.pivots += inside.pivots
                if found.kind == "infeasible":
                    return found
                ray = self._falling(simplex, effort)
                if ray is None:
                    return found.basis
                return Found("unbounded", found.basis, found.point, found.reduced, ray)
        return self._infeasible(simplex, effort)

    def _falling(self, simplex: Simplex, effort: Effort) -> Vector | None:
        """A direction that never ends and lowers the objective, or None."""
        n = self._matrix.n
        low: Limits = [
            (-1 if v < n else None) if limit is None else 0 for v, limit in enumerate(simplex.lower)
        ]
        high: Limits = [
            (1 if v < n else None) if limit is None else 0 for v, limit in enumerate(simplex.upper)
        ]
        found = self.run(simplex.cost, low, high, effort, solvable=True, deadline=simplex.deadline)
        top, _ = found.point.dot(range(n), simplex.cost)
        return found.point if top < 0 else None

    def _infeasible(self, simplex: Simplex, effort: Effort) -> Found | Basis:
        """Weights that prove it: the multipliers of the least total violation of the rows."""
        n, m = self._matrix.n, self._matrix.m
        elastic = Search(self._matrix.with_units(), self._options)
        cost = [0] * n + [1] * (2 * m)
        low = [*simplex.lower[:n], *[0] * (2 * m), *simplex.lower[n:]]
        high = [*simplex.upper[:n], *[None] * (2 * m), *simplex.upper[n:]]
        found = elastic.run(cost, low, high, effort, solvable=True, deadline=simplex.deadline)
        added = slice(n, n + 2 * m)
        basis = Basis(np.delete(found.basis.places, added)).settled(simplex.lower, simplex.upper)
        if not any(found.point.numerators[added]):
            return basis
        weights = Vector(list(found.reduced.numerators), list(found.reduced.denominators))
        del weights.numerators[added], weights.denominators[added]
        return Found("infeasible", basis, ray=weights)
