"""Sums of products in twice the working precision, each with a bound on its error.

A product of two floats is the sum of two floats exactly (Dekker, 1971). The sums of many are taken
as Rump, Ogita and Oishi do (2008): the leading bits of all terms of a sum are cut at the same
place, where adding them makes no error in whatever order, and only what is left is rounded. So the
whole runs in a few passes over the arrays of a sparse matrix, on any machine with IEEE doubles.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum, isfinite

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Matrix
from lexiprog.forms.error_free import LOST as _LOST
from lexiprog.forms.error_free import TINY as _TINY
from lexiprog.forms.error_free import UNIT, Segments, two_product, two_sum, up

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
        return _known(high, low, error + _LOST * (vanishing | (self.error > 0.0)))

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
        return _known(np.array([high]), np.array([low]), np.array([error + UNIT * abs(low)]))
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
    return _known(high, low, np.where(_vanishing(high, left, right), _LOST, 0.0))


def transposed_times(matrix: Matrix, vector: Array) -> Sums:
    """``matrix.T @ vector``, column by column of a sparse matrix."""
    matrix = by_columns(matrix)
    starts = matrix.indptr
    size = starts.size - 1
    if 0 < matrix.data.size <= _PIECE:
        return _last.sums(matrix.data, vector[matrix.indices], starts)
    out = Sums(*np.zeros((3, size)))
    # Pieces that stay in the processor's cache take a fifth of the time.
    cuts = np.searchsorted(starts, np.arange(0, starts[-1], _PIECE))
    for first, last in pairwise(np.unique([*cuts, size])):
        entries = slice(starts[first], starts[last])
        coefficients, factors = matrix.data[entries], vector[matrix.indices[entries]]
        sums = segment_sums(coefficients, factors, starts[first : last + 1] - starts[first])
        out.high[first:last], out.low[first:last] = sums.high, sums.low
        out.error[first:last] = sums.error
    return out


def by_columns(matrix: Matrix) -> sp.csc_array:
    """A sparse matrix column by column: itself if it is one already."""
    return matrix if getattr(matrix, "format", "") == "csc" else sp.csc_array(matrix)


def reduced_costs(costs: Array, matrix: Matrix, multipliers: Array) -> Sums:
    """``costs + matrix.T @ multipliers``."""
    return _last.reduced(costs, transposed_times(matrix, multipliers))


class _Last(threading.local):
    """The last few sums: whoever proves an optimum asks for those that it was found with."""

    def __init__(self) -> None:
        self._matrix: tuple[Array, NDArray[np.integer], Segments] | None = None
        self._known: list[tuple[Segments, Array, Sums]] = []
        self._reduced: tuple[Array, Sums, Sums] | None = None

    def reduced(self, costs: Array, sums: Sums) -> Sums:
        """Costs added to sums, again only if either is another."""
        last = self._reduced
        if last is None or last[1] is not sums or not _equal(last[0], costs):
            last = self._reduced = (costs.copy(), sums, sums.plus_floats(costs))
        return last[2]

    def sums(self, left: Array, right: Array, starts: NDArray[np.integer]) -> Sums:
        """The sums of products, taken anew only if some number is another."""
        segments = self._segments(left, starts)
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

    def _segments(self, left: Array, starts: NDArray[np.integer]) -> Segments:
        """What is known of the factors, which are mostly those of the last time."""
        last = self._matrix
        if last is None or not (_equal(last[0], left) and _equal(last[1], starts)):
            # Others may write to the matrix later; what is remembered must not change with it.
            copies = left.copy(), starts.copy()
            last = self._matrix = (*copies, Segments(*copies))
        return last[2]


def _equal(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return one is other or (one.size == other.size and not np.count_nonzero(one != other))


_last = _Last()


def times(matrix: Matrix, vector: Array) -> Sums:
    """``matrix @ vector``, row by row of a sparse matrix."""
    return transposed_times(sp.csr_array(matrix).T, vector)


@np.errstate(over="ignore", invalid="ignore")
def segment_sums(left: Array, right: Array, starts: NDArray[np.integer]) -> Sums:
    """Sums of the products ``left * right`` from each start to the next."""
    return _known(*Segments(left, starts).sums(right))


def _vanishing(product: Array, a: Array, b: Array) -> NDArray[np.bool_]:
    vanishing: NDArray[np.bool_] = (np.abs(product) < _TINY) & (a != 0.0) & (b != 0.0)
    return vanishing


def _known(high: Array, low: Array, error: Array) -> Sums:
    """Sums whose error is infinite where anything has overflowed."""
    error = up(error)
    return Sums(high, low, np.where(np.isfinite(high + low + error), error, np.inf))
