"""Sums and products of floats together with what rounding takes from them."""

from __future__ import annotations

from math import frexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array

__all__ = ["LOST", "TINY", "UNIT", "Pair", "Segments", "two_product", "two_sum", "up"]


_SPLITTER = 2.0**27 + 1.0
UNIT = 2.0**-53  # the relative error of one rounding
# Below the first a product's own rounding error may be too small for a float; by the second at
# most it is then wrong.
TINY, LOST = 2.0**-960, 2.0**-1070
# Sums of more terms than this are cut twice.
_LONG = 64
# Sums of so many products of numbers with so few binary digits are exact: they have 53 at most.
_MANY, _FEW_LEFT, _FEW_RIGHT = 2**10, 20, 22


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and what is missing from it, exactly (Knuth)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product and what is missing from it, exactly unless it vanishes."""
    return _two_product(a, _halves(a), b)


def _two_product(a: Array, halves: tuple[Array, Array], b: Array) -> tuple[Array, Array]:
    high, (a_high, a_low), (b_high, b_low) = a * b, halves, _halves(b)
    return high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)


def up(error: Array) -> Array:
    """An error bound that was itself computed with rounding, made large enough for it."""
    return error * (1.0 + 2.0**-20)


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def _has_few_digits(numbers: Array, digits: int) -> bool:
    """Whether all are whole numbers below ``2**digits`` in one unit, a moderate power of two."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if not 2.0**-200 < largest < 2.0**200:
        return largest == 0.0
    scaled = numbers * 2.0 ** (digits - frexp(largest)[1])
    return not np.count_nonzero(scaled != np.rint(scaled))


class Pair(NamedTuple):
    """Numbers as the unrounded sums of two floats: twice the digits of one.

    Examples
    --------
    >>> import numpy as np
    >>> third = Pair.of(np.array([1 / 3])).plus(np.array([2.0**-60]))
    >>> third.nearest.item() == 1 / 3, third.plus(np.array([-1 / 3])).nearest.item() == 2.0**-60
    (True, True)
    """

    high: Array
    low: Array

    @classmethod
    def of(cls, numbers: Array) -> Pair:
        """Floats as they are."""
        return cls(numbers, np.zeros(numbers.shape))

    @property
    def nearest(self) -> Array:
        """The numbers as floats."""
        return self.high + self.low

    def plus(self, numbers: Array) -> Pair:
        """The numbers with a float added to each, rounded to a pair again."""
        high, rest = two_sum(self.high, numbers)
        return Pair(*two_sum(high, rest + self.low))


class Segments:
    """Sums of products with the same factors again and again, from each start to the next.

    Parameters
    ----------
    left : ndarray
        The factors.
    starts : ndarray
        Where each sum begins, and the end.
    """

    def __init__(self, left: Array, starts: NDArray[np.integer]) -> None:
        counts = np.diff(starts)
        filled = counts > 0
        self.size = counts.size
        self._left, self._halves, self._nonzero = left, _halves(left), left != 0.0
        self._filled = None if filled.all() else filled
        self._heads, self._counts = starts[:-1][filled], counts[filled]
        self._rounds = 2 if self._counts.max(initial=0) > _LONG else 1
        self._doubled = 2.0 * UNIT * self._counts
        self._short = self._counts.max(initial=0) <= _MANY and _has_few_digits(left, _FEW_LEFT)

    def exact_sums(self, right: Array) -> Array | None:
        """The sums, if all numbers have so few digits that plain ones are exact; else None."""
        if not self._short or not self._heads.size or not _has_few_digits(right, _FEW_RIGHT):
            return None
        return self._spread(np.add.reduceat(self._left * right, self._heads))

    def sums(self, right: Array) -> tuple[Array, Array, Array]:
        """Of the products with these: leading parts, what is left, and by how much that errs."""
        heads, counts, left = self._heads, self._counts, self._left
        if not heads.size:
            out = np.zeros((3, self.size))
            return out[0], out[1], out[2]
        rest, small = _two_product(left, self._halves, right)
        vanishing = (np.abs(rest) < TINY) & self._nonzero & (right != 0.0)
        parts = []
        for _ in range(self._rounds):
            # Twice the sum of the sizes: no sum of leading parts reaches it, so none is rounded.
            above = np.ldexp(2.0, np.frexp(np.add.reduceat(np.abs(rest), heads))[1])
            cut = above.repeat(counts)
            leading = (cut + rest) - cut
            rest = rest - leading
            parts.append(np.add.reduceat(leading, heads))
        # Plain summation of n terms is wrong by at most (n - 1) UNIT times the sum of their sizes.
        low = np.add.reduceat(rest + small, heads)
        error = self._doubled * np.add.reduceat(np.abs(rest) + np.abs(small), heads)
        if self._rounds > 1:
            low, lost = two_sum(parts[1], low)
            error = np.abs(lost) + error
        if np.count_nonzero(vanishing):
            error = error + LOST * np.add.reduceat(vanishing, heads, dtype=float)
        return self._spread(parts[0]), self._spread(low), self._spread(error)

    def _spread(self, numbers: Array) -> Array:
        """The numbers with a zero for each sum of nothing."""
        if self._filled is None:
            return numbers
        out = np.zeros(self.size)
        out[self._filled] = numbers
        return out
