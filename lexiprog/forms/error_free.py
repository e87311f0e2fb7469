"""Sums and products of floats together with what rounding takes from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lexiprog.aliases import Array

__all__ = ["Pair", "two_product", "two_sum", "up"]


_SPLITTER = 2.0**27 + 1.0


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and what is missing from it, exactly (Knuth)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product and what is missing from it, exactly unless it vanishes."""
    high = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)


def up(error: Array) -> Array:
    """An error bound that was itself computed with rounding, made large enough for it."""
    return error * (1.0 + 2.0**-20)


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


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
