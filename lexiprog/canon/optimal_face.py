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
class Binding:
    """What multipliers say of the rows and columns of a linear program.

    Attributes
    ----------
    y, reduced : ndarray
        Multipliers without rounding noise, and the reduced costs that they leave.
    rows, columns : ndarray of bool
        Rows whose multiplier, and columns whose reduced cost, is not zero.
    doubtful : bool
        Whether some multiplier is so small that rounding may have made it.
    hushed : bool
        Whether some that is not zero is one that who knows the tails of the data could tell.
    """

    y: Array
    reduced: Array
    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]
    doubtful: bool = False
    hushed: bool = False


def binding(
    c: Array,
    A: Matrix,
    y: Array,
    sizes: Sizes,
    *,
    correction: Array | None = None,
    known: Sums | None = None,
    slack: Array | None = None,
    error: float | None = None,
    gain: float = 0.0,
    tails: Tails | None = None,
) -> Binding:
    """Tell multipliers from noise, for ``c + A'y = reduced``.

    Parameters
    ----------
    c, A, y : ndarray, sparse array, ndarray
        Costs, matrix and multipliers of the rows.
    sizes : Sizes
        Of ``A``.
    correction : ndarray, optional
        What ``y`` lacks, so that both together have twice the working precision.
    known : Sums, optional
        ``c + A'y``, without the correction, if somebody has it already.
    slack : ndarray, optional
        Distance of each row from equality. An interior point leaves both it and the multiplier a
        little above zero: the larger of the two is the real one.
    error : float, optional
        By how much refined multipliers may be wrong. Then they are told from zeros where data that
        were hardly rounded allow it.
    gain : float, optional
        How many times as large as a change of the costs that of the multipliers may be: so much is
        made of what was rounded when the data were read.
    tails : Tails, optional
        What the data lack to what was meant; ``y`` and its correction belong to that.
    """
    largest, short = sizes.of_costs(c)
    exact = correction is not None and (tails is not None or (sizes.short and short))
    lowest, idle = NOISE, 0.0  # columns whose terms are all below that are rounding
    if correction is None:
        floor = FLOOR * largest
        y = np.where(np.abs(y) * sizes.heights > floor, y, 0.0)
        reduced: Array = c + pulled(A, y)
    else:
        floor = ZERO * FLOOR * largest
        lowest = ZERO if exact else ROUNDED
        idle = 0.0 if exact or error is not None else ROUNDED * largest
        sums = reduced_costs(c, A, y) if known is None else known
        reduced = sums.nearest
        # What is next to nothing itself loses less by rounding than counts.
        if tails is not None:
            reduced = sums.high + (sums.low + tails.left(y) + pulled(A, correction))
        elif np.count_nonzero(correction):
            reduced = sums.high + (sums.low + pulled(A, correction))
        y = y + correction
        y = np.where(np.abs(y) * sizes.heights > floor, y, 0.0)
    heights, lengths = np.abs(y), np.abs(reduced)
    terms = np.abs(c) + pulled(sizes.columns, heights)
    weights = np.divide(1.0, terms, out=np.zeros(terms.size), where=terms > idle)
    highest = sizes.highest(weights)
    row_shares, column_shares = heights * highest, lengths * weights
    sure: tuple[Array | float, ...] = (NOISE, NOISE)
    if error is not None:
        rounding = 0.0 if exact else ROUNDING
        error += rounding * gain * float(np.max(terms, initial=0.0))
        wrong = error * highest, pulled(sizes.columns, np.full(y.size, error)) * weights
        # Next to nearly parallel rows true ones may be as small as what rounding makes of zeros.
        lowest = ZERO
        sure = tuple(np.maximum(APART * ZERO, SURE * (rounding + part)) for part in wrong)
    rows, columns = row_shares > sure[0], column_shares > sure[1]
    shares = np.concatenate([row_shares[~rows], column_shares[~columns]])
    unclear = float(np.max(shares, initial=0.0))
    hushed = unclear > ZERO or bool(np.count_nonzero((terms > 0.0) & (terms <= idle)))
    hushed &= correction is not None and not exact
    if slack is not None:
        rows &= heights > slack
    columns &= lengths > floor
    return Binding(y, reduced, rows, columns, unclear > lowest, hushed)
