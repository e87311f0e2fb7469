"""Which rows and columns of a linear program its multipliers pin down.

By complementary slackness a feasible point is optimal exactly if every row and every bound with a
non-zero multiplier is met with equality. Multipliers come with rounding noise, so what counts as
zero is measured against the terms that each is summed from: the scaling of rows, columns and
objective makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Matrix

__all__ = ["Binding", "Sizes", "binding"]

Array = NDArray[np.float64]

# Multipliers below this share of what they are computed from are taken for zero.
NOISE = 1e-9
# The same where all terms are rounding, as a share of the largest cost.
FLOOR = 1e-12


class Sizes:
    """Magnitudes of a matrix's entries, which all objectives over it share."""

    def __init__(self, A: Matrix) -> None:
        self.entries = abs(sp.csr_array(A))
        self.heights = self.highest(np.ones(self.entries.shape[1]))

    def highest(self, weights: Array) -> Array:
        """Largest weighted entry of each row."""
        out = np.zeros(self.entries.shape[0])
        starts = self.entries.indptr[:-1]
        filled = starts < self.entries.indptr[1:]  # reduceat has no answer for empty rows
        if filled.any():
            values = self.entries.data * weights[self.entries.indices]
            out[filled] = np.maximum.reduceat(values, starts[filled])
        return out


@dataclass(frozen=True)
class Binding:
    """What multipliers say of the rows and columns of a linear program.

    Attributes
    ----------
    y, reduced : ndarray
        Multipliers without rounding noise, and the reduced costs that they leave.
    rows, columns : ndarray of bool
        Rows whose multiplier, and columns whose reduced cost, is not zero.
    """

    y: Array
    reduced: Array
    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]


def binding(c: Array, A: Matrix, y: Array, sizes: Sizes, *, slack: Array | None = None) -> Binding:
    """Tell multipliers from noise, for ``c + A'y = reduced``.

    Parameters
    ----------
    c, A, y : ndarray, sparse array, ndarray
        Costs, matrix and multipliers of the rows.
    sizes : Sizes
        Of ``A``.
    slack : ndarray, optional
        Distance of each row from equality. An interior point leaves both it and the multiplier a
        little above zero: the larger of the two is the real one.
    """
    floor = FLOOR * float(np.max(np.abs(c), initial=0.0))
    if not y.size:
        return Binding(y, c.copy(), np.zeros(0, dtype=bool), np.abs(c) > floor)
    y = np.where(np.abs(y) * sizes.heights > floor, y, 0.0)
    terms = np.abs(c) + sizes.entries.T @ np.abs(y)
    weights = np.divide(1.0, terms, out=np.zeros_like(terms), where=terms > 0)
    rows = np.abs(y) * sizes.highest(weights) > NOISE
    if slack is not None:
        rows &= np.abs(y) > slack
    reduced: Array = c + A.T @ y
    columns = (np.abs(reduced) > NOISE * terms) & (np.abs(reduced) > floor)
    return Binding(y, reduced, rows, columns)
