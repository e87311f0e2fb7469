"""The least-squares problem behind a change of units, solved by conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Matrix

_PASSES = 30
_CLOSE = 0.05  # in powers of two; the factors are rounded to whole ones


@dataclass(frozen=True)
class Fit:
    """Normal equations in the logarithms of the factors of rows, columns and objective.

    Attributes
    ----------
    groups : ndarray
        For each row the first one that has the same factor; only those have equations.
    free : ndarray
        Which columns may have a factor other than one.
    matrix : sparse array
        What couples rows and columns: the weight of each coefficient.
    rows, columns, cost
        The diagonal.
    coupling : ndarray
        What couples each column with the objective.
    row_pulls, column_pulls, cost_pull
        Weighted sums of the logarithms to be made small: the right-hand sides' negatives.
    """

    groups: NDArray[np.intp]
    free: NDArray[np.bool_]
    matrix: Matrix
    rows: Array
    columns: Array
    cost: float
    coupling: Array
    row_pulls: Array
    column_pulls: Array
    cost_pull: float

    def common(self) -> tuple[Array, Array, float]:
        """The best factors if all rows share one and all columns share one."""
        between = float((self.matrix @ self.free.astype(float)).sum())
        coupling = float(self.coupling[self.free].sum())
        normal = np.array(
            [
                [self.rows.sum(), between, 0.0],
                [between, self.columns[self.free].sum(), coupling],
                [0.0, coupling, self.cost],
            ]
        )
        pulls = [self.row_pulls.sum(), self.column_pulls[self.free].sum(), self.cost_pull]
        # What nothing determines, the units of a problem without right-hand sides, stays put.
        row, column, cost = -np.linalg.lstsq(normal, np.array(pulls), rcond=1e-12)[0]
        return np.full(self.rows.size, row), np.where(self.free, column, 0.0), float(cost)

    def single(self, rows: Array, columns: Array, cost: float) -> tuple[Array, Array, float]:
        """The best factors of each row and column, starting from those given."""
        split = np.cumsum([self.rows.size, self.columns.size])
        leads = self.groups == np.arange(self.groups.size)
        moves = np.concatenate([leads, self.free, [True]])
        diagonal = np.concatenate([self.rows, self.columns, [self.cost]])
        inverse = np.divide(1.0, diagonal, out=np.zeros(diagonal.size), where=diagonal > 0.0)
        inverse *= moves
        transposed = self.matrix.T

        def times(vector: Array) -> Array:
            r, d, k = np.split(vector, split)
            coupled = [self.matrix @ d, transposed @ r + self.coupling * k, [self.coupling @ d]]
            product: Array = moves * (diagonal * vector + np.concatenate(coupled))
            return product

        found = moves * np.concatenate([rows, columns, [cost]])
        pulls = np.concatenate([self.row_pulls, self.column_pulls, [self.cost_pull]])
        residual = -(moves * pulls) - times(found)
        step = inverse * residual
        direction, fall = step, float(residual @ step)
        for _ in range(_PASSES):
            if np.max(np.abs(step), initial=0.0) < _CLOSE:
                break
            image = times(direction)
            length = fall / float(direction @ image)
            found = found + length * direction
            residual = residual - length * image
            step = inverse * residual
            fall, before = float(residual @ step), fall
            direction = step + (fall / before) * direction
        r, d, k = np.split(found, split)
        return r[self.groups], d, float(k[0])
