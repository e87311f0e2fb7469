"""What was found: levels, who is settled on each, and the steps that prove them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array

__all__ = ["FairLevel", "FairShares", "Steps"]


@dataclass(frozen=True)
class FairLevel:
    """A value, and the positions of the utilities that are settled there."""

    value: float
    members: NDArray[np.intp]


@dataclass(frozen=True)
class Steps:
    """Multipliers of every step; a level has one or more, all with its value.

    A step's weights w, over the utilities, and multipliers y, of the rows ``Ax <= b``, prove that

        sum of w_i (utility_i - value) <= 0   wherever all earlier steps hold,

    so that nobody with a positive weight can rise above the value unless somebody falls below
    it. The weights of those not settled before are non-negative and sum to one.

    What an earlier step gave a multiplier is met with equality by everyone who keeps that step's
    value, and may have a multiplier of either sign in later steps.

    Attributes
    ----------
    values : ndarray of shape (steps,)
    weights : sparse array of shape (steps, utilities)
    multipliers : sparse array of shape (steps, rows)
    """

    values: Array
    weights: sp.csr_array
    multipliers: sp.csr_array


@dataclass(frozen=True)
class FairShares:
    """The leximin point, level by level.

    Attributes
    ----------
    levels : tuple of FairLevel
        From the lowest value to the highest; every utility is in one of them.
    x : ndarray
        A point at which every utility has the value of its level.
    steps : Steps
        The proof.
    solves, iterations : int
        Linear programs solved, and simplex iterations of all of them.
    """

    levels: tuple[FairLevel, ...]
    x: Array
    steps: Steps
    solves: int
    iterations: int

    @property
    def values(self) -> Array:
        """The value of every utility, by position."""
        out = np.empty(sum(level.members.size for level in self.levels))
        for level in self.levels:
            out[level.members] = level.value
        return out
