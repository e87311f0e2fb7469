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

from lexiprog.canon.cones import blocks
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.tolerances import (
    CONVERGED_POWERS,
    FURTHEST_POWERS,
    INFINITE,
    LARGEST_FACTOR_POWERS,
    LEAST_SQUARES_RANK,
    MILD_POWERS,
    MILD_POWERS_CURVED,
    NEGLIGIBLE_POWERS,
    NEGLIGIBLE_SIDE_POWERS,
    WIDE_POWERS,
)
from lexiprog.typing import Array, Matrix

# The least-squares problem behind a change of units, solved by conjugate gradients.

_PASSES = 30


@dataclass(frozen=True)
class Fit:
    """Normal equations in the logarithms of the factors of rows, columns and objective.

    Attributes
    ----------
    groups : ndarray
        For each row the first one that has the same factor; only those have equations.
    free : ndarray
        Which columns may have a factor other than one.
    matrix : sparse array
        What couples rows and columns: the weight of each coefficient.
    rows, columns, cost
        The diagonal.
    coupling : ndarray
        What couples each column with the objective.
    row_gradient, column_gradient, cost_gradient
        Weighted sums of the logarithms to be made small: the right-hand sides' negatives.
    """

    groups: NDArray[np.intp]
    free: NDArray[np.bool_]
    matrix: Matrix
    rows: Array
    columns: Array
    cost: float
    coupling: Array
    row_gradient: Array
    column_gradient: Array
    cost_gradient: float

    def common(self) -> tuple[Array, Array, float]:
        """The best factors if all rows share one and all columns share one."""
        between = float((self.matrix @ self.free.astype(float)).sum())
        coupling = float(self.coupling[self.free].sum())
        normal = np.array(
            [
                [self.rows.sum(), between, 0.0],
                [between, self.columns[self.free].sum(), coupling],
                [0.0, coupling, self.cost],
            ]
        )
        of_columns = self.column_gradient[self.free].sum()
        gradient = np.array([self.row_gradient.sum(), of_columns, self.cost_gradient])
        # What nothing determines, the units of a problem without right-hand sides, stays put.
        row, column, cost = -np.linalg.lstsq(normal, gradient, rcond=LEAST_SQUARES_RANK)[0]
        return np.full(self.rows.size, row), np.where(self.free, column, 0.0), float(cost)

    def single(self, rows: Array, columns: Array, cost: float) -> tuple[Array, Array, float]:
        """The best factors of each row and column, starting from those given."""
        split = np.cumsum([self.rows.size, self.columns.size])
        leads = self.groups == np.arange(self.groups.size)
        moves = np.concatenate([leads, self.free, [True]])
        diagonal = np.concatenate([self.rows, self.columns, [self.cost]])
        inverse = np.divide(1.0, diagonal, out=np.zeros(diagonal.size), where=diagonal > 0.0)
        inverse *= moves
        transposed = self.matrix.T

        def times(vector: Array) -> Array:
            r, d, k = np.split(vector, split)
            coupled = [self.matrix @ d, transposed @ r + self.coupling * k, [self.coupling @ d]]
            product: Array = moves * (diagonal * vector + np.concatenate(coupled))
            return product

        found = moves * np.concatenate([rows, columns, [cost]])
        gradient = np.concatenate([self.row_gradient, self.column_gradient, [self.cost_gradient]])
        residual = -(moves * gradient) - times(found)
        step = inverse * residual
        direction, fall = step, float(residual @ step)
        for _ in range(_PASSES):
            if np.max(np.abs(step), initial=0.0) < CONVERGED_POWERS:
                break
            image = times(direction)
            length = fall / float(direction @ image)
            found = found + length * direction
            residual = residual - length * image
            step = inverse * residual
            fall, before = float(residual @ step), fall
            direction = step + (fall / before) * direction
        r, d, k = np.split(found, split)
        return r[self.groups], d, float(k[0])


# The logarithms of all numbers of a problem, with the weight that each has in its units.

# Bounds are often only large, not meant: they weigh less than what the rows say.
_BOUND_WEIGHT = 0.25
# In a row with continuous columns an integer column's coefficient is mostly a big M. If it set the
# row's unit, what the continuous columns do would drown in the solver's tolerance.
_BIG_M_WEIGHT = 1.0 / 16.0
# Numbers that many powers of two from one begin to lose weight.
_FAR = 8.0


@dataclass(frozen=True)
class Terms:
    """Logarithms of numbers and their weights; a zero has no weight."""

    log: Array
    weight: Array

    @classmethod
    def of(cls, numbers: Array, weight: float | Array = 1.0) -> Terms:
        """Those of some numbers; what is zero or infinite has no weight."""
        sizes = np.abs(numbers)
        there = (sizes > 0.0) & (sizes < np.inf)
        if not there.all():
            sizes = np.where(there, sizes, 1.0)
        return cls(np.log2(sizes), np.where(there, weight, 0.0))

    def reweighted(self, shift: Array) -> Terms:
        """The same with less weight on what is far from one, as Huber's loss has it."""
        far = np.abs(self.log + shift) / _FAR
        return replace(self, weight=self.weight / np.maximum(1.0, far))

    def sizes(self, shift: Array) -> Array:
        """The logarithms, each with its shift; minus infinity for what has no weight."""
        return np.where(self.weight > 0.0, self.log + shift, -np.inf)

    def kept(self, there: NDArray[np.bool_]) -> Terms:
        """The same without the weight of all others."""
        return replace(self, weight=self.weight * there)

    def largest(self, shift: Array) -> float:
        """The largest logarithm in absolute value, each with its shift."""
        return float(np.max(np.abs((self.log + shift)[self.weight > 0.0]), initial=0.0))


@dataclass(frozen=True)
class Numbers:
    """The logarithms of all numbers of a problem."""

    indices: NDArray[np.intp]  # rows of the matrix' entries, column by column
    starts: NDArray[np.intp]
    entries: Terms
    free: NDArray[np.bool_]  # columns that may be scaled
    boxed: NDArray[np.bool_]  # columns with two finite bounds
    b: Terms
    bounds: tuple[Terms, ...]
    c: Terms
    P: Terms

    @classmethod
    def of(cls, form: StandardForm) -> Numbers:
        """Those of a problem."""
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
            Terms.of(np.where(np.abs(bound) < INFINITE, bound, 0.0), _BOUND_WEIGHT * free)
            for bound in (form.lower, form.upper)
            if bound is not None
        )
        lower, upper = form.ranges()
        diagonal = np.zeros(0) if form.P is None else form.P.diagonal()
        return cls(
            A.indices,
            A.indptr,
            Terms.of(A.data, weight),
            free,
            (lower > -INFINITE) & (upper < INFINITE),
            Terms.of(form.b, b_weight),
            bounds,
            Terms.of(form.c),
            Terms.of(diagonal if diagonal.size else np.zeros(form.c.size)),
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

    def without_negligible(self) -> Numbers:
        """The same without numbers that vanish beside the largest of their row and column.

        A coefficient of 1e-17 among ones is the rounding of a zero: it chooses no unit. So is a
        side or a cost of 1e-17 beside a coefficient of one, and another side or cost of one. A
        column that is bounded chooses none by rows to whose sides it can add no more than that.
        """
        own = np.repeat(np.arange(self.free.size), np.diff(self.starts))
        sizes = self.entries.sizes(np.zeros(own.size))
        rows = np.full(self.b.log.size, -np.inf)
        np.maximum.at(rows, self.indices, sizes)
        columns = np.full(self.free.size, -np.inf)
        np.maximum.at(columns, own, sizes)
        peers = np.minimum(rows[self.indices], columns[own])

        def beside(terms: Terms, coefficients: Array, others: tuple[Terms, ...] = ()) -> Terms:
            numbers, *rest = (each.sizes(np.zeros(each.log.size)) for each in (terms, *others))
            largest = max(each.max(initial=-np.inf) for each in (numbers, *rest))
            least = np.minimum(coefficients, largest) - NEGLIGIBLE_SIDE_POWERS
            return terms.kept(numbers > least)

        reach = np.full(self.free.size, -np.inf)
        for bound in self.bounds:
            reach = np.maximum(reach, bound.sizes(np.zeros(reach.size)))
        matters = sizes + reach[own] > self.b.sizes(np.zeros(rows.size))[self.indices] - (
            NEGLIGIBLE_POWERS
        )
        counts = ~self.boxed | np.isneginf(reach)
        counts[own[matters]] = True
        return replace(
            self,
            entries=self.entries.kept((sizes > peers - NEGLIGIBLE_POWERS) & counts[own]),
            b=beside(self.b, rows, self.bounds),
            c=beside(self.c, columns),
        )

    def furthest(self, rows: Array, columns: Array) -> float:
        """The largest logarithm of a bound or a right-hand side that these factors leave."""
        sizes = [self.b.sizes(rows), *(bound.sizes(-columns) for bound in self.bounds)]
        return max(float(each.max(initial=-np.inf)) for each in sizes)

    def reweighted(self, rows: Array, columns: Array, cost: float) -> Numbers:
        """The same with less weight on numbers that these factors show to be far from all others.

        An earlier optimum of zero enters a later problem as 1e-13, and infinity as 1e12. Neither
        may set a unit.
        """
        shift = rows[self.indices] + np.repeat(columns, np.diff(self.starts))
        return replace(
            self,
            entries=self.entries.reweighted(shift),
            b=self.b.reweighted(rows),
            bounds=tuple(bound.reweighted(-columns) for bound in self.bounds),
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
        gradient = c.weight * c.log + 2.0 * P.weight * P.log
        gradient -= sum(bound.weight * bound.log for bound in self.bounds)
        every_row, every_column = np.ones(groups.size), np.ones(self.free.size)
        return Fit(
            groups=groups,
            free=self.free,
            matrix=weights,
            rows=weights @ every_column + np.bincount(groups, b.weight, minlength=groups.size),
            columns=weights.T @ every_row + columns,
            cost=float(c.weight.sum() + P.weight.sum()),
            coupling=c.weight + 2.0 * P.weight,
            row_gradient=terms @ every_column
            + np.bincount(groups, b.weight * b.log, minlength=groups.size),
            column_gradient=terms.T @ every_row + gradient,
            cost_gradient=float(c.weight @ c.log + P.weight @ P.log),
        )


# How often a problem whose numbers still differ by more than WIDE_POWERS is looked at again.
_ROUNDS = 5


def equilibrate(form: StandardForm, *, mild: float | None = None) -> Scaling:
    """Units in which the numbers of ``form`` are about one.

    The least change that does is made: none if all numbers lie within ``2**-mild`` and
    ``2**mild``; one factor for all rows, one for all columns and one for the objective if that
    brings them there; else a factor for every row and column.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers.
    mild : float, optional
        Logarithm to base two of what is left alone; a negative number scales always.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
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
    mild = left_alone(form) if mild is None else mild
    if _is_mild(form, mild):
        return Scaling.none(form)
    groups = _row_groups(form)
    numbers = Numbers.of(form).without_negligible()
    rows, columns, cost = _fitted(numbers, groups, mild)
    if numbers.furthest(rows, columns) > FURTHEST_POWERS:
        return Scaling.none(form)
    rows, columns, objective = _whole(rows), _whole(columns), _whole(np.array(cost))
    return Scaling(rows, columns, float(objective))


def usual_units(form: StandardForm) -> Scaling | None:
    """The units of a form as it is, if nothing but its costs and sides may be a reason to change.

    Where these are mild as well, :func:`equilibrate` finds the same.
    """
    bare = replace(form, b=np.zeros(form.b.size), c=np.zeros(form.c.size))
    return Scaling.none(form) if _is_mild(bare, left_alone(form)) else None


def fitted_units(units: Scaling, form: StandardForm) -> Scaling | None:
    """Units of the matrix, times common powers of two if need be, that suit the rest as well.

    Columns times f and rows over f leave the matrix as it is, and bring the sides to about one; the
    objective over the square of f keeps its curvature, over f its costs. None if costs or sides
    differ by too much for that.
    """
    mild = left_alone(form)
    sides, costs = form.b * units.rows, form.c * (units.columns * units.cost)
    size, unit = (_power(numbers, mild) for numbers in (sides, costs))
    objective = size * (unit if form.P is None else size)
    if form.P is not None and objective > 1.0:
        # Rows of many terms leave each column little: values far below one are known to few digits.
        objective = max(1.0, objective / _power(np.array([float(form.c.size)]), 0.0))
    if objective != 1.0 and form.integer is not None and form.integer.size:
        return None
    for numbers in (sides / size, costs * (size / objective)):
        largest = float(np.abs(numbers).max(initial=0.0))
        # Costs that are small beside the curvature are no reason for other units.
        if largest > 2.0**mild or not is_mild(numbers / (min(largest, 1.0) or 1.0)):
            return None
    if size == objective == 1.0:
        return units
    return Scaling(units.rows / size, units.columns * size, units.cost / objective)


def _power(numbers: Array, mild: float) -> float:
    """The power of two nearest to the largest of some numbers; one if that is mild."""
    largest = np.abs(numbers).max(initial=0.0, keepdims=True)
    return 1.0 if is_mild(largest, mild) else float(np.exp2(np.rint(np.log2(largest[0]))))


def left_alone(form: StandardForm) -> float:
    """Logarithm to base two of the numbers that are no reason to touch a problem of this kind."""
    linear = form.P is None and form.cones.linear == form.b.size
    return MILD_POWERS if linear else MILD_POWERS_CURVED


def _fitted(numbers: Numbers, groups: NDArray[np.intp], mild: float) -> tuple[Array, Array, float]:
    """Logarithms of the factors: common ones if they do, else one for each row and column."""
    fit = numbers.fit(groups)
    rows, columns, cost = fit.common()
    if numbers.largest(rows, columns, cost) > mild:
        for _ in range(_ROUNDS):
            rows, columns, cost = fit.single(rows, columns, cost)
            if numbers.largest(rows, columns, cost) <= WIDE_POWERS:
                break
            fit = numbers.reweighted(rows, columns, cost).fit(groups)
    return rows, columns, cost


def with_cost(scaling: Scaling, form: StandardForm, *, mild: float = MILD_POWERS) -> Scaling:
    """The same units of rows and columns, with the unit of the objective that suits ``form``."""
    sizes = np.abs(form.c * scaling.columns)
    sizes = sizes[sizes > 0.0]
    if not sizes.size or (sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild):
        return replace(scaling, cost=1.0)
    # Where costs differ by much the largest count: what rounding makes of those far above one is
    # more than HiGHS accepts of a reduced cost.
    powers = np.log2(sizes)
    power = np.minimum(-powers.mean(), WIDE_POWERS - powers.max())
    return replace(scaling, cost=float(_whole(power)))


def _is_mild(form: StandardForm, mild: float) -> bool:
    """Whether all numbers lie between ``2**-mild`` and ``2**mild``, seen without logarithms."""
    diagonal = None if form.P is None else form.P.diagonal()
    every = (form.c, form.b, form.lower, form.upper, diagonal, form.A.data)
    return all(numbers is None or is_mild(numbers, mild) for numbers in every)


def is_mild(numbers: Array, mild: float = MILD_POWERS) -> bool:
    """The same of some numbers; zeros and infinities don't count."""
    sizes = np.abs(numbers)
    sizes = sizes[(sizes > 0.0) & (sizes < INFINITE)]
    return not sizes.size or bool(sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild)


def _whole(logarithms: Array) -> Array:
    """The nearest powers of two."""
    near = np.clip(np.rint(logarithms), -LARGEST_FACTOR_POWERS, LARGEST_FACTOR_POWERS)
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
