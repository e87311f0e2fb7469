"""Which multipliers are real, and which rows and columns of a linear program they make binding.

By complementary slackness a feasible point is optimal exactly if every row and every bound with a
non-zero multiplier is met with equality. Multipliers come with rounding errors, so each is measured
against the terms that its columns are summed from: the scaling of rows, columns and objective makes
no difference. `is_real` is the one test; `lexiprog.tolerances` says how large a share must be.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from lexiprog.canon.compensated import Sums, reduced_costs
from lexiprog.canon.decimals import DecimalResiduals, is_short
from lexiprog.canon.standard_form import by_columns, transpose_product
from lexiprog.tolerances import (
    COMPUTED_ROUNDING,
    DECIMAL_ROUNDING,
    ERROR_APART,
    MULTIPLIER_CERTAIN,
    MULTIPLIER_FLOOR,
    MULTIPLIER_NOISE,
    MULTIPLIER_ROUNDING,
    REFINED_APART,
    REFINED_ZERO,
)
from lexiprog.typing import Array, Mask, Matrix

# Costs whose size is remembered.
_REMEMBERED = 64


def is_real(
    magnitudes: Array, size: Array | float = 1.0, share: Array | float = MULTIPLIER_CERTAIN
) -> Mask:
    """Which multipliers or reduced costs are more than a share of what they are compared with.

    Examples
    --------
    >>> is_real(np.array([1.0, 1e-6, 1e-9]), 10.0)
    array([ True, False, False])
    """
    real: Mask = magnitudes > share * size
    return real


def classified(shares: Array, certain: Array | float) -> tuple[Mask, float]:
    """Which shares are real, and the largest of the others, which is ambiguous unless tiny."""
    real = is_real(shares, 1.0, certain)
    return real, float(np.max(shares[~real], initial=0.0))


class Sizes:
    """Magnitudes of a matrix's entries, which all objectives over it share."""

    def __init__(self, A: Matrix) -> None:
        A = by_columns(A)
        self.columns = copy(A)
        self.columns.data = np.abs(A.data)
        # The same row by row, without SciPy's checks: its entries, their columns, their beginnings.
        order = np.argsort(A.indices, kind="stable")
        counts = np.bincount(A.indices, minlength=A.shape[0])
        filled = counts > 0  # reduceat has no answer for empty rows
        self._filled = None if filled.all() else filled
        self._starts = (np.cumsum(counts) - counts)[filled]
        self._entries = self.columns.data[order]
        self._places = np.arange(A.shape[1]).repeat(A.indptr[1:] - A.indptr[:-1])[order]
        self._rows = int(A.shape[0])
        self.heights = self.highest(np.ones(A.shape[1]))
        self.short = bool(is_short(A.data).all())
        self._costs: dict[int, tuple[Array, float, bool]] = {}

    def highest(self, weights: Array) -> Array:
        """Largest weighted entry of each row."""
        if not self._starts.size:
            return np.zeros(self._rows)
        largest = np.maximum.reduceat(self._entries * weights[self._places], self._starts)
        if self._filled is None:
            return largest
        out = np.zeros(self._rows)
        out[self._filled] = largest
        return out

    def of_costs(self, c: Array) -> tuple[float, bool]:
        """The largest of some costs, and whether all have few digits; remembered of a few."""
        cached = self._costs.get(id(c))
        if cached is None or cached[0] is not c:
            if len(self._costs) >= _REMEMBERED:
                self._costs.clear()
            largest, short = float(np.abs(c).max(initial=0.0)), bool(is_short(c).all())
            cached = self._costs[id(c)] = (c, largest, short)
        return cached[1], cached[2]


@dataclass(frozen=True)
class Binding:
    """What multipliers say of the rows and columns of a linear program.

    Attributes
    ----------
    y, reduced : ndarray
        Multipliers without rounding errors, and the reduced costs that they leave.
    rows, columns : ndarray of bool
        Rows whose multiplier, and columns whose reduced cost, is real.
    ambiguous : bool
        Whether some other may be real: it is too small to be certain and too large for zero.
    rounding_limited : bool
        Whether the decimal residuals of the data would identify what the floats do not.
    """

    y: Array
    reduced: Array
    rows: Mask
    columns: Mask
    ambiguous: bool = False
    rounding_limited: bool = False


@dataclass(frozen=True)
class Refinement:
    """What is known of multipliers beyond the digits of floats.

    Attributes
    ----------
    correction : ndarray
        What ``y`` lacks: both together have twice the working precision.
    sums : Sums, optional
        ``c + A'y``, without the correction, if it is known already.
    error : float, optional
        By how much refined multipliers may be wrong. Then they are distinguished from zeros where
        data that were hardly rounded allow it.
    gain : float
        How many times as large as a change of the costs that of the multipliers may be: so much is
        made of what was rounded when the data were read.
    residuals : DecimalResiduals, optional
        Of the data; then ``y`` and its correction belong to the decimals that were meant.
    """

    correction: Array
    sums: Sums | None = None
    error: float | None = None
    gain: float = 0.0
    residuals: DecimalResiduals | None = None

    def reduced_costs(self, c: Array, A: Matrix, y: Array) -> Array:
        """``c + A'(y + correction)`` in twice the working precision, rounded at the end."""
        sums = reduced_costs(c, A, y) if self.sums is None else self.sums
        if self.residuals is not None:
            low = sums.low + self.residuals.of_reduced_costs(y)
        elif np.count_nonzero(self.correction):
            low = sums.low
        else:
            return sums.nearest
        # What is next to nothing itself loses less by rounding than counts.
        return sums.high + (low + transpose_product(A, self.correction))


@dataclass(frozen=True)
class _Shares:
    """Multipliers and reduced costs as shares of the terms that the columns are summed from."""

    terms: Array
    weights: Array  # the inverse of the terms; zero where they are idle
    highest: Array  # the largest weighted entry of each row
    rows: Array
    columns: Array

    @classmethod
    def of(cls, c: Array, y: Array, reduced: Array, sizes: Sizes, idle: float) -> _Shares:
        """Columns whose terms are all at most ``idle`` have no share: they are rounding."""
        terms = np.abs(c) + transpose_product(sizes.columns, np.abs(y))
        weights = np.divide(1.0, terms, out=np.zeros(terms.size), where=terms > idle)
        highest = sizes.highest(weights)
        return cls(terms, weights, highest, np.abs(y) * highest, np.abs(reduced) * weights)


def binding(
    c: Array, A: Matrix, y: Array, sizes: Sizes, refinement: Refinement | None = None
) -> Binding:
    """Tell multipliers from rounding errors, for ``c + A'y = reduced``.

    Parameters
    ----------
    c, A, y : ndarray, sparse array, ndarray
        Costs, matrix and multipliers of the rows.
    sizes : Sizes
        Of ``A``.
    refinement : Refinement, optional
        More digits of the multipliers.
    """
    largest, short = sizes.of_costs(c)
    if refinement is None:
        y = _without_rounding(y, sizes, MULTIPLIER_FLOOR * largest)
        reduced: Array = c + transpose_product(A, y)
        shares = _Shares.of(c, y, reduced, sizes, 0.0)
        columns = is_real(shares.columns, 1.0, MULTIPLIER_NOISE)
        columns &= np.abs(reduced) > MULTIPLIER_FLOOR * largest
        return Binding(y, reduced, is_real(shares.rows, 1.0, MULTIPLIER_NOISE), columns)
    floor = REFINED_ZERO * MULTIPLIER_FLOOR * largest
    exact = refinement.residuals is not None or (sizes.short and short)
    reduced = refinement.reduced_costs(c, A, y)
    y = _without_rounding(y + refinement.correction, sizes, floor)
    # Of computed data nobody knows the last bits: nor of columns that are summed from those alone.
    limited = not exact and refinement.error is None
    idle = COMPUTED_ROUNDING * largest if limited else 0.0
    shares = _Shares.of(c, y, reduced, sizes, idle)
    certain = _certain(refinement, shares, sizes, 0.0 if exact else DECIMAL_ROUNDING)
    rows, row_doubt = classified(shares.rows, certain[0])
    columns, column_doubt = classified(shares.columns, certain[1])
    doubt = max(row_doubt, column_doubt)
    ambiguous = doubt > (COMPUTED_ROUNDING if limited else REFINED_ZERO)
    ignored = np.count_nonzero((shares.terms > 0.0) & (shares.terms <= idle))
    rounding_limited = not exact and (doubt > REFINED_ZERO or bool(ignored))
    columns &= np.abs(reduced) > floor
    return Binding(y, reduced, rows, columns, ambiguous, rounding_limited)


def _without_rounding(y: Array, sizes: Sizes, floor: float) -> Array:
    """The multipliers, with zeros for those that move no reduced cost by more than ``floor``."""
    return np.where(is_real(np.abs(y) * sizes.heights, floor, 1.0), y, 0.0)


def _certain(
    refinement: Refinement, shares: _Shares, sizes: Sizes, rounding: float
) -> tuple[Array | float, Array | float]:
    """Which share of its terms makes a refined multiplier, and a reduced cost, a real one."""
    if refinement.error is None:
        return MULTIPLIER_NOISE, MULTIPLIER_NOISE
    # Next to nearly parallel rows true ones may be as small as what rounding makes of zeros.
    error = refinement.error + rounding * refinement.gain * float(np.max(shares.terms, initial=0.0))
    of_rows = error * shares.highest
    everywhere = np.full(shares.rows.size, error)
    of_columns = transpose_product(sizes.columns, everywhere) * shares.weights
    least = REFINED_APART * REFINED_ZERO
    return (
        np.maximum(least, ERROR_APART * (rounding + of_rows)),
        np.maximum(least, ERROR_APART * (rounding + of_columns)),
    )


def certainly_binding(y: Array, reduced: Array, sizes: Sizes) -> Binding:
    """Which multipliers ``y`` of rows, and ``reduced`` costs that they leave, are certainly real.

    For loops in which a multiplier that is taken for zero does no harm, as a later step shows it,
    while rounding that is taken for real would. The size of each is also compared with that of the
    largest multiplier, entries included, since a column may consist of rounding errors alone.
    """
    shares = _Shares.of(np.zeros(reduced.size), y, reduced, sizes, 0.0)
    moved = np.abs(y) * sizes.heights
    scale = float(np.max(moved, initial=0.0)) or 1.0
    rows, row_doubt = classified(np.minimum(shares.rows, moved / scale), MULTIPLIER_CERTAIN)
    beside_largest = np.minimum(shares.columns, np.abs(reduced) / scale)
    columns, column_doubt = classified(beside_largest, MULTIPLIER_CERTAIN)
    ambiguous = max(row_doubt, column_doubt) > MULTIPLIER_ROUNDING
    return Binding(y, reduced, rows, columns, ambiguous)
