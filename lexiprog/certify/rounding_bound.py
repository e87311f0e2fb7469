"""The bound of ``certify.bound`` in the processor's own floats, with an a-priori rounding bound.

A sum of n products, taken in whatever order, is wrong by at most (n + 1) units of rounding times
the sum of their sizes (Higham, 2002, chapter 3). Reduced costs, which are charged over the whole
range of their columns, are summed in the longest floats that the processor has. Where all that
rounding may take from the bound is negligible, twice the working precision would tell nothing
more, and takes several times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.standard_form import Columns, StandardForm, columns_of
from lexiprog.certify.ranges import stated_ranges
from lexiprog.tolerances import (
    LONG_ROUNDOFF,
    ROUND_UP,
    SHRUNK_MULTIPLIERS,
    UNDERFLOW_ERRORS,
    UNIT_ROUNDOFF,
)
from lexiprog.typing import Array, Matrix, cached_property

Long: TypeAlias = NDArray[np.longdouble]

# Entries of a matrix above which the compensated bound goes piece by piece, as this one should.
LARGE = 200_000


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def bound_with_rounding(
    form: StandardForm, x: Array, z: Array, given: StandardForm | None = None
) -> float | None:
    """What no feasible point's objective is below; None if more has to be done to know it.

    Each column must have a range that the form states on the side where its reduced cost leads,
    or a square of its own in the objective, which holds it near ``x``. Multipliers must be in the
    dual cones. ``given`` is the form as it was before its rows were added to each other, and states
    the ranges.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b, square = sp.csc_array(np.array([[-1.0]])), np.array([-2.0]), sp.csc_array([[1.0]])
    >>> form = StandardForm(np.zeros(1), 0.0, A, b, Cones(nonneg=1), square)
    >>> x, z = np.array([2.0]), np.array([2.0])  # least x**2 / 2 where x >= 2
    >>> bound = bound_with_rounding(form, x, z)
    >>> 2.0 - 1e-12 <= bound <= 2.0
    True
    """
    if getattr(form.A, "format", "") != "csc" or not 0 < form.A.data.size <= LARGE:
        return None
    lower, upper = _ranges(form if given is None else given)
    batch = LinearBatch(
        form.A, form.b, form.c[None], np.array([form.offset]), lower[None], upper[None], form.P
    )
    return batch.bounds(x[None], z[None])[0]


def _ranges(form: StandardForm) -> tuple[Array, Array]:
    """The columns' own bounds, and where there is none, what rows of a single entry say."""
    lower, upper = form.ranges()
    below, above = np.isfinite(lower), np.isfinite(upper)
    if np.count_nonzero(below) == np.count_nonzero(above) == lower.size:
        return lower, upper
    stated = stated_ranges(form)
    return np.where(below, lower, stated[0]), np.where(above, upper, stated[1])


@dataclass(frozen=True)
class LinearBatch:
    """Problems over one matrix and right-hand side, a row of each array for each of them.

    Attributes
    ----------
    A, b : sparse array by columns, ndarray
        What they share.
    c, offset, lower, upper : ndarray
        Objectives and bounds.
    P : sparse array or None
        The quadratic part of their objectives.
    """

    A: Matrix
    b: Array
    c: Array
    offset: Array
    lower: Array
    upper: Array
    P: Matrix | None = None

    @cached_property
    def matrix(self) -> Columns:
        """The rows, column by column."""
        return columns_of(self.A)

    def rows_at(self, x: Array) -> tuple[Array, Array]:
        """What each entry of the matrix adds to its row at a point for each, and the rows."""
        terms: Array = self.A.data * x[:, self.matrix.places]
        return terms, self.row_sums(terms)

    def row_sums(self, terms: Array) -> Array:
        """The sums of each problem's terms, one for each entry of the matrix, row by row."""
        count, size = len(terms), self.b.size
        rows = self.A.indices + size * np.arange(count)[:, None]
        sums = np.bincount(rows.ravel(), terms.ravel(), count * size).reshape(count, size)
        return np.asarray(sums, dtype=float)

    def pulled(self, z: Array) -> Array:
        """``A.T @ z`` for the multipliers ``z`` of each problem."""
        return self.matrix.sums(self.matrix.entries * z[:, self.matrix.rows])

    def bounds(self, x: Array, z: Array) -> list[float | None]:
        """A lower bound of each problem from multipliers in the dual cones; None if unknown."""
        charges = _Charges.of(self, x)
        pulled, sizes = _transposed_times(self.matrix, z)
        least, lost, excess = charges.least(pulled, sizes)
        paid = self.b * z
        if np.count_nonzero(excess):
            # Multipliers that are a little smaller are in the cones as well.
            share = np.where(excess <= SHRUNK_MULTIPLIERS, 1.0 - excess, 1.0)[:, None]
            least, lost, excess = charges.least(pulled * share, sizes)
            paid = paid * share
        terms = [self.offset[:, None], least, -paid]
        if charges.curvature is not None:
            terms.append(-0.5 * x * charges.curvature)
            lost = lost + (np.abs(x) * charges.curvature_error).sum(axis=1)
        parts = np.concatenate(terms, axis=1)  # each rounded thrice at most; so are sum and bound
        lost = ROUND_UP * (lost + 8.0 * UNIT_ROUNDOFF * np.abs(parts).sum(axis=1))
        lost = lost + UNDERFLOW_ERRORS
        known = (excess == 0.0) & np.isfinite(lost)
        return [
            math.fsum(part) - error if fits else None
            for part, error, fits in zip(parts.tolist(), lost.tolist(), known.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class _Charges:
    """The least of reduced cost times column over the columns' ranges, whatever the multipliers."""

    batch: LinearBatch
    x: Array
    costs: Long
    sizes: Array  # of the terms that the costs are summed from
    curvature: Array | None  # P @ x
    curvature_error: Array | float
    squares: Array | None
    rounding: float

    @classmethod
    def of(cls, batch: LinearBatch, x: Array) -> _Charges:
        """The charges at a point of each problem, where a quadratic objective is linearised."""
        costs, sizes = batch.c.astype(np.longdouble), np.abs(batch.c)
        longest, curvature, squares = batch.matrix.longest, None, None
        error: Array | float = 0.0
        if batch.P is not None:
            P = columns_of(batch.P)
            curved, curved_sizes = _transposed_times(P, x)
            costs, sizes = costs + curved, sizes + curved_sizes
            curvature = curved.astype(float)
            error = 2.0 * UNIT_ROUNDOFF * curved_sizes + LONG_ROUNDOFF * P.longest * curved_sizes
            squares = lone_squares(batch.P)
            longest += P.longest
        rounding = ROUND_UP * LONG_ROUNDOFF * (longest + 4)
        return cls(batch, x, costs, sizes, curvature, error, squares, rounding)

    def least(self, pulled: Long, sizes: Array) -> tuple[Array, Array, Array]:
        """The charges, by how much all of a problem may be wrong together, and an excess.

        ``pulled`` is ``A.T @ z``, ``sizes`` what it is summed from. The excess is zero where the
        charges are known, else the share by which multipliers should be smaller for that, if that
        helps at all.
        """
        lower, upper, sizes = self.batch.lower, self.batch.upper, sizes + self.sizes
        reduced = (self.costs + pulled).astype(float)
        wrong = self.rounding * sizes + UNIT_ROUNDOFF * np.abs(reduced)
        below, above = np.isfinite(lower), np.isfinite(upper)
        both, excess = below & above, np.zeros(len(reduced))
        boxed = np.count_nonzero(both) == both.size
        if not boxed:
            lower, upper = np.where(below, lower, 0.0), np.where(above, upper, 0.0)
        charges = np.minimum(reduced * lower, reduced * upper)
        reach = np.maximum(np.abs(lower), np.abs(upper))
        if boxed:
            return charges, (wrong * reach).sum(axis=1), excess
        # One end is enough where the reduced cost certainly leads there.
        low, high = reduced - wrong, reduced + wrong
        falls, rises = below & (low >= 0.0), above & (high <= 0.0)
        known = both | falls | rises | (sizes == 0.0)
        charges = np.where(falls, reduced * lower, np.where(rises, reduced * upper, charges))
        if self.squares is not None:
            bent = ~known & (self.squares > 0.0)
            most = np.abs(reduced) + wrong
            gains = most * most / (2.0 * self.squares)  # where there are none, nobody looks
            charges = np.where(bent, reduced * self.x - gains * ROUND_UP, charges)
            reach = np.where(bent, np.abs(self.x), reach)
            known |= bent
        if np.count_nonzero(known) < known.size:
            away = np.where(below, -low, np.where(above, high, math.inf))
            away = 2.0 * away / np.abs(pulled).astype(float)
            away = np.maximum(away, 2.0 * UNIT_ROUNDOFF)  # a share that can be taken away
            excess = np.where(known, 0.0, away).max(axis=1)
        return charges, (wrong * reach).sum(axis=1), excess


def _transposed_times(matrix: Columns, factors: Array) -> tuple[Long, Array]:
    """The transposed matrix times these factors, and the sums of the terms' sizes."""
    long = matrix.once("long", None, lambda: matrix.entries.astype(np.longdouble))
    terms = long * factors[:, matrix.rows]
    sums: Long = matrix.sums(terms)
    return sums, matrix.sums(np.abs(terms.astype(float)))


def lone_squares(P: Matrix) -> Array:
    """The positive entries on the diagonal that are the only ones of their columns."""
    columns = columns_of(P)
    alone = columns.sums((columns.entries != 0.0).astype(float)) == 1.0
    return np.where(alone, np.maximum(P.diagonal(), 0.0), 0.0)
