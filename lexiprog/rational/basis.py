"""Bases: which variables are at which limit, as HiGHS tells it, and what that means exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType
from typing import Literal

import highspy
import numpy as np
from numpy.typing import NDArray

from lexiprog.backends.warm_basis import basis_of, statuses_of
from lexiprog.deadline import Deadline
from lexiprog.rational.numbers import RationalVector, Vector, library
from lexiprog.rational.program import IntegerMatrix, Limits, Line, within
from lexiprog.rational.systems import Factor
from lexiprog.typing import cached_property

LOWER, BASIC, UPPER, ZERO = -1, 0, 1, 2  # HiGHS's numbers less one
PRIME = (1 << 61) - 1


@dataclass(frozen=True)
class Basis:
    """Where each column and each row's activity is: LOWER, UPPER, ZERO or BASIC.

    As many are basic as there are rows; the others are at a limit, or at zero if they have none,
    and determine them.
    """

    places: NDArray[np.int8]

    @classmethod
    def of_rows(cls, matrix: IntegerMatrix, lower: Limits, upper: Limits) -> Basis:
        """The basis of all rows' activities, with every column at a limit."""
        places = np.zeros(matrix.n + matrix.m, dtype=np.int8)
        places[: matrix.n] = ZERO
        return cls(places).settled(lower, upper)

    @classmethod
    def from_highs(cls, basis: highspy.HighsBasis, lower: Limits, upper: Limits) -> Basis:
        """What HiGHS found, with every variable that is not basic at a limit it has."""
        places = np.concatenate(statuses_of(basis))[: len(lower)] - 1
        return cls(np.minimum(places, ZERO).astype(np.int8)).settled(lower, upper)

    def to_highs(self, columns: int, extra: int = 0) -> highspy.HighsBasis:
        """The same for HiGHS, which keeps columns and rows apart.

        With ``extra`` equations that no variable here stands for, all of them holding.
        """
        statuses = np.append(self.places, np.full(extra, LOWER)) + 1
        return basis_of(statuses[:columns], statuses[columns:])

    def settled(self, lower: Limits, upper: Limits) -> Basis:
        """The same basic variables; the others at a limit they have, ZERO if there is none."""
        places = self.places.copy()
        for v in np.flatnonzero(places).tolist():
            wanted, low, high = places[v], lower[v], upper[v]
            if low is None and high is None:
                places[v] = ZERO
            elif low is None or high is None:
                places[v] = LOWER if high is None else UPPER
            elif wanted == ZERO:
                places[v] = LOWER if abs(low) <= abs(high) else UPPER
        return Basis(places)

    def exchange(self, leaving: int, to: int, entering: int) -> Basis:
        """One basic variable goes to a limit and another becomes basic."""
        places = self.places.copy()
        places[leaving], places[entering] = to, BASIC
        return Basis(places)

    def moved(self, targets: Mapping[int, int]) -> Basis:
        """Some variables that are not basic go to another limit."""
        places = self.places.copy()
        for v, to in targets.items():
            places[v] = to
        return Basis(places)


class ExactVertex:
    """A basis solved exactly: the point it determines and the reduced costs of any objective.

    Parameters
    ----------
    matrix : IntegerMatrix
        Whose rows the point obeys.
    basis : Basis
        With as many basic variables as there are rows.
    deadline : Deadline, optional
        After which OutOfTime is raised.
    """

    def __init__(
        self, matrix: IntegerMatrix, basis: Basis, deadline: Deadline | None = None
    ) -> None:
        self.matrix, self.basis, self._deadline = matrix, basis, deadline
        basic = basis.places == BASIC
        self.basic: list[int] = np.flatnonzero(basic).tolist()
        self.others: list[int] = np.flatnonzero(~basic).tolist()
        self._columns = [v for v in self.basic if v < matrix.n]
        # A row whose activity is basic only tells what that activity is.
        self._rows = [v - matrix.n for v in self.others if v >= matrix.n]
        self._free_rows = [v - matrix.n for v in self.basic if v >= matrix.n]

    @cached_property
    def factor(self) -> Factor:
        """The basic columns in the rows that hold."""
        columns, rows = self.matrix.columns, self.matrix.rows
        return Factor(
            within([rows[i] for i in self._rows], self._columns),
            within([columns[j] for j in self._columns], self._rows),
            self._deadline,
        )

    def point(self, values: Mapping[int, int]) -> Vector:
        """All variables when those that are not basic have these values, zero if not named."""
        n, fmpz = self.matrix.n, library().fmpz
        size, one = n + self.matrix.m, fmpz(1)
        found = Vector([fmpz(0)] * size, [one] * size)
        moved = [0] * self.matrix.m
        for v, value in values.items():
            found.numerators[v] = fmpz(value)
            if v >= n:
                moved[v - n] += value
            else:
                for i, coefficient in zip(*self.matrix.columns[v], strict=True):
                    moved[i] -= coefficient * value
        solution = self.factor.solve([moved[i] for i in self._rows])
        _place(found, self._columns, solution)
        for i in self._free_rows:
            top, bottom = found.dot(*self.matrix.rows[i])
            found.numerators[n + i], found.denominators[n + i] = top, bottom
        return found

    def vertex(self, lower: Limits, upper: Limits) -> Vector:
        """All variables when those that are not basic are at their limits."""
        places = self.basis.places.tolist()
        at = {v: lower[v] if places[v] == LOWER else upper[v] for v in self.others}
        return self.point({v: value for v, value in at.items() if value and places[v] != ZERO})

    def reduced(self, cost: Mapping[int, int]) -> Vector:
        """Reduced costs of all variables for an objective over columns and activities."""
        n, fmpz = self.matrix.n, library().fmpz
        size, one = n + self.matrix.m, fmpz(1)
        found = Vector([fmpz(0)] * size, [one] * size)
        needed = dict(cost)
        for i in self._free_rows:
            value = cost.get(n + i, 0)
            if value:  # a basic activity is priced through its row
                for j, coefficient in zip(*self.matrix.rows[i], strict=True):
                    needed[j] = needed.get(j, 0) + value * coefficient
        solution = self.factor.solve_transposed([needed.get(j, 0) for j in self._columns])
        prices = Vector([fmpz(0)] * self.matrix.m, [one] * self.matrix.m)
        _place(prices, self._rows, solution)
        for v in self.others:
            if v < n:
                places, coefficients = self.matrix.columns[v]
                top, bottom = prices.dot(places, coefficients, -needed.get(v, 0))
                found.numerators[v], found.denominators[v] = -top, bottom
            else:
                top, bottom = prices.numerators[v - n], prices.denominators[v - n]
                extra = cost.get(v, 0)
                found.numerators[v] = top + extra * bottom if extra else top
                found.denominators[v] = bottom
        return found


def repaired(matrix: IntegerMatrix, basis: Basis, lower: Limits, upper: Limits) -> Basis:
    """A basis that is none, for its columns depend on each other, with activities instead.

    Independence modulo a prime is independence; the contrary may fail for one prime in billions,
    which then costs a few pivots and nothing else.
    """
    corner = ExactVertex(matrix, basis)
    n, flint = matrix.n, library()
    columns = [v for v in corner.basic if v < n]
    rows = [v - n for v in corner.others if v >= n]
    # A basis of another size than the number of rows is repaired as well.
    wide = _residues(within([matrix.rows[i] for i in rows], columns), len(columns))
    kept = [columns[k] for k in _pivots(flint, wide, len(columns))]
    tall = _residues(within([matrix.columns[j] for j in kept], rows), len(rows))
    holding = {rows[k] for k in _pivots(flint, tall, len(rows))}
    places = basis.places.copy()
    places[: matrix.n][places[: matrix.n] == BASIC] = ZERO
    places[kept] = BASIC
    places[[n + i for i in rows if i not in holding]] = BASIC
    return Basis(places).settled(lower, upper)


def _pivots(flint: ModuleType, table: list[list[int]], width: int) -> list[int]:
    """Columns of a table that do not depend on those before them."""
    if not table or not width:
        return []
    echelon, rank = flint.nmod_mat(table, PRIME).rref()
    lines = echelon.tolist()[:rank]
    return [next(k for k, value in enumerate(line) if int(value)) for line in lines]


def _residues(lines: Sequence[Line], width: int) -> list[list[int]]:
    table = [[0] * width for _ in lines]
    for values, (places, coefficients) in zip(table, lines, strict=True):
        for place, coefficient in zip(places, coefficients, strict=True):
            values[place] = coefficient % PRIME
    return table


def _place(found: Vector, places: Sequence[int], values: Vector) -> None:
    for k, place in enumerate(places):
        found.numerators[place] = values.numerators[k]
        found.denominators[place] = values.denominators[k]


# What an exact solution is: an optimum with its proof, or the proof that there is none.

Kind = Literal["optimal", "infeasible", "unbounded"]
ExactStatus = Literal["optimal", "infeasible", "unbounded", "time_limit"]


NOTHING = Vector([], [])


@dataclass(frozen=True)
class Found:
    """How a search ended, with vectors over columns and activities in whole units.

    ``point`` and ``reduced`` are those of the basis; ``ray`` is a direction (unbounded) or weights
    of all variables whose sum is zero by the rows but positive within the limits (infeasible).
    """

    kind: Kind
    basis: Basis
    point: Vector = NOTHING
    reduced: Vector = NOTHING
    ray: Vector = NOTHING


@dataclass(frozen=True)
class ExactFace:
    """A face of a feasible set: what stays at its bound.

    Attributes
    ----------
    columns : dict of int to int
        Columns that stay at their lower (-1) or upper (+1) bound.
    rows : frozenset of int
        Inequalities ``Ax <= b`` that hold as equations.
    """

    columns: dict[int, int] = field(default_factory=dict)
    rows: frozenset[int] = frozenset()

    @classmethod
    def common(cls, faces: Iterable[ExactFace]) -> ExactFace:
        """What lies in all of the faces."""
        columns: dict[int, int] = {}
        rows: frozenset[int] = frozenset()
        for face in faces:
            columns = face.columns | columns
            rows |= face.rows
        return cls(columns, rows)


@dataclass(frozen=True)
class Tight:
    """Which bounds and rows a point meets exactly, among those of the whole program."""

    lower: frozenset[int] = frozenset()
    upper: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()


@dataclass
class Effort:
    """What a proof took.

    Attributes
    ----------
    runs : int
        Runs of HiGHS, corrections included.
    corrections : int
        Runs that magnified what was exactly wrong with a basis.
    pivots : int
        Pivots in exact arithmetic.
    core : int
        Rows of the largest system that was not solved by substitution alone.
    seconds : float
        Wall-clock time.
    """

    runs: int = 0
    corrections: int = 0
    pivots: int = 0
    core: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """A proved answer; every number in it is exact, and was checked against the data.

    Attributes
    ----------
    status : {"optimal", "infeasible", "unbounded", "time_limit"}
        The last one means that nothing was proved in time.
    value : Fraction or None
        The optimum, offset included.
    x : RationalVector or None
        An optimal point; if unbounded, a feasible one.
    y : RationalVector or None
        Multipliers of the rows ``b - Ax``: not negative for inequalities that the face does not
        fix. If infeasible, weights of the rows that prove it: ``b'y`` is less than
        ``(A'y)'x`` for every ``x`` within its bounds.
    reduced : RationalVector or None
        ``c + A'y``; if infeasible, ``A'y``.
    direction : RationalVector or None
        If unbounded, where the objective falls for ever.
    crossed : int or None
        A column whose lower bound is above its upper one: infeasible without any row.
    face : ExactFace
        All optimal points: what the multipliers fix, and what was fixed before.
    tight : Tight
        What the optimal point meets.
    basis : Basis or None
        Where it ended; the next level may start from it.
    effort : Effort
        What it took.
    """

    status: ExactStatus
    value: Fraction | None = None
    x: RationalVector | None = None
    y: RationalVector | None = None
    reduced: RationalVector | None = None
    direction: RationalVector | None = None
    crossed: int | None = None
    face: ExactFace = field(default_factory=ExactFace)
    tight: Tight = field(default_factory=Tight, repr=False)
    basis: Basis | None = field(default=None, repr=False)
    effort: Effort = field(default_factory=Effort, repr=False)
