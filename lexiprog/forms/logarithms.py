"""The logarithms of all numbers of a problem, with the weight that each has in its units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from lexiprog.aliases import Array
from lexiprog.forms.least_logarithms import Fit
from lexiprog.forms.standard_form import StandardForm

# Bounds are often only large, not meant: they pull less than what the rows say.
_BOUND_WEIGHT = 0.25
# In a row with continuous columns an integer column's coefficient is mostly a big M. If it set the
# row's unit, what the continuous columns do would drown in the solver's tolerance.
_BIG_M_WEIGHT = 1.0 / 16.0
# Solvers take bounds beyond this for infinite.
INFINITE = 1e20
# What is smaller than its peers by that many powers of two, about 1e-9, is a rounding error.
_NOISE = 30.0
# Numbers that many powers of two below one begin to lose weight.
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

    def reweighted(self, shift: Array, *, side: float = -1.0) -> Terms:
        """The same with less weight on what is far on one side: the small, or with 1 the large."""
        far = np.maximum(side * (self.log + shift), 0.0) / _FAR
        return replace(self, weight=self.weight / (1.0 + far**2))

    def sizes(self, shift: Array) -> Array:
        """The logarithms, each with its shift; minus infinity for what has no weight."""
        return np.where(self.weight > 0.0, self.log + shift, -np.inf)

    def kept(self, there: NDArray[np.bool_]) -> Terms:
        """The same without the weight of all others."""
        return replace(self, weight=self.weight * there)

    def none(self) -> Terms:
        """The same without any weight."""
        return replace(self, weight=np.zeros_like(self.weight))

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
        diagonal = np.zeros(0) if form.P is None else form.P.diagonal()
        return cls(
            A.indices,
            A.indptr,
            Terms.of(A.data, weight),
            free,
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

    def without_tails(self) -> Numbers:
        """The same without entries that vanish beside the largest of their row and column."""
        own = np.repeat(np.arange(self.free.size), np.diff(self.starts))
        sizes = self.entries.sizes(np.zeros(own.size))
        rows = np.full(self.b.log.size, -np.inf)
        np.maximum.at(rows, self.indices, sizes)
        columns = np.full(self.free.size, -np.inf)
        np.maximum.at(columns, own, sizes)
        peers = np.minimum(rows[self.indices], columns[own])
        return replace(self, entries=self.entries.kept(sizes > peers - _NOISE))

    def furthest(self, rows: Array, columns: Array) -> float:
        """The largest logarithm of a bound or a right-hand side that these factors leave."""
        sizes = [self.b.sizes(rows), *(bound.sizes(-columns) for bound in self.bounds)]
        return max(float(each.max(initial=-np.inf)) for each in sizes)

    def without_noise(self, groups: NDArray[np.intp]) -> Numbers:
        """The same without right-hand sides, bounds and costs that are rounding errors.

        An earlier optimum of zero enters a later problem as 1e-13. If it set the unit of its row,
        the row would be solved for that rounding error. What the matrix connects is compared; it
        says nothing of the units of the rest.
        """
        matrix = replace(
            self, b=self.b.none(), c=self.c.none(), P=self.P.none(),
            bounds=tuple(bound.none() for bound in self.bounds),
        )  # fmt: skip
        none = np.zeros(groups.size), np.zeros(self.free.size), 0.0
        rows, columns, _ = matrix.fit(groups).single(*none)
        row_parts, column_parts = self._parts(groups)
        sides = self.b.sizes(rows)
        ends = [bound.sizes(-columns) for bound in self.bounds]
        costs = self.c.sizes(columns)
        tops = np.full(row_parts.size + column_parts.size, -np.inf)
        np.maximum.at(tops, row_parts, sides)
        for end in ends:
            np.maximum.at(tops, column_parts, end)
        cost_tops = np.full(tops.size, -np.inf)
        np.maximum.at(cost_tops, column_parts, costs)
        return replace(
            self,
            b=self.b.kept(sides > tops[row_parts] - _NOISE),
            bounds=tuple(
                bound.kept(end > tops[column_parts] - _NOISE)
                for bound, end in zip(self.bounds, ends, strict=True)
            ),
            c=self.c.kept(costs > cost_tops[column_parts] - _NOISE),
        )

    def _parts(self, groups: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each row and each column the number of the connected part that it belongs to."""
        size, width = groups.size, self.free.size
        weights = np.ones(self.indices.size)
        table = sp.csc_array((weights, groups[self.indices], self.starts), (size, width))
        graph = sp.block_array([[None, table], [table.T, None]], format="csr")
        _, parts = connected_components(graph, directed=False)
        return parts[:size][groups], parts[size:]

    def reweighted(self, rows: Array, columns: Array, cost: float) -> Numbers:
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
