"""What HiGHS found for a linear program."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Matrix
from lexiprog.forms.precision import Sums
from lexiprog.forms.standard_form import Bounds, pulled
from lexiprog.status import Status

__all__ = ["WORDS", "Vertex", "is_best"]

WORDS = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnbounded": Status.UNBOUNDED,
    "kUnboundedOrInfeasible": Status.EITHER,
    "kTimeLimit": Status.NO_POINT,
    "kIterationLimit": Status.NO_POINT,
    "kInterrupt": Status.NO_POINT,
}

# Reduced costs up to this share of the costs are none.
ROUNDING = 1e-13


@dataclass  # not frozen, which takes five times as long to make
class Vertex:
    """What HiGHS found: a status and, if optimal, a vertex with its multipliers."""

    status: str
    x: Array
    row_dual: Array  # of rows as minimisation sees them: cost = A' row_dual + reduced
    basis: highspy.HighsBasis
    iterations: int  # of the simplex method
    seconds: float
    reduced: Sums | None  # cost - A' row_dual, in twice the working precision
    correction: Array | None  # what row_dual lacks, from a solve with its residual
    warm: bool  # started from a basis, without presolve
    basic: NDArray[np.integer] | None = None  # its columns, and -1 - rows, if HiGHS has its factors
    error: float | None = None  # of refined multipliers: by how much they may be wrong
    gain: float = 1.0  # how many times as large as a change of the costs that of the multipliers is

    @property
    def roughness(self) -> float:
        """By which share of their size the multipliers had to be corrected."""
        if self.correction is None or not np.count_nonzero(self.correction):
            return 0.0
        largest = float(np.abs(self.row_dual).max(initial=0.0))
        return float(np.abs(self.correction).max(initial=0.0)) / (1.0 + largest)

    @property
    def optimal(self) -> bool:
        """Whether HiGHS calls it optimal."""
        return self.status == "kOptimal"

    @property
    def word(self) -> Status:
        """HiGHS's status in our words."""
        return WORDS.get(self.status, Status.FAILED)


def is_best(A: Matrix, cost: Array, duals: Array, x: Array, bounds: Bounds) -> bool:
    """Whether no reduced cost and no multiplier asks for another basis, but for rounding."""
    reduced = cost - pulled(A, duals)
    tiny = ROUNDING * (1.0 + float(np.abs(cost).max(initial=0.0)))
    falls, rises = (reduced > tiny) & (x > bounds.lower), (reduced < -tiny) & (x < bounds.upper)
    # Rows that are not fixed have an upper limit only: their multipliers must not be positive.
    wrong = (duals > tiny) & (bounds.row_lower < bounds.row_upper)
    return not (np.count_nonzero(falls) or np.count_nonzero(rises) or np.count_nonzero(wrong))
