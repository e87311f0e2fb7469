"""The bound of ``proof.bound`` by the processor's own floats, with a proved limit on rounding.

A sum of n products, taken in whatever order, is wrong by at most (n + 1) units of rounding times
the sum of their sizes (Higham, 2002, chapter 3). Reduced costs, which are charged over the whole
range of their columns, are summed in the longest floats that the processor has. Where all that
rounding may take from the bound is next to nothing, twice the working precision would tell nothing
more, and takes several times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.compensated import by_columns
from lexiprog.canon.cones import project
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.ranges import own_ranges, stated_ranges
from lexiprog.tolerances import (
    BOUND_LOSS,
    LONG_ROUNDOFF,
    ROUND_UP,
    SHRUNK_MULTIPLIERS,
    UNDERFLOW_ERRORS,
    UNIT_ROUNDOFF,
)
from lexiprog.typing import Array, Mask, Matrix

# The measures of a small linear program in plain floats, with a proved limit on their rounding.
#
# Where every column has two finite bounds, the bound of ``proof.bound`` needs no more than sums
# whose rounding errors are known beforehand (Higham, 2002, chapter 3): a sum of n products, taken
# in whatever order, is wrong by at most (n + 1) units of rounding times the sum of their sizes. If
# that is next to nothing, twice the working precision would tell nothing more.

# Up to so many entries; above, what is saved is little.
SMALL = 20_000


@dataclass(frozen=True)
class Boxed:
    """What was measured, relative as in a certificate but for the value and its bound."""

    value: float
    bound: float
    primal: float
    dual: float
    effect: float


def measured(form: StandardForm, x: Array, z: Array) -> Boxed | None:
    """The measures of a point and its multipliers; None if more has to be done to know them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b, rows = sp.csc_array(np.array([[-1.0, -2.0]])), np.array([-4.0]), Cones(nonneg=1)
    >>> box = {"lower": np.zeros(2), "upper": np.full(2, 10.0)}
    >>> form = StandardForm(np.array([1.0, 3.0]), 0.0, A, b, rows, **box)
    >>> found = measured(form, np.array([4.0, 0.0]), np.array([1.0]))
    >>> found.value, round(found.bound, 12), found.bound < 4.0
    (4.0, 4.0, True)
    """
    if not is_boxed(form) or form.lower is None or form.upper is None:
        return None
    equations = np.arange(form.b.size) < form.cones.zero
    several = Several(
        form.A, form.b, form.c[None], np.array([form.offset]), form.lower[None], form.upper[None],
        equations[None],
    )  # fmt: skip
    return several.measured(x[None], z[None])[0]


def is_boxed(form: StandardForm) -> bool:
    """Whether a form is small and linear, with two bounds on every column."""
    return (
        form.P is None
        and form.cones.linear == form.b.size
        and (form.integer is None or not form.integer.size)
        and form.lower is not None
        and form.upper is not None
        and form.A.format == "csc"
        and 0 < form.A.data.size <= SMALL
    )


@dataclass(frozen=True)
class Several:
    """Linear programs over one matrix and right-hand side, a row of each array for each of them.

    Attributes
    ----------
    A, b : sparse array by columns, ndarray
        What they share.
    c, offset, lower, upper : ndarray
        Objectives and bounds.
    equations : ndarray of bool
        Which rows are equations.
    """

    A: Matrix
    b: Array
    c: Array
    offset: Array
    lower: Array
    upper: Array
    equations: Mask

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many entries each column of the matrix has."""
        starts = self.A.indptr
        counts: NDArray[np.intp] = starts[1:] - starts[:-1]
        return counts

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """The column of each entry."""
        return np.arange(self.c.shape[1]).repeat(self.counts)

    def _sums(self, places: NDArray[np.integer], terms: Array, size: int) -> Array:
        """Of the terms of each problem, the sums of those with the same place."""
        several = len(terms)
        if several > 1:
            places = (places + size * np.arange(several)[:, None]).ravel()
        sums = np.bincount(places, terms.ravel(), several * size).reshape(several, size)
        return np.asarray(sums, dtype=float)

    def rows_at(self, x: Array) -> tuple[Array, Array]:
        """What each entry of the matrix adds to its row at a point for each, and the rows."""
        terms: Array = self.A.data * x[:, self.columns]
        return terms, self._sums(self.A.indices, terms, self.b.size)

    def pulled(self, z: Array) -> Array:
        """What multipliers of the rows add to the costs of each."""
        entries, starts = self.A.data * z[:, self.A.indices], self.A.indptr[:-1]
        if np.count_nonzero(self.counts) == self.counts.size:
            return np.add.reduceat(entries, starts, axis=1)
        filled = self.counts > 0  # reduceat has no answer for empty columns
        out = np.zeros(self.c.shape)
        out[:, filled] = np.add.reduceat(entries, starts[filled], axis=1)
        return out

    def measured(
        self, x: Array, z: Array, at: tuple[Array, Array] | None = None
    ) -> list[Boxed | None]:
        """The measures of a point and multipliers for each; ``at`` are the rows at the point."""
        A, b, c, lower, upper = self.A, self.b, self.c, self.lower, self.upper
        equal, rows, data = self.equations, A.indices, A.data
        value = (c * x).sum(axis=1) + self.offset

        terms, activity = self.rows_at(x) if at is None else at
        slack = b - activity
        sizes = np.maximum(self._sums(rows, np.abs(terms), b.size), np.abs(b))
        outside = np.where(equal, np.abs(slack), np.maximum(-slack, 0.0))
        beyond = np.maximum(lower - x, x - upper)
        past = beyond > 0.0
        primal = (outside / np.maximum(sizes, 1.0)).max(axis=1)

        effect = (np.abs(z) * outside).sum(axis=1)
        negative = np.where(equal, 0.0, np.minimum(z, 0.0))
        wrong = -negative.min(axis=1)
        z = z - negative
        terms = data * z[:, rows]
        reduced = c + self._sums(self.columns, terms, c.shape[1])
        summed = np.abs(c) + self._sums(self.columns, np.abs(terms), c.shape[1])
        if np.count_nonzero(past):
            beyond = np.where(past, beyond, 0.0) / np.maximum(
                1.0, np.where(lower > x, np.abs(lower), np.abs(upper))
            )
            primal = np.maximum(primal, beyond.max(axis=1))
            effect = effect + (np.abs(reduced) * beyond).sum(axis=1)

        # For feasible y: objective(y) >= offset - b'z + reduced'y, the latter least at a corner.
        corner = np.minimum(reduced * lower, reduced * upper)
        paid = b * z
        widest = np.maximum(np.abs(lower), np.abs(upper))
        lost = (float(self.counts.max()) + 3.0) * (summed * widest).sum(axis=1)
        lost += 2.0 * (np.abs(corner).sum(axis=1) + np.abs(paid).sum(axis=1) + np.abs(self.offset))
        lost = ROUND_UP * UNIT_ROUNDOFF * lost + UNDERFLOW_ERRORS
        clear = lost <= BOUND_LOSS * (1.0 + np.abs(value))  # not a number neither
        dual = wrong / (1.0 + np.abs(c).max(axis=1))
        parts = np.concatenate([self.offset[:, None], corner, -paid], axis=1).tolist()
        numbers = np.array([value, lost, primal, dual, effect]).T.tolist()
        return [
            Boxed(one, math.nextafter(math.fsum(terms) - less, -math.inf), *rest) if sure else None
            for terms, sure, (one, less, *rest) in zip(parts, clear.tolist(), numbers, strict=True)
        ]


Long: TypeAlias = NDArray[np.longdouble]

# Entries of a matrix above which the other bound goes piece by piece, as this one should.
LARGE = 200_000


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def plain_bound(form: StandardForm, x: Array, z: Array, value: float) -> float | None:
    """What no feasible point's objective is below; None if more has to be done to know it.

    ``value`` is the objective at ``x``, which rounding is compared with.

    Each column must have a range that the form states on the side where its reduced cost leads,
    or a square of its own in the objective, which holds it near ``x``.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b, square = sp.csc_array(np.array([[-1.0]])), np.array([-2.0]), sp.csc_array([[1.0]])
    >>> form = StandardForm(np.zeros(1), 0.0, A, b, Cones(nonneg=1), square)
    >>> bound = plain_bound(form, np.array([2.0]), np.array([2.0]), 2.0)  # of x**2 / 2 where x >= 2
    >>> 2.0 - 1e-12 <= bound <= 2.0
    True
    """
    A = form.A
    if getattr(A, "format", "") != "csc" or not 0 < A.data.size <= LARGE:
        return None
    z = project(form.cones, z, dual=True)
    sides, (lower, upper) = _Sides(form, x), _ranges(form)
    pulled, sizes = sides.matrix.pulled(z)
    found, share = sides.charged(pulled, sizes, lower, upper), 1.0
    if isinstance(found, float):
        if not 0.0 < found <= SHRUNK_MULTIPLIERS:
            return None
        share = 1.0 - found  # of all multipliers, which is in the cones as well
        found = sides.charged(pulled * share, sizes, lower, upper)
        if isinstance(found, float):
            return None
    charges, lost = found
    paid, bent = form.b * z * share, 0.5 * x * sides.curvature
    terms = np.concatenate([charges, -paid, -bent])
    lost += 8.0 * UNIT_ROUNDOFF * (float(np.abs(terms).sum()) + abs(form.offset))
    lost = ROUND_UP * (lost + float(np.abs(x) @ sides.bent_wrong)) + UNDERFLOW_ERRORS
    if not lost <= BOUND_LOSS * (1.0 + abs(value)):  # not a number neither
        return None
    return math.nextafter(math.fsum([form.offset, *terms.tolist()]) - lost, -math.inf)


def _ranges(form: StandardForm) -> tuple[Array, Array]:
    """The columns' own bounds, and where there is none, what rows of a single entry say."""
    stated = stated_ranges(form)
    if form.lower is None and form.upper is None:
        return stated
    own = own_ranges(form)
    lower, upper = (np.where(np.isfinite(a), a, b) for a, b in zip(own, stated, strict=True))
    return lower, upper


class _Sides:
    """What the bound of a form at a point is made of, whatever the multipliers."""

    def __init__(self, form: StandardForm, x: Array) -> None:
        self.form, self.x = form, x
        self.squares: Array | None = None
        self.curvature = self.bent_wrong = np.zeros(x.size)
        self.own, self.sizes = form.c.astype(np.longdouble), np.abs(form.c)
        self.matrix = _Columns(form.A)
        longest = self.matrix.longest
        if form.P is not None:
            P = _Columns(form.P)
            curvature, curved = P.pulled(x)
            self.own, self.sizes = self.own + curvature, self.sizes + curved
            self.curvature = curvature.astype(float)
            self.bent_wrong = 2.0 * UNIT_ROUNDOFF * curved + LONG_ROUNDOFF * P.longest * curved
            self.squares = P.lone_squares()
            longest += P.longest
        self.rounding = ROUND_UP * LONG_ROUNDOFF * (longest + 4)

    def charged(
        self, pulled: Long, sizes: Array, lower: Array, upper: Array
    ) -> tuple[Array, float] | float:
        """The least of reduced cost times column, and by how much all together may be wrong.

        ``pulled`` is what multipliers add to the costs, ``sizes`` what it is summed from. Where
        there is no least: the share by which the multipliers should be smaller for it, or zero if
        that would not help.
        """
        x, sizes = self.x, sizes + self.sizes
        reduced = (self.own + pulled).astype(float)
        wrong = self.rounding * sizes + UNIT_ROUNDOFF * np.abs(reduced)
        low, high = reduced - wrong, reduced + wrong
        below, above = np.isfinite(lower), np.isfinite(upper)
        left, right = np.where(below, lower, 0.0), np.where(above, upper, 0.0)
        charges = np.minimum(reduced * left, reduced * right)
        reach = np.maximum(np.abs(left), np.abs(right))
        # One end is enough where the reduced cost certainly leads there.
        falls, rises = below & (low >= 0.0), above & (high <= 0.0)
        known = (below & above) | falls | rises | (sizes == 0.0)
        charges = np.where(falls, reduced * left, np.where(rises, reduced * right, charges))
        if not known.all():
            if self.squares is not None:
                bent = ~known & (self.squares > 0.0)
                most = np.abs(reduced) + wrong
                gains = np.divide(most * most, 2.0 * self.squares, out=np.zeros(x.size), where=bent)
                charges = np.where(bent, reduced * x - gains * ROUND_UP, charges)
                reach = np.where(bent, np.abs(x), reach)
                known |= bent
            if not known.all():
                return self._too_large(~known, below, above, pulled, low, high)
        return charges, float(wrong @ reach)

    def _too_large(
        self, open_ends: Mask, below: Mask, above: Mask, pulled: Long, low: Array, high: Array
    ) -> float:
        """The share of the multipliers that leads reduced costs away from the other end."""
        helps = open_ends & ((below & (pulled < 0.0)) | (above & (pulled > 0.0)))
        if (open_ends & ~helps).any():
            return 0.0
        away = np.where(below, -low, high)[helps]
        return float(2.0 * (away / np.abs(pulled[helps])).max())


class _Columns:
    """The columns of a sparse matrix, to be multiplied in the longest floats."""

    def __init__(self, matrix: Matrix) -> None:
        matrix = by_columns(matrix)
        self.rows, self.entries = matrix.indices, matrix.data
        self.counts = matrix.indptr[1:] - matrix.indptr[:-1]
        self.longest, self.filled = int(self.counts.max()), self.counts > 0
        self.heads = matrix.indptr[:-1][self.filled]  # reduceat has no answer for empty columns

    def pulled(self, factors: Array) -> tuple[Long, Array]:
        """What they come to with these factors of the rows, and the sum of the terms' sizes."""
        terms = self.entries.astype(np.longdouble) * factors[self.rows]
        sizes = np.abs(terms.astype(float))
        if self.heads.size == self.counts.size:
            return np.add.reduceat(terms, self.heads), np.add.reduceat(sizes, self.heads)
        sums, whole = np.zeros(self.counts.size, dtype=np.longdouble), np.zeros(self.counts.size)
        if self.heads.size:
            sums[self.filled] = np.add.reduceat(terms, self.heads)
            whole[self.filled] = np.add.reduceat(sizes, self.heads)
        return sums, whole

    def lone_squares(self) -> Array:
        """The positive entries on the diagonal that are the only ones of their columns."""
        size = self.counts.size
        places = np.arange(size).repeat(self.counts)
        own = np.bincount(places, self.entries * (self.rows == places), size)
        alone = np.bincount(places, self.entries != 0.0, size) == 1
        return np.where(alone & (own > 0.0), own, 0.0)
