"""What was found: levels, who is settled on each, and the steps that prove them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.errors import LexiprogError
from lexiprog.status import Status
from lexiprog.typing import Array, Mask, Matrix, cached_property

# Called after each step with how many are settled, and at what value the last of them were.
OnStep = Callable[[int, float], None]


def no_report(settled: int, value: float, /) -> None:
    """OnStep nothing."""


@dataclass(frozen=True)
class LeximinLevel:
    """A value, and the positions of the utilities that are settled there."""

    value: float
    members: NDArray[np.intp]


def grouped(values: Array) -> tuple[LeximinLevel, ...]:
    """Levels from the value of every utility: equal numbers are one."""
    return tuple(
        LeximinLevel(float(value), np.flatnonzero(values == value)) for value in np.unique(values)
    )


def values_of(levels: tuple[LeximinLevel, ...]) -> Array:
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

    def of(self, step: int) -> tuple[Array, Array]:
        """Weights and multipliers of one step."""
        weights, multipliers = (
            np.zeros(part.shape[1]) for part in (self.weights, self.multipliers)
        )
        for dense, sparse in ((weights, self.weights), (multipliers, self.multipliers)):
            entries = slice(sparse.indptr[step], sparse.indptr[step + 1])
            dense[sparse.indices[entries]] = sparse.data[entries]
        return weights, multipliers


@dataclass(frozen=True)
class LeximinResult:
    """The leximin point, level by level.

    Attributes
    ----------
    levels : tuple of LeximinLevel
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

    levels: tuple[LeximinLevel, ...]
    x: Array
    steps: StepProofs
    solves: int
    iterations: int
    doubtful: bool = False


@dataclass(frozen=True)
class LeximinLottery:
    """The leximin lottery, level by level.

    Attributes
    ----------
    levels : tuple of LeximinLevel
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

    levels: tuple[LeximinLevel, ...]
    columns: Array
    weights: Array
    steps: Array
    prices: Array
    bounds: Array
    calls: int
    iterations: int


@dataclass(frozen=True)
class OrderedResult:
    """A leximin point with integers.

    Attributes
    ----------
    levels : tuple of LeximinLevel
        From the lowest value to the highest, with those who have it at this point: others may
        stand in their place at another point of the same order.
    x : ndarray
    bounds : ndarray
        For each position in the order the bound that the branch and bound proved.
    solves, nodes : int
        Integer programs solved, and nodes of all their trees.
    """

    levels: tuple[LeximinLevel, ...]
    x: Array
    bounds: Array
    solves: int
    nodes: int


# Why there is no fair share, with the utilities that are to blame.

MOST_NAMES = 10


class NoLeximin(LexiprogError, RuntimeError):
    """Utilities that have no leximin point, or none that could be found.

    Attributes
    ----------
    status : Status
        Infeasible, unbounded, a limit, or a failure of the solver.
    members : tuple of int
        Positions of the utilities that can rise without limit; empty for other reasons.
    """

    def __init__(self, message: str, status: Status, members: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.members = tuple(int(member) for member in members)

    @classmethod
    def unlimited(cls, members: Iterable[int]) -> NoLeximin:
        """Of utilities that can rise together without limit."""
        listed = [str(member) for member in members]
        shown = ", ".join(listed[:MOST_NAMES])
        if len(listed) > MOST_NAMES:
            shown += f" and {len(listed) - MOST_NAMES} more"
        who = (
            f"utilities {shown} can rise together"
            if len(listed) > 1
            else f"utility {shown} can rise"
        )
        message = f"{who} without limit: bound them, or the columns that they are made of."
        return cls(message, Status.UNBOUNDED, map(int, listed))

    def __reduce__(self) -> tuple[type[NoLeximin], tuple[str, Status, tuple[int, ...]]]:
        return type(self), (str(self), self.status, self.members)


# Linear utilities as rows of a matrix; those that are the same are found.

# Values that are no multiples of one part of this have no grid.
FINEST = 1024.0


@dataclass(frozen=True, init=False)
class Utilities:
    """What everyone gets at x: ``rows @ x + offsets``.

    Parameters
    ----------
    rows : sparse or dense matrix of shape (utilities, columns)
    offsets : array-like, optional
        Zeros by default.

    Examples
    --------
    >>> import numpy as np
    >>> utilities = Utilities(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]), [0.0, 3.0, 0.0])
    >>> utilities.at(np.array([1.0, 1.0]))
    array([3., 4., 3.])
    >>> distinct, of = utilities.distinct()
    >>> len(distinct), of
    (2, array([0, 1, 0]))
    """

    rows: sp.csr_array
    offsets: Array

    def __init__(self, rows: Matrix | Array, offsets: Array | None = None) -> None:
        rows = sp.csr_array(rows, dtype=float, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        given = np.zeros(rows.shape[0]) if offsets is None else np.array(offsets, dtype=float)
        if given.shape != (rows.shape[0],):
            raise ValueError(
                f"there are {rows.shape[0]} utilities, but offsets of shape {given.shape}."
            )
        if not (np.isfinite(rows.data).all() and np.isfinite(given).all()):
            raise ValueError("a utility has a coefficient or an offset that is not finite.")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "offsets", given)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def at(self, x: Array) -> Array:
        """The value of every utility at ``x``."""
        values: Array = self.rows @ x + self.offsets
        return values

    def sizes_at(self, x: Array) -> Array:
        """The same of magnitudes: what rounding of each value is measured against."""
        sizes: Array = self._magnitudes @ np.abs(x) + np.abs(self.offsets)
        return sizes

    @cached_property
    def _magnitudes(self) -> sp.csr_array:
        return abs(self.rows)

    def distinct(self) -> tuple[Utilities, NDArray[np.intp]]:
        """Every different utility once, and for each of all which of those it is."""
        starts = self.rows.indptr
        seen: dict[tuple[bytes, bytes, float], int] = {}
        of = np.empty(len(self), dtype=np.intp)
        for i in range(len(self)):
            part = slice(starts[i], starts[i + 1])
            coefficients = self.rows.data[part].tobytes()
            # Adding zero makes no difference between 0.0 and -0.0.
            key = (self.rows.indices[part].tobytes(), coefficients, float(self.offsets[i]) + 0.0)
            of[i] = seen.setdefault(key, len(seen))
        if len(seen) == len(self):
            return self, of
        first = np.unique(of, return_index=True)[1]
        return Utilities(self.rows[first], self.offsets[first]), of

    def grid(self, integer: Mask) -> float:
        """The largest number that divides all values if the ``integer`` columns are whole.

        Zero if a utility has a column that need not be whole, or if none is known.
        """
        numbers = np.concatenate([self.rows.data, self.offsets])
        whole = np.rint(FINEST * numbers)
        exact = (whole == FINEST * numbers).all() and np.abs(whole).max(initial=0.0) < 2.0**53
        if not exact or not integer[self.rows.indices].all():
            return 0.0
        return float(np.gcd.reduce(whole.astype(np.int64))) / FINEST
