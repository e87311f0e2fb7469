"""One warm HiGHS object over a fixed matrix: costs and bounds change, the basis stays."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Matrix, Options
from lexiprog.forms.standard_form import StandardForm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """Limits of the columns and rows of a linear program."""

    lower: Array
    upper: Array
    row_lower: Array
    row_upper: Array

    @classmethod
    def of(cls, form: StandardForm) -> Bounds:
        """The limits a linear standard form states, in arrays of their own."""
        size = form.c.size
        below = np.full(form.b.size, -np.inf)
        below[: form.cones.zero] = form.b[: form.cones.zero]
        return cls(
            np.full(size, -np.inf) if form.lower is None else form.lower.copy(),
            np.full(size, np.inf) if form.upper is None else form.upper.copy(),
            below,
            form.b,
        )


@dataclass(frozen=True)
class Vertex:
    """What HiGHS found: a status and, if optimal, a vertex with its multipliers."""

    status: str
    x: Array
    row_dual: Array  # of rows as minimisation sees them: cost = A' row_dual + reduced
    basis: Any
    info: Any
    seconds: float
    warm: bool  # started from a basis, without presolve

    @property
    def iterations(self) -> int:
        """Simplex iterations."""
        return int(self.info.simplex_iteration_count)

    @property
    def optimal(self) -> bool:
        """Whether HiGHS calls it optimal."""
        return self.status == "kOptimal"


class Session:
    """A linear program whose costs and bounds may change between runs.

    Parameters
    ----------
    A : sparse array
        The matrix, the same for every run.
    options : mapping
        HiGHS options.
    """

    def __init__(self, A: Matrix, options: Options) -> None:
        self._A = sp.csc_array(A)
        self._lock = threading.Lock()
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.setOptionValue("output_flag", False)
        for name, value in options.items():
            if self._highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        self._limit = options.get("time_limit")
        self._loaded = False

    def run(self, cost: Array, bounds: Bounds, basis: Any = None) -> Vertex:
        """Minimise ``cost`` within ``bounds``, from ``basis`` if one is given."""
        with self._lock:
            start = time.perf_counter()
            self._pass(cost, bounds)
            # Presolve would throw the basis away; without one it is worth having.
            self._highs.setOptionValue("presolve", "choose" if basis is None else "off")
            if basis is None:
                self._highs.clearSolver()
            else:
                self._highs.setBasis(basis)
            if self._limit is not None:  # HiGHS counts the seconds of all runs of an object
                self._highs.setOptionValue("time_limit", self._limit + self._highs.getRunTime())
            self._highs.run()
            solution = self._highs.getSolution()
            return Vertex(
                status=self._highs.getModelStatus().name,
                x=np.array(solution.col_value),
                row_dual=np.array(solution.row_dual),
                basis=self._highs.getBasis(),
                info=self._highs.getInfo(),
                seconds=time.perf_counter() - start,
                warm=basis is not None,
            )

    def has_matrix(self, A: Matrix) -> bool:
        """Whether ``A`` is the matrix of this session, entry by entry."""
        mine, other = self._A, sp.csc_array(A)
        return mine.shape == other.shape and all(
            np.array_equal(getattr(mine, part), getattr(other, part))
            for part in ("indptr", "indices", "data")
        )

    def _pass(self, cost: Array, bounds: Bounds) -> None:
        rows, columns = self._A.shape
        if self._loaded:
            every = np.arange(columns, dtype=np.int32)
            self._highs.changeColsCost(columns, every, cost)
            self._highs.changeColsBounds(columns, every, bounds.lower, bounds.upper)
            every = np.arange(rows, dtype=np.int32)
            self._highs.changeRowsBounds(rows, every, bounds.row_lower, bounds.row_upper)
            return
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_ = cost
        model.col_lower_, model.col_upper_ = bounds.lower, bounds.upper
        model.row_lower_, model.row_upper_ = bounds.row_lower, bounds.row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = self._A.indptr
        model.a_matrix_.index_ = self._A.indices
        model.a_matrix_.value_ = self._A.data
        self._highs.passModel(model)
        self._loaded = True
