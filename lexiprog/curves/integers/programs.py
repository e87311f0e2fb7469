"""One integer program asked again and again: a point, made whole, with the bound that proves it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import highspy
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Options
from lexiprog.curves.curve import CurveError
from lexiprog.curves.handle import Handle
from lexiprog.curves.pace import Pace
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds

__all__ = ["Asked", "IntegerPrograms"]

# What a row of a rounded point may be off, as a share of its terms.
WHOLE = 1e-9
MIP = {"mip_rel_gap": 0.0, "mip_feasibility_tolerance": 1e-9}


@dataclass(frozen=True)
class Asked:
    """The optimum of one question: its point, and what no point can be better than."""

    x: Array
    bound: float


class IntegerPrograms:
    """A feasible set with two rows for the objectives, inside one HiGHS object.

    Parameters
    ----------
    form : StandardForm
        Linear rows, integer columns.
    costs : ndarray of shape (2, n)
        The objectives, whose rows are scaled as they stand here.
    options : mapping
        HiGHS options.
    pace : Pace
        How long all programs together may take.
    """

    def __init__(
        self, form: StandardForm, costs: Array, options: Options, pace: Pace | None = None
    ) -> None:
        self.A = sp.csr_array(sp.vstack([form.A, sp.csr_array(costs)]))
        self.sizes = abs(self.A)
        self.solves, self.nodes = 0, 0
        own = Bounds.of(form)
        self.bounds = replace(
            own,
            row_lower=np.append(own.row_lower, [-np.inf, -np.inf]),
            row_upper=np.append(own.row_upper, [np.inf, np.inf]),
        )
        self.integer = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
        self.handle = Handle(
            self.A, np.zeros(form.c.size), self.bounds, MIP | dict(options), self.integer, pace
        )

    def ask(
        self, cost: Array, limits: tuple[float, float], start: Array | None, *, gap: float
    ) -> Asked | None:
        """Minimise ``cost`` with both objectives within their limits; None if nothing is feasible.

        Parameters
        ----------
        cost : ndarray
        limits : pair of float
            Upper limits of the objectives.
        start : ndarray, optional
            A feasible point to begin with.
        gap : float
            How far from the bound the value may stay.
        """
        bounds = self._within(limits)
        self.handle.change(cost=cost, rows=(bounds.row_lower, bounds.row_upper))
        self.handle.set_options({"mip_abs_gap": gap})
        highs = self.handle.highs
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = start
            highs.setSolution(solution)
        said = self.handle.go()
        self.solves += 1
        self.nodes += max(int(highs.getInfo().mip_node_count), 0)
        if said == "kInfeasible":
            return None
        if said != "kOptimal":
            raise CurveError(f"an integer program of the front has no optimum (HiGHS: {said}).")
        x = self._whole(np.array(highs.getSolution().col_value), cost, limits)
        return Asked(x, float(highs.getInfo().mip_dual_bound))

    def _whole(self, x: Array, cost: Array, limits: tuple[float, float]) -> Array:
        """The point with its integers made whole and the rest solved again."""
        x[self.integer] = np.rint(x[self.integer])
        if self.integer.size < x.size:
            x = self._rest_of(x, cost, limits)
        bounds = self._within(limits)
        values, sizes = self.A @ x, self.sizes @ np.abs(x)
        beyond = np.maximum(bounds.row_lower - values, values - bounds.row_upper)
        wide = np.where(np.isfinite(bounds.row_upper), np.abs(bounds.row_upper), 0.0)
        if np.any(beyond > WHOLE * (sizes + wide + 1e-3)):
            row = int(np.argmax(beyond))
            raise CurveError(
                f"row {row} does not hold once the integers that HiGHS found are whole (by "
                f"{beyond[row]:.1e}): a coefficient is too large for its tolerance."
            )
        return x

    def _rest_of(self, x: Array, cost: Array, limits: tuple[float, float]) -> Array:
        """The continuous columns, best for the integers at hand."""
        lower, upper = self.bounds.lower.copy(), self.bounds.upper.copy()
        lower[self.integer] = upper[self.integer] = x[self.integer]
        bounds = replace(self._within(limits), lower=lower, upper=upper)
        for tolerance in (1e-9, 1e-7):  # a limit without slack may be too much to ask at first
            rest = Handle(self.A, cost, bounds, {"primal_feasibility_tolerance": tolerance})
            if rest.run() == "kOptimal":
                found = np.array(rest.highs.getSolution().col_value)
                found[self.integer] = x[self.integer]
                return found
        raise CurveError(
            "the integers that HiGHS found leave no room for the other columns once they are "
            "whole: a coefficient is too large for its tolerance."
        )

    def _within(self, limits: tuple[float, float]) -> Bounds:
        return replace(self.bounds, row_upper=np.append(self.bounds.row_upper[:-2], limits))
