"""The master LP of leximin: it raises the least utility, again and again, while more is fixed.

    maximise   t
    subject to utility_i(x) >= t             whoever is not settled
               utility_i(x)  = value_i       whoever is (or >=, where columns are generated)
               row_lower <= Ax <= row_upper, lower <= x <= upper

The model is built once. Settling, fixing and new columns change it in place, so that the last
vertex stays feasible and the primal simplex method goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline
from lexiprog.fairness.records import NoLeximin, Utilities
from lexiprog.status import Status
from lexiprog.tolerances import PRECISE_HIGHS
from lexiprog.typing import Array, Mask, Matrix, Options

LIMITS = {"kTimeLimit", "kIterationLimit", "kInterrupt"}


@dataclass(frozen=True)
class MaxMin:
    """A max-min optimum: the highest that the least utility can be, with multipliers that prove it.

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


class MasterLP:
    """The linear program of all levels.

    Parameters
    ----------
    A : sparse array
    bounds : Bounds
        Of the columns and rows.
    utilities : Utilities
    options : mapping
        HiGHS options.
    deadline : Deadline, optional
        When all runs together must have ended.
    """

    def __init__(
        self,
        A: Matrix,
        bounds: Bounds,
        utilities: Utilities,
        options: Options,
        deadline: Deadline | None = None,
    ) -> None:
        self._utilities = utilities
        self._rows, self._columns = A.shape
        self._active = np.ones(len(utilities), dtype=bool)
        self._fresh = True
        self.solves = self.iterations = 0
        count = len(utilities)
        level = sp.csc_array(np.repeat([[0.0], [-1.0]], [self._rows, count], axis=0))
        self._model = HighsModel(
            sp.hstack([level, sp.vstack([A, utilities.rows])], format="csc"),
            PRECISE_HIGHS | dict(options),
            np.concatenate([[-1.0], np.zeros(self._columns)]),
            Bounds(
                np.concatenate([[-np.inf], bounds.lower]),
                np.concatenate([[np.inf], bounds.upper]),
                np.concatenate([bounds.row_lower, -utilities.offsets]),
                np.concatenate([bounds.row_upper, np.full(count, np.inf)]),
            ),
            deadline=deadline,
        )

    def raise_least(self) -> MaxMin:
        """Maximise the least utility that is not settled."""
        self._run()
        solution = self._model.solution
        x = np.array(solution.col_value)
        dual = np.array(solution.row_dual)
        return MaxMin(float(x[0]) + 0.0, x[1:], dual[self._rows :], -dual[: self._rows])

    def raise_sum(self, chosen: Mask, value: float, cap: float) -> MaxMin:
        """Maximise the sum of the ``chosen`` while nobody unsettled falls below ``value``.

        Each can rise by ``cap`` at most, which keeps the sum finite. The multipliers are scaled so
        that the weights of those not settled sum to one; where nobody can rise they prove it.
        """
        who = np.flatnonzero(chosen)
        picked = self._utilities.rows[who]
        self._set_objective(-np.asarray(picked.sum(axis=0)).ravel(), value)
        offsets = -self._utilities.offsets[who]
        self._model.set_rows(offsets, offsets + cap, self._rows + who)
        try:
            self._run()
            solution = self._model.solution
        finally:
            self._model.set_rows(offsets, np.full(who.size, np.inf), self._rows + who)
            self._set_objective(np.zeros(self._columns), None)
        dual = np.array(solution.row_dual)
        weights = dual[self._rows :] + chosen
        total = float(weights[self._active].sum()) or 1.0  # nothing is left if all could rise
        x = np.array(solution.col_value)[1:]
        return MaxMin(value, x, weights / total, -dual[: self._rows] / total)

    def settle(self, who: NDArray[np.intp], value: float, *, exactly: bool = True) -> None:
        """Hold utilities at ``value``: exactly, or at no less than it."""
        for i in who:
            self._model.set_coefficient(self._rows + i, 0, 0.0)
        self._active[who] = False
        below = value - self._utilities.offsets[who]
        above = below if exactly else np.full(who.size, np.inf)
        self._model.set_rows(below, above, self._rows + who)

    def fix_rows(self, rows: NDArray[np.intp], sides: Array) -> None:
        """Rows are equations from now on."""
        if rows.size:
            self._model.set_rows(sides, sides, rows)

    def fix_columns(self, columns: NDArray[np.intp], values: Array) -> None:
        """Columns stay at values from now on."""
        if columns.size:
            self._model.set_columns(values, values, columns + 1)

    def add(self, columns: Array) -> None:
        """One more column, from zero up, for each row of ``columns``: all utilities it brings.

        Its entry in every row of ``A`` is one: lotteries have a single row, their weights' sum.
        """
        count = columns.shape[0]
        self._model.add_columns(np.hstack([np.ones((count, self._rows)), columns]))
        rows = sp.hstack([self._utilities.rows, columns.T], format="csr")
        self._utilities = Utilities(rows, self._utilities.offsets)
        self._columns += count

    def _set_objective(self, costs: Array, level: float | None) -> None:
        """Costs of the columns with the level fixed, or nothing but the level if that is None."""
        self._model.set_cost(np.concatenate([[-1.0 if level is None else 0.0], costs]))
        low, high = (-np.inf, np.inf) if level is None else (level, level)
        self._model.set_columns(np.array([low]), np.array([high]), np.zeros(1, dtype=np.intp))

    def _run(self) -> None:
        """Optimise, from the last vertex first; raises unless HiGHS calls it optimal."""
        for attempt, warm in enumerate([not self._fresh, True, False]):
            if attempt:
                self._model.clear()
            status = self._model.solve(warm=warm, primal=warm)
            self.solves += 1
            self.iterations += max(int(self._model.info.simplex_iteration_count), 0)
            if status == "kOptimal":
                self._fresh = False
                return
            if status in LIMITS or (status == "kUnbounded" and self._is_unlimited()):
                break
            # What was feasible a moment ago still is: a later "infeasible" is rounding.
            if status == "kInfeasible" and self._fresh:
                break
        raise self._failure(status)

    def _is_unlimited(self) -> bool:
        """Whether HiGHS knows a direction in which the level rises for ever, seen by numbers."""
        ray = self._model.primal_ray()
        return ray is not None and bool(ray[0] > 0)

    def _failure(self, status: str) -> NoLeximin:
        if status == "kUnbounded" and self._is_unlimited():
            return NoLeximin.unlimited(np.flatnonzero(self._active))
        if status == "kInfeasible" and self._fresh:
            return NoLeximin("no point satisfies the constraints.", Status.INFEASIBLE)
        settled = int(self._active.size - self._active.sum())
        return NoLeximin(
            f"HiGHS says {status} after {settled} of {self._active.size} different utilities "
            "were settled.",
            Status.NO_POINT if status in LIMITS else Status.FAILED,
        )
