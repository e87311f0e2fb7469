"""Which rows and columns of a linear program its multipliers pin down.

By complementary slackness a feasible point is optimal exactly if every row and every bound with a
non-zero multiplier is met with equality. Multipliers come with rounding noise, so what counts as
zero is measured against the terms that each is summed from: the scaling of rows, columns and
objective makes no difference.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.compensated import Sums, by_columns, reduced_costs
from lexiprog.canon.decimals import ROUNDED, Tails, is_short
from lexiprog.canon.standard_form import pulled
from lexiprog.typing import Array, Matrix

# Multipliers below this share of what they are computed from are taken for zero.
NOISE = 1e-9
# In twice the working precision true zeros come out far below that. What lies between may be a
# true multiplier of nearly parallel rows, and then the face is another one. Decimal data such as
# 0.1 are rounded when they are read, so that their zeros are as clear only to who knows what they
# lack; of numbers with more digits nobody knows what was meant by the last bits.
ZERO = 1e-22
# The same where all terms are rounding, as a share of the largest cost.
FLOOR = 2e-14
# Refined multipliers are true ones if they are this many times as large as what counts as zero, and
# as what may be wrong with them.
APART, SURE = 1e3, 100.0
# By which share a decimal is changed when it is read, mostly.
ROUNDING = 2.0**-54
# Costs whose size is remembered.
_REMEMBERED = 64


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
        found = np.maximum.reduceat(self._entries * weights[self._places], self._starts)
        if self._filled is None:
            return found
        out = np.zeros(self._rows)
        out[self._filled] = found
        return out

    def of_costs(self, c: Array) -> tuple[float, bool]:
        """The largest of some costs, and whether all have few digits; remembered of a few."""
        known = self._costs.get(id(c))
        if known is None or known[0] is not c:
            if len(self._costs) >= _REMEMBERED:
                self._costs.clear()
            known = self._costs[id(c)] = (
                c,
                float(np.abs(c).max(initial=0.0)),
                bool(is_short(c).all()),
            )
        return known[1], known[2]


@dataclass(frozen=True)
class Multipliers:
    """Multipliers of rows, with what is known of their errors.

    Attributes
    ----------
    y : ndarray
        As they were found.
    correction : ndarray, optional
        What ``y`` lacks, so that both together have twice the working precision.
    sums : Sums, optional
        ``c + A'y``, without the correction, if somebody has it already.
    error : float, optional
        By how much refined multipliers may be wrong. Then they are told from zeros where data that
        were hardly rounded allow it.
    gain : float
        How many times as large as a change of the costs that of the multipliers may be: so much is
        made of what was rounded when the data were read.
    """

    y: Array
    correction: Array | None = None
    sums: Sums | None = None
    error: float | None = None
    gain: float = 0.0

    def cleaned(
        self, c: Array, A: Matrix, sizes: Sizes, floor: float, tails: Tails | None
    ) -> tuple[Array, Array]:
        """The multipliers, zero where they are below the floor, and the reduced costs."""
        y, correction = self.y, self.correction
        if correction is None:
            y = np.where(np.abs(y) * sizes.heights > floor, y, 0.0)
            return y, c + pulled(A, y)
        sums = reduced_costs(c, A, y) if self.sums is None else self.sums
        reduced = sums.nearest
        # What is next to nothing itself loses less by rounding than counts.
        if tails is not None:
            reduced = sums.high + (sums.low + tails.left(y) + pulled(A, correction))
        elif np.count_nonzero(correction):
            reduced = sums.high + (sums.low + pulled(A, correction))
        y = y + correction
        return np.where(np.abs(y) * sizes.heights > floor, y, 0.0), reduced

    def surely(
        self, sizes: Sizes, terms: Array, weights: Array, highest: Array, rounding: float
    ) -> tuple[Array | float, Array | float]:
        """Shares above which those of rows and of columns are certainly not zero."""
        if self.error is None:
            return NOISE, NOISE
        error = self.error + rounding * self.gain * float(np.max(terms, initial=0.0))
        wrong = error * highest, pulled(sizes.columns, np.full(self.y.size, error)) * weights
        # Next to nearly parallel rows true ones may be as small as what rounding makes of zeros.
        rows, columns = (np.maximum(APART * ZERO, SURE * (rounding + part)) for part in wrong)
        return rows, columns


@dataclass(frozen=True)
class Binding:
    """What multipliers say of the rows and columns of a linear program.

    Attributes
    ----------
    y, reduced : ndarray
        Multipliers without rounding noise, and the reduced costs that they leave.
    rows, columns : ndarray of bool
        Rows whose multiplier, and columns whose reduced cost, is not zero.
    ambiguous : bool
        Whether some multiplier is so small that rounding may have made it.
    rounding_limited : bool
        Whether the decimals that the user wrote could tell some of them from zero.
    """

    y: Array
    reduced: Array
    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]
    ambiguous: bool = False
    rounding_limited: bool = False


def binding(
    c: Array,
    A: Matrix,
    multipliers: Multipliers,
    sizes: Sizes,
    *,
    slack: Array | None = None,
    tails: Tails | None = None,
) -> Binding:
    """Tell multipliers from noise, for ``c + A'y = reduced``.

    Parameters
    ----------
    c, A, multipliers : ndarray, sparse array, Multipliers
        Costs, matrix and multipliers of the rows.
    sizes : Sizes
        Of ``A``.
    slack : ndarray, optional
        Distance of each row from equality. An interior point leaves both it and the multiplier a
        little above zero: the larger of the two is the real one.
    tails : Tails, optional
        What the data lack to what was meant; the multipliers belong to that.
    """
    largest, short = sizes.of_costs(c)
    corrected, refined = multipliers.correction is not None, multipliers.error is not None
    exact = corrected and (tails is not None or (sizes.short and short))
    floor = (ZERO if corrected else 1.0) * FLOOR * largest
    # Columns whose terms are all below that are rounding.
    idle = ROUNDED * largest if corrected and not exact and not refined else 0.0
    y, reduced = multipliers.cleaned(c, A, sizes, floor, tails)
    heights, lengths = np.abs(y), np.abs(reduced)
    terms = np.abs(c) + pulled(sizes.columns, heights)
    weights = np.divide(1.0, terms, out=np.zeros(terms.size), where=terms > idle)
    highest = sizes.highest(weights)
    row_shares, column_shares = heights * highest, lengths * weights
    sure = multipliers.surely(sizes, terms, weights, highest, 0.0 if exact else ROUNDING)
    rows, columns = row_shares > sure[0], column_shares > sure[1]
    shares = np.concatenate([row_shares[~rows], column_shares[~columns]])
    unclear = float(np.max(shares, initial=0.0))
    limited = unclear > ZERO or bool(np.count_nonzero((terms > 0.0) & (terms <= idle)))
    if slack is not None:
        rows &= heights > slack
    columns &= lengths > floor
    noise = ZERO if exact or refined else ROUNDED if corrected else NOISE
    limited &= corrected and not exact
    return Binding(y, reduced, rows, columns, unclear > noise, limited)
