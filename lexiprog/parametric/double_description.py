"""The vertices of a polyhedron that is cut again and again, in integers.

A polyhedron ``{y : w @ y >= beta}`` is kept as the cone of ``(s, y)`` with ``s >= 0`` and
``w @ y >= beta * s``: rays with ``s > 0`` are its vertices, those with ``s = 0`` its directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from lexiprog.typing import Array

IntegerRow = tuple[int, ...]
# Inner products of directions below this may be zero, or have the other sign.
CLOSE = 1e-9


def reduced(row: Sequence[int]) -> IntegerRow:
    """Integers without a common divisor.

    Examples
    --------
    >>> reduced([4, -6])
    (2, -3)
    """
    divisor = gcd(*row) or 1
    return tuple(v // divisor for v in row)


def integers(values: Sequence[Fraction]) -> IntegerRow:
    """The direction of fractions in integers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> integers([Fraction(1, 2), Fraction(2, 3)])
    (3, 4)
    """
    bottom = lcm(*(v.denominator for v in values))
    return reduced([v.numerator * (bottom // v.denominator) for v in values])


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """The inner product, exactly."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def _floats(rows: Sequence[IntegerRow], size: int) -> Array:
    """Directions whose largest entries are one."""
    scaled = []
    for row in rows:
        largest = max(map(abs, row)) or 1
        scaled.append([v / largest for v in row])
    return np.array(scaled, dtype=float).reshape(-1, size)


class DoubleDescription:
    """A cone by its rows and its extreme rays.

    Parameters
    ----------
    size : int
        Of a row.

    Attributes
    ----------
    rows, rays : list of tuple of int
    tight : ndarray of bool, shape (rays, rows)
        Which ray lies on which row.

    Examples
    --------
    >>> cone = DoubleDescription(3)
    >>> for row in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-2, 1, 1)]:
    ...     cone.cut(row)
    >>> sorted(ray for ray in cone.rays if ray[0])
    [(1, 0, 2), (1, 2, 0)]
    """

    def __init__(self, size: int) -> None:
        self.rows: list[IntegerRow] = []
        self.rays: list[IntegerRow] = []
        self.tight: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._floats: Array = np.zeros((0, size))  # the rays, each over its largest entry
        # Directions that no row has bounded yet, in both ways.
        self.lines: list[IntegerRow] = [
            tuple(int(i == j) for j in range(size)) for i in range(size)
        ]

    def cut(self, row: Sequence[int]) -> None:
        """Keep what lies on or above ``row``."""
        row = reduced(row)
        pivot = next((line for line in self.lines if dot(row, line)), None)
        if pivot is not None:
            self._bound(row, pivot)
            return
        sign = self._signs(row)
        above, below = np.flatnonzero(sign > 0), np.flatnonzero(sign < 0)
        new, masks = [], []
        for a, b, common in self._neighbours(below, above):
            low, high = self.rays[a], self.rays[b]
            down, up = dot(row, low), dot(row, high)
            new.append(reduced([up * x - down * y for x, y in zip(low, high, strict=True)]))
            masks.append(common)
        keep = np.flatnonzero(sign >= 0)
        tight = np.zeros((len(keep) + len(new), len(self.rows) + 1), dtype=bool)
        tight[: len(keep), :-1], tight[: len(keep), -1] = self.tight[keep], sign[keep] == 0
        tight[len(keep) :, -1] = True
        for ray, common in zip(tight[len(keep) :], masks, strict=True):
            ray[common] = True
        rays = [self.rays[k] for k in keep] + new
        floats = np.concatenate([self._floats[keep], _floats(new, len(row))])
        self.rays, self.tight, self._floats = rays, tight, floats
        self.rows.append(row)

    def _signs(self, row: IntegerRow) -> NDArray[np.int64]:
        """On which side of a row each ray lies; exact where floats cannot tell."""
        values = self._floats @ _floats([row], len(row))[0]
        sign: NDArray[np.int64] = np.sign(values).astype(np.int64)
        for k in np.flatnonzero(np.abs(values) < CLOSE):
            at = dot(row, self.rays[k])
            sign[k] = (at > 0) - (at < 0)
        return sign

    def _bound(self, row: IntegerRow, pivot: IntegerRow) -> None:
        """A row that bounds a line: all else is moved along that line onto the row."""
        self.lines.remove(pivot)
        if dot(row, pivot) < 0:
            pivot = tuple(-v for v in pivot)
        at = dot(row, pivot)

        def moved(ray: IntegerRow) -> IntegerRow:
            off = dot(row, ray)
            return reduced([at * a - off * b for a, b in zip(ray, pivot, strict=True)])

        self.lines = [moved(line) for line in self.lines]
        self.rays = [moved(ray) for ray in self.rays] + [pivot]
        self._floats = _floats(self.rays, len(row))
        count = len(self.rows)
        self.rows.append(row)
        old = self.tight.reshape(len(self.rays) - 1, count)
        self.tight = np.zeros((len(self.rays), count + 1), dtype=bool)
        self.tight[:-1, :-1], self.tight[:-1, -1] = old, True
        self.tight[-1, :-1] = True

    def _neighbours(
        self, below: NDArray[np.intp], above: NDArray[np.intp]
    ) -> list[tuple[int, int, NDArray[np.intp]]]:
        """Pairs of rays, one on each side, that an edge joins, with the rows common to both.

        An edge has no third ray on all rows that its two ends have in common.
        """
        need = len(self.rows[0]) - 2 - len(self.lines)
        columns = np.flatnonzero(self.tight[below].any(axis=0))
        tight = self.tight[:, columns]
        shared = tight[below].astype(np.float32) @ tight[above].T.astype(np.float32)
        found = []
        for i, j in zip(*np.nonzero(shared >= need), strict=True):
            a, b = int(below[i]), int(above[j])
            common = np.flatnonzero(tight[a] & tight[b])
            if np.count_nonzero(tight[:, common].all(axis=1)) == 2:
                found.append((a, b, columns[common]))
        return found

    @property
    def facets(self) -> list[int]:
        """Rows whose rays are not all on another row as well."""
        tight = self.tight.T.astype(np.float32)  # counts, and fast
        counts, shared = tight.sum(axis=1), tight @ tight.T
        inside = (shared == counts[:, None]) & (
            (counts[:, None] < counts[None, :])
            | ((counts[:, None] == counts[None, :]) & np.tril(np.ones(shared.shape, bool), -1))
        )
        return np.flatnonzero((counts > 0) & ~inside.any(axis=1)).tolist()
