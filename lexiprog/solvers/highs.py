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
from scipy.sparse.linalg import splu

from lexiprog.aliases import Highs, Matrix, Options
from lexiprog.forms.precision import reduced_costs
from lexiprog.forms.standard_form import StandardForm
from lexiprog.status import Status
from lexiprog.watch import Watch

Array = NDArray[np.float64]

# HiGHS takes smaller coefficients for zeros, by default those below 1e-9; less it does not allow.
SMALLEST = 1e-12
# Entries of a matrix from which on a run may take longer than somebody who pressed Ctrl-C likes.
LONG = 10_000

WORDS = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnbounded": Status.UNBOUNDED,
    "kUnboundedOrInfeasible": Status.EITHER,
    "kTimeLimit": Status.NO_POINT,
    "kIterationLimit": Status.NO_POINT,
    "kInterrupt": Status.NO_POINT,
}


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
    correction: Array | None  # what row_dual lacks, from a solve with its residual
    warm: bool  # started from a basis, without presolve
    error: float | None = None  # of refined multipliers: by how much they may be wrong
    gain: float = 1.0  # how many times as large as a change of the costs that of the multipliers is

    @property
    def iterations(self) -> int:
        """Simplex iterations."""
        return int(self.info.simplex_iteration_count)

    @property
    def roughness(self) -> float:
        """By which share of their size the multipliers had to be corrected."""
        if self.correction is None:
            return 0.0
        largest = float(np.max(np.abs(self.row_dual), initial=0.0))
        return float(np.max(np.abs(self.correction), initial=0.0)) / (1.0 + largest)

    @property
    def optimal(self) -> bool:
        """Whether HiGHS calls it optimal."""
        return self.status == "kOptimal"

    @property
    def word(self) -> Status:
        """HiGHS's status in our words."""
        return WORDS.get(self.status, Status.FAILED)


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
        self._A, self._given = sp.csc_array(A), A
        self._lock = threading.Lock()
        self._highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("small_matrix_value", SMALLEST)
        for name, value in options.items():
            if self._highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        self._limit = float(options.get("time_limit", np.inf))
        self._presolve = options.get("presolve", "choose")
        self._loaded = False
        self._at: highspy.HighsBasis | None = None  # the basis that the object stands at

    def run(
        self,
        cost: Array,
        bounds: Bounds,
        basis: highspy.HighsBasis | None = None,
        *,
        refine: bool = False,
        watch: Watch | None = None,
    ) -> Vertex:
        """Minimise ``cost`` within ``bounds``, from ``basis`` if one is given.

        ``watch`` says how long it may take, and when it should stop.

        With ``refine`` the multipliers come with a correction that makes them twice as exact.
        From the basis of the last run it goes on with all that HiGHS knows: setting one costs its
        edge weights, which may take longer than the solve.
        """
        with self._lock:
            start = time.perf_counter()
            self._pass(cost, bounds)
            # Presolve would throw the basis away; without one it is worth having.
            self._highs.setOptionValue("presolve", self._presolve if basis is None else "off")
            if basis is None:
                self._highs.clearSolver()
            elif basis is not self._at:
                self._highs.setBasis(basis)
            self._go(watch)
            solution = self._highs.getSolution()
            status, duals = self._highs.getModelStatus().name, np.array(solution.row_dual)
            correction, basis_found = None, self._highs.getBasis()
            if refine and status == "kOptimal":
                duals, correction = self._refined(cost, duals, basis_found)
            self._at = basis_found if status == "kOptimal" else None
            return Vertex(
                status=status,
                x=np.array(solution.col_value),
                row_dual=duals,
                correction=correction,
                basis=basis_found,
                info=self._highs.getInfo(),
                seconds=time.perf_counter() - start,
                warm=basis is not None,
            )

    def _go(self, watch: Watch | None) -> None:
        """Run, within the limits of time; a long run can be stopped."""
        seconds = None if watch is None else watch.for_solver
        limit = self._limit if seconds is None else min(self._limit, seconds)
        # HiGHS counts the seconds of all runs of an object.
        self._highs.setOptionValue("time_limit", limit + self._highs.getRunTime())
        if watch is None or self._A.nnz < LONG:
            self._highs.run()
            return
        with watch.heeded_by(self._highs.cbSimplexInterrupt, self._highs.cbIpmInterrupt):
            self._highs.run()

    def _refined(self, cost: Array, duals: Array, basis: Any) -> tuple[Array, Array | None]:
        """The multipliers of the basis, and what they lack: B'(duals + lack) = cost, nearly so.

        The residual is taken in twice the working precision, so that the sum of both tells a
        reduced cost of zero from one that is only small.
        """
        basic = highspy.HighsBasisStatus.kBasic
        inside = np.array([status == basic for status in basis.col_status], dtype=bool)
        idle = np.array([status == basic for status in basis.row_status], dtype=bool)
        if inside.size != cost.size or inside.sum() != duals.size - idle.sum():
            return duals, None
        duals[idle] = 0.0  # exactly, at a basis
        correction = np.zeros_like(duals)
        lack = reduced_costs(cost, self._A, -duals).nearest[inside]
        if not lack.any():
            return duals, correction
        # HiGHS could solve with its own factors, but they are not always there after presolve,
        # and asking for them then ends the process.
        square = sp.csc_array(sp.csr_array(self._A)[~idle][:, inside])
        try:
            correction[~idle] = splu(square.T.tocsc()).solve(lack)
        except (RuntimeError, ValueError):  # singular, as far as floats can tell
            return duals, None
        return duals, correction if np.isfinite(correction).all() else None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        rows, columns = self._A.shape
        return rows, columns

    def has_matrix(self, A: Matrix) -> bool:
        """Whether ``A`` is the matrix of this session, entry by entry."""
        if A is self._given:
            return True
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
        self._highs.passModel(as_model(self._A, cost, bounds))
        self._loaded = True


def as_model(A: Matrix, cost: Array, bounds: Bounds) -> highspy.HighsLp:
    """A linear program as HiGHS takes it."""
    A = sp.csc_array(A)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = A.shape
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = bounds.lower, bounds.upper
    model.row_lower_, model.row_upper_ = bounds.row_lower, bounds.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = A.indptr
    model.a_matrix_.index_ = A.indices
    model.a_matrix_.value_ = A.data
    return model
