"""Bases of linear programs: in HiGHS's numbers, near a point, and tried on other numbers."""

from __future__ import annotations

from typing import NamedTuple

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import SuperLU, splu

from lexiprog.canon.multipliers import is_real
from lexiprog.canon.standard_form import Bounds, transpose_product
from lexiprog.tolerances import ACTIVE, AT_BOUND, POINT_FEASIBILITY, SUM_ROUNDING
from lexiprog.typing import Array, Mask, Matrix, cached_property

# HiGHS's numbers of where a variable stands in a basis.
LOWER, BASIC, UPPER, ZERO, NONBASIC = range(5)
_STATUSES = [highspy.HighsBasisStatus(k) for k in range(5)]

Statuses = tuple[NDArray[np.int8], NDArray[np.int8]]


def basis_of(columns: NDArray[np.integer], rows: NDArray[np.integer]) -> highspy.HighsBasis:
    """A basis from the numbers of where its columns and rows stand."""
    basis = highspy.HighsBasis()
    basis.col_status, basis.row_status = (
        [_STATUSES[k] for k in part.tolist()] for part in (columns, rows)
    )
    basis.valid = True
    return basis


def statuses_of(basis: highspy.HighsBasis) -> Statuses:
    """Where the columns and the rows of a basis stand, in numbers."""
    columns, rows = (
        np.array([int(status) for status in part], dtype=np.int8)
        for part in (basis.col_status, basis.row_status)
    )
    return columns, rows


def nearest_statuses(values: Array, lower: Array, upper: Array) -> NDArray[np.integer]:
    """At which limit each value stands; in the basis if at none, or not known."""
    near = AT_BOUND * (1.0 + np.abs(values))
    with np.errstate(invalid="ignore"):
        low, high = np.abs(values - lower) <= near, np.abs(upper - values) <= near
    return np.where(low, LOWER, np.where(high, UPPER, BASIC))


def is_best(A: Matrix, cost: Array, duals: Array, x: Array, bounds: Bounds) -> bool:
    """Whether no reduced cost and no multiplier asks for another basis, but for rounding."""
    reduced = cost - transpose_product(A, duals)
    tiny = SUM_ROUNDING * (1.0 + float(np.abs(cost).max(initial=0.0)))
    falls, rises = (reduced > tiny) & (x > bounds.lower), (reduced < -tiny) & (x < bounds.upper)
    # Rows that are not fixed have an upper limit only: their multipliers must not be positive.
    wrong = (duals > tiny) & (bounds.row_lower < bounds.row_upper)
    return not (np.count_nonzero(falls) or np.count_nonzero(rises) or np.count_nonzero(wrong))


class KeptVertex(NamedTuple):
    """The point of a basis and the multipliers of its rows, ``cost = A' row_dual + reduced``."""

    x: Array
    row_dual: Array


class _Places(NamedTuple):
    """Which are basic, and at which limit the others stand: -1 lower, 1 upper, 0 none."""

    basic: Mask
    sides: Array

    @classmethod
    def read(cls, statuses: NDArray[np.int8]) -> _Places:
        return cls(statuses == BASIC, np.array([-1.0, 0.0, 1.0, 0.0, 0.0])[statuses])


class KeptBasis:
    """Which columns and rows of a linear program are basic, and where the others stand.

    Parameters
    ----------
    A : sparse array
        The matrix; costs and limits may be others each time.
    basis : highspy.HighsBasis

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.backends.highs import Bounds, HighsModel
    >>> A, cost = sp.csc_array(np.array([[1.0, 2.0]])), np.array([1.0, 3.0])
    >>> def limits(least):
    ...     most = np.array([np.inf])
    ...     return Bounds(np.zeros(2), np.array([5.0, 5.0]), np.array([least]), most)
    >>> kept = KeptBasis(A, HighsModel(A, {}).run(cost, limits(2.0)).basis)
    >>> kept.corner(cost, limits(4.0)).x  # the first column alone still does
    array([4., 0.])
    >>> kept.corner(cost, limits(7.0)) is None
    True
    """

    def __init__(self, A: Matrix, basis: highspy.HighsBasis) -> None:
        self._A, self._basis = sp.csc_array(A), basis

    # Many a basis is never tried: what it says is read when it is.
    @cached_property
    def _columns(self) -> _Places:
        return _Places.read(statuses_of(self._basis)[0])

    @cached_property
    def _limits(self) -> _Places:
        return _Places.read(statuses_of(self._basis)[1])

    @cached_property
    def _rows(self) -> Matrix:
        return sp.csr_array(self._A)[~self._limits.basic]

    @cached_property
    def _factors(self) -> SuperLU | None:
        square = sp.csc_array(self._rows[:, self._columns.basic])
        if square.shape[0] != square.shape[1]:
            return None
        try:
            return splu(square) if square.shape[0] else None
        except RuntimeError:  # singular, as far as floats can tell
            return None

    def corner(self, cost: Array, bounds: Bounds) -> KeptVertex | None:
        """The optimal vertex, if this basis is optimal for these numbers too."""
        if self._factors is None:
            return None
        (inside, sides), (idle, row_sides) = self._columns, self._limits
        x = _standing(sides, bounds.lower, bounds.upper)
        x[inside] = 0.0
        wanted = _standing(row_sides, bounds.row_lower, bounds.row_upper)[~idle]
        if not (np.isfinite(x).all() and np.isfinite(wanted).all()):
            return None
        x[inside] = self._factors.solve(wanted - self._rows @ x)
        if not (
            _within(x, bounds.lower, bounds.upper)
            and _within(self._A @ x, bounds.row_lower, bounds.row_upper)
        ):
            return None
        y = np.zeros(idle.size)
        y[~idle] = self._factors.solve(cost[inside], "T")
        fits = _right_signs(cost - self._A.T @ y, sides, bounds.lower, bounds.upper, cost)
        if fits and _right_signs(y, row_sides, bounds.row_lower, bounds.row_upper, cost):
            return KeptVertex(x, y)
        return None

    def is_only(self, corner: KeptVertex, cost: Array, bounds: Bounds) -> bool:
        """Whether no other point is optimal and no other multipliers prove it, clearly."""
        reduced = cost - self._A.T @ corner.row_dual
        unit = 1.0 + float(np.max(np.abs(cost), initial=0.0))
        columns = (self._columns.basic, reduced, corner.x, bounds.lower, bounds.upper)
        reached = self._A @ corner.x
        rows = (self._limits.basic, corner.row_dual, reached, bounds.row_lower, bounds.row_upper)
        for basic, multipliers, values, lower, upper in (columns, rows):
            held = ~basic & (lower < upper)
            room = np.minimum(values - lower, upper - values)[basic]
            if not is_real(np.abs(multipliers[held]), unit).all():
                return False
            if (room <= ACTIVE * (1.0 + np.abs(values[basic]))).any():
                return False
        return True


def _standing(sides: Array, lower: Array, upper: Array) -> Array:
    return np.where(sides < 0, lower, np.where(sides > 0, upper, 0.0))


def _within(values: Array, lower: Array, upper: Array) -> bool:
    room = POINT_FEASIBILITY * (1.0 + np.abs(values))
    return bool(((values >= lower - room) & (values <= upper + room)).all())


def _right_signs(reduced: Array, sides: Array, lower: Array, upper: Array, cost: Array) -> bool:
    """Whether no variable would better leave the limit that it stands at."""
    unit = POINT_FEASIBILITY * (1.0 + float(np.max(np.abs(cost), initial=0.0)))
    wrong = np.where(sides == 0, np.abs(reduced), np.where(sides < 0, -reduced, reduced))
    return bool((wrong[lower < upper] <= unit).all())
