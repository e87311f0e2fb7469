"""Linear and quadratic programs solved again and again, from array to array, with their check."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import WORDS, HighsModel
from lexiprog.canon.standard_form import Bounds
from lexiprog.certify.certificate import Certificate
from lexiprog.cvxpy_adapter import AffineMatrix, DenseAffine
from lexiprog.least_squares.active_set import NoActiveSet, find
from lexiprog.least_squares.hierarchy import Hierarchy, Rank
from lexiprog.least_squares.repeated import PerThread, StepAnswer, kernel
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED_LEAST_SQUARES, NEARNESS
from lexiprog.typing import Array

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

    def measures(self, x: Array, y: Array) -> tuple[float, float, float]:
        """What rows, columns and the gap miss, each over the terms that it is made of.

        ``y`` are multipliers of the rows: what is left of the costs is ``c + Px - A'y``.
        """
        ends, A, P = self.bounds, self.A, self.P
        at, size = A @ x, self.sizes @ np.abs(x)
        y = np.where((y > 0.0) & np.isfinite(ends.row_lower), y, np.minimum(y, 0.0))
        y = np.where((y < 0.0) & ~np.isfinite(ends.row_upper), 0.0, y)
        rows = max(_missed(ends.row_lower, at, ends.row_upper, size),
                   _missed(ends.lower, x, ends.upper, np.abs(x)))  # fmt: skip
        left, terms = self.c - y @ A, np.abs(self.c) + np.abs(y) @ self.sizes
        worth = float(np.abs(self.c) @ np.abs(x))
        if P is not None:
            left, terms = left + P @ x, terms + np.abs(P) @ np.abs(x)
            worth += float(np.abs(x) @ np.abs(P) @ np.abs(x))
        end = np.where(left > 0.0, ends.lower, ends.upper)
        held = np.isfinite(end)
        free = np.divide(np.abs(left), terms, out=np.zeros(x.size), where=~held & (terms > 0.0))
        row_end = np.where(y > 0.0, ends.row_lower, ends.row_upper)
        row_end = np.where(y != 0.0, row_end, 0.0)
        charges = float(np.abs(left[held]) @ np.abs(x[held] - end[held]))
        charges += float(np.abs(y) @ np.abs(np.where(y != 0.0, at - row_end, 0.0)))
        worth += float(np.abs(y) @ np.abs(row_end)) + float(np.abs(left[held]) @ np.abs(end[held]))
        return rows, float(free.max(initial=0.0)), charges / worth if worth > 0.0 else charges

    def certificate(self, x: Array, y: Array) -> Certificate:
        """The same, as a certificate."""
        rows, columns, gap = self.measures(x, y)
        return Certificate(
            rows=rows, columns=columns, gap=gap, tolerance=CERTIFIED_LEAST_SQUARES / NEARNESS,
            gap_tolerance=CERTIFIED_LEAST_SQUARES, row_tolerance=CERTIFIED_LEAST_SQUARES,
        )  # fmt: skip


def _missed(lower: Array, at: Array, upper: Array, size: Array) -> float:
    """The largest violation over its terms."""
    beyond = np.maximum(lower - at, at - upper)
    out = np.flatnonzero(beyond > 0.0)
    if not out.size:
        return 0.0
    end = np.where(at[out] > upper[out], upper[out], lower[out])
    return float(np.max(beyond[out] / (size[out] + np.abs(end))))


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
    programs: list[tuple[BoundedProgram, Array, Array]] = field(default_factory=list)
    unique: bool = True
    measured: list[Certificate] = field(default_factory=list)

    def certificates(self) -> list[Certificate]:
        """Of all levels, made once."""
        if not self.measured:
            self.measured = [program.certificate(x, y) for program, x, y in self.programs]
        return self.measured


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
        passed = not verify or self._passed(found)
        if warm and (found.status is not Status.OPTIMAL or not found.unique or not passed):
            found = self._levels(model, full, costs, maps.bounds(values), warm=False)
            passed = not verify or self._passed(found)
        if found.status is not Status.OPTIMAL or not passed:
            self._last.model = None
            if found.status is Status.OPTIMAL:
                return self.nothing(Status.FAILED)
            if not found.status.has_point:
                return self.nothing(found.status)
        optima = maps.signs * (costs[:, :-1] @ found.x + costs[:, -1])
        return found.status, optima, found.x, found.certificates

    def _passed(self, found: _Levels) -> bool:
        return all(certificate.passed for certificate in found.certificates())

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
            x = np.clip(x, ends.lower, ends.upper)
            program = BoundedProgram(cost, *full, ends)
            out.programs.append((program, x, y))
            out.x = x
            ends, clear, unique = _face(program, x, y)
            if level < last:
                if not clear:
                    out.status = Status.INACCURATE
                model.set_columns(ends.lower, ends.upper)
                model.set_rows(ends.row_lower, ends.row_upper)
            out.unique = unique
        return out

    def __str__(self) -> str:
        return "HiGHS, from the last basis"


def _face(program: BoundedProgram, x: Array, y: Array) -> tuple[Bounds, bool, bool]:
    """The ends on the optimal face; whether it is clear which they are, and whether it is a point.

    What has a multiplier stays where it is.
    """
    ends, A = program.bounds, program.A
    left, terms = program.c - y @ A, np.abs(program.c) + np.abs(y) @ program.sizes
    terms[terms == 0.0] = 1.0
    share, largest = np.abs(left) / terms, np.abs(y).max(initial=0.0) or 1.0
    row_share = np.abs(y) / largest
    open_columns, open_rows = ends.lower < ends.upper, ends.row_lower < ends.row_upper
    fixed, fixed_rows = (share > REAL) & open_columns, (row_share > REAL) & open_rows
    doubtful = ((share > FLAT) & (share < CLEAR) & open_columns).any() or (
        (row_share > FLAT) & (row_share < CLEAR) & open_rows
    ).any()
    at = A @ x
    near = np.minimum(np.abs(x - ends.lower), np.abs(x - ends.upper)) <= REAL * (1.0 + np.abs(x))
    near_rows = np.minimum(np.abs(at - ends.row_lower), np.abs(at - ends.row_upper)) <= REAL * (
        1.0 + np.abs(at)
    )
    unique = (
        not (near & open_columns & ~fixed).any() and not (near_rows & open_rows & ~fixed_rows).any()
    )
    row_end = np.where(y > 0.0, ends.row_lower, ends.row_upper)
    face = Bounds(
        np.where(fixed, x, ends.lower),
        np.where(fixed, x, ends.upper),
        np.where(fixed_rows, row_end, ends.row_lower),
        np.where(fixed_rows, row_end, ends.row_upper),
    )
    return face, not doubtful, unique


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
        roots, axes = np.linalg.eigh(P)
        curved = roots > FLAT * roots[-1]
        self._factor = np.sqrt(roots[curved])[:, None] * axes[:, curved].T
        self._solve_costs = axes[:, curved] / np.sqrt(roots[curved])
        self.strict = bool(curved.all())
        every = np.asarray(maps.A.at(np.zeros(0)).toarray())
        self._limits = np.count_nonzero(every, axis=1) == 1  # rows that limit one column
        self._A: Array = every[~self._limits]
        self._sizes = np.abs(self._A)
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
        costs = np.array(every)
        rest = costs - costs @ self._solve_costs @ self._factor
        return bool(np.all(np.abs(rest) <= REAL * np.abs(costs).max(initial=0.0)))

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:
        """A status, the value, a point, and what makes the certificate."""
        maps = self.maps
        row, ends = maps.costs.at(values)[0], self._ends(values)
        if ends is None:
            return self.nothing(Status.INFEASIBLE)
        program = BoundedProgram(row[:-1], self._A, self._sizes, ends, self.P)
        found = self._by_daqp(program, verify=verify) if self.strict else None
        if found is None:
            found = self._by_least_squares(program, verify=verify)
        if found is None:
            return self.nothing(Status.FAILED)
        status, x, y = found
        if status is not Status.OPTIMAL:
            return self.nothing(status)
        value = 0.5 * float(x @ self.P @ x) + float(row[:-1] @ x) + float(row[-1])
        return (
            Status.OPTIMAL,
            maps.signs * value,
            x,
            partial(_one_certificate, program, x, y),
        )

    def _ends(self, values: Array) -> Bounds | None:
        """All ends, with rows that limit one column as its bounds; None if two contradict.

        A point can be moved into bounds exactly, and is never beyond an end of zero by rounding.
        """
        ends, limits, columns = self.maps.bounds(values), self._limits, self._limited
        one, other = ends.row_lower[limits] / self._factors, ends.row_upper[limits] / self._factors
        np.maximum.at(ends.lower, columns, np.minimum(one, other))
        np.minimum.at(ends.upper, columns, np.maximum(one, other))
        crossed = np.flatnonzero(ends.lower > ends.upper)
        lower, upper = ends.lower[crossed], ends.upper[crossed]
        if np.any(lower - upper > CERTIFIED_LEAST_SQUARES * (np.abs(lower) + np.abs(upper))):
            return None
        ends.lower[crossed] = upper
        return Bounds(ends.lower, ends.upper, ends.row_lower[~limits], ends.row_upper[~limits])

    def _by_daqp(
        self, program: BoundedProgram, *, verify: bool
    ) -> tuple[Status, Array, Array] | None:
        """The optimum by DAQP; None if it is not installed, or its answer is not proved."""
        model = self._model(program)
        if model is None:
            return None
        x, _, flag, info = model.solve()
        if flag != 1:
            return None
        multipliers = -np.asarray(info["lam"])
        x = np.clip(np.asarray(x), program.bounds.lower, program.bounds.upper)
        y = multipliers[x.size :]
        if verify and not program.certificate(x, y).passed:
            return None
        return Status.OPTIMAL, x, y

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
            sense[self._limited[equations[self._limits]]] = 5
            sense[program.c.size :][equations[~self._limits]] = 5
            model = daqp.Model()
            model.settings = {"primal_tol": 1e-11, "dual_tol": 1e-12}
            model.setup(self.P, program.c, self._A, upper, lower, sense)
            self._last.model = model
        else:
            model.update(f=program.c, bupper=upper, blower=lower)
        return model

    def _by_least_squares(
        self, program: BoundedProgram, *, verify: bool
    ) -> tuple[Status, Array, Array] | None:
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
        y = by_row[bounded.size : hard]
        if verify and not program.certificate(x, y).passed:
            return None
        return Status.OPTIMAL, x, y

    def __str__(self) -> str:
        return "DAQP, or one active set"


def _one_certificate(program: BoundedProgram, x: Array, y: Array) -> list[Certificate]:
    return [program.certificate(x, y)]


def dense_curvature(P: sp.csc_array) -> Array:
    """Both triangles of a symmetric matrix of which CVXPY may give one."""
    full = np.asarray(P.toarray())
    return full if np.allclose(full, full.T) else full + full.T - np.diag(np.diag(full))
