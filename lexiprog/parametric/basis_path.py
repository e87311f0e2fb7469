"""Follow the optimal basis of a linear program while its limits move: the parametric simplex.

A basis stays optimal until one of its variables runs into a limit. That variable then leaves, and
another enters by the dual ratio test, so that the multipliers stay right and the next segment
begins where the last one ended. Each exchange costs two solves with the factored basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import SuperLU, splu

from lexiprog.backends.highs import BasicPoint
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.tolerances import PIVOT_ROUNDING, RATIO_TEST_FLOOR, SMALL_PIVOT
from lexiprog.typing import Array, Mask, Matrix, cached_property

# A factored basis matrix, updated while columns come and go.

# After this many exchanges fresh factors are cheaper than carrying the exchanges along.
EXCHANGES = 16


class SingularBasis(ArithmeticError):
    """A choice of variables whose columns are not independent, as far as rounding can tell."""


class FactoredBasis:
    """Solves with the matrix ``B`` whose columns are those of the basic variables.

    Parameters
    ----------
    columns : sparse array of shape (m, n + m)
        Columns of every variable.
    basic : ndarray of int, shape (m,)
        Which of them are in the basis; a copy is kept in ``basic``.
    """

    def __init__(self, columns: Matrix, basic: NDArray[np.intp]) -> None:
        self._columns = columns
        self.basic = np.array(basic, dtype=np.intp)
        self._factorise()

    @property
    def fresh(self) -> bool:
        """Whether no column was exchanged since the last factorisation."""
        return not self._exchanges

    def solve(self, right: Array) -> Array:
        """``B x = right``; many right-hand sides are columns of an array, with fresh factors."""
        out: Array = self._factors.solve(right)
        for position, spike in self._exchanges:
            step = out[position] / spike[position]
            out -= step * spike
            out[position] = step
        return out

    def solve_transposed(self, right: Array) -> Array:
        """``B' y = right``; many right-hand sides as in ``solve``."""
        right = np.array(right, dtype=float)
        for position, spike in reversed(self._exchanges):
            rest = spike @ right - spike[position] * right[position]
            right[position] = (right[position] - rest) / spike[position]
        out: Array = self._factors.solve(right, "T")
        return out

    def column(self, variable: int) -> Array:
        """``B^-1`` times the column of one variable."""
        out = np.zeros(self.basic.size)
        start, stop = self._columns.indptr[variable : variable + 2]
        out[self._columns.indices[start:stop]] = self._columns.data[start:stop]
        return self.solve(out)

    def row(self, position: int) -> Array:
        """One row of ``B^-1``."""
        unit = np.zeros(self.basic.size)
        unit[position] = 1.0
        return self.solve_transposed(unit)

    def exchange(self, position: int, variable: int, spike: Array) -> bool:
        """Let a variable, whose ``column`` is ``spike``, take a place; True if factorised anew."""
        self.basic[position] = variable
        self._exchanges.append((position, spike))
        if len(self._exchanges) < EXCHANGES:
            return False
        self._factorise()
        return True

    def refresh(self) -> None:
        """Factorise anew unless that has just been done."""
        if not self.fresh:
            self._factorise()

    def _factorise(self) -> None:
        self._exchanges: list[tuple[int, Array]] = []
        matrix = sp.csc_array(self._columns[:, self.basic])
        try:
            self._factors: SuperLU = splu(matrix)
        except RuntimeError as error:  # what SuperLU says of an exact zero pivot
            raise SingularBasis("the basis is singular.") from error


# A linear program whose limits move at a constant rate.
#
#     minimise   cost'x
#     subject to lower + t lower_rate <= (x, Ax) <= upper + t upper_rate
#
# Columns and rows are treated alike: a row is one more variable, equal to ``Ax``. So a basis is a
# choice of as many of the ``n + m`` variables as there are rows, and whatever is not in it stands
# at one of its limits.

EVERY = slice(None)


@dataclass(frozen=True)
class MovingProgram:
    """A linear program with limits that move with ``t``; rows follow columns in every array.

    Attributes
    ----------
    cost : ndarray of shape (n,)
    A : sparse array of shape (m, n)
    lower, upper : ndarray of shape (n + m,)
        Limits of columns and rows at ``t = 0``.
    lower_rate, upper_rate : ndarray of shape (n + m,)
        What one unit of ``t`` adds to them; zero where a limit is infinite.
    """

    cost: Array
    A: Matrix
    lower: Array
    upper: Array
    lower_rate: Array
    upper_rate: Array

    @classmethod
    def of(cls, form: StandardForm, direction: Array) -> MovingProgram:
        """The linear form with ``b + t direction`` in the place of ``b``."""
        bounds = Bounds.of(form)
        still = np.zeros(form.c.size)
        below = np.where(np.arange(form.b.size) < form.cones.zero, direction, 0.0)
        return cls(
            cost=form.c,
            A=sp.csc_array(form.A),
            lower=np.concatenate([bounds.lower, bounds.row_lower]),
            upper=np.concatenate([bounds.upper, bounds.row_upper]),
            lower_rate=np.concatenate([still, below]),
            upper_rate=np.concatenate([still, direction]),
        )

    @property
    def size(self) -> int:
        """Number of columns."""
        return self.cost.size

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.A.shape[0])

    @cached_property
    def columns(self) -> Matrix:
        """``(A, -1)``: what every variable, rows included, adds to the equations ``Ax - r = 0``."""
        return sp.csc_array(sp.hstack([self.A, -sp.eye_array(self.rows)], format="csc"))

    @cached_property
    def transposed(self) -> Matrix:
        """``A'``, for products with multipliers."""
        return sp.csr_array(sp.csc_array(self.A).T)

    @cached_property
    def full_cost(self) -> Array:
        """Costs of columns and rows; rows cost nothing."""
        return np.concatenate([self.cost, np.zeros(self.rows)])

    @cached_property
    def fixed(self) -> Mask:
        """Variables that have one value at every ``t``."""
        return np.asarray((self.lower == self.upper) & (self.lower_rate == self.upper_rate))

    @cached_property
    def loosens(self) -> bool:
        """Whether every limit only gives way as ``t`` grows, so that the optimum only falls."""
        return bool(np.all(self.lower_rate <= 0.0) and np.all(self.upper_rate >= 0.0))

    def backwards(self) -> MovingProgram:
        """The same program seen from ``-t``."""
        return MovingProgram(
            self.cost, self.A, self.lower, self.upper, -self.lower_rate, -self.upper_rate
        )

    def limits(self, t: float, variables: NDArray[np.intp] | slice = EVERY) -> tuple[Array, Array]:
        """Lower and upper limits at ``t``, of all variables or of some."""
        return (
            self.lower[variables] + t * self.lower_rate[variables],
            self.upper[variables] + t * self.upper_rate[variables],
        )

    def at(self, t: float) -> Bounds:
        """The limits at ``t``, as a solver takes them."""
        lower, upper = self.limits(t)
        return Bounds(
            lower[: self.size], upper[: self.size], lower[self.size :], upper[self.size :]
        )

    def reduced(self, y: Array) -> Array:
        """Reduced costs of all variables under the multipliers ``y``, ``cost = A'y + reduced``."""
        return np.concatenate([self.cost - self.transposed @ y, y])

    def tableau(self, y: Array) -> Array:
        """The equations ``Ax - r = 0`` added up with the weights ``y``: a factor a variable."""
        return np.concatenate([self.transposed @ y, -y])


# Exchanges at one place after which the rule takes over that cannot go in circles, or all stops.
STALLED, HOPELESS = 100, 10_000


@dataclass(frozen=True)
class Segment:
    """Where one basis is optimal, what its optimum does there, and the multipliers that prove it.

    Attributes
    ----------
    start, stop : float
    x, x_rate : ndarray
        The columns at ``start`` and their change with ``t``.
    y : ndarray
        Multipliers of the rows, ``cost = A'y + reduced``.
    slope : float
        Change of the optimum with ``t``.
    basic : ndarray of int
        Who is in the basis.
    """

    start: float
    stop: float
    x: Array
    x_rate: Array
    y: Array
    slope: float
    basic: NDArray[np.intp]

    def vertex(self, program: MovingProgram) -> BasicPoint:
        """The vertex at ``start``, to go on from."""
        return BasicPoint(np.concatenate([self.x, program.A @ self.x]), self.y, self.basic)


@dataclass(frozen=True)
class BlockingConstraint:
    """Beyond ``t`` nothing is feasible: ``y`` combines the rows to a contradiction."""

    t: float
    y: Array


class LostBasis(ArithmeticError):
    """A basis walk ended by rounding; ``t`` is how far it came."""

    def __init__(self, message: str, t: float) -> None:
        super().__init__(message)
        self.t = t


def segments(
    program: MovingProgram, vertex: BasicPoint, start: float, stop: float = np.inf
) -> Iterator[Segment | BlockingConstraint]:
    """The segments from ``start`` to ``stop``, also empty ones; a BlockingConstraint ends them.

    Parameters
    ----------
    program : MovingProgram
    vertex : BasicPoint
        An optimal vertex at ``start``.
    start, stop : float

    Raises
    ------
    LostBasis
        If no exchange can be trusted.
    """
    walk = None
    try:
        walk = _BasisTracer(program, vertex, start)
        yield from walk.until(stop)
    except SingularBasis as error:
        raise LostBasis(str(error), start if walk is None else walk.t) from error


class _BasisTracer:
    """Basis, values and rates of all variables, and reduced costs, at ``t``."""

    def __init__(self, program: MovingProgram, vertex: BasicPoint, t: float) -> None:
        self.program, self.t = program, t
        self.factor = FactoredBasis(program.columns, vertex.basic)
        self.dual_step = PIVOT_ROUNDING * float(np.max(np.abs(program.cost), initial=0.0))
        self.side = _sides(program, vertex, t)
        free = ~np.isfinite(program.lower) & ~np.isfinite(program.upper)
        self.free = np.flatnonzero(free)
        self._recompute()

    def until(self, stop: float) -> Iterator[Segment | BlockingConstraint]:
        """All that comes before ``stop``."""
        stalled = 0
        while True:
            position, reached, side = self._first_hit(smallest_index=stalled > STALLED)
            yield self._segment(min(reached, stop))
            if reached >= stop:
                return
            stalled = stalled + 1 if reached <= self.t else 0
            if stalled > HOPELESS:
                raise LostBasis(f"{stalled} exchanges of basic variables led nowhere.", self.t)
            self.value += (reached - self.t) * self.rate
            self.t = reached
            if not self._exchange(position, side, smallest_index=stalled > STALLED):
                yield BlockingConstraint(self.t, side * self.factor.row(position))
                return

    def _recompute(self) -> None:
        """Values, rates and reduced costs from the basis and the sides alone."""
        program, basic = self.program, self.factor.basic
        below, above = self.side < 0, self.side > 0
        lower, upper = program.limits(self.t)
        self.value = np.where(below, lower, np.where(above, upper, 0.0))
        self.rate = np.where(below, program.lower_rate, np.where(above, program.upper_rate, 0.0))
        self.value[basic] = self.rate[basic] = 0.0
        self.value[basic] = -self.factor.solve(program.columns @ self.value)
        self.rate[basic] = -self.factor.solve(program.columns @ self.rate)
        y = self.factor.solve_transposed(program.full_cost[basic])
        self.reduced = program.reduced(y)
        self.reduced[basic] = 0.0

    def _segment(self, stop: float) -> Segment:
        size = self.program.size
        return Segment(
            start=self.t,
            stop=stop,
            x=self.value[:size].copy(),
            x_rate=self.rate[:size].copy(),
            y=self.reduced[size:].copy(),
            slope=float(self.reduced @ self.rate),
            basic=self.factor.basic.copy(),
        )

    def _first_hit(self, *, smallest_index: bool) -> tuple[int, float, int]:
        """The basic variable that meets a limit first, where, and which: -1 lower, 1 upper."""
        basic, program = self.factor.basic, self.program
        lower, upper = program.limits(self.t, basic)
        value, rate = self.value[basic], self.rate[basic]
        speed = np.stack([program.lower_rate[basic] - rate, rate - program.upper_rate[basic]])
        room = np.stack([value - lower, upper - value])
        coming = (speed > PIVOT_ROUNDING * np.max(np.abs(speed), initial=0.0)) & (room < np.inf)
        if not coming.any():
            return -1, np.inf, 0
        room, speed = np.where(coming, np.maximum(room, 0.0), np.inf), np.where(coming, speed, 1.0)
        size = np.abs(value)
        latest = np.min((room + PIVOT_ROUNDING * size + RATIO_TEST_FLOOR * np.max(size)) / speed)
        near = coming & (room <= latest * speed)
        # Of those that meet their limits together, the one that would overstep it fastest.
        order = np.where(near, -1.0 - basic if smallest_index else speed, -np.inf)
        line, position = np.unravel_index(int(np.argmax(order)), order.shape)
        step = room[line, position] / speed[line, position]
        return int(position), self.t + float(step), 1 if line else -1

    def _exchange(self, position: int, side: int, *, smallest_index: bool) -> bool:
        """Send a basic variable to its limit and let another in; False if none can come."""
        program, basic = self.program, self.factor.basic
        while True:
            alpha = program.tableau(self.factor.row(position))
            alpha[basic] = 0.0
            entering = self._entering(side * alpha, smallest_index=smallest_index)
            large = np.abs(alpha[entering]) > SMALL_PIVOT * np.max(np.abs(alpha))
            if self.factor.fresh or (entering >= 0 and large):
                break
            self.factor.refresh()
            self._recompute()
        if entering < 0:
            return False
        spike, leaving = self.factor.column(entering), basic[position]
        limit, limit_rate = (
            (program.upper, program.upper_rate) if side > 0 else (program.lower, program.lower_rate)
        )
        for moved, target in (
            (self.value, limit[leaving] + self.t * limit_rate[leaving]),
            (self.rate, limit_rate[leaving]),
        ):
            step = (moved[leaving] - target) / spike[position]
            moved[basic] -= step * spike
            moved[entering] += step
            moved[leaving] = target
        # A sign that was overstepped is put right here: the multiplier stays where it is.
        theta = side * max(side * self.reduced[entering] / alpha[entering], 0.0)
        self.reduced -= theta * alpha
        self.reduced[leaving], self.reduced[entering] = -theta, 0.0
        self.side[leaving], self.side[entering] = side, 0
        if self.factor.exchange(position, entering, spike):
            self._recompute()
        return True

    def _entering(self, alpha: Array, *, smallest_index: bool) -> int:
        """Whose reduced cost reaches zero first, falling with ``alpha``; -1 if none ever does."""
        # At a lower limit a reduced cost falls towards zero, at an upper one it rises.
        blocks = -self.side * alpha
        blocks[self.free] = np.abs(alpha[self.free])
        blocks[self.program.fixed] = 0.0
        candidates = np.flatnonzero(blocks > PIVOT_ROUNDING * np.max(np.abs(alpha), initial=0.0))
        if not candidates.size:
            return -1
        pivots = blocks[candidates]
        # Variables without limits have side zero: they must not wait at all.
        distance = np.maximum(-self.side[candidates] * self.reduced[candidates], 0.0)
        furthest = np.min((distance + self.dual_step) / pivots)
        near = distance <= furthest * pivots
        if smallest_index:
            return int(candidates[near][0])
        return int(candidates[np.argmax(np.where(near, pivots, 0.0))])


def _sides(program: MovingProgram, vertex: BasicPoint, t: float) -> NDArray[np.int8]:
    """At which limit each variable stands: -1 lower, 1 upper, 0 in the basis or without limits."""
    lower, upper = program.limits(t)
    low, high = np.isfinite(lower), np.isfinite(upper)
    nearer = np.abs(vertex.values - lower) <= np.abs(upper - vertex.values)
    sides = np.where(low & (nearer | ~high), -1, np.where(high, 1, 0)).astype(np.int8)
    sides[vertex.basic] = 0
    return sides
