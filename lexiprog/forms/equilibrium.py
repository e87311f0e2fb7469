"""Find units in which all numbers of a problem are about one, whatever units it is written in.

The factors are the powers of two nearest to the least-squares solution of "every logarithm is
zero" (Curtis and Reid, 1972), taken over the matrix, the right-hand sides, the bounds, the costs
and the diagonal of a quadratic objective together. As the solution is unique, other units of the
rows, of the columns or of the objective lead to the same scaled problem, up to the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.forms.cones import blocks
from lexiprog.forms.least_logarithms import Fit
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm

Array = NDArray[np.float64]

# Numbers between 1/1024 and 1024 are no reason to touch a problem.
MILD = 10.0
# Bounds are often only large, not meant: they pull less than what the rows say.
_BOUND_WEIGHT = 0.25
# In a row with continuous columns an integer column's coefficient is mostly a big M. If it set the
# row's unit, what the continuous columns do would drown in the solver's tolerance.
_BIG_M_WEIGHT = 1.0 / 16.0
# Solvers take bounds beyond this for infinite.
_INFINITE = 1e20
# Factors beyond this could underflow; numbers that need them are beyond help.
_LARGEST_FACTOR = 200.0
# A problem whose numbers still differ by more than that many powers of two is looked at again.
_SPREAD, _FAR, _ROUNDS = 20.0, 8.0, 5


def equilibrate(form: StandardForm, *, mild: float = MILD) -> Scaling:
    """Units in which the numbers of ``form`` are about one.

    The least change that does is made: none if all numbers lie within ``2**-mild`` and
    ``2**mild``; one factor for all rows, one for all columns and one for the objective if that
    brings them there; else a factor for every row and column.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers.
    mild : float
        Logarithm to base two of what is left alone; a negative number scales always.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[7.0, 3.0], [1.0, 2.0]]))
    >>> b, rows = np.array([4e12, 6e12]), Cones(nonneg=2)
    >>> form = StandardForm(np.array([-2e-9, -3e-9]), 0.0, A, b, rows)
    >>> scaled = equilibrate(form).of(form)
    >>> scaled.A.toarray()
    array([[3.5, 1.5],
           [0.5, 1. ]])
    >>> scaled.b.round(2), scaled.c.round(2)
    (array([0.91, 1.36]), array([-1.07, -1.61]))
    """
    if _is_mild(form, mild):
        return Scaling.none(form)
    numbers = _Numbers.of(form)
    groups = _row_groups(form)
    fit = numbers.fit(groups)
    rows, columns, cost = fit.common()
    if numbers.largest(rows, columns, cost) > mild:
        for _ in range(_ROUNDS):
            rows, columns, cost = fit.single(rows, columns, cost)
            if numbers.largest(rows, columns, cost) <= _SPREAD:
                break
            fit = numbers.reweighted(rows, columns, cost).fit(groups)
    rows, columns, objective = _whole(rows), _whole(columns), _whole(np.array(cost))
    return Scaling(rows, columns, float(objective))


def with_cost(scaling: Scaling, form: StandardForm, *, mild: float = MILD) -> Scaling:
    """The same units of rows and columns, with the unit of the objective that suits ``form``."""
    sizes = np.abs(form.c * scaling.columns)
    sizes = sizes[sizes > 0.0]
    if not sizes.size or (sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild):
        return replace(scaling, cost=1.0)
    return replace(scaling, cost=float(_whole(np.array(-np.log2(sizes).mean()))))


def _is_mild(form: StandardForm, mild: float) -> bool:
    """Whether all numbers lie between ``2**-mild`` and ``2**mild``, seen without logarithms."""
    diagonal = None if form.P is None else form.P.diagonal()
    for numbers in (form.c, form.b, form.lower, form.upper, diagonal, form.A.data):
        sizes = np.abs(np.zeros(0) if numbers is None else numbers)
        sizes = sizes[(sizes > 0.0) & (sizes < _INFINITE)]
        if sizes.size and not (sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild):
            return False
    return True


def _whole(logarithms: Array) -> Array:
    """The nearest powers of two."""
    near = np.clip(np.rint(logarithms), -_LARGEST_FACTOR, _LARGEST_FACTOR)
    factors: Array = np.exp2(near)
    return factors


def _row_groups(form: StandardForm) -> NDArray[np.intp]:
    """For each row the first one that shares its factor; rows of a curved cone share one."""
    groups = np.arange(form.b.size)
    for kind, rows, parameter in blocks(form.cones):
        if kind == "soc":
            heads = rows.start + np.cumsum(parameter) - parameter
            groups[rows] = np.repeat(heads, parameter)
        elif kind == "exp":
            groups[rows] -= np.arange(rows.stop - rows.start) % 3
        else:
            groups[rows] = rows.start
    return groups


@dataclass(frozen=True)
class _Terms:
    """Logarithms of numbers and their weights; a zero has no weight."""

    log: Array
    weight: Array

    @classmethod
    def of(cls, numbers: Array, weight: float | Array = 1.0) -> _Terms:
        sizes = np.abs(numbers)
        there = (sizes > 0.0) & (sizes < np.inf)
        if not there.all():
            sizes = np.where(there, sizes, 1.0)
        return cls(np.log2(sizes), np.where(there, weight, 0.0))

    def reweighted(self, shift: Array, *, side: float = -1.0) -> _Terms:
        """The same with less weight on what is far on one side: the small, or with 1 the large."""
        far = np.maximum(side * (self.log + shift), 0.0) / _FAR
        return replace(self, weight=self.weight / (1.0 + far**2))

    def largest(self, shift: Array) -> float:
        """The largest logarithm in absolute value, each with its shift."""
        return float(np.max(np.abs((self.log + shift)[self.weight > 0.0]), initial=0.0))


@dataclass(frozen=True)
class _Numbers:
    """The logarithms of all numbers of a problem."""

    indices: NDArray[np.intp]  # rows of the matrix' entries, column by column
    starts: NDArray[np.intp]
    entries: _Terms
    free: NDArray[np.bool_]  # columns that may be scaled
    b: _Terms
    bounds: tuple[_Terms, ...]
    c: _Terms
    P: _Terms

    @classmethod
    def of(cls, form: StandardForm) -> _Numbers:
        A = sp.csc_array(form.A)
        free = np.ones(form.c.size, dtype=bool)
        weight: float | Array = 1.0
        # An empty row is true or false in any unit; a multiple could make it false.
        b_weight = np.where(np.bincount(A.indices, minlength=form.b.size) > 0, 1.0, 0.0)
        if form.integer is not None and form.integer.size:
            free[form.integer] = False
            continuous = np.repeat(free, np.diff(A.indptr))
            kinds = np.zeros((2, form.b.size), dtype=bool)
            kinds[continuous.astype(np.intp), A.indices] = True
            mixed = kinds[0] & kinds[1]
            weight = np.where(mixed[A.indices] & ~continuous, _BIG_M_WEIGHT, 1.0)
            b_weight = np.where(mixed, _BIG_M_WEIGHT, b_weight)
        bounds = tuple(
            _Terms.of(np.where(np.abs(bound) < _INFINITE, bound, 0.0), _BOUND_WEIGHT * free)
            for bound in (form.lower, form.upper)
            if bound is not None
        )
        diagonal = np.zeros(0) if form.P is None else form.P.diagonal()
        return cls(
            A.indices,
            A.indptr,
            _Terms.of(A.data, weight),
            free,
            _Terms.of(form.b, b_weight),
            bounds,
            _Terms.of(form.c),
            _Terms.of(diagonal if diagonal.size else np.zeros(form.c.size)),
        )

    def largest(self, rows: Array, columns: Array, cost: float) -> float:
        """The largest logarithm, in absolute value, that these factors leave."""
        return max(
            self.entries.largest(rows[self.indices] + np.repeat(columns, np.diff(self.starts))),
            self.b.largest(rows),
            self.c.largest(columns + cost),
            self.P.largest(2.0 * columns + cost),
            *(bound.largest(-columns) for bound in self.bounds),
        )

    def reweighted(self, rows: Array, columns: Array, cost: float) -> _Numbers:
        """The same with less weight on numbers that these factors show to be negligible.

        A coefficient of 1e-17 among ones is the rounding of a zero; it must not set any unit.
        """
        shift = rows[self.indices] + np.repeat(columns, np.diff(self.starts))
        return replace(
            self,
            entries=self.entries.reweighted(shift),
            b=self.b.reweighted(rows),
            bounds=tuple(bound.reweighted(-columns, side=1.0) for bound in self.bounds),
            c=self.c.reweighted(columns + cost),
            P=self.P.reweighted(2.0 * columns + cost),
        )

    def fit(self, groups: NDArray[np.intp]) -> Fit:
        """The least-squares problem that makes all logarithms small."""
        weights, terms = (
            sp.csc_array((data, groups[self.indices], self.starts), (groups.size, self.free.size))
            for data in (self.entries.weight, self.entries.weight * self.entries.log)
        )
        b, c, P = self.b, self.c, self.P
        columns = c.weight + 4.0 * P.weight + sum(bound.weight for bound in self.bounds)
        pulls = c.weight * c.log + 2.0 * P.weight * P.log
        pulls -= sum(bound.weight * bound.log for bound in self.bounds)
        every_row, every_column = np.ones(groups.size), np.ones(self.free.size)
        return Fit(
            groups=groups,
            free=self.free,
            matrix=weights,
            rows=weights @ every_column + np.bincount(groups, b.weight, minlength=groups.size),
            columns=weights.T @ every_row + columns,
            cost=float(c.weight.sum() + P.weight.sum()),
            coupling=c.weight + 2.0 * P.weight,
            row_pulls=terms @ every_column
            + np.bincount(groups, b.weight * b.log, minlength=groups.size),
            column_pulls=terms.T @ every_row + pulls,
            cost_pull=float(c.weight @ c.log + P.weight @ P.log),
        )
