"""Sums of products in twice the working precision, each with a bound on its error.

A product of two floats is the sum of two floats exactly (Dekker, 1971). The sums of many are taken
as Rump, Ogita and Oishi do (2008): the leading bits of all terms of a sum are cut at the same
place, where adding them makes no error in whatever order, and only what is left is rounded. So the
whole runs in a few passes over the arrays of a sparse matrix, on any machine with IEEE doubles.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise
from math import frexp, fsum, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.standard_form import Columns, columns_of
from lexiprog.tolerances import ROUND_UP, SAFE_RANGE, UNDERFLOW, UNDERFLOW_ERROR, UNIT_ROUNDOFF
from lexiprog.typing import Array, Matrix, cached_property

# Sums and products of floats together with what rounding takes from them.

_SPLITTER = 2.0**27 + 1.0
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
    return error * ROUND_UP


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def _has_few_digits(numbers: Array, digits: int) -> bool:
    """Whether all are whole numbers below ``2**digits`` in one unit, a moderate power of two."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if not 1.0 / SAFE_RANGE < largest < SAFE_RANGE:
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
        self._doubled = 2.0 * UNIT_ROUNDOFF * self._counts
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
        vanishing = (np.abs(rest) < UNDERFLOW) & self._nonzero & (right != 0.0)
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
            error = error + UNDERFLOW_ERROR * np.add.reduceat(vanishing, heads, dtype=float)
        return self._spread(parts[0]), self._spread(low), self._spread(error)

    def _spread(self, numbers: Array) -> Array:
        """The numbers with a zero for each sum of nothing."""
        if self._filled is None:
            return numbers
        out = np.zeros(self.size)
        out[self._filled] = numbers
        return out


# Sums of fewer terms than this are taken one by one, exactly.
_FEW = 200
_PIECE = 2**14


@dataclass(frozen=True)
class Sums:
    """Numbers known to lie within ``error`` of ``high + low``; nothing is known if it is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> numbers, ones = np.array([1e16, 1.0, -1e16]), np.ones(3)
    >>> float(numbers @ ones), float(dot(numbers, ones).nearest[0])
    (0.0, 1.0)
    """

    high: Array
    low: Array
    error: Array

    @classmethod
    def of(cls, numbers: Array) -> Sums:
        """Floats, known exactly."""
        return cls(numbers, np.zeros(numbers.shape), np.zeros(numbers.shape))

    @property
    def nearest(self) -> Array:
        """The numbers as floats."""
        return self.high + self.low

    @cached_property
    def lower(self) -> Array:
        """Floats that are certainly not above the numbers."""
        return self._beyond(-np.inf)

    @cached_property
    def upper(self) -> Array:
        """Floats that are certainly not below the numbers."""
        return self._beyond(np.inf)

    @np.errstate(over="ignore", invalid="ignore")
    def _beyond(self, side: float) -> Array:
        near, lost = two_sum(self.high, self.low)
        width = up(self.error + np.abs(lost))
        far = np.nextafter(near + np.copysign(width, side), side)
        return np.where(width == 0.0, near, np.where(np.isfinite(width), far, side))

    @np.errstate(over="ignore", invalid="ignore")
    def plus(self, other: Sums) -> Sums:
        """The numbers, to each of which another is added."""
        high, rest = two_sum(self.high, other.high)
        low, lost = two_sum(self.low, other.low)
        low, lost_too = two_sum(low, rest)
        return _known(high, low, self.error + other.error + np.abs(lost) + np.abs(lost_too))

    @np.errstate(over="ignore", invalid="ignore")
    def plus_floats(self, numbers: Array) -> Sums:
        """The numbers, to each of which a float is added."""
        high, rest = two_sum(numbers, self.high)
        low, lost = two_sum(self.low, rest)
        return _known(high, low, self.error + np.abs(lost))

    @np.errstate(over="ignore", invalid="ignore")
    def times(self, factors: Array) -> Sums:
        """The numbers, each multiplied by a float."""
        high, rest = two_product(self.high, factors)
        low, lost = two_product(self.low, factors)
        low, lost_too = two_sum(low, rest)
        error = self.error * np.abs(factors) + np.abs(lost) + np.abs(lost_too)
        vanishing = _vanishing(high, self.high, factors) | _vanishing(low, self.low, factors)
        return _known(high, low, error + UNDERFLOW_ERROR * (vanishing | (self.error > 0.0)))

    def at(self, chosen: NDArray[np.bool_]) -> Sums:
        """Some of the numbers."""
        return Sums(self.high[chosen], self.low[chosen], self.error[chosen])


@np.errstate(over="ignore", invalid="ignore")
def total(*parts: Sums) -> Sums:
    """The sum of all numbers of all parts, as an array of one."""
    terms = np.concatenate([piece for part in parts for piece in (part.high, part.low)])
    error = sum(float(part.error.sum()) for part in parts)
    if terms.size < _FEW and (few := _one_by_one(terms.tolist())) is not None:
        high, low = few
        error += UNIT_ROUNDOFF * abs(low)
        return _known(np.array([high]), np.array([low]), np.array([error]))
    whole = segment_sums(terms, np.ones(terms.size), np.array([0, terms.size]))
    return _known(whole.high, whole.low, whole.error + error)


def _one_by_one(terms: list[float]) -> tuple[float, float] | None:
    """The rounded sum, and the rounded rest of it; None if it is not finite."""
    try:
        high = fsum(terms)
        return (high, fsum([*terms, -high])) if isfinite(high) else None
    except (OverflowError, ValueError):
        return None


def dot(left: Array, right: Array) -> Sums:
    """The inner product of two vectors, as an array of one."""
    return total(products(left, right))


@np.errstate(over="ignore", invalid="ignore")
def products(left: Array, right: Array) -> Sums:
    """The products of floats with floats."""
    high, low = two_product(left, right)
    return _known(high, low, np.where(_vanishing(high, left, right), UNDERFLOW_ERROR, 0.0))


def transposed_times(matrix: Matrix, vector: Array) -> Sums:
    """``matrix.T @ vector``, column by column of a sparse matrix."""
    columns = columns_of(matrix)
    starts = columns.starts
    size = starts.size - 1
    if 0 < columns.entries.size <= _PIECE:
        return _last.sums(columns, vector[columns.rows])
    out = Sums(*np.zeros((3, size)))
    # Pieces that stay in the processor's cache take a fifth of the time.
    cuts = np.searchsorted(starts, np.arange(0, starts[-1], _PIECE))
    for first, last in pairwise(np.unique([*cuts, size])):
        entries = slice(starts[first], starts[last])
        coefficients, factors = columns.entries[entries], vector[columns.rows[entries]]
        sums = segment_sums(coefficients, factors, starts[first : last + 1] - starts[first])
        out.high[first:last], out.low[first:last] = sums.high, sums.low
        out.error[first:last] = sums.error
    return out


def reduced_costs(costs: Array, matrix: Matrix, multipliers: Array) -> Sums:
    """``costs + matrix.T @ multipliers``."""
    return _last.reduced(costs, transposed_times(matrix, multipliers))


class _Last(threading.local):
    """The last few sums: whoever proves an optimum asks for those that it was found with."""

    def __init__(self) -> None:
        self._known: list[tuple[Segments, Array, Sums]] = []
        self._reduced: tuple[Array, Sums, Sums] | None = None

    def reduced(self, costs: Array, sums: Sums) -> Sums:
        """Costs added to sums, again only if either is another."""
        last = self._reduced
        if last is None or last[1] is not sums or not _equal(last[0], costs):
            last = self._reduced = (costs.copy(), sums, sums.plus_floats(costs))
        return last[2]

    def sums(self, columns: Columns, right: Array) -> Sums:
        """The sums of products, taken anew only if some number is another."""
        segments = columns.once("segments", None, lambda: Segments(columns.entries, columns.starts))
        for known, numbers, sums in self._known:
            if known is segments and _equal(numbers, right):
                return sums
        exact = segments.exact_sums(right)
        if exact is not None:
            sums = Sums.of(exact)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                sums = _known(*segments.sums(right))
        self._known = [(segments, right, sums), *self._known[:1]]
        return sums


def _equal(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return one is other or (one.size == other.size and not np.count_nonzero(one != other))


_last = _Last()


def times(matrix: Matrix, vector: Array) -> Sums:
    """``matrix @ vector``, row by row of a sparse matrix."""
    return transposed_times(columns_of(matrix).turned, vector)


@np.errstate(over="ignore", invalid="ignore")
def segment_sums(left: Array, right: Array, starts: NDArray[np.integer]) -> Sums:
    """Sums of the products ``left * right`` from each start to the next."""
    return _known(*Segments(left, starts).sums(right))


def _vanishing(product: Array, a: Array, b: Array) -> NDArray[np.bool_]:
    vanishing: NDArray[np.bool_] = (np.abs(product) < UNDERFLOW) & (a != 0.0) & (b != 0.0)
    return vanishing


def _known(high: Array, low: Array, error: Array) -> Sums:
    """Sums whose error is infinite where anything has overflowed."""
    error = up(error)
    return Sums(high, low, np.where(np.isfinite(high + low + error), error, np.inf))
