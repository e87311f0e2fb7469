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

    Costs are taken as the decimal numbers that they print as: 0.1 is a tenth.

    Examples
    --------
    >>> import numpy as np
    >>> steps_of(np.array([0.4, 1.0, 0.0]), np.array([0, 1]))
    CostSteps(size=Fraction(1, 5), counts=array([2, 5, 0]))
    >>> steps_of(np.array([0.4, 1.0, 0.5]), np.array([0, 1])) is None
    True
    """
    used = np.flatnonzero(cost)
    if not np.all(np.isin(used, integer)):
        return None
    counts = np.zeros(cost.size, dtype=np.int64)
    if not used.size:
        return CostSteps(Fraction(1), counts)
    parts = [Fraction(repr(float(value))) for value in cost[used]]
    bottom = reduce(lcm, (part.denominator for part in parts))
    top = reduce(gcd, (abs(part.numerator) * (bottom // part.denominator) for part in parts))
    size = Fraction(top, bottom)
    if max(abs(part) for part in parts) / size > MOST:
        return None
    counts[used] = [int(part / size) for part in parts]
    return CostSteps(size, counts)
