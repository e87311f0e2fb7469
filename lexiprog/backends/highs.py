"""A linear or integer program inside HiGHS: the only place that makes a ``highspy.Highs``.

Numbers change in place, so that HiGHS goes on from the last basis; runs heed a deadline and Ctrl-C.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from lexiprog.backends.warm_basis import BASIC, basis_of, is_best, nearest_statuses, statuses_of
from lexiprog.canon.compensated import Sums, reduced_costs
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Bounds, by_columns
from lexiprog.deadline import Deadline, OutOfTime, in_thread
from lexiprog.status import Status
from lexiprog.tolerances import RAY_MOVES, SMALL_MATRIX_VALUE
from lexiprog.typing import Array, Highs, Mask, Matrix, Options

WORDS = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnbounded": Status.UNBOUNDED,
    "kUnboundedOrInfeasible": Status.EITHER,
    "kTimeLimit": Status.NO_POINT,
    "kIterationLimit": Status.NO_POINT,
    "kInterrupt": Status.NO_POINT,
}

# What HiGHS says when a deadline ended its run.
STOPPED = ("kTimeLimit", "kInterrupt")
# By default HiGHS takes coefficients below 1e-9 for zeros; less than this it does not allow.
USUAL = {"small_matrix_value": SMALL_MATRIX_VALUE}
# Entries of a matrix from which on a run may take longer than somebody who pressed Ctrl-C likes.
LONG = 10_000
# On so few rows presolve takes longer than the simplex method.
TINY = 100
# Seconds between two looks at the deadline, and those that HiGHS has to return once asked to.
PULSE, GRACE = 0.05, 0.2

# HiGHS's numbers of the simplex methods, and for a point within the rows.
_DUAL, _PRIMAL = 1, 4
_FEASIBLE = 2
# To ask an enumeration for a name takes longer than to ask HiGHS for the status.
_NAMES = {status: status.name for status in highspy.HighsModelStatus.__members__.values()}

Indices = NDArray[np.integer]


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
    basic: Indices | None = None  # its columns, and -1 - rows, if HiGHS has its factors
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


@dataclass(frozen=True)
class BasicPoint:
    """An optimal vertex: values of columns and rows, multipliers, and who is basic."""

    values: Array
    y: Array  # cost = A'y + reduced costs
    basic: NDArray[np.intp]  # rows are counted after the columns


def knows_option(name: str) -> bool:
    """Whether HiGHS has an option, listed or not."""
    highs = _silent_highs()
    return bool(highs.getOptionValue(name)[0] != highspy.HighsStatus.kError)


def try_option(name: str, value: object, highs: Highs | None = None) -> None:
    """Set an option, of a model of its own if none is given; ValueError if HiGHS refuses it."""
    try:
        said = (highs or _silent_highs()).setOptionValue(name, value)
    except TypeError:  # no kind of value that any option has
        said = highspy.HighsStatus.kError
    if said == highspy.HighsStatus.kError:
        raise ValueError(f"HiGHS refuses option {name} = {value!r}.")


def _silent_highs() -> Highs:
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    return highs


class HighsModel:
    """One HiGHS object; its numbers may change between runs.

    Parameters
    ----------
    A : sparse array
        The matrix.
    options : mapping
        HiGHS options.
    cost : ndarray, optional
        To minimise. Without costs and bounds, those of the first :meth:`run` are taken.
    bounds : Bounds, optional
    integer : ndarray of int or bool, optional
        Columns that must be integer.
    deadline : Deadline, optional
        Of all solves together; a ``time_limit`` among the options is one for all of them, too.
    """

    def __init__(
        self,
        A: Matrix,
        options: Options,
        cost: Array | None = None,
        bounds: Bounds | None = None,
        *,
        integer: NDArray[np.intp] | Mask | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self._A, self._given = by_columns(A), A
        self._lock = threading.Lock()
        self._run_options: dict[str, object] = {}  # those that change from run to run, as they are
        self._highs: Highs = _silent_highs()
        self.set_options(USUAL | dict(options))
        self._limit = float(options.get("time_limit", np.inf))
        self._presolve = options.get("presolve", "choose")
        self._strategy = options.get("simplex_strategy", _DUAL)
        integer = np.zeros(0, dtype=np.intp) if integer is None else integer
        self.integer = np.flatnonzero(integer) if integer.dtype == bool else integer
        self.deadline = Deadline() if deadline is None else deadline
        # Without rows or entries HiGHS answers without factors, and other solvers have none.
        self._has_factors = self._A.nnz > 0 and "solver" not in options
        self._basis: highspy.HighsBasis | None = None  # that the object stands at
        self._split: tuple[highspy.HighsBasis, tuple[Indices, Indices]] | None = None
        self._each = [np.arange(size, dtype=np.int32) for size in self._A.shape]
        self._loaded = False
        if cost is not None and bounds is not None:
            self._load(cost, bounds)

    def _load(self, cost: Array, bounds: Bounds) -> None:
        """Give HiGHS the whole program."""
        A, lp = self._A, highspy.HighsLp()
        lp.num_row_, lp.num_col_ = A.shape
        lp.col_cost_ = cost
        lp.col_lower_, lp.col_upper_ = bounds.lower, bounds.upper
        lp.row_lower_, lp.row_upper_ = bounds.row_lower, bounds.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
        if self.integer.size:
            kinds = np.full(cost.size, highspy.HighsVarType.kContinuous)
            kinds[self.integer] = highspy.HighsVarType.kInteger
            lp.integrality_ = list(kinds)
            # HiGHS 1.15.1's heuristic "feasibility jump" reads beyond its memory where an integer
            # column has no bounds, which ends the process.
            ends = np.concatenate([bounds.lower[self.integer], bounds.upper[self.integer]])
            if not np.isfinite(ends).all():
                self._highs.setOptionValue("mip_heuristic_run_feasibility_jump", False)
        self._highs.passModel(lp)
        self._bounds, self._loaded = bounds, True

    # Options.

    def set_options(self, options: Options) -> None:
        """Change HiGHS options; one that HiGHS refuses raises ValueError."""
        for name, value in options.items():
            try_option(name, value, self._highs)
            self._run_options.pop(name, None)

    def option(self, name: str) -> Any:
        """The value of a HiGHS option."""
        return self._highs.getOptionValue(name)[1]

    def _set(self, option: str, value: object) -> None:
        if self._run_options.get(option) != value:
            self._highs.setOptionValue(option, value)
            self._run_options[option] = value

    # Changes of the numbers; the basis stays.

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._each[0].size, self._each[1].size

    def set_cost(self, cost: Array) -> None:
        """Other costs of all columns."""
        self._highs.changeColsCost(cost.size, self._each[1], cost)

    def set_columns(self, lower: Array, upper: Array, which: Indices | None = None) -> None:
        """Other bounds of the columns, or of some."""
        each = self._each[1] if which is None else which.astype(np.int32)
        self._highs.changeColsBounds(each.size, each, lower, upper)

    def set_rows(self, lower: Array, upper: Array, which: Indices | None = None) -> None:
        """Other limits of the rows, or of some."""
        each = self._each[0] if which is None else which.astype(np.int32)
        self._highs.changeRowsBounds(each.size, each, lower, upper)

    def set_coefficient(self, row: int, column: int, value: float) -> None:
        """Another entry of the matrix."""
        self._highs.changeCoeff(int(row), int(column), value)

    def add_columns(self, columns: Array) -> None:
        """One more column without costs, from zero up, for each row of ``columns``."""
        count, block = columns.shape[0], sp.csr_array(columns)
        self._highs.addCols(
            count, np.zeros(count), np.zeros(count), np.full(count, np.inf),
            block.nnz, block.indptr.astype(np.int32), block.indices.astype(np.int32), block.data,
        )  # fmt: skip
        self._each[1] = np.arange(self._each[1].size + count, dtype=np.int32)

    def set_start(self, x: Array) -> None:
        """A point for the next search to begin with."""
        solution = highspy.HighsSolution()
        solution.col_value = x
        self._highs.setSolution(solution)

    def clear(self) -> None:
        """Forget the basis and all that HiGHS has learnt."""
        self._highs.clearSolver()

    def has_matrix(self, A: Matrix) -> bool:
        """Whether ``A`` is the matrix of this model, entry by entry."""
        if A is self._given:
            return True
        mine, other = self._A, by_columns(A)
        return mine.shape == other.shape and all(
            np.array_equal(getattr(mine, part), getattr(other, part))
            for part in ("indptr", "indices", "data")
        )

    # Solving the program as it stands.

    def solve(self, *, warm: bool = False, primal: bool = False) -> str:
        """Solve a linear program, from the basis at hand or from nothing; the status.

        With ``primal`` by the primal simplex method: where the basis is a feasible point and only
        the costs are others, it has the shorter way.
        """
        # Presolve would throw the basis away; without one it is worth having.
        self._set("presolve", "off" if warm else self._presolve)
        self._set("simplex_strategy", _PRIMAL if primal else self._strategy)
        if not warm:
            self._highs.clearSolver()
        return self.resume()

    def resume(self) -> str:
        """Run HiGHS on what it has: changed numbers, a basis, a start; the status."""
        deadline = self.deadline
        if deadline.should_stop:
            return "kInterrupt" if deadline.cancelled else "kTimeLimit"
        self._set("time_limit", min(self._limit, _seconds(deadline) + self._counted))
        self._go(deadline)
        return self.status

    def search(
        self,
        improved: Callable[[Highs], None],
        look: Callable[[Highs], None],
        should_stop: Callable[[], bool],
    ) -> bool:
        """Search for integer points; False if HiGHS did not return soon after it was asked to.

        HiGHS calls ``improved`` at every better point and ``look`` now and then, which may
        interrupt it. A model whose search did not return is of no more use.
        """
        improving = self._highs.cbMipImprovingSolution.subscribe(improved)
        interrupt = self._highs.cbMipInterrupt.subscribe(look)
        if not self._in_thread(should_stop, (), GRACE):
            return False
        improving.unsubscribe(improved)
        interrupt.unsubscribe(look)
        return True

    @property
    def _counted(self) -> float:
        """Seconds that HiGHS counts: those of all runs, but for integer programs."""
        return 0.0 if self.integer.size else float(self._highs.getRunTime())

    def _go(self, deadline: Deadline | None) -> None:
        """Run; a long run can be cancelled."""
        if deadline is None or (self._A.nnz < LONG and not self.integer.size):
            self._highs.run()
            return
        highs = self._highs
        callbacks = [highs.cbSimplexInterrupt, highs.cbIpmInterrupt]
        if self.integer.size:
            callbacks.append(highs.cbMipInterrupt)
        self._in_thread(lambda: deadline.cancelled, callbacks)

    def _in_thread(
        self, should_stop: Callable[[], bool], callbacks: Sequence[Highs], patience: float = np.inf
    ) -> bool:
        """Run where nobody who waits for it has to wait for HiGHS.

        The callbacks interrupt it; nothing is subscribed before it should stop, since that would
        enter Python at every iteration. False if it takes longer than ``patience`` from then on.
        """
        told = should_stop()
        if told:
            _subscribe(callbacks)
        asked, run = np.inf, in_thread(self._highs.run)
        try:
            while not wait([run], PULSE).done:
                now = time.monotonic()
                asked = min(asked, now) if should_stop() else np.inf
                if asked < np.inf and not told:
                    _subscribe(callbacks)
                    told = True
                if now - asked >= patience:
                    return False
        except KeyboardInterrupt:  # after which this object is spent
            _subscribe(callbacks)
            wait([run], GRACE)
            raise
        for callback in callbacks if told else ():
            callback.unsubscribe(_say_stop)
        return True

    # What the last run found.

    @property
    def status(self) -> str:
        """What HiGHS says of the model."""
        return _NAMES[self._highs.getModelStatus()]

    @property
    def solution(self) -> Highs:
        """Values and multipliers of columns and rows, as HiGHS hands them out."""
        return self._highs.getSolution()

    @property
    def info(self) -> Highs:
        """Counts, bounds and objective, as HiGHS hands them out."""
        return self._highs.getInfo()

    @property
    def has_point(self) -> bool:
        """Whether there is a feasible point."""
        return bool(self._highs.getInfo().primal_solution_status == _FEASIBLE)

    @property
    def seconds(self) -> float:
        """Of all runs."""
        return float(self._highs.getRunTime())

    def dual_ray(self) -> Highs:
        """Multipliers that prove infeasibility, as HiGHS hands them out."""
        return self._highs.getDualRay()

    def primal_ray(self) -> Array | None:
        """A direction that never ends, as the numbers show it; None if HiGHS knows none."""
        _, known, ray = self._highs.getPrimalRay()
        if not known:
            return None
        lp = self._highs.getLp()
        matrix = sp.csc_array(
            (lp.a_matrix_.value_, lp.a_matrix_.index_, lp.a_matrix_.start_), shape=self.shape
        )
        moves = np.concatenate([matrix @ ray, ray])
        noise = RAY_MOVES * np.concatenate([abs(matrix) @ np.abs(ray), np.zeros(ray.size)])
        lower = np.concatenate([lp.row_lower_, lp.col_lower_])
        upper = np.concatenate([lp.row_upper_, lp.col_upper_])
        down, up = np.isfinite(lower) & (moves < -noise), np.isfinite(upper) & (moves > noise)
        return None if (down | up).any() else np.asarray(ray)

    def optimum(self, *, warm: bool = False) -> BasicPoint | None:
        """The optimal vertex; None if there is none. OutOfTime is raised if HiGHS was stopped."""
        self.deadline.check()
        return self._basic_point(self.solve(warm=warm))

    def optimum_near(self, x: Array) -> BasicPoint | None:
        """The optimal vertex, from the vertex that ``x`` is or is near to, if that helps.

        Columns that are not a number may be anywhere. What is too much or too little for a basis
        is for HiGHS to mend.
        """
        self.deadline.check()
        unknown = np.isnan(x)
        rows = self._A @ np.where(unknown, 0.0, x)
        rows[(abs(self._A) @ unknown) > 0.0] = np.nan
        bounds = self._bounds
        basis = basis_of(
            nearest_statuses(x, bounds.lower, bounds.upper),
            nearest_statuses(rows, bounds.row_lower, bounds.row_upper),
        )
        basis.valid, basis.alien = False, True
        self._highs.setBasis(basis)
        return self._basic_point(self.solve(warm=True, primal=True)) or self.optimum()

    def _basic_point(self, status: str) -> BasicPoint | None:
        """Where the last run ended."""
        if status in STOPPED:
            raise OutOfTime
        if status != "kOptimal":
            return None
        solution, (rows, columns) = self._highs.getSolution(), self.shape
        if self._highs.getNumNz():
            _, basic = self._highs.getBasicVariables()
        else:  # HiGHS 1.15 ends the process if it is asked for the basis of an empty matrix
            basic = -1 - np.arange(rows)
        values = np.concatenate([np.array(solution.col_value), np.array(solution.row_value)])
        return BasicPoint(
            values=values,
            y=np.array(solution.row_dual),
            basic=np.where(basic >= 0, basic, columns - 1 - basic).astype(np.intp),
        )

    # One linear program after the other over the same matrix, each from a basis.

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

        With ``primal`` by the primal simplex method.
        ``deadline`` says how long it may take, and when it should stop.
        With ``refine`` the multipliers come with a correction that makes them twice as exact.
        From the basis of the last run it goes on with all that HiGHS knows: setting one costs its
        edge weights, which may take longer than the solve.
        """
        with self._lock:
            start = time.perf_counter()
            if self._loaded:
                self.set_cost(cost)
                self.set_columns(bounds.lower, bounds.upper)
                self.set_rows(bounds.row_lower, bounds.row_upper)
            else:
                self._load(cost, bounds)
            # Presolve would throw the basis away; without one it is worth having.
            highs, presolve = self._highs, self._presolve if basis is None else "off"
            self._set("presolve", presolve)
            self._set("simplex_strategy", _PRIMAL if primal else self._strategy)
            if basis is None:
                highs.clearSolver()
            elif basis is not self._basis:
                highs.setBasis(basis)
            self._set("time_limit", min(self._limit, _seconds(deadline)) + self._counted)
            self._go(deadline)
            solution = highs.getSolution()
            status, duals = _NAMES[highs.getModelStatus()], np.array(solution.row_dual)
            basis_found, reduced, correction, basic = highs.getBasis(), None, None, None
            if refine and status == "kOptimal":
                if presolve == "off" and self._has_factors:
                    basic = highs.getBasicVariables()[1]
                reduced, correction = self._refined(cost, duals, basis_found, basic)
            point = np.array(solution.col_value)
            if status == "kOptimal" and presolve == "off" and self._has_factors:
                basic = highs.getBasicVariables()[1] if basic is None else basic
                point = self._on_rows(point, bounds, basis_found, basic)
            self._basis = basis_found if status == "kOptimal" else None
            return Vertex(
                status=status,
                x=point,
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
            start, basic, here = time.perf_counter(), vertex.basic, vertex.basis is self._basis
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
            basic = vertex.basic if vertex.basis is self._basis else None
            sums, lack = self._refined(cost, vertex.row_dual.copy(), vertex.basis, basic, residuals)
            return replace(vertex, reduced=sums, correction=lack)

    def _refined(
        self, cost: Array, duals: Array, basis: highspy.HighsBasis,
        basic: Indices | None, residuals: DecimalResiduals | None = None,
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

    def _on_rows(
        self, x: Array, bounds: Bounds, basis: highspy.HighsBasis, basic: Indices
    ) -> Array:
        """The vertex with what its tight rows are missed by taken away, by the factors at hand."""
        inside, idle = self._parts(basis, basic)
        if len(inside) + len(idle) != bounds.row_upper.size:
            return x
        activity = self._A @ x
        below, above = activity - bounds.row_lower, bounds.row_upper - activity
        lack = np.where(np.abs(below) < np.abs(above), -below, above)
        lack[idle] = 0.0
        lack[~np.isfinite(lack)] = 0.0
        size = float(np.abs(lack).max(initial=0.0))
        if size == 0.0:
            return x
        step = self._highs.getBasisSolve(lack / size)[1] * size
        better = x.copy()
        within = basic >= 0
        better[basic[within]] += step[within]
        better = np.clip(better, bounds.lower, bounds.upper)
        left = np.abs(activity + lack - self._A @ better)
        left[idle] = 0.0
        return better if float(left.max(initial=0.0)) < size else x

    def _parts(self, basis: highspy.HighsBasis, basic: Indices | None) -> tuple[Indices, Indices]:
        """The columns and the rows that are basic; the same ones as long as the basis is."""
        if self._split is None or self._split[0] is not basis:
            if basic is not None:
                within = basic >= 0
                inside, idle = basic[within], -1 - basic[~within]
            else:
                inside, idle = (np.flatnonzero(part == BASIC) for part in statuses_of(basis))
            self._split = basis, (inside, idle)
        return self._split[1]

    def _with_factors(self, within: Mask, lack: Array) -> Array:
        """What HiGHS makes of a residual of the basic columns, which are ``within`` its order."""
        residual = np.zeros(within.size)
        size = float(np.abs(lack).max())  # HiGHS takes what is below 1e-14 for nothing
        residual[within] = lack / size
        return np.asarray(self._highs.getBasisTransposeSolve(residual)[1] * size)

    def _by_hand(self, lack: Array, *parts: Indices) -> Array:
        """The same from factors of our own; not a number if there are none."""
        (inside, idle), correction = parts, np.zeros(self._A.shape[0])
        tight = np.delete(self._each[0], idle)
        square = sp.csc_array(sp.csr_array(self._A)[tight][:, inside])
        try:
            correction[tight] = splu(square.T.tocsc()).solve(lack)
        except (RuntimeError, ValueError):  # singular, as far as floats can tell
            return np.full(correction.size, np.nan)
        return correction


def _seconds(deadline: Deadline | None) -> float:
    """That a run may take."""
    seconds = None if deadline is None else deadline.for_solver
    return np.inf if seconds is None else seconds


def _subscribe(callbacks: Sequence[Highs]) -> None:
    for callback in callbacks:
        callback.subscribe(_say_stop)


def _say_stop(event: Highs) -> None:
    event.interrupt(True)
