"""One HiGHS object that raises the least utility, again and again, while more and more is fixed.

    maximise   t
    subject to utility_i(x) >= t             whoever is not settled
               utility_i(x)  = value_i       whoever is (or >=, where columns are generated)
               row_lower <= Ax <= row_upper, lower <= x <= upper

The model is built once. Settling, pinning and new columns change it in place, so that the last
vertex stays feasible and the primal simplex method goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.standard_form import Bounds
from lexiprog.fairness.records import NoFairShare, Utilities
from lexiprog.status import Status
from lexiprog.tolerances import PRECISE_HIGHS, RAY_MOVES
from lexiprog.typing import Array, Highs, Mask, Matrix, Options

OPTIONS = {**PRECISE_HIGHS, "output_flag": False}
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
LIMITS = {"kTimeLimit", "kIterationLimit", "kInterrupt"}


@dataclass(frozen=True)
class Peak:
    """The highest the least utility can be, with the multipliers that say so.

    Attributes
    ----------
    value : float
    x : ndarray
    weights : ndarray
        Of the utilities; those not settled are non-negative and sum to one.
    multipliers : ndarray
        Of the rows as ``Ax <= b``: non-negative where a row holds a sum down.
    """

    value: float
    x: Array
    weights: Array
    multipliers: Array


class Master:
    """The linear program of all levels.

    Parameters
    ----------
    A : sparse array
    bounds : Bounds
        Of the columns and rows.
    utilities : Utilities
    options : mapping
        HiGHS options.
    """

    def __init__(self, A: Matrix, bounds: Bounds, utilities: Utilities, options: Options) -> None:
        self._utilities = utilities
        self._rows, self._columns = A.shape
        self._active = np.ones(len(utilities), dtype=bool)
        self._highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in (OPTIONS | dict(options)).items():
            if self._highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        self._fresh = True
        self.solves = self.iterations = 0
        self._load(A, bounds)

    def rise(self) -> Peak:
        """Maximise the least utility that is not settled."""
        self._run()
        solution = self._highs.getSolution()
        x = np.array(solution.col_value)
        dual = np.array(solution.row_dual)
        return Peak(float(x[0]) + 0.0, x[1:], dual[self._rows :], -dual[: self._rows])

    def lift(self, chosen: Mask, value: float, cap: float) -> Peak:
        """Maximise the sum of the ``chosen`` while nobody unsettled falls below ``value``.

        Each can rise by ``cap`` at most, which keeps the sum finite. The multipliers are scaled so
        that the weights of those not settled sum to one; where nobody can rise they prove it.
        """
        who = np.flatnonzero(chosen)
        picked = self._utilities.rows[who]
        self._set_objective(-np.asarray(picked.sum(axis=0)).ravel(), value)
        offsets = -self._utilities.offsets[who]
        self._set_rows(self._rows + who, offsets, offsets + cap)
        try:
            self._run()
            solution = self._highs.getSolution()
        finally:
            self._set_rows(self._rows + who, offsets, np.full(who.size, np.inf))
            self._set_objective(np.zeros(self._columns), None)
        dual = np.array(solution.row_dual)
        weights = dual[self._rows :] + chosen
        total = float(weights[self._active].sum()) or 1.0  # nothing is left if all could rise
        x = np.array(solution.col_value)[1:]
        return Peak(value, x, weights / total, -dual[: self._rows] / total)

    def settle(self, who: NDArray[np.intp], value: float, *, exactly: bool = True) -> None:
        """Hold utilities at ``value``: exactly, or at no less than it."""
        for i in who:
            self._highs.changeCoeff(int(self._rows + i), 0, 0.0)
        self._active[who] = False
        below = value - self._utilities.offsets[who]
        above = below if exactly else np.full(who.size, np.inf)
        self._set_rows(self._rows + who, below, above)

    def pin(
        self, rows: NDArray[np.intp], sides: Array, columns: NDArray[np.intp], values: Array
    ) -> None:
        """Fix rows at their sides, and columns at values."""
        self._set_rows(rows, sides, sides)
        places = (columns + 1).astype(np.int32)
        self._highs.changeColsBounds(places.size, places, values, values)

    def add(self, columns: Array) -> None:
        """One more column, from zero up, for each row of ``columns``: all utilities it brings.

        Its entry in every row of ``A`` is one: lotteries have a single row, their weights' sum.
        """
        count = columns.shape[0]
        top = np.ones((count, self._rows))
        block = sp.csr_array(np.hstack([top, columns]))
        self._highs.addCols(
            count, np.zeros(count), np.zeros(count), np.full(count, np.inf),
            block.nnz, block.indptr.astype(np.int32), block.indices.astype(np.int32), block.data,
        )  # fmt: skip
        rows = sp.hstack([self._utilities.rows, columns.T], format="csr")
        self._utilities = Utilities(rows, self._utilities.offsets)
        self._columns += count

    def _set_rows(self, rows: NDArray[np.intp], lower: Array, upper: Array) -> None:
        places = rows.astype(np.int32)
        self._highs.changeRowsBounds(places.size, places, lower, upper)

    def _set_objective(self, costs: Array, level: float | None) -> None:
        """Costs of the columns with the level fixed, or nothing but the level if that is None."""
        every = np.arange(self._columns + 1, dtype=np.int32)
        highest = -1.0 if level is None else 0.0
        self._highs.changeColsCost(every.size, every, np.concatenate([[highest], costs]))
        low, high = (-np.inf, np.inf) if level is None else (level, level)
        self._highs.changeColBounds(0, low, high)

    def _run(self) -> None:
        """Optimise, from the last vertex first; raises unless HiGHS calls it optimal."""
        strategies = [("choose", DUAL_SIMPLEX)] if self._fresh else [("off", PRIMAL_SIMPLEX)]
        strategies += [("off", PRIMAL_SIMPLEX), ("choose", DUAL_SIMPLEX)]
        for attempt, (presolve, strategy) in enumerate(strategies):
            if attempt or self._fresh:
                self._highs.clearSolver()
            self._highs.setOptionValue("presolve", presolve)
            self._highs.setOptionValue("simplex_strategy", strategy)
            self._highs.run()
            self.solves += 1
            self.iterations += max(int(self._highs.getInfo().simplex_iteration_count), 0)
            said = self._highs.getModelStatus().name
            if said == "kOptimal":
                self._fresh = False
                return
            if said in LIMITS or (said == "kUnbounded" and self._has_ray()):
                break
            # What was feasible a moment ago still is: a later "infeasible" is rounding.
            if said == "kInfeasible" and self._fresh:
                break
        raise self._failure(said)

    def _has_ray(self) -> bool:
        """Whether HiGHS knows a direction in which the level rises for ever, seen by numbers."""
        _, known, ray = self._highs.getPrimalRay()
        model = self._highs.getLp()
        if not known or not ray[0] > 0:
            return False
        matrix = sp.csc_array(
            (model.a_matrix_.value_, model.a_matrix_.index_, model.a_matrix_.start_),
            shape=(model.num_row_, model.num_col_),
        )
        moves = np.concatenate([matrix @ ray, ray])
        noise = RAY_MOVES * np.concatenate([abs(matrix) @ np.abs(ray), np.zeros(ray.size)])
        lower = np.concatenate([model.row_lower_, model.col_lower_])
        upper = np.concatenate([model.row_upper_, model.col_upper_])
        down, up = np.isfinite(lower) & (moves < -noise), np.isfinite(upper) & (moves > noise)
        return not (down | up).any()

    def _failure(self, said: str) -> NoFairShare:
        if said == "kUnbounded" and self._has_ray():
            return NoFairShare.unlimited(np.flatnonzero(self._active))
        if said == "kInfeasible" and self._fresh:
            return NoFairShare("no point satisfies the constraints.", Status.INFEASIBLE)
        status = Status.NO_POINT if said in LIMITS else Status.FAILED
        settled = int(self._active.size - self._active.sum())
        return NoFairShare(
            f"HiGHS says {said} after {settled} of {self._active.size} different utilities "
            "were settled.",
            status,
        )

    def _load(self, A: Matrix, bounds: Bounds) -> None:
        count = len(self._utilities)
        level = sp.csc_array(np.repeat([[0.0], [-1.0]], [self._rows, count], axis=0))
        matrix = sp.hstack([level, sp.vstack([A, self._utilities.rows])], format="csc")
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = matrix.shape
        model.col_cost_ = np.concatenate([[-1.0], np.zeros(self._columns)])
        model.col_lower_ = np.concatenate([[-np.inf], bounds.lower])
        model.col_upper_ = np.concatenate([[np.inf], bounds.upper])
        model.row_lower_ = np.concatenate([bounds.row_lower, -self._utilities.offsets])
        model.row_upper_ = np.concatenate([bounds.row_upper, np.full(count, np.inf)])
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = matrix.indptr
        model.a_matrix_.index_ = matrix.indices
        model.a_matrix_.value_ = matrix.data
        self._highs.passModel(model)
