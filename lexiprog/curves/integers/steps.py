"""The steps in which an objective over whole numbers can change."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array

__all__ = ["CostSteps", "steps_of"]

# Counts of steps beyond this are not told apart by a solver that calculates in floats.
MOST = 2**31
# Ratios of costs with no larger denominator are simple, if they are met but for rounding.
SIMPLE, ROUNDING = 1000, 1e-15


@dataclass(frozen=True)
class CostSteps:
    """An objective as ``size`` times a whole number.

    Attributes
    ----------
    size : Fraction
        The greatest step of which every value is a multiple.
    counts : ndarray of int64, shape (n,)
        The costs in steps.
    """

    size: Fraction
    counts: NDArray[np.int64]

    def count(self, x: Array) -> int:
        """The value at a point, in steps; exact, and so the integers of ``x`` must be whole."""
        used = np.flatnonzero(self.counts)
        whole = np.rint(x[used]).astype(np.int64)
        return sum(int(c) * int(v) for c, v in zip(self.counts[used], whole, strict=True))


def steps_of(cost: Array, integer: NDArray[np.intp]) -> CostSteps | None:
    """The steps of a cost; None if a continuous column has one, or if they are too fine to use.

    Costs are taken as the decimal numbers that they print as in 15 digits: 0.1 is a tenth, and so
    is 0.4 - 0.3. Where these have no common step, costs may still be whole
    multiples of one number, such as a third.

    Examples
    --------
    >>> import numpy as np
    >>> steps_of(np.array([0.4, 1.0, 0.0]), np.array([0, 1]))
    CostSteps(size=Fraction(1, 5), counts=array([2, 5, 0]))
    >>> steps_of(np.array([0.4, 1.0, 0.5]), np.array([0, 1])) is None
    True
    >>> steps_of(np.array([0.1, 3 * 0.1]), np.array([0, 1])).counts
    array([1, 3])
    >>> steps_of(np.array([1 / 3, 2.0]), np.array([0, 1])).counts
    array([1, 6])
    """
    used = np.flatnonzero(cost)
    if not np.all(np.isin(used, integer)):
        return None
    counts = np.zeros(cost.size, dtype=np.int64)
    if not used.size:
        return CostSteps(Fraction(1), counts)
    for parts in (_decimals(cost[used]), _multiples(cost[used])):
        if parts is not None:
            size = _common_step(parts)
            if max(abs(part) for part in parts) / size <= MOST:
                counts[used] = [int(part / size) for part in parts]
                return CostSteps(size, counts)
    return None


def _decimals(costs: Array) -> list[Fraction]:
    """The costs as decimal numbers, without the digit that sums and products spoil."""
    return [Fraction(f"{value:.15g}") for value in costs]


def _multiples(costs: Array) -> list[Fraction] | None:
    """The costs as multiples of the smallest, if their ratios are simple."""
    least = float(np.min(np.abs(costs)))
    ratios = [Fraction(float(value) / least).limit_denominator(SIMPLE) for value in costs]
    apart = np.abs(costs - least * np.array([float(ratio) for ratio in ratios]))
    if np.any(apart > ROUNDING * np.abs(costs)):
        return None
    return [Fraction(least) * ratio for ratio in ratios]


def _common_step(parts: list[Fraction]) -> Fraction:
    """The greatest number of which all are multiples."""
    bottom = reduce(lcm, (part.denominator for part in parts))
    top = reduce(gcd, (abs(part.numerator) * (bottom // part.denominator) for part in parts))
    return Fraction(top, bottom)
