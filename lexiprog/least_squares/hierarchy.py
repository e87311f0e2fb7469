"""A hierarchy of least squares as bare numbers.

    level k:  l_i <= a_i x <= u_i  for its rows i;  the sum of squared violations is minimised,
    and what earlier levels have reached is never given up.

Of all points that are best on every level the one of least norm is taken, so that there is one
answer, whatever the search started from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lexiprog.tolerances import FEW_ROUNDINGS
from lexiprog.typing import Array, cached_property

Indices = NDArray[np.intp]
# A pivot below this share of its row's norm is not solved for, and one below the other is rounding.
USED_PIVOT, LOCKED_PIVOT = 1e-9, 1e-12
# Ends from here on are written for infinity.
INFINITE_END = 1e12


@dataclass(frozen=True)
class Rank:
    """Which pivots count, as shares of their rows' norms.

    Attributes
    ----------
    used : float
        Directions with larger ones are solved for.
    locked : float
        Directions between the two are not moved: neither by their level nor by later ones.
    damping : float
        Weight of the squared change that a level's directions pay, beside their violations.
    """

    used: float = USED_PIVOT
    locked: float = LOCKED_PIVOT
    damping: float = 0.0


@lru_cache(maxsize=256)
def _level_of(starts: tuple[int, ...]) -> Indices:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


@lru_cache(maxsize=256)
def _start_of(starts: tuple[int, ...]) -> Indices:
    return np.array(starts)


@dataclass(frozen=True)
class LevelRows:
    """The rows of all levels, one level after the other, and what is known of them.

    Attributes
    ----------
    A : ndarray
    starts : tuple of int
        Where each level's rows begin, and at last how many rows there are.
    """

    A: Array
    starts: tuple[int, ...]

    @property
    def level_of(self) -> Indices:
        """The level of each row."""
        return _level_of(self.starts)

    @property
    def start_of(self) -> Indices:
        """Where each level's rows begin, as an array."""
        return _start_of(self.starts)

    @cached_property
    def norms(self) -> Array:
        """Of the rows; one for rows of zeros."""
        norms: Array = np.sqrt(np.einsum("ij,ij->i", self.A, self.A))
        norms[norms == 0.0] = 1.0
        return norms

    @cached_property
    def unit(self) -> Array:
        """The rows, scaled to norm one."""
        return self.A / self.norms[:, None]

    @cached_property
    def sizes(self) -> Array:
        """The rows' coefficients without their signs."""
        return np.abs(self.A)

    @cached_property
    def bounded_column(self) -> Indices:
        """For rows of the first level that bound one variable, its column; else minus one."""
        out = np.full(self.A.shape[0], -1)
        first = self.A[: self.starts[1]] != 0.0
        alone = np.flatnonzero(np.count_nonzero(first, axis=1) == 1)
        out[alone] = np.argmax(first[alone], axis=1)
        return out


class Hierarchy:
    """Rows of all levels between their ends.

    Parameters
    ----------
    A, lower, upper : ndarray
        Rows and their ends, which may be infinite.
    starts : tuple of int
        Where each level's rows begin, and at last how many rows there are.
    """

    def __init__(self, A: Array, lower: Array, upper: Array, starts: tuple[int, ...]) -> None:
        self.matrix, self.lower, self.upper = LevelRows(A, starts), lower, upper

    @classmethod
    def between(cls, matrix: LevelRows, lower: Array, upper: Array) -> Hierarchy:
        """Rows of which more is known already, between these ends."""
        out = cls.__new__(cls)
        out.matrix, out.lower, out.upper = matrix, lower, upper
        return out

    @property
    def A(self) -> Array:  # noqa: N802 - a matrix
        """The rows."""
        return self.matrix.A

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each level's rows begin, and at last how many rows there are."""
        return self.matrix.starts

    @property
    def levels(self) -> int:
        """How many there are."""
        return len(self.matrix.starts) - 1

    @property
    def columns(self) -> int:
        """How many variables there are."""
        return int(self.matrix.A.shape[1])

    def rows(self, level: int) -> slice:
        """Those of a level."""
        return slice(self.matrix.starts[level], self.matrix.starts[level + 1])

    def violations(self, at: Array) -> Array:
        """By how much rows with these values are above or, negative, below their ends."""
        above: Array = np.maximum(at - self.upper, 0.0) - np.maximum(self.lower - at, 0.0)
        return above

    def values(self, violations: Array) -> Array:
        """The sum of squared violations of every level."""
        return np.array([float(v @ v) for v in self.by_level(violations)])

    def by_level(self, rows: Array) -> list[Array]:
        """Numbers of rows, taken apart."""
        return [rows[self.rows(level)] for level in range(self.levels)]


def without_infinite_ends(lower: Array, upper: Array) -> tuple[Array, Array]:
    """The ends, infinite where they are written as a number of at least 1e12."""
    below = np.where(lower <= -INFINITE_END, -np.inf, lower)
    return below, np.where(upper >= INFINITE_END, np.inf, upper)


def crossed(lower: Array, upper: Array) -> int | None:
    """The first entry that can be nowhere between its ends; None if they are apart by rounding."""
    fits = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
    if not fits.all():
        with np.errstate(invalid="ignore"):
            fits |= lower - upper <= FEW_ROUNDINGS * np.minimum(np.abs(lower), np.abs(upper))
    return None if fits.all() else int(np.argmin(fits))
