"""Linear and quadratic programs solved again and again, from array to array, with their check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import WORDS, HighsModel
from lexiprog.backends.kept import is_only_vertex
from lexiprog.canon.standard_form import Bounds
from lexiprog.certify.certificate import Certificate
from lexiprog.cvxpy_adapter import AffineMatrix, DenseAffine
from lexiprog.least_squares.active_set import NoActiveSet, find
from lexiprog.least_squares.hierarchy import Hierarchy, Rank
from lexiprog.least_squares.repeated import PerThread, StepAnswer, kernel
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED_LEAST_SQUARES, EPS, NEARNESS
from lexiprog.typing import Array, cached_property

# A multiplier is one if it is more than the first share of its terms; between the two it is not
# clear whether what it belongs to may still move.
REAL, CLEAR = 1e-9, 1e-7
# Eigenvalues below this share of the largest are zeros.
FLAT = 1e-12


@dataclass(frozen=True)
class BoundedProgram:
    """Minimise ``x'Px / 2 + c'x`` where columns and rows lie between their ends."""

    c: Array
    A: Array
    sizes: Array  # of A's entries
    bounds: Bounds
    P: Array | None = None


class _Point:
    """A point of a program with multipliers of its rows, and what is measured of them.

    Attributes
    ----------
    at, left, terms : ndarray
        The rows' values, the reduced costs ``c + Px - A'y``, and the terms these are made of.
    """

    def __init__(self, program: BoundedProgram, x: Array, y: Array) -> None:
        ends, A, P = program.bounds, program.A, program.P
        # Multipliers count where there is an end to push against.
        self.x, self.program = x, program
        self.y = y = np.where(
            np.isfinite(np.where(y > 0.0, ends.row_lower, ends.row_upper)), y, 0.0
        )
        self.at, self._sizes = A @ x, np.abs(y)
        self.left, self.terms = program.c - y @ A, np.abs(program.c) + self._sizes @ program.sizes
        self._squares = np.zeros(0) if P is None else np.abs(P) @ np.abs(x)
        if P is not None:
            self.left, self.terms = self.left + P @ x, self.terms + self._squares

    @cached_property
    def measures(self) -> tuple[float, float, float]:
        """What rows, columns and the gap miss, each over the terms that it is made of."""
        program, x, y, at, left = self.program, self.x, self.y, self.at, self.left
        ends, size, free = program.bounds, np.abs(x), 0.0
        rows = max(_missed(ends.row_lower, at, ends.row_upper, program.sizes, size),
                   _missed(ends.lower, x, ends.upper, None, size))  # fmt: skip
        worth = float(np.abs(program.c) @ size)
        if program.P is not None:
            worth += float(size @ self._squares)
        end, away = np.where(left > 0.0, ends.lower, ends.upper), np.abs(left)
        # What sums of so many terms are rounded by leads nowhere.
        away[away <= (x.size + y.size) * EPS * self.terms] = 0.0
        held = np.isfinite(end)
        if not held.all():
            loose = ~held & (self.terms > 0.0)
            free = float(np.max(away[loose] / self.terms[loose], initial=0.0))
            end, away = np.where(held, end, 0.0), np.where(held, away, 0.0)
        row_end = np.where(y > 0.0, ends.row_lower, np.where(y < 0.0, ends.row_upper, 0.0))
        charges = float(away @ np.abs(x - end)) + float(self._sizes @ np.abs(at - row_end))
        worth += float(self._sizes @ np.abs(row_end)) + float(away @ np.abs(end))
        return rows, free, charges / worth if worth > 0.0 else charges

    @property
    def passed(self) -> bool:
        """Whether its certificate passes, which is made when somebody asks for it."""
        return all(measure <= CERTIFIED_LEAST_SQUARES for measure in self.measures)

    def certificates(self) -> list[Certificate]:
        """The same as a certificate, alone in a list."""
        rows, columns, gap = self.measures
        made = Certificate(
            rows=rows, columns=columns, gap=gap, tolerance=CERTIFIED_LEAST_SQUARES / NEARNESS,
            gap_tolerance=CERTIFIED_LEAST_SQUARES, row_tolerance=CERTIFIED_LEAST_SQUARES,
        )  # fmt: skip
        return [made]


def _missed(lower: Array, at: Array, upper: Array, A: Array | None, x: Array) -> float:
    """The largest violation over its terms: ``A @ x``, or ``x`` itself."""
    beyond = np.maximum(lower - at, at - upper)
    if not beyond.max(initial=0.0) > 0.0:
        return np.inf if np.isnan(at).any() else 0.0
    out = np.flatnonzero(beyond > 0.0)
    end = np.where(at[out] > upper[out], upper[out], lower[out])
    size = x[out] if A is None else A[out] @ x
    return float(np.max(beyond[out] / (size + np.abs(end))))


@dataclass(frozen=True)
class LinearMaps:
    """Numbers of a program as affine maps from parameters.

    Attributes
    ----------
    A, b, costs : AffineMatrix, DenseAffine, DenseAffine
        Rows ``b - Ax``, of which the first ``zero`` are equations and others at least zero; a row
        of costs for each objective, its constant last.
    lower, upper : ndarray
        Bounds of the columns.
    signs : ndarray
        Minus one for objectives that the user maximises.
    """

    A: AffineMatrix
    b: DenseAffine
    costs: DenseAffine
    zero: int
    lower: Array
    upper: Array
    signs: Array

    def bounds(self, values: Array) -> Bounds:
        """The ends of columns and rows, in arrays of their own."""
        b = self.b.at(values)[:, 0].copy()
        below = np.full(b.size, -np.inf)
        below[: self.zero] = b[: self.zero]
        return Bounds(self.lower.copy(), self.upper.copy(), below, b)


class Repeated:
    """What both have in common: maps, and a place for each thread to start from."""

    order: Literal["C", "F"] = "F"

    def __init__(self, maps: LinearMaps) -> None:
        self.maps = maps
        self._last = PerThread()

    def nothing(self, status: Status) -> StepAnswer:
        """No point, and why."""
        levels, n = self.maps.signs.size, self.maps.lower.size
        return status, np.full(levels, np.nan), np.full(n, np.nan), list


@dataclass
class _Levels:
    """What one pass over the levels found."""

    status: Status = Status.OPTIMAL
    x: Array = field(default_factory=lambda: np.zeros(0))
    points: list[_Point] = field(default_factory=list)
    unique: bool = True

    @property
    def passed(self) -> bool:
        """Whether all certificates pass."""
        return all(point.passed for point in self.points)

    def certificates(self) -> list[Certificate]:
        """Of all levels."""
        return [made for point in self.points for made in point.certificates()]


class RepeatedLinear(Repeated):
    """Linear objectives in order on HiGHS, from the last basis.

    Where an optimum is not the only one, the way to it counts: it is then solved again from
    nothing, so that the answer depends on no earlier call.
    """

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:
        """A status, the levels' values, a point, and what makes the certificates."""
        maps = self.maps
        A, costs = maps.A.at(values), maps.costs.at(values)
        model: HighsModel | None = getattr(self._last, "model", None)
        warm = model is not None and maps.A.fixed
        if model is None or not maps.A.fixed:
            model = HighsModel(A, {}, costs[0, :-1].copy(), maps.bounds(values))
            full = np.asarray(A.toarray())
            self._last.model, self._last.full = model, (full, np.abs(full))
        full = self._last.full
        found = self._levels(model, full, costs, maps.bounds(values), warm=warm)
        passed = not verify or found.passed
        if warm and (found.status is not Status.OPTIMAL or not found.unique or not passed):
            model = HighsModel(A, {}, costs[0, :-1].copy(), maps.bounds(values))
            self._last.model = model
            found = self._levels(model, full, costs, maps.bounds(values), warm=False)
            passed = not verify or found.passed
        if found.status is not Status.OPTIMAL or not passed:
            self._last.model = None
            if found.status is Status.OPTIMAL:
                return self.nothing(Status.FAILED)
            if not found.status.has_point:
                return self.nothing(found.status)
        optima = maps.signs * (costs[:, :-1] @ found.x + costs[:, -1])
        return found.status, optima, found.x, found.certificates

    def _levels(
        self,
        model: HighsModel,
        full: tuple[Array, Array],
        costs: Array,
        ends: Bounds,
        *,
        warm: bool,
    ) -> _Levels:
        """Solve level by level, each on the optimal face of those before it."""
        out, last = _Levels(), costs.shape[0] - 1
        if last:  # a single level never changes them
            model.set_columns(ends.lower, ends.upper)
        model.set_rows(ends.row_lower, ends.row_upper)
        for level, cost in enumerate(costs[:, :-1]):
            model.set_cost(cost)
            status = model.solve(warm=warm or level > 0, primal=level > 0)
            if status != "kOptimal":
                out.status = WORDS.get(status, Status.FAILED)
                return out
            solution = model.solution
            x, y = np.array(solution.col_value), np.array(solution.row_dual)
            out.x = np.clip(x, ends.lower, ends.upper)
            point = _Point(BoundedProgram(cost, *full, ends), out.x, y)
            out.points.append(point)
            if level < last:
                only = not level and _is_only(point)
                ends, clear = _face(point)
                if not clear:
                    out.status = Status.INACCURATE
                later = _at_vertex(full, costs[1:, :-1], ends, out.x) if only else []
                if later and all(own.passed for own in later):
                    out.points.extend(later)
                    return out
                model.set_columns(ends.lower, ends.upper)
                model.set_rows(ends.row_lower, ends.row_upper)
            elif warm:
                out.unique = _is_only(point)
        return out

    def __str__(self) -> str:
        return "HiGHS, from the last basis"


def _face(point: _Point) -> tuple[Bounds, bool]:
    """The ends on the optimal face, and whether it is clear which they are.

    What has a multiplier stays where it is.
    """
    ends, y = point.program.bounds, point.y
    share = np.abs(point.left) / np.where(point.terms == 0.0, 1.0, point.terms)
    row_share = np.abs(y) / (np.abs(y).max(initial=0.0) or 1.0)
    open_columns, open_rows = ends.lower < ends.upper, ends.row_lower < ends.row_upper
    fixed, fixed_rows = (share > REAL) & open_columns, (row_share > REAL) & open_rows
    doubtful = ((share > FLAT) & (share < CLEAR) & open_columns).any() or (
        (row_share > FLAT) & (row_share < CLEAR) & open_rows
    ).any()
    row_end = np.where(y > 0.0, ends.row_lower, ends.row_upper)
    face = Bounds(
        np.where(fixed, point.x, ends.lower),
        np.where(fixed, point.x, ends.upper),
        np.where(fixed_rows, row_end, ends.row_lower),
        np.where(fixed_rows, row_end, ends.row_upper),
    )
    return face, not doubtful


def _is_only(point: _Point) -> bool:
    """Whether no other point is optimal and no other multipliers prove it."""
    bounds = point.program.bounds
    return is_only_vertex(bounds, point.x, point.at, point.left, point.y, point.terms)


def _at_vertex(full: tuple[Array, Array], costs: Array, ends: Bounds, x: Array) -> list[_Point]:
    """Later levels where the first leaves a single point: only their multipliers are to be found.

    None of them if what is tight there does not make a basis.
    """
    free = np.flatnonzero(ends.lower < ends.upper)
    tight = np.flatnonzero(ends.row_lower == ends.row_upper)
    if free.size != tight.size:
        return []
    y = np.zeros((len(costs), ends.row_lower.size))
    try:
        y[:, tight] = np.linalg.solve(full[0][np.ix_(tight, free)].T, costs[:, free].T).T
    except np.linalg.LinAlgError:
        return []
    programs = (BoundedProgram(cost, *full, ends) for cost in costs)
    return [_Point(program, x, own) for program, own in zip(programs, y, strict=True)]


@dataclass(frozen=True)
class _Definitions:
    """Columns that one equation defines, and nothing else bounds, in terms of the others.

    Modelling layers write a sum of squares as that of such columns.

    Attributes
    ----------
    rows, own : ndarray of int
        The equations, and the column that each defines.
    factors : ndarray
        Its entry there.
    kept : ndarray of int
        The other columns.
    columns : ndarray
        All columns as combinations of these, but for what right-hand sides add.
    """

    rows: NDArray[np.intp]
    own: NDArray[np.intp]
    factors: Array
    kept: NDArray[np.intp]
    columns: Array

    @classmethod
    def of(cls, A: Array, maps: LinearMaps) -> _Definitions:
        """Those of a matrix."""
        bounded = np.isfinite(maps.lower) | np.isfinite(maps.upper)
        once = (np.count_nonzero(A, axis=0) == 1) & ~bounded
        rows, own = [], []
        for row in range(maps.zero):
            defined = np.flatnonzero(once & (A[row] != 0.0))
            if defined.size:
                rows.append(row)
                own.append(int(defined[np.argmax(np.abs(A[row, defined]))]))
        columns = np.eye(A.shape[1])
        columns[own] = 0.0
        kept = np.setdiff1d(np.arange(A.shape[1]), own)
        factors = A[rows, own]
        columns = columns[:, kept]
        columns[own] = -A[rows][:, kept] / factors[:, None]
        return cls(np.array(rows, dtype=np.intp), np.array(own, dtype=np.intp), factors, kept,
                   columns)  # fmt: skip

    def shift(self, b: Array) -> Array:
        """What right-hand sides add to the columns."""
        out = np.zeros(self.columns.shape[0])
        out[self.own] = b[self.rows] / self.factors
        return out


class RepeatedQuadratic(Repeated):
    """One convex quadratic objective: DAQP where it is installed, else the active set of ours.

    Parameters
    ----------
    maps : LinearMaps
        Of one objective, with a matrix that no parameter moves.
    P : ndarray
        Its curvature, moved by no parameter.
    """

    def __init__(self, maps: LinearMaps, P: Array) -> None:
        super().__init__(maps)
        self.P = P
        every = np.asarray(maps.A.at(np.zeros(0)).toarray())
        self._limits = np.count_nonzero(every, axis=1) == 1  # rows that limit one column
        self._defined = defined = _Definitions.of(every, maps)
        self._limits[defined.rows] = False
        self._A, self._sizes = every[~self._limits], np.abs(every[~self._limits])
        rows = np.ones(self._limits.size, dtype=bool)
        rows[defined.rows] = False
        self._others = rows[~self._limits]  # of the rows that limit nothing, those that stay
        self._own_A = self._A[self._others][:, defined.kept]
        self._own_P = defined.columns.T @ P @ defined.columns
        # Units in which curvatures and rows are about one: DAQP's tolerances have none.
        self._columns = _near_one(np.sqrt(np.abs(np.diag(self._own_P))))
        self._own_P = self._own_P * self._columns[:, None] * self._columns
        self._own_A = self._own_A * self._columns
        self._rows = _near_one(np.abs(self._own_A).max(axis=1, initial=0.0))
        self._own_A = self._own_A * self._rows[:, None]
        self._own_sizes = np.abs(self._own_A)
        self._lift = defined.columns * self._columns
        roots, axes = np.linalg.eigh(self._own_P)
        curved = roots > FLAT * roots[-1]
        self._factor = np.sqrt(roots[curved])[:, None] * axes[:, curved].T
        self._solve_costs = axes[:, curved] / np.sqrt(roots[curved])
        self.strict = bool(curved.all())
        self._limited = np.argmax(every[self._limits] != 0.0, axis=1)
        self._factors = every[self._limits, self._limited]
        kernel()

    @property
    def in_range(self) -> bool:
        """Whether every cost that parameters can make is bounded by the curvature alone."""
        if self.strict:
            return True
        maps = self.maps.costs.entries.maps
        columns = self.maps.costs.places[1]
        start = np.zeros(self.maps.lower.size + 1)
        start[columns] = self.maps.costs.entries.start
        every = [start[:-1]]
        if maps is not None:
            moving = np.zeros((maps.shape[1], start.size))
            moving[:, columns[self.maps.costs.entries.moving]] = maps.toarray().T
            every.extend(moving[:, :-1])
        costs = np.array(every) @ self._lift
        rest = costs - costs @ self._solve_costs @ self._factor
        return bool(np.all(np.abs(rest) <= REAL * np.abs(costs).max(initial=0.0)))

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:
        """A status, the value, a point, and what makes the certificate."""
        maps, defined = self.maps, self._defined
        row, ends = maps.costs.at(values)[0], self._ends(values)
        if ends is None:
            return self.nothing(Status.INFEASIBLE)
        program = BoundedProgram(row[:-1], self._A, self._sizes, ends, self.P)
        shift = defined.shift(maps.b.at(values)[:, 0]) if defined.rows.size else np.zeros(0)
        own = self._own(program, shift)
        for method in (self._by_daqp, self._by_least_squares):
            found = method(own)
            if found is None:
                continue
            status, x, y = found
            if status is not Status.OPTIMAL:
                return self.nothing(status)
            x, y = self._lifted(program, x, y, shift)
            point = _Point(program, x, y)
            if verify and not point.passed:
                self._last.model = None
                continue
            value = 0.5 * float(x @ self.P @ x) + float(row[:-1] @ x) + float(row[-1])
            return Status.OPTIMAL, maps.signs * value, x, point.certificates
        return self.nothing(Status.FAILED)

    def _own(self, program: BoundedProgram, shift: Array) -> BoundedProgram:
        """The program without columns that equations define, in units of its own."""
        ends, others, kept = program.bounds, self._others, self._defined.kept
        own = Bounds(
            ends.lower[kept] / self._columns, ends.upper[kept] / self._columns,
            ends.row_lower[others] * self._rows, ends.row_upper[others] * self._rows,
        )  # fmt: skip
        costs = program.c if not self._defined.rows.size else program.c + self.P @ shift
        return BoundedProgram(costs @ self._lift, self._own_A, self._own_sizes, own, self._own_P)

    def _lifted(
        self, program: BoundedProgram, x: Array, y: Array, shift: Array
    ) -> tuple[Array, Array]:
        """The point with all columns, and the multipliers of all rows that limit nothing."""
        defined = self._defined
        if not defined.rows.size:
            return x * self._columns, y * self._rows
        full = self._lift @ x + shift
        multipliers = np.empty(self._others.size)
        multipliers[self._others] = y * self._rows
        # Both are in the order of the rows.
        multipliers[~self._others] = (program.c + self.P @ full)[defined.own] / defined.factors
        return full, multipliers

    def _ends(self, values: Array) -> Bounds | None:
        """All ends, with rows that limit one column as its bounds; None if two contradict.

        A point can be moved into bounds exactly, and is never beyond an end of zero by rounding.
        """
        ends, limits, columns = self.maps.bounds(values), self._limits, self._limited
        if not columns.size:
            return ends
        one, other = ends.row_lower[limits] / self._factors, ends.row_upper[limits] / self._factors
        np.maximum.at(ends.lower, columns, np.minimum(one, other))
        np.minimum.at(ends.upper, columns, np.maximum(one, other))
        crossed = np.flatnonzero(ends.lower > ends.upper)
        lower, upper = ends.lower[crossed], ends.upper[crossed]
        if np.any(lower - upper > CERTIFIED_LEAST_SQUARES * (np.abs(lower) + np.abs(upper))):
            return None
        ends.lower[crossed] = upper
        return Bounds(ends.lower, ends.upper, ends.row_lower[~limits], ends.row_upper[~limits])

    def _by_daqp(self, program: BoundedProgram) -> tuple[Status, Array, Array] | None:
        """The optimum by DAQP; None if it is not installed, or finds none."""
        model = self._model(program) if self.strict else None
        if model is None:
            return None
        x, _, flag, info = model.solve()
        if flag != 1 or not np.isfinite(x).all():
            self._last.model = None  # its factors may be spoilt for later calls
            return None
        multipliers = -np.asarray(info["lam"])
        x = np.clip(np.asarray(x), program.bounds.lower, program.bounds.upper)
        return Status.OPTIMAL, x, multipliers[x.size :]

    def _model(self, program: BoundedProgram) -> Any:
        """A DAQP model of this thread with the program's numbers; None if there is no DAQP."""
        try:
            import daqp
        except ImportError:
            return None
        ends = program.bounds
        upper = np.concatenate([ends.upper, ends.row_upper])
        lower = np.concatenate([ends.lower, ends.row_lower])
        model = getattr(self._last, "model", None)
        if model is None:
            sense = np.zeros(upper.size, dtype=np.intc)
            equations = np.arange(self._limits.size) < self.maps.zero
            fixed = np.zeros(self.maps.lower.size, dtype=np.intc)
            fixed[self._limited[equations[self._limits]]] = 5
            sense[: program.c.size] = fixed[self._defined.kept]
            sense[program.c.size :][equations[~self._limits][self._others]] = 5
            model = daqp.Model()
            model.settings = {"primal_tol": 1e-11, "dual_tol": 1e-12}
            model.setup(self._own_P, program.c, self._own_A, upper, lower, sense)
            self._last.model = model
        else:
            model.update(f=program.c, bupper=upper, blower=lower)
        return model

    def _by_least_squares(self, program: BoundedProgram) -> tuple[Status, Array, Array] | None:
        """The optimum as the point where constraints hold and ``||Fx + h||`` is least."""
        ends, n = program.bounds, program.c.size
        bounded = np.flatnonzero(np.isfinite(ends.lower) | np.isfinite(ends.upper))
        rows = [np.eye(n)[bounded], program.A, self._factor]
        wanted = -(program.c @ self._solve_costs)
        hard = bounded.size + program.A.shape[0]
        hierarchy = Hierarchy(
            np.vstack(rows),
            np.concatenate([ends.lower[bounded], ends.row_lower, wanted]),
            np.concatenate([ends.upper[bounded], ends.row_upper, wanted]),
            (0, hard, hard + wanted.size),
        )
        try:
            held = find(hierarchy, Rank(), getattr(self._last, "start", None), kernel()[0])
        except NoActiveSet:
            return None
        x = held.point.x
        missed = np.abs(hierarchy.violations(held.at)[:hard])
        if np.any(missed > CERTIFIED_LEAST_SQUARES * (held.size[:hard] + 1e-300)):
            return Status.INFEASIBLE, x, x
        self._last.start = held.side, x
        by_row = np.zeros(hierarchy.lower.size)
        by_row[held.rows] = -held.point.multipliers[:, 1] / hierarchy.matrix.norms[held.rows]
        return Status.OPTIMAL, x, by_row[bounded.size : hard]

    def __str__(self) -> str:
        return "DAQP, or one active set"


def _near_one(sizes: Array) -> Array:
    """Powers of two that bring these sizes, where they are any, to about one."""
    return np.exp2(-np.rint(np.log2(np.where(sizes > 0.0, sizes, 1.0))))


def dense_curvature(P: sp.csc_array) -> Array:
    """Both triangles of a symmetric matrix of which CVXPY may give one."""
    full = np.asarray(P.toarray())
    return full if np.allclose(full, full.T) else full + full.T - np.diag(np.diag(full))
