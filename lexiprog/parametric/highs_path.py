"""One HiGHS object that tells its basis: costs and limits change, what was learnt stays."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import LONG, as_model
from lexiprog.backends.highs_mip import pass_whole
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import OutOfTime, Pace
from lexiprog.tolerances import AT_BOUND
from lexiprog.typing import Array, Highs, Matrix, Options

# Seconds between two looks for Ctrl-C, and those that HiGHS has to return after it.
PULSE, GRACE = 0.05, 0.5

# HiGHS's numbers for its simplex methods; the primal one goes on from a point that is feasible.
PRIMAL, DUAL = 4, 1


@dataclass(frozen=True)
class BasicPoint:
    """An optimal vertex: values of columns and rows, multipliers, and who is basic."""

    values: Array
    y: Array  # cost = A'y + reduced costs
    basic: NDArray[np.intp]  # rows are counted after the columns


class Handle:
    """A linear or integer program inside HiGHS.

    Parameters
    ----------
    A : sparse array
    cost : ndarray
    bounds : Bounds
    options : mapping
        HiGHS options.
    integer : ndarray of int, optional
        Columns that are whole numbers.
    pace : Pace, optional
        How long all runs together may take.
    """

    def __init__(
        self,
        A: Matrix,
        cost: Array,
        bounds: Bounds,
        options: Options,
        integer: NDArray[np.intp] | None = None,
        pace: Pace | None = None,
    ) -> None:
        A = sp.csc_array(A)
        self.pace = Pace(keeps=False) if pace is None else pace
        self._long = A.nnz >= LONG or (integer is not None and integer.size > 0)
        self.rows, self.size = A.shape
        self._A, self._bounds = A, bounds
        self.highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self.set_options({"output_flag": False} | dict(options))
        model = as_model(A, cost, bounds)
        if integer is not None and integer.size:
            pass_whole(self.highs, model, integer)
        else:
            self.highs.passModel(model)

    def set_options(self, options: Options) -> None:
        """Change HiGHS options; a refused one raises."""
        for name, value in options.items():
            if self.highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")

    def change(
        self,
        *,
        cost: Array | None = None,
        columns: tuple[Array, Array] | None = None,
        rows: tuple[Array, Array] | None = None,
    ) -> None:
        """Other costs, limits of the columns or limits of the rows; the basis stays."""
        if cost is not None:
            self.highs.changeColsCost(self.size, np.arange(self.size, dtype=np.int32), cost)
        if columns is not None:
            every = np.arange(self.size, dtype=np.int32)
            self.highs.changeColsBounds(self.size, every, *columns)
        if rows is not None:
            self.highs.changeRowsBounds(self.rows, np.arange(self.rows, dtype=np.int32), *rows)

    def run(self, *, warm: bool = False) -> str:
        """Solve, from the basis at hand or from nothing, and say what HiGHS says."""
        # Presolve would throw the basis away; without one it is worth having.
        self.highs.setOptionValue("presolve", "off" if warm else "choose")
        if not warm:
            self.highs.clearSolver()
        return self.go()

    def go(self) -> str:
        """Run in the time that is left, and say what HiGHS says.

        Raises
        ------
        OutOfTime
            If that was not enough.
        """
        self.pace.check()
        # HiGHS counts the seconds of all runs of an object.
        self.highs.setOptionValue("time_limit", self.pace.left + self.highs.getRunTime())
        if self._long:
            self._in_thread()
        else:
            self.highs.run()
        said = str(self.highs.getModelStatus().name)
        if said == "kTimeLimit":
            raise OutOfTime
        return said

    def _in_thread(self) -> None:
        """Run where Ctrl-C does not have to wait for HiGHS; after it this object is spent."""
        thread = threading.Thread(target=self.highs.run, name="lexiprog-highs")
        thread.start()
        try:
            while thread.is_alive():
                thread.join(PULSE)
        except KeyboardInterrupt:
            for name in ("cbSimplexInterrupt", "cbIpmInterrupt", "cbMipInterrupt"):
                getattr(self.highs, name).subscribe(_say_stop)
            thread.join(GRACE)
            raise

    def optimum_near(self, x: Array) -> BasicPoint | None:
        """The optimal vertex, from the vertex that ``x`` is or is near to, if that helps.

        Columns that are not a number may be anywhere. What is too much or too little for a basis
        is for HiGHS to mend.
        """
        unknown = np.isnan(x)
        rows = self._A @ np.where(unknown, 0.0, x)
        rows[(abs(self._A) @ unknown) > 0.0] = np.nan
        basis = highspy.HighsBasis()
        basis.col_status = _statuses(x, self._bounds.lower, self._bounds.upper)
        basis.row_status = _statuses(rows, self._bounds.row_lower, self._bounds.row_upper)
        basis.alien = True
        self.highs.setBasis(basis)
        self.set_options({"simplex_strategy": PRIMAL})
        found = self.optimum(warm=True)
        self.set_options({"simplex_strategy": DUAL})
        return self.optimum() if found is None else found

    def optimum(self, *, warm: bool = False) -> BasicPoint | None:
        """The optimal vertex; None if HiGHS finds none."""
        return self.corner() if self.run(warm=warm) == "kOptimal" else None

    def corner(self) -> BasicPoint:
        """Where the last run ended."""
        solution = self.highs.getSolution()
        if self.highs.getNumNz():
            _, basic = self.highs.getBasicVariables()
        else:  # HiGHS 1.15 ends the process if it is asked for the basis of an empty matrix
            basic = -1 - np.arange(self.rows)
        values = np.concatenate([np.array(solution.col_value), np.array(solution.row_value)])
        return BasicPoint(
            values=values,
            y=np.array(solution.row_dual),
            basic=np.where(basic >= 0, basic, self.size - 1 - basic).astype(np.intp),
        )


def _statuses(values: Array, lower: Array, upper: Array) -> list[highspy.HighsBasisStatus]:
    """At which limit each value stands; in the basis if at none, or not known."""
    kinds = highspy.HighsBasisStatus
    near = AT_BOUND * (1.0 + np.abs(values))
    with np.errstate(invalid="ignore"):
        low, high = np.abs(values - lower) <= near, np.abs(upper - values) <= near
    names = {0: kinds.kBasic, 1: kinds.kLower, 2: kinds.kUpper}
    return [names[k] for k in np.where(low, 1, np.where(high, 2, 0)).tolist()]


def _say_stop(event: Highs) -> None:
    event.interrupt(True)
