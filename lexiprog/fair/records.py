"""What was found: levels, who is settled on each, and the steps that prove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array

__all__ = [
    "FairLevel",
    "FairLottery",
    "FairOrder",
    "FairShares",
    "StepProofs",
    "Told",
    "grouped",
    "nobody",
    "values_of",
]


# Told after each step how many are settled, and at what value the last of them were.
Told = Callable[[int, float], None]


def nobody(settled: int, value: float, /) -> None:
    """Whom nothing is told."""


@dataclass(frozen=True)
class FairLevel:
    """A value, and the positions of the utilities that are settled there."""

    value: float
    members: NDArray[np.intp]


def grouped(values: Array) -> tuple[FairLevel, ...]:
    """Levels from the value of every utility: equal numbers are one."""
    return tuple(
        FairLevel(float(value), np.flatnonzero(values == value)) for value in np.unique(values)
    )


def values_of(levels: tuple[FairLevel, ...]) -> Array:
    """The value of every utility, by position."""
    out = np.full(sum(level.members.size for level in levels), np.nan)
    for level in levels:
        out[level.members] = level.value
    return out


@dataclass(frozen=True)
class StepProofs:
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
    steps : StepProofs
        The proof.
    solves, iterations : int
        Linear programs solved, and simplex iterations of all of them.
    doubtful : bool
        Whether who is stuck depends on digits that floats do not have.
    """

    levels: tuple[FairLevel, ...]
    x: Array
    steps: StepProofs
    solves: int
    iterations: int
    doubtful: bool = False


@dataclass(frozen=True)
class FairLottery:
    """The leximin lottery, level by level.

    Attributes
    ----------
    levels : tuple of FairLevel
        From the lowest value to the highest.
    columns : ndarray of shape (columns, utilities)
        Everything that the oracle gave.
    weights : ndarray of shape (columns,)
        The lottery.
    steps, prices, bounds : ndarray
        The value of every step, its prices (steps, utilities) and the oracle's bound at them.
    calls, iterations : int
        Of the oracle, and of the simplex method.
    """

    levels: tuple[FairLevel, ...]
    columns: Array
    weights: Array
    steps: Array
    prices: Array
    bounds: Array
    calls: int
    iterations: int


@dataclass(frozen=True)
class FairOrder:
    """A leximin point with integers.

    Attributes
    ----------
    levels : tuple of FairLevel
        From the lowest value to the highest, with those who have it at this point: others may
        stand in their place at another point of the same order.
    x : ndarray
    bounds : ndarray
        For each position in the order the bound that the branch and bound proved.
    solves, nodes : int
        Integer programs solved, and nodes of all their trees.
    """

    levels: tuple[FairLevel, ...]
    x: Array
    bounds: Array
    solves: int
    nodes: int
