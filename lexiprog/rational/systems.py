"""Square systems of whole numbers, solved exactly: substitution, then a small core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from numpy.typing import NDArray

from lexiprog.deadline import Deadline
from lexiprog.rational.numbers import Integer, Vector, library

# Solve a sparse system of whole numbers exactly, digit by digit, from a factorisation in floats.
#
# Each round solves for the residual in floats, keeps what is certain as one more digit, and
# computes the next residual in whole numbers, without any rounding. When there are digits enough,
# the only fraction that is so near with so small a denominator is found by continued fractions,
# and checked. (Wan, "An algorithm to solve integer linear systems exactly using numerical
# methods", 2006.) Against p-adic lifting the factorisation stays sparse, which wins for hundreds
# of rows.

Line = tuple[Sequence[int], Sequence[int]]
Whole = NDArray[np.int64]
Quotients = tuple[list[Integer], Integer]  # numerators and their denominator

LIMB = 30  # bits of a part of a number too large for int64
MOST_STEPS = 100_000


class Lifting:
    """A square matrix of whole numbers, factorised in floats.

    Parameters
    ----------
    rows : sequence of (places, coefficients)
        The matrix, row by row.

    Raises
    ------
    ArithmeticError
        If it is singular or its numbers are too large, as far as floats can tell.
    """

    def __init__(self, rows: Sequence[Line]) -> None:
        self._rows, size = rows, len(rows)
        places = np.concatenate([np.asarray(line, dtype=np.int32) for line, _ in rows])
        starts = np.cumsum([0, *(len(line) for line, _ in rows)])
        values = [value for _, line in rows for value in line]
        try:
            floats = sp.csr_array((np.array(values, dtype=float), places, starts), (size, size))
            self._factor: sl.SuperLU = sl.splu(sp.csc_array(floats))
        except (OverflowError, RuntimeError) as error:
            raise ArithmeticError("Singular in floats.") from error
        largest = max(abs(value) for value in values).bit_length()
        spare = 61 - max(len(line) for line, _ in rows).bit_length()
        parts = 1 if largest + 32 <= spare else -(-largest // LIMB)
        width = largest if parts == 1 else LIMB
        self._most_bits = min(40, (spare - width) // 8 * 8)
        self._width = width
        self._limbs = [
            sp.csr_array((_part(values, k, width), places, starts), (size, size))
            for k in range(parts)
        ]
        with np.errstate(divide="ignore"):
            self._determinant = float(np.log2(np.abs(self._factor.U.diagonal())).sum())

    def solve(self, rhs: Sequence[int], deadline: Deadline | None = None) -> Quotients:
        """Whole numerators and their common denominator.

        Raises
        ------
        ArithmeticError
            If floats are too coarse for this matrix.
        OutOfTime
            If the deadline has come.
        """
        for bits in range(self._most_bits, 7, -16):
            found = self._solve(rhs, bits, deadline)
            if found is not None:
                return found
        raise ArithmeticError("Floats are too coarse for this matrix.")

    def _solve(self, rhs: Sequence[int], bits: int, deadline: Deadline | None) -> Quotients | None:
        whole, residual = self._whole_part(rhs)
        if whole is None:
            return None
        size = max(abs(value) for value in whole).bit_length()
        # The denominator divides the determinant; twice its digits name the fraction.
        most = 2 * self._determinant + size + 64 + 2 * bits
        digits: list[Whole] = []
        target = min(most, 256.0)
        while len(digits) < MOST_STEPS:
            while len(digits) * bits < target:
                rest = self._step(residual, bits, digits)
                if rest is None:
                    return None
                residual = rest
                if deadline is not None:
                    deadline.check()
            found = self._rational(whole, digits, bits, rhs)
            if found is not None:
                return found
            if target >= most:
                return None
            target = min(most, 2.5 * target)
        return None

    def _whole_part(self, rhs: Sequence[int]) -> tuple[list[int] | None, list[Whole]]:
        """The solution to the nearest whole numbers or so, and the residual in limbs."""
        whole, rest = [0] * len(rhs), list(rhs)
        for _ in range(100):
            try:
                change = self._factor.solve(np.array(rest, dtype=float))
            except OverflowError:
                return None, []
            if not np.isfinite(change).all():
                return None, []
            moves = [round(value) for value in change.tolist()]
            if not any(moves):
                break
            whole = [a + b for a, b in zip(whole, moves, strict=True)]
            rest = [r - _dot(line, moves) for r, line in zip(rest, self._rows, strict=True)]
        else:
            return None, []
        parts = len(self._limbs)
        if max(map(abs, rest), default=0).bit_length() >= self._width * (parts - 1) + 61:
            return None, []
        return whole, [_part(rest, k, self._width, top=parts - 1) for k in range(parts)]

    def _step(self, residual: list[Whole], bits: int, digits: list[Whole]) -> list[Whole] | None:
        """One more digit of every entry, and what is left; None if floats are too coarse."""
        floats = sum(math.ldexp(1.0, self._width * k) * r for k, r in enumerate(residual))
        change = np.rint(np.ldexp(self._factor.solve(floats), bits))
        # A digit that is larger than its place says that the one before it was wrong.
        if not np.abs(change).max(initial=0.0) < math.ldexp(1.0, bits + 1):
            return None
        digit = change.astype(np.int64)
        digits.append(digit)
        out, carry = [], np.zeros_like(digit)
        last = len(self._limbs) - 1
        if np.abs(residual[last]).max(initial=0) >= 1 << (61 - bits):
            return None
        for k, (limb, r) in enumerate(zip(self._limbs, residual, strict=True)):
            rest = (r << bits) - limb @ digit + carry
            if k < last:
                carry = (rest + (1 << (self._width - 1))) >> self._width
                rest = rest - (carry << self._width)
            out.append(rest)
        return out

    def _rational(
        self, whole: list[int], digits: list[Whole], bits: int, rhs: Sequence[int]
    ) -> Quotients | None:
        fmpz, table = library().fmpz, np.array(digits)
        length = bits * len(digits)
        # One entry tells for all, as a rule, whether there are digits enough.
        first = [fmpz(value) for value in _joined(whole[:1], table[:, :1], bits)]
        denominator = _common_denominator(first, length, fmpz(1))
        if denominator is None:
            return None
        scaled = [fmpz(value) for value in _joined(whole, table, bits)]
        denominator = _common_denominator(scaled, length, denominator)
        if denominator is None:
            return None
        half = fmpz(1) << (length - 1)
        numerators = [(value * denominator + half) >> length for value in scaled]
        right = all(
            _dot(line, numerators) == denominator * value
            for line, value in zip(self._rows, rhs, strict=True)
        )
        return (numerators, denominator) if right else None


def _dot(line: Line, values: Sequence[Integer]) -> Integer:
    return sum(value * values[place] for place, value in zip(*line, strict=True))


def _part(values: Sequence[int], k: int, width: int, top: int = -1) -> Whole:
    """Bits ``k * width`` and up of the magnitudes, with their signs; all the rest for the top."""
    mask = (1 << width) - 1
    shifted = [abs(value) >> (k * width) for value in values]
    kept = shifted if k == top else [value & mask for value in shifted]
    signs = [-1 if value < 0 else 1 for value in values]
    return np.array([a * b for a, b in zip(kept, signs, strict=True)], dtype=np.int64)


def _joined(whole: list[int], digits: Whole, bits: int) -> list[int]:
    """``(whole + 0.digits) * 2**(bits * len(digits))``: carries in numpy, then bytes to numbers."""
    table = digits.copy()
    carry = np.zeros(table.shape[1], dtype=np.int64)
    for k in range(len(digits) - 1, -1, -1):
        total = table[k] + carry
        carry = total >> bits
        table[k] = total & ((1 << bits) - 1)
    tail = table[::-1].T.astype("<i8", order="C").view(np.uint8)
    tail = tail.reshape(table.shape[1], len(digits), 8)[:, :, : bits // 8]
    return [
        ((high + more) << (bits * len(digits))) + int.from_bytes(low.tobytes(), "little")
        for high, more, low in zip(whole, carry.tolist(), tail, strict=True)
    ]


def _common_denominator(scaled: list[Integer], length: int, denominator: Integer) -> Integer:
    """A multiple of ``denominator`` that makes every ``scaled / 2**length`` nearly whole, or None.

    None if it has more than half of the digits, for then it says nothing.
    """
    fmpz = library().fmpz
    one = fmpz(1) << length
    for value in scaled:
        rest = (value * denominator) % one
        near = denominator << 2
        if rest <= near or one - rest <= near:
            continue
        # Continued fractions, until the quotient is as near as the digits are.
        above, below, before, now = one, rest, fmpz(0), fmpz(1)
        while below > near * now:
            times, remainder = divmod(above, below)
            above, below, before, now = below, remainder, now, before + times * now
        denominator *= now
        if 2 * denominator.bit_length() + 3 > length:
            return None
    return denominator


# Peel a square sparse matrix: what can be solved by substitution, and the core that cannot.

Pattern = Sequence[Sequence[int]]


class SingularError(ArithmeticError):
    """A matrix whose columns depend on each other."""


@dataclass(frozen=True)
class Peeling:
    """An order in which a square system is solved.

    Attributes
    ----------
    first : list of (row, column)
        Each row's other columns stand before it in the list: solved by substitution.
    core : (rows, columns)
        Every row and column has at least two entries in it: solved together.
    last : list of (row, column)
        Each column's other rows stand before it in the list; solved from the end to the start.
    """

    first: list[tuple[int, int]]
    core: tuple[list[int], list[int]]
    last: list[tuple[int, int]]


def peel(rows: Pattern, columns: Pattern) -> Peeling:
    """Take away rows and columns with one entry until there are none.

    Parameters
    ----------
    rows, columns : sequence of sequences of int
        The columns of each row, the rows of each column.

    Raises
    ------
    SingularError
        If a row or a column is left without an entry.
    """
    by_row, by_column = _Lines(rows), _Lines(columns)
    first: list[tuple[int, int]] = []
    last: list[tuple[int, int]] = []
    waiting = [*by_row.singles(), *by_column.singles()]
    while waiting:
        lines, place = waiting.pop()
        if not lines.left[place]:
            continue
        if lines is by_row:
            i, j = place, lines.total[place]
            first.append((i, j))
        else:
            i, j = lines.total[place], place
            last.append((i, j))
        by_row.left[i] = by_column.left[j] = False
        by_row.remove(j, columns[j], waiting)
        by_column.remove(i, rows[i], waiting)
    core = (
        [i for i, left in enumerate(by_row.left) if left],
        [j for j, left in enumerate(by_column.left) if left],
    )
    return Peeling(first, core, last)


class _Lines:
    """Rows or columns while places of them are removed."""

    def __init__(self, lines: Pattern) -> None:
        self._count = [len(line) for line in lines]
        if 0 in self._count:
            raise SingularError("A row or column of the basis is empty.")
        # The sum of the places that are left names the place when it is the only one.
        self.total = [sum(line) for line in lines]
        self.left = [True] * len(lines)

    def singles(self) -> list[tuple[_Lines, int]]:
        """Lines with one entry."""
        return [(self, k) for k, count in enumerate(self._count) if count == 1]

    def remove(self, place: int, lines: Sequence[int], waiting: list[tuple[_Lines, int]]) -> None:
        """Take a place away from the lines that have it; those with one entry left now wait."""
        for k in lines:
            self._count[k] -= 1
            self.total[k] -= place
            if self.left[k] and self._count[k] <= 1:
                if self._count[k] == 0:
                    raise SingularError(
                        "Columns of the basis share their only row, or rows their column."
                    )
                waiting.append((self, k))


# Cores up to this size go to flint's dense p-adic lifting, larger ones to the sparse one.
DENSE = 200

SolveCore = Callable[[list[Integer], Deadline | None], Quotients]


class Factor:
    """A square matrix that is peeled once and solved for many right-hand sides.

    Parameters
    ----------
    rows, columns : sequence of (places, coefficients)
        The matrix, by row and by column.
    deadline : Deadline, optional
        After which OutOfTime is raised.

    Raises
    ------
    SingularError
        Here, or by a solution, if there is no unique one.

    Examples
    --------
    >>> from lexiprog.rational.systems import Factor
    >>> rows = [([0, 1], [2, 1]), ([0, 1], [1, 3])]
    >>> solution = Factor(rows, rows).solve([1, 0])
    >>> [f"{a}/{b}" for a, b in zip(solution.numerators, solution.denominators)]
    ['3/5', '-1/5']
    """

    def __init__(
        self, rows: Sequence[Line], columns: Sequence[Line], deadline: Deadline | None = None
    ) -> None:
        self._rows, self._columns, self._deadline = rows, columns, deadline
        self._order = peel([places for places, _ in rows], [places for places, _ in columns])
        self._cores: dict[bool, SolveCore] = {}

    @property
    def core_size(self) -> int:
        """Rows of what is left after peeling."""
        return len(self._order.core[0])

    def solve(self, rhs: Sequence[Integer]) -> Vector:
        """The solution of ``matrix x = rhs`` for whole numbers."""
        order = self._order
        return self._substitute(
            self._rows, rhs, order.first, order.core, order.last, transposed=False
        )

    def solve_transposed(self, rhs: Sequence[Integer]) -> Vector:
        """The solution of ``matrix' y = rhs`` for whole numbers."""
        order = self._order
        first, last = ([(j, i) for i, j in pairs] for pairs in (order.last, order.first))
        return self._substitute(self._columns, rhs, first, order.core[::-1], last, transposed=True)

    def _substitute(
        self,
        lines: Sequence[Line],
        rhs: Sequence[Integer],
        first: Iterable[tuple[int, int]],
        core: tuple[list[int], list[int]],
        last: Sequence[tuple[int, int]],
        *,
        transposed: bool,
    ) -> Vector:
        flint = library()
        zero, one = flint.fmpz(0), flint.fmpz(1)
        found = Vector([zero] * len(lines), [one] * len(lines))
        for line, place in first:
            _set(found, lines[line], rhs[line], place)
        if core[0]:
            self._set_core(found, lines, rhs, core, transposed=transposed)
        for line, place in reversed(last):
            _set(found, lines[line], rhs[line], place)
        return found

    def _set_core(
        self,
        found: Vector,
        lines: Sequence[Line],
        rhs: Sequence[Integer],
        core: tuple[list[int], list[int]],
        *,
        transposed: bool,
    ) -> None:
        # What is not known yet is zero in `found`, so that it does not enter these sums.
        sides = [found.dot(*lines[line], -rhs[line]) for line in core[0]]
        factor = library().fmpz(1)
        for _, bottom in sides:
            factor = factor.lcm(bottom)
        whole = [-top * (factor // bottom) for top, bottom in sides]
        if not any(whole):
            return
        if transposed not in self._cores:
            self._cores[transposed] = _core(lines, core)
        numerators, denominator = self._cores[transposed](whole, self._deadline)
        denominator = denominator * factor
        for place, numerator in zip(core[1], numerators, strict=True):
            found.numerators[place], found.denominators[place] = numerator, denominator


def _set(found: Vector, line: Line, side: Integer, place: int) -> None:
    """Solve one equation for the one place that is not known yet."""
    top, bottom = found.dot(*line, -side)
    pivot = line[1][line[0].index(place)]
    if not top:
        return
    whole, rest = divmod(top, pivot)
    if rest:
        value = library().fmpq(-top, bottom * pivot)
        found.numerators[place], found.denominators[place] = value.p, value.q
    else:
        found.numerators[place], found.denominators[place] = -whole, bottom


def _core(lines: Sequence[Line], core: tuple[list[int], list[int]]) -> SolveCore:
    """A function that solves the core for whole right-hand sides."""
    position = {place: k for k, place in enumerate(core[1])}
    inner = []
    for line in core[0]:
        kept = [(position[j], a) for j, a in zip(*lines[line], strict=True) if j in position]
        inner.append(([j for j, _ in kept], [a for _, a in kept]))
    sparse: list[Lifting] = []
    if len(inner) > DENSE:
        with suppress(ArithmeticError):
            sparse.append(Lifting(inner))
    dense: list[Any] = []

    def solve(rhs: list[Integer], deadline: Deadline | None) -> Quotients:
        if sparse:
            try:
                return sparse[0].solve([int(value) for value in rhs], deadline)
            except ArithmeticError:
                sparse.clear()
        if not dense:
            dense.append(_dense(inner))
        return _solved_densely(dense[0], rhs)

    return solve


def _dense(inner: list[tuple[list[int], list[int]]]) -> Any:
    table = [[0] * len(inner) for _ in inner]
    for values, (places, coefficients) in zip(table, inner, strict=True):
        for place, coefficient in zip(places, coefficients, strict=True):
            values[place] = coefficient
    return library().fmpz_mat(table)


def _solved_densely(matrix: Any, rhs: list[Integer]) -> Quotients:
    try:
        solution = matrix.solve(library().fmpz_mat([[value] for value in rhs]))
    except ZeroDivisionError as error:
        raise SingularError("The columns of the basis depend on each other.") from error
    numerators, denominator = solution.numer_denom()
    return numerators.entries(), denominator
