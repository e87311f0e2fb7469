"""One HiGHS object that tells its basis: costs and limits change, what was learnt stays."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Highs, Matrix, Options
from lexiprog.solvers.highs import Bounds, as_model

__all__ = ["PRECISE", "BasicPoint", "Handle"]

PRECISE = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


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
    """

    def __init__(
        self,
        A: Matrix,
        cost: Array,
        bounds: Bounds,
        options: Options,
        integer: NDArray[np.intp] | None = None,
    ) -> None:
        A = sp.csc_array(A)
        self.rows, self.size = A.shape
        self.highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self.set_options({"output_flag": False} | dict(options))
        model = as_model(A, cost, bounds)
        if integer is not None and integer.size:
            kinds = np.full(self.size, highspy.HighsVarType.kContinuous)
            kinds[integer] = highspy.HighsVarType.kInteger
            model.integrality_ = list(kinds)
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
        self.highs.run()
        return str(self.highs.getModelStatus().name)

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
