"""One integer program asked again and again: a rounded point, with the bound that proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.digits import solve_by_digits
from lexiprog.backends.highs import STOPPED, HighsModel
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm
from lexiprog.certify.whole_numbers import LONG, WholeNumbers, in_steps
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.value_function import CurveError
from lexiprog.status import Status
from lexiprog.tolerances import LOCK_FEASIBILITY, MIP_FEASIBILITY, ROUNDED_POINT
from lexiprog.typing import Array, Options

MIP = {"mip_rel_gap": 0.0, "mip_feasibility_tolerance": MIP_FEASIBILITY}
# Counts of steps beyond this are not told apart by the floats that values are given in.
MOST = 2**50


@dataclass(frozen=True)
class Asked:
    """The optimum of one question: its point, and what no point can be better than."""

    x: Array
    bound: float


class IntegerPrograms:
    """A feasible set with a row for each objective, in one HiGHS model.

    Parameters
    ----------
    form : StandardForm
        Linear rows, integer columns.
    costs : ndarray of shape (p, n)
        The objectives, whose rows are scaled as they stand here.
    options : mapping
        HiGHS options.
    deadline : Deadline
        How long all programs together may take.
    """

    def __init__(
        self, form: StandardForm, costs: Array, options: Options, deadline: Deadline | None = None
    ) -> None:
        self.A = sp.csr_array(sp.vstack([form.A, sp.csr_array(costs)]))
        self.rows = form.b.size
        self.sizes = abs(self.A)
        self._form, self._options = form, options
        self._long = float(np.abs(costs).max(initial=0.0)) > LONG or WholeNumbers.of(form).is_long
        self.solves, self.nodes = 0, 0
        given = Bounds.of(form)
        self.bounds = replace(
            given,
            row_lower=np.append(given.row_lower, np.full(len(costs), -np.inf)),
            row_upper=np.append(given.row_upper, np.full(len(costs), np.inf)),
        )
        self.integer = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
        self.model = HighsModel(
            self.A, MIP | dict(options), np.zeros(form.c.size), self.bounds,
            integer=self.integer, deadline=deadline,
        )  # fmt: skip

    def ask(
        self, cost: Array, limits: Sequence[float], start: Array | None, *, gap: float
    ) -> Asked | None:
        """Minimise ``cost`` with the objectives within their limits; None if nothing is feasible.

        Parameters
        ----------
        cost : ndarray
        limits : sequence of float
            Upper limits of the objectives.
        start : ndarray, optional
            A feasible point to begin with.
        gap : float
            How far from the bound the value may stay.
        """
        if self._long:
            return self._ask_by_digits(cost, limits, start)
        bounds = self._within(limits)
        model = self.model
        model.set_cost(cost)
        model.set_rows(bounds.row_lower, bounds.row_upper)
        model.set_options({"mip_abs_gap": gap})
        if start is not None:
            model.set_start(start)
        model.deadline.check()
        status = model.resume()
        if status in STOPPED:
            raise OutOfTime
        self.solves += 1
        self.nodes += max(int(model.info.mip_node_count), 0)
        if status == "kInfeasible":
            return None
        if status != "kOptimal":
            raise CurveError(f"an integer program of the front has no optimum (HiGHS: {status}).")
        x = self._rounded(np.array(model.solution.col_value), cost, limits)
        return Asked(x, float(model.info.mip_dual_bound))

    def _ask_by_digits(
        self, cost: Array, limits: Sequence[float], start: Array | None
    ) -> Asked | None:
        """The same where numbers have more digits than HiGHS's tolerances."""
        deadline, rows = self.model.deadline, self._form.cones
        deadline.check()
        program = replace(
            self._form, c=cost, offset=0.0, A=self.A, b=np.append(self._form.b, list(limits)),
            cones=Cones(rows.zero, rows.nonneg + len(limits)),
        )  # fmt: skip
        numbers = WholeNumbers.of(program)
        found = solve_by_digits(program, numbers, MIP | dict(self._options), start, deadline)
        self.solves += 1
        self.nodes += found.nodes or 0
        if found.status.is_limit:
            raise OutOfTime
        if found.status is Status.INFEASIBLE:
            return None
        if found.x is None or found.bound is None or found.status is not Status.OPTIMAL:
            raise CurveError(
                f"an integer program of the front has no optimum (HiGHS: {found.said})."
            )
        x = self._rounded(found.x, cost, limits)
        if numbers.excess(x):
            raise CurveError("a row of whole numbers does not hold at the point that HiGHS found.")
        return Asked(x, found.bound)

    def improved(self, x: Array, cost: Array, limits: Sequence[float]) -> Array:
        """The point with its integers kept and the rest best for ``cost``, if there is a rest."""
        return x if self.integer.size == x.size else self._rest_of(x.copy(), cost, limits)

    def _rounded(self, x: Array, cost: Array, limits: Sequence[float]) -> Array:
        """The point with its integers rounded and the rest solved again."""
        x[self.integer] = np.rint(x[self.integer])
        if self.integer.size < x.size:
            x = self._rest_of(x, cost, limits)
        bounds = self._within(limits)
        values, sizes = self.A @ x, self.sizes @ np.abs(x)
        beyond = np.maximum(bounds.row_lower - values, values - bounds.row_upper)
        wide = np.where(np.isfinite(bounds.row_upper), np.abs(bounds.row_upper), 0.0)
        if np.any(beyond > ROUNDED_POINT * (sizes + wide + 1e-3)):
            row = int(np.argmax(beyond))
            raise CurveError(
                f"row {row} does not hold once the integers that HiGHS found are whole (by "
                f"{beyond[row]:.1e}): a coefficient is too large for its tolerance."
            )
        return x

    def _rest_of(self, x: Array, cost: Array, limits: Sequence[float]) -> Array:
        """The continuous columns, best for the integers at hand."""
        lower, upper = self.bounds.lower.copy(), self.bounds.upper.copy()
        lower[self.integer] = upper[self.integer] = x[self.integer]
        bounds = replace(self._within(limits), lower=lower, upper=upper)
        for tolerance in LOCK_FEASIBILITY:
            rest = HighsModel(self.A, {"primal_feasibility_tolerance": tolerance}, cost, bounds)
            if rest.solve() == "kOptimal":
                point = np.array(rest.solution.col_value)
                point[self.integer] = x[self.integer]
                return point
        raise CurveError(
            "the integers that HiGHS found leave no room for the other columns once they are "
            "whole: a coefficient is too large for its tolerance."
        )

    def _within(self, limits: Sequence[float]) -> Bounds:
        return replace(self.bounds, row_upper=np.append(self.bounds.row_upper[: self.rows], limits))


# The steps in which an objective over whole numbers can change.


@dataclass(frozen=True)
class CostSteps:
    """An objective as ``size`` times a whole number.

    Attributes
    ----------
    size : Fraction
        The greatest step of which every value is a multiple.
    counts : ndarray of int64, shape (n,)
        The costs in steps.
    """

    size: Fraction
    counts: NDArray[np.int64]

    def count(self, x: Array) -> int:
        """The value at a point, in steps; exact, and so the integers of ``x`` must be whole."""
        used = np.flatnonzero(self.counts)
        whole = np.rint(x[used]).astype(np.int64)
        return sum(int(c) * int(v) for c, v in zip(self.counts[used], whole, strict=True))


def steps_of(cost: Array, integer: NDArray[np.intp]) -> CostSteps | None:
    """The steps of a cost; None if a continuous column has one, or if they are too fine to use.

    Costs are taken as the decimal numbers that were written: 0.1 is a tenth, and so is 0.4 - 0.3.
    Where these have no common step, costs may still be whole multiples of one number, such as a
    third.

    Examples
    --------
    >>> import numpy as np
    >>> steps_of(np.array([0.4, 1.0, 0.0]), np.array([0, 1]))
    CostSteps(size=Fraction(1, 5), counts=array([2, 5, 0]))
    >>> steps_of(np.array([0.4, 1.0, 0.5]), np.array([0, 1])) is None
    True
    >>> steps_of(np.array([0.1, 3 * 0.1]), np.array([0, 1])).counts
    array([1, 3])
    >>> steps_of(np.array([1 / 3, 2.0]), np.array([0, 1])).counts
    array([1, 6])
    """
    used = np.flatnonzero(cost)
    if not np.all(np.isin(used, integer)):
        return None
    counts = np.zeros(cost.size, dtype=np.int64)
    if not used.size:
        return CostSteps(Fraction(1), counts)
    found = in_steps(cost[used])
    if found is None or max(map(abs, found[1])) > MOST:
        return None
    counts[used] = found[1]
    return CostSteps(found[0], counts)
