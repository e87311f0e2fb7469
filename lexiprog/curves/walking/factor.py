"""A basis matrix in factors, kept up to date while columns come and go."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import SuperLU, splu

from lexiprog.aliases import Array, Matrix

__all__ = ["FactoredBasis", "SingularBasis"]

# After this many exchanges fresh factors are cheaper than carrying the exchanges along.
EXCHANGES = 16


class SingularBasis(ArithmeticError):
    """A choice of variables whose columns are not independent, as far as rounding can tell."""


class FactoredBasis:
    """Solves with the matrix ``B`` whose columns are those of the basic variables.

    Parameters
    ----------
    columns : sparse array of shape (m, n + m)
        Columns of every variable.
    basic : ndarray of int, shape (m,)
        Which of them are in the basis; a copy is kept in ``basic``.
    """

    def __init__(self, columns: Matrix, basic: NDArray[np.intp]) -> None:
        self._columns = columns
        self.basic = np.array(basic, dtype=np.intp)
        self._factorise()

    @property
    def fresh(self) -> bool:
        """Whether no column was exchanged since the last factorisation."""
        return not self._exchanges

    def solve(self, right: Array) -> Array:
        """``B x = right``; many right-hand sides are columns of an array, with fresh factors."""
        out: Array = self._factors.solve(right)
        for position, spike in self._exchanges:
            step = out[position] / spike[position]
            out -= step * spike
            out[position] = step
        return out

    def solve_transposed(self, right: Array) -> Array:
        """``B' y = right``; many right-hand sides as in ``solve``."""
        right = np.array(right, dtype=float)
        for position, spike in reversed(self._exchanges):
            rest = spike @ right - spike[position] * right[position]
            right[position] = (right[position] - rest) / spike[position]
        out: Array = self._factors.solve(right, "T")
        return out

    def column(self, variable: int) -> Array:
        """``B^-1`` times the column of one variable."""
        out = np.zeros(self.basic.size)
        start, stop = self._columns.indptr[variable : variable + 2]
        out[self._columns.indices[start:stop]] = self._columns.data[start:stop]
        return self.solve(out)

    def row(self, position: int) -> Array:
        """One row of ``B^-1``."""
        unit = np.zeros(self.basic.size)
        unit[position] = 1.0
        return self.solve_transposed(unit)

    def exchange(self, position: int, variable: int, spike: Array) -> bool:
        """Let a variable, whose ``column`` is ``spike``, take a place; True if factorised anew."""
        self.basic[position] = variable
        self._exchanges.append((position, spike))
        if len(self._exchanges) < EXCHANGES:
            return False
        self._factorise()
        return True

    def refresh(self) -> None:
        """Factorise anew unless that has just been done."""
        if not self.fresh:
            self._factorise()

    def _factorise(self) -> None:
        self._exchanges: list[tuple[int, Array]] = []
        matrix = sp.csc_array(self._columns[:, self.basic])
        try:
            self._factors: SuperLU = splu(matrix)
        except RuntimeError as error:  # what SuperLU says of an exact zero pivot
            raise SingularBasis("the basis is singular.") from error
