"""Linear utilities as rows of a matrix; those that are the same are found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Matrix

__all__ = ["Utilities"]

# Values that are no multiples of one part of this have no grid.
FINEST = 1024.0


@dataclass(frozen=True, init=False)
class Utilities:
    """What everyone gets at x: ``rows @ x + offsets``.

    Parameters
    ----------
    rows : sparse or dense matrix of shape (utilities, columns)
    offsets : array-like, optional
        Zeros by default.

    Examples
    --------
    >>> import numpy as np
    >>> utilities = Utilities(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]), [0.0, 3.0, 0.0])
    >>> utilities.at(np.array([1.0, 1.0]))
    array([3., 4., 3.])
    >>> distinct, of = utilities.distinct()
    >>> len(distinct), of
    (2, array([0, 1, 0]))
    """

    rows: sp.csr_array
    offsets: Array

    def __init__(self, rows: Matrix | Array, offsets: Array | None = None) -> None:
        rows = sp.csr_array(rows, dtype=float, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        given = np.zeros(rows.shape[0]) if offsets is None else np.array(offsets, dtype=float)
        if given.shape != (rows.shape[0],):
            raise ValueError(
                f"there are {rows.shape[0]} utilities, but offsets of shape {given.shape}."
            )
        if not (np.isfinite(rows.data).all() and np.isfinite(given).all()):
            raise ValueError("a utility has a coefficient or an offset that is not finite.")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "offsets", given)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def at(self, x: Array) -> Array:
        """The value of every utility at ``x``."""
        values: Array = self.rows @ x + self.offsets
        return values

    def sizes_at(self, x: Array) -> Array:
        """The same of magnitudes: what rounding of each value is measured against."""
        sizes: Array = abs(self.rows) @ np.abs(x) + np.abs(self.offsets)
        return sizes

    def distinct(self) -> tuple[Utilities, NDArray[np.intp]]:
        """Every different utility once, and for each of all which of those it is."""
        starts = self.rows.indptr
        known: dict[tuple[bytes, bytes, float], int] = {}
        of = np.empty(len(self), dtype=np.intp)
        for i in range(len(self)):
            part = slice(starts[i], starts[i + 1])
            coefficients = self.rows.data[part].tobytes()
            # Adding zero makes no difference between 0.0 and -0.0.
            key = (self.rows.indices[part].tobytes(), coefficients, float(self.offsets[i]) + 0.0)
            of[i] = known.setdefault(key, len(known))
        if len(known) == len(self):
            return self, of
        first = np.unique(of, return_index=True)[1]
        return Utilities(self.rows[first], self.offsets[first]), of

    def grid(self, integer: Mask) -> float:
        """The largest number that divides all values if the ``integer`` columns are whole.

        Zero if a utility has a column that need not be whole, or if none is known.
        """
        numbers = np.concatenate([self.rows.data, self.offsets])
        whole = np.rint(FINEST * numbers)
        exact = (whole == FINEST * numbers).all() and np.abs(whole).max(initial=0.0) < 2.0**53
        if not exact or not integer[self.rows.indices].all():
            return 0.0
        return float(np.gcd.reduce(whole.astype(np.int64))) / FINEST
