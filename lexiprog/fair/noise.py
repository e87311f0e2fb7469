"""How much of a multiplier is real, as a share of the sums that it takes part in.

Rounding leaves multipliers of 1e-16 where there should be none, while a real one may be as small
as its row is large. So each is measured by the columns of its row: how much of a column's sum
of |entries| * |multipliers| it brings. Scaling of rows and columns makes no difference.

Only what is certain counts. A real multiplier that is taken for rounding does no harm: whoever is
stuck stays behind, and a later step shows it. Rounding taken for real would settle the wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiprog.aliases import Array, Mask
from lexiprog.forms.optimal_face import Sizes

__all__ = ["Certain", "certain", "surely_priced"]

# A share of a column's sum above this is no rounding,
SURE = 1e-7
# unless the whole column is: below this share of the largest multiplier, entries included.
FLOOR = 1e-7
# What rounding leaves where there should be nothing is below this share.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Certain:
    """Which multipliers and reduced costs are not zero.

    Attributes
    ----------
    rows, columns : ndarray of bool
    doubtful : bool
        Whether some are too small to be sure of, but larger than rounding leaves them.
    """

    rows: Mask
    columns: Mask
    doubtful: bool


def certain(multipliers: Array, reduced: Array, sizes: Sizes) -> Certain:
    """Which ``multipliers`` of rows, and ``reduced`` costs that they leave, are no rounding.

    Parameters
    ----------
    multipliers, reduced : ndarray
        One for each row and each column of the matrix, rounding included.
    sizes : Sizes
        Of the matrix.
    """
    magnitudes = np.abs(multipliers)
    terms = sizes.columns.T @ magnitudes
    inverse = np.divide(1.0, terms, out=np.zeros_like(terms), where=terms > 0)
    weighty = magnitudes * sizes.heights
    floor = FLOOR * float(np.max(weighty, initial=0.0))
    shares = magnitudes * sizes.highest(inverse)
    rows = (shares > SURE) & (weighty > floor)
    columns = (np.abs(reduced) > SURE * terms) & (np.abs(reduced) > floor)
    largest = ROUNDING * float(np.max(weighty, initial=0.0))
    unsure = (~rows & (shares > ROUNDING) & (weighty > largest)).any() or (
        ~columns & (np.abs(reduced) > ROUNDING * terms) & (np.abs(reduced) > largest)
    ).any()
    return Certain(rows, columns, bool(unsure))


def surely_priced(prices: Array, settled: Mask) -> Mask:
    """Whoever is not settled and has a price that is no rounding."""
    unsettled = np.where(settled, 0.0, prices)
    return unsettled > SURE * float(np.max(unsettled, initial=0.0))
