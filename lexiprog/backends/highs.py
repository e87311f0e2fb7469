"""One warm HiGHS object over a fixed matrix: costs and bounds change, the basis stays."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from lexiprog.canon.compensated import Sums, by_columns, reduced_costs
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Bounds, transpose_product
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import SMALL_MATRIX_VALUE, SUM_ROUNDING
from lexiprog.typing import Array, Highs, Mask, Matrix, Options

# What HiGHS found for a linear program.

WORDS = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnbounded": Status.UNBOUNDED,
    "kUnboundedOrInfeasible": Status.EITHER,
    "kTimeLimit": Status.NO_POINT,
    "kIterationLimit": Status.NO_POINT,
    "kInterrupt": Status.NO_POINT,
}


@dataclass  # not frozen, which takes five times as long to make
class Vertex:
    """What HiGHS found: a status and, if optimal, a vertex with its multipliers."""

    status: str
    x: Array
    row_dual: Array  # of rows as minimisation sees them: cost = A' row_dual + reduced
    basis: highspy.HighsBasis
    iterations: int  # of the simplex method
    seconds: float
    reduced: Sums | None  # cost - A' row_dual, in twice the working precision
    correction: Array | None  # what row_dual lacks, from a solve with its residual
    warm: bool  # started from a basis, without presolve
    basic: NDArray[np.integer] | None = None  # its columns, and -1 - rows, if HiGHS has its factors
    error: float | None = None  # of refined multipliers: by how much they may be wrong
    gain: float = 1.0  # how many times as large as a change of the costs that of the multipliers is

    @property
    def roughness(self) -> float:
        """By which share of their size the multipliers had to be corrected."""
        if self.correction is None or not np.count_nonzero(self.correction):
            return 0.0
        largest = float(np.abs(self.row_dual).max(initial=0.0))
        return float(np.abs(self.correction).max(initial=0.0)) / (1.0 + largest)

    @property
    def optimal(self) -> bool:
        """Whether HiGHS calls it optimal."""
        return self.status == "kOptimal"

    @property
    def word(self) -> Status:
        """HiGHS's status in our words."""
        return WORDS.get(self.status, Status.FAILED)


def is_best(A: Matrix, cost: Array, duals: Array, x: Array, bounds: Bounds) -> bool:
    """Whether no reduced cost and no multiplier asks for another basis, but for rounding."""
    reduced = cost - transpose_product(A, duals)
    tiny = SUM_ROUNDING * (1.0 + float(np.abs(cost).max(initial=0.0)))
    falls, rises = (reduced > tiny) & (x > bounds.lower), (reduced < -tiny) & (x < bounds.upper)
    # Rows that are not fixed have an upper limit only: their multipliers must not be positive.
    wrong = (duals > tiny) & (bounds.row_lower < bounds.row_upper)
    return not (np.count_nonzero(falls) or np.count_nonzero(rises) or np.count_nonzero(wrong))


# A linear program as HiGHS takes it.


def as_model(A: Matrix, cost: Array, bounds: Bounds) -> highspy.HighsLp:
    """A linear program as HiGHS takes it."""
    A = by_columns(A)
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


_BASIC = highspy.HighsBasisStatus.kBasic
# To ask an enumeration for a name takes longer than to ask HiGHS for the status.
_NAMES = {status: status.name for status in highspy.HighsModelStatus.__members__.values()}
# By default HiGHS takes coefficients below 1e-9 for zeros; less than this it does not allow.
USUAL = {"output_flag": False, "small_matrix_value": SMALL_MATRIX_VALUE}
# Entries of a matrix from which on a run may take longer than somebody who pressed Ctrl-C likes.
LONG = 10_000
# HiGHS's numbers of the simplex methods; the first is its own choice.
_DUAL, _PRIMAL = 1, 4
# On so few rows presolve takes longer than the simplex method.
TINY = 100

# The columns and the rows that are basic.
Parts = tuple[NDArray[np.integer], NDArray[np.integer]]


class HighsModel:
    """A linear program whose costs and bounds may change between runs.

    Parameters
    ----------
    A : sparse array
        The matrix, the same for every run.
    options : mapping
        HiGHS options.
    """

    def __init__(self, A: Matrix, options: Options) -> None:
        self._A, self._given = by_columns(A), A
        self._lock = threading.Lock()
        self._highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in (USUAL | dict(options)).items():
            if self._highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        self._limit = float(options.get("time_limit", np.inf))
        self._presolve = options.get("presolve", "choose")
        self._strategy = options.get("simplex_strategy", _DUAL)
        # Without rows or entries HiGHS answers without factors, and other solvers have none.
        self._has_factors = self._A.nnz > 0 and "solver" not in options
        self._loaded = False
        self._now: dict[str, object] = {}  # the options that change from run to run, as they are
        self._at: highspy.HighsBasis | None = None  # the basis that the object stands at
        self._split: tuple[highspy.HighsBasis, Parts] | None = None
        self._places = [np.arange(size, dtype=np.int32) for size in self._A.shape]

    def run(
        self,
        cost: Array,
        bounds: Bounds,
        basis: highspy.HighsBasis | None = None,
        *,
        refine: bool = False,
        primal: bool = False,
        deadline: Deadline | None = None,
    ) -> Vertex:
        """Minimise ``cost`` within ``bounds``, from ``basis`` if one is given.

        With ``primal`` by the primal simplex method: where the basis is a feasible point and only
        the costs are others, it has the shorter way.
        ``watch`` says how long it may take, and when it should stop.
        With ``refine`` the multipliers come with a correction that makes them twice as exact.
        From the basis of the last run it goes on with all that HiGHS knows: setting one costs its
        edge weights, which may take longer than the solve.
        """
        with self._lock:
            start = time.perf_counter()
            self._pass(cost, bounds)
            # Presolve would throw the basis away; without one it is worth having.
            highs, presolve = self._highs, self._presolve if basis is None else "off"
            self._set("presolve", presolve)
            self._set("simplex_strategy", _PRIMAL if primal else self._strategy)
            if basis is None:
                highs.clearSolver()
            elif basis is not self._at:
                highs.setBasis(basis)
            self._go(deadline)
            solution = highs.getSolution()
            status, duals = _NAMES[highs.getModelStatus()], np.array(solution.row_dual)
            basis_found, reduced, correction, basic = highs.getBasis(), None, None, None
            if refine and status == "kOptimal":
                if presolve == "off" and self._has_factors:
                    basic = highs.getBasicVariables()[1]
                reduced, correction = self._refined(cost, duals, basis_found, basic)
            self._at = basis_found if status == "kOptimal" else None
            return Vertex(
                status=status,
                x=np.array(solution.col_value),
                row_dual=duals,
                reduced=reduced,
                correction=correction,
                basis=basis_found,
                iterations=int(highs.getInfoValue("simplex_iteration_count")[1]),
                seconds=time.perf_counter() - start,
                warm=basis is not None,
                basic=basic,
            )

    def at(
        self, cost: Array, vertex: Vertex, bounds: Bounds | None = None, *, refine: bool = False
    ) -> Vertex | None:
        """A vertex with the multipliers of other costs, without a run; None if it is not here.

        With ``bounds`` it is None, too, if the vertex is not the best within them: a run that has
        nothing to do takes several times as long as to see that.
        """
        with self._lock:
            start, basic, here = time.perf_counter(), vertex.basic, vertex.basis is self._at
            if basic is None or not here:
                return None
            costs = np.where(basic >= 0, cost[np.maximum(basic, 0)], 0.0)
            duals = np.array(self._highs.getBasisTransposeSolve(costs)[1])
            if np.count_nonzero(np.isfinite(duals)) < duals.size:
                return None
            if bounds is not None and not is_best(self._A, cost, duals, vertex.x, bounds):
                return None
            more = self._refined(cost, duals, vertex.basis, basic) if refine else (None, None)
            return Vertex(
                vertex.status, vertex.x, duals, vertex.basis, 0, time.perf_counter() - start,
                *more, warm=True, basic=basic, error=vertex.error, gain=vertex.gain,
            )  # fmt: skip

    def corrected(self, cost: Array, vertex: Vertex, residuals: DecimalResiduals) -> Vertex:
        """A vertex whose multipliers are corrected to those of the decimals that were meant."""
        with self._lock:
            basic = vertex.basic if vertex.basis is self._at else None
            sums, lack = self._refined(cost, vertex.row_dual.copy(), vertex.basis, basic, residuals)
            return replace(vertex, reduced=sums, correction=lack)

    def _go(self, deadline: Deadline | None) -> None:
        """Run, within the limits of time; a long run can be stopped."""
        seconds = None if deadline is None else deadline.for_solver
        limit = self._limit if seconds is None else min(self._limit, seconds)
        # HiGHS counts the seconds of all runs of an object.
        self._set("time_limit", limit + self._highs.getRunTime())
        if deadline is None or self._A.nnz < LONG:
            self._highs.run()
            return
        with deadline.heeded_by(self._highs.cbSimplexInterrupt, self._highs.cbIpmInterrupt):
            self._highs.run()

    def _set(self, option: str, value: object) -> None:
        if self._now.get(option) != value:
            self._highs.setOptionValue(option, value)
            self._now[option] = value

    def _refined(
        self, cost: Array, duals: Array, basis: highspy.HighsBasis,
        basic: NDArray[np.integer] | None, residuals: DecimalResiduals | None = None,
    ) -> tuple[Sums | None, Array | None]:  # fmt: skip
        """Reduced costs, and what the multipliers lack: B'(duals + lack) = cost, nearly so.

        The residual is taken in twice the working precision, so that the sum of both tells a
        reduced cost of zero from a small one. ``basic`` are the variables of the simplex method
        whose factors are still there: to ask for others, after presolve, would end the process.
        """
        inside, idle = self._parts(basis, basic)
        if len(inside) + len(idle) != duals.size:
            return None, None
        duals[idle] = 0.0  # exactly, at a basis
        sums = reduced_costs(cost, self._A, -duals)
        lack = sums.nearest[inside]
        if residuals is not None:
            lack = lack + residuals.of_reduced_costs(-duals)[inside]
        if not np.count_nonzero(lack):
            return sums, np.zeros(duals.size)
        if basic is None:
            correction = self._by_hand(lack, inside, idle)
        else:
            correction = self._with_factors(basic >= 0, lack)
        return sums, correction if np.isfinite(correction).all() else None

    def _parts(self, basis: highspy.HighsBasis, basic: NDArray[np.integer] | None) -> Parts:
        """The columns and the rows that are basic; the same ones as long as the basis is."""
        if self._split is None or self._split[0] is not basis:
            if basic is not None:
                within = basic >= 0
                inside, idle = basic[within], -1 - basic[~within]
            else:
                inside, idle = (
                    np.flatnonzero([status == _BASIC for status in part])
                    for part in (basis.col_status, basis.row_status)
                )
            self._split = basis, (inside, idle)
        return self._split[1]

    def _with_factors(self, within: Mask, lack: Array) -> Array:
        """What HiGHS makes of a residual of the basic columns, which are ``within`` its order."""
        residual = np.zeros(within.size)
        size = float(np.abs(lack).max())  # HiGHS takes what is below 1e-14 for nothing
        residual[within] = lack / size
        return np.asarray(self._highs.getBasisTransposeSolve(residual)[1] * size)

    def _by_hand(self, lack: Array, *parts: NDArray[np.integer]) -> Array:
        """The same from factors of our own; not a number if there are none."""
        (inside, idle), correction = parts, np.zeros(self._A.shape[0])
        tight = np.delete(self._places[0], idle)
        square = sp.csc_array(sp.csr_array(self._A)[tight][:, inside])
        try:
            correction[tight] = splu(square.T.tocsc()).solve(lack)
        except (RuntimeError, ValueError):  # singular, as far as floats can tell
            return np.full(correction.size, np.nan)
        return correction

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self._A.shape[0], self._A.shape[1]

    def has_matrix(self, A: Matrix) -> bool:
        """Whether ``A`` is the matrix of this session, entry by entry."""
        if A is self._given:
            return True
        mine, other = self._A, by_columns(A)
        return mine.shape == other.shape and all(
            np.array_equal(getattr(mine, part), getattr(other, part))
            for part in ("indptr", "indices", "data")
        )

    def _pass(self, cost: Array, bounds: Bounds) -> None:
        rows, columns = self._A.shape
        if self._loaded:
            highs, (each_row, each) = self._highs, self._places
            highs.changeColsCost(columns, each, cost)
            highs.changeColsBounds(columns, each, bounds.lower, bounds.upper)
            highs.changeRowsBounds(rows, each_row, bounds.row_lower, bounds.row_upper)
            return
        self._highs.passModel(as_model(self._A, cost, bounds))
        self._loaded = True
