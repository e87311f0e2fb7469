"""A linear program in rational numbers, read from a standard form or from plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import gcd, inf, lcm
from numbers import Integral, Rational

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import check_here
from lexiprog.rational.numbers import DEFAULT, ReadAs, read_floats
from lexiprog.typing import Matrix, Value, cached_property

SparseRow = tuple[tuple[int, ...], tuple[Fraction, ...]]  # columns and their coefficients
# What a caller may give.
GivenNumbers = Sequence[Rational | float] | Value
GivenLimits = Sequence[Rational | float | None] | Value | None
GivenRows = Sequence[GivenNumbers] | Matrix | None
ExactBounds = tuple[Fraction | None, ...]


@dataclass(frozen=True)
class ExactLP:
    """Minimise ``c'x + offset`` subject to ``b - Ax`` in a cone and ``lower <= x <= upper``.

    Attributes
    ----------
    c : tuple of Fraction
        Costs.
    rows : tuple of (columns, coefficients)
        The rows of ``A`` without their zeros.
    b : tuple of Fraction
        Right-hand sides.
    zero : int
        So many rows, the first, are equations ``Ax == b``; the others are ``Ax <= b``.
    lower, upper : tuple of Fraction or None
        ExactBounds of the columns; None where there is none.
    offset : Fraction
        A constant in the objective.

    Examples
    --------
    >>> from lexiprog.rational.program import ExactLP
    >>> lp = ExactLP.of([-1, -1], [[0.1, 0.2], [1, 0]], [0.3, 2], lower=[0, 0])
    >>> [str(value) for value in lp.rows[0][1] + lp.b]
    ['1/10', '1/5', '3/10', '2']
    """

    c: tuple[Fraction, ...]
    rows: tuple[SparseRow, ...]
    b: tuple[Fraction, ...]
    zero: int
    lower: ExactBounds
    upper: ExactBounds
    offset: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        columns, rows = len(self.c), len(self.b)
        if len(self.rows) != rows or not 0 <= self.zero <= rows:
            raise ValueError(
                f"{len(self.rows)} rows, {self.zero} of them equations, do not fit {rows} "
                "right-hand sides."
            )
        if len(self.lower) != columns or len(self.upper) != columns:
            raise ValueError(
                f"{len(self.lower)} lower and {len(self.upper)} upper bounds do not fit "
                f"{columns} columns."
            )

    @classmethod
    def from_form(cls, form: StandardForm, read_as: ReadAs = DEFAULT) -> ExactLP:
        """A linear standard form in rational numbers.

        Parameters
        ----------
        form : StandardForm
            With neither a quadratic objective, nor integers, nor cones that are not linear.
        read_as : {"nearby", "decimal", "binary"}
            How its floats are read; see `lexiprog.rational.numbers`.
        """
        quadratic = form.P is not None and bool(np.any(sp.csr_array(form.P).data))
        whole = form.integer is not None and form.integer.size > 0
        if quadratic or whole or form.cones.linear != form.b.size:
            reason = "a quadratic objective" if quadratic else "integer columns" if whole else ""
            raise ValueError(
                f"Only linear programs are solved exactly; this one has {reason or 'curved cones'}."
                " Use another solver for it."
            )
        return cls.of(
            form.c,
            form.A if form.b.size else None,
            form.b,
            zero=form.cones.zero,
            lower=form.lower,
            upper=form.upper,
            offset=form.offset,
            read_as=read_as,
        )

    @classmethod
    def of(
        cls,
        c: GivenNumbers,
        A: GivenRows,
        b: GivenNumbers,
        *,
        zero: int = 0,
        lower: GivenLimits = None,
        upper: GivenLimits = None,
        offset: Rational | float = 0,
        read_as: ReadAs = DEFAULT,
    ) -> ExactLP:
        """A program from numbers: floats are read, fractions and whole numbers are kept.

        Parameters
        ----------
        c, b, lower, upper : sequences
            GivenNumbers; infinite or None bounds are none.
        A : sequence of sequences or sparse array
            One sequence a row; a sparse array holds floats. None if there are no rows.
        zero : int
            So many rows, the first, are equations.
        offset : number
            A constant in the objective.
        read_as : {"nearby", "decimal", "binary"}
            How floats are read.
        """
        columns = len(c)
        return cls(
            tuple(_numbers(c, read_as)),
            tuple(_rows(A, columns, read_as)),
            tuple(_numbers(b, read_as)),
            zero,
            tuple(_limits(lower, columns, -inf, read_as)),
            tuple(_limits(upper, columns, inf, read_as)),
            _numbers([offset], read_as)[0],
        )

    def with_cost(self, c: Sequence[Fraction], offset: Fraction = Fraction(0)) -> ExactLP:
        """The same feasible set with another objective."""
        if len(c) != len(self.c):
            raise ValueError(f"{len(c)} costs do not fit {len(self.c)} columns.")
        return replace(self, c=tuple(c), offset=offset)


def _rows(A: GivenRows, columns: int, read_as: ReadAs) -> Iterable[SparseRow]:
    if A is None:
        return
    if sp.issparse(A) or (isinstance(A, np.ndarray) and A.dtype != object):
        matrix = sp.csr_array(A, copy=True)
        matrix.sum_duplicates()
        _refuse_width(matrix.shape[1], columns)
        values, places = _numbers(matrix.data, read_as), matrix.indices.tolist()
        for start, end in pairwise(matrix.indptr.tolist()):
            yield _row(places[start:end], values[start:end])
        return
    for line in A:
        _refuse_width(len(line), columns)
        yield _row(range(columns), _numbers(line, read_as))


def _row(places: Iterable[int], values: list[Fraction]) -> SparseRow:
    kept = [(place, value) for place, value in zip(places, values, strict=True) if value]
    return tuple(place for place, _ in kept), tuple(value for _, value in kept)


def _refuse_width(width: int, columns: int) -> None:
    if width != columns:
        raise ValueError(f"A row of {width} coefficients does not fit {columns} costs.")


def _numbers(values: GivenNumbers, read_as: ReadAs) -> list[Fraction]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return read_floats(values, read_as)
    return [_number(value, read_as) for value in values]


def _number(value: Rational | float, read_as: ReadAs) -> Fraction:
    if isinstance(value, Integral):
        return Fraction(int(value))  # numpy's whole numbers overflow
    if isinstance(value, Rational):
        return Fraction(value)
    return read_floats([value], read_as)[0]


def _limits(values: GivenLimits, size: int, none: float, read_as: ReadAs) -> list[Fraction | None]:
    """ExactBounds, with None for those of the infinite value that means none."""
    if values is None:
        return [None] * size
    there = [value is not None and value != none for value in values]
    if isinstance(values, np.ndarray):
        known = iter(_numbers(values[there], read_as))
    else:
        kept = [value for value in values if value is not None and value != none]
        known = iter(_numbers(kept, read_as))
    return [next(known) if is_there else None for is_there in there]


# A sparse matrix of whole numbers, by row and by column, and its variables.
#
# Columns and rows are variables alike: a row's activity ``(Ax)_i`` is variable ``n + i``, so that
# equations, inequalities and bounds are all limits of variables with ``Ax - r = 0`` between them.

Line = tuple[Sequence[int], Sequence[int]]  # places and their coefficients


@dataclass(frozen=True)
class IntegerMatrix:
    """A matrix of whole numbers.

    Attributes
    ----------
    n : int
        Columns.
    rows : list of (places, coefficients)
        Without zeros.
    """

    n: int
    rows: list[Line]

    @property
    def m(self) -> int:
        """Rows."""
        return len(self.rows)

    @cached_property
    def columns(self) -> list[Line]:
        """The same by column."""
        places: list[list[int]] = [[] for _ in range(self.n)]
        values: list[list[int]] = [[] for _ in range(self.n)]
        for i, line in enumerate(self.rows):
            for j, value in zip(*line, strict=True):
                places[j].append(i)
                values[j].append(value)
        return list(zip(places, values, strict=True))

    def with_units(self) -> IntegerMatrix:
        """A column of +1 and one of -1 for each row besides, which can make up for any violation.

        Column ``n + i`` is that of +1 in row ``i``, column ``n + m + i`` that of -1.
        """
        rows: list[Line] = [
            ([*places, self.n + i, self.n + self.m + i], [*values, 1, -1])
            for i, (places, values) in enumerate(self.rows)
        ]
        return IntegerMatrix(self.n + 2 * self.m, rows)


def within(lines: Sequence[Line], kept: Sequence[int]) -> list[Line]:
    """Lines restricted to some places, which are counted anew."""
    position = {place: k for k, place in enumerate(kept)}
    out: list[Line] = []
    for places, values in lines:
        pairs = [(position[p], v) for p, v in zip(places, values, strict=True) if p in position]
        out.append(([p for p, _ in pairs], [v for _, v in pairs]))
    return out


# A rational program in whole numbers: rows, columns, bounds and costs scaled exactly.

Limits = list[int | None]


class IntegerProgram:
    """The feasible set of an `ExactLP` in whole numbers.

    Attributes
    ----------
    matrix : IntegerMatrix
        Its columns and rows, ``n + m`` variables.
    lower, upper : list of int or None
        Limits of all variables.
    unit : list of Fraction
        What one of each variable is worth in the units of the `ExactLP`.

    Examples
    --------
    >>> from lexiprog.rational.program import IntegerProgram
    >>> from lexiprog.rational.program import ExactLP
    >>> lp = ExactLP.of([1.5, 1], [[0.1, 2]], [0.5], lower=[0, 0])
    >>> program = IntegerProgram(lp)
    >>> program.matrix.rows[0][1], program.upper[2], program.cost(lp.c)
    ([1, 1], 1, ([30, 1], 4))
    """

    def __init__(self, lp: ExactLP) -> None:
        m = len(lp.b)
        rows, self._scales = _integer_rows(lp)
        factors = [_round_part(gcd(*entries)) for _, entries in rows]
        lines: list[Line] = [
            (columns, [entry // factor for entry in entries])
            for (columns, entries), factor in zip(rows, factors, strict=True)
        ]
        self.matrix = IntegerMatrix(len(lp.c), lines)
        units = self._scales + [Fraction(factor) for factor in factors]
        equal = [*lp.b[: lp.zero], *[None] * (m - lp.zero)]
        lower = _in_units([*lp.lower, *equal], units)
        upper = _in_units([*lp.upper, *lp.b], units)
        self._whole = lcm(*(f.denominator for f in (*lower, *upper) if f is not None))
        self.lower: Limits = [None if f is None else int(f * self._whole) for f in lower]
        self.upper: Limits = [None if f is None else int(f * self._whole) for f in upper]
        self.unit = [unit / self._whole for unit in units]

    def cost(self, c: Sequence[Fraction]) -> tuple[list[int], int]:
        """Whole costs of the columns, and how many units of them are one unit of ``c'x``.

        Raises
        ------
        TypeError
            If a cost is a float: who has it knows how it is meant.
        """
        if not all(isinstance(value, Fraction | int) for value in c):
            raise TypeError("Costs are fractions; lexiprog.rational.numbers.read reads floats.")
        pairs = list(zip(c, self._scales, strict=True))
        factor = lcm(*(value.denominator * scale.denominator for value, scale in pairs if value))
        whole = [
            value.numerator * scale.numerator * (factor // (value.denominator * scale.denominator))
            if value
            else 0
            for value, scale in pairs
        ]
        common = gcd(factor, *whole)
        return [value // common for value in whole], factor // common * self._whole

    def limits(self, fixed: Mapping[int, int]) -> tuple[Limits, Limits]:
        """Limits with some variables fixed at their lower (-1) or upper (+1) one."""
        lower, upper = list(self.lower), list(self.upper)
        for v, side in fixed.items():
            limit = upper[v] if side > 0 else lower[v]
            if limit is None:
                raise ValueError(f"Column {v} has no bound on the side that the face fixes.")
            lower[v] = upper[v] = limit
        return lower, upper


def _integer_rows(lp: ExactLP) -> tuple[list[tuple[list[int], list[int]]], list[Fraction]]:
    """Columns and integer entries of each row, and the factor that each column was scaled by."""
    by_column: list[list[tuple[int, Fraction]]] = [[] for _ in lp.c]
    for i, (places, values) in enumerate(lp.rows):
        for j, value in zip(places, values, strict=True):
            by_column[j].append((i, value))
    scales: list[Fraction] = []
    rows: list[tuple[list[int], list[int]]] = [([], []) for _ in lp.b]
    for j, entries in enumerate(by_column):
        check_here()
        whole, scale = _whole([value for _, value in entries])
        scales.append(scale)
        for (i, _), entry in zip(entries, whole, strict=True):
            rows[i][0].append(j)
            rows[i][1].append(entry)
    return rows, scales


def _in_units(
    values: Iterable[Fraction | None], units: Iterable[Fraction]
) -> list[Fraction | None]:
    return [None if v is None else v / unit for v, unit in zip(values, units, strict=True)]


def _whole(values: list[Fraction]) -> tuple[list[int], Fraction]:
    """The entries of a column as whole numbers of moderate size, and the factor that it took."""
    bottom = lcm(*(value.denominator for value in values))
    whole = [value.numerator * (bottom // value.denominator) for value in values]
    top = _round_part(gcd(*whole))
    return [value // top for value in whole], Fraction(bottom, top)


def _round_part(number: int) -> int:
    """The largest product of twos and fives that divides a number; 1 for zero.

    Units differ by such factors. Dividing by others would make the entries smaller, but the
    bounds would have as many denominators as there are rows.
    """
    part = 1
    for prime in (2, 5):
        while number and number % prime == 0:
            number //= prime
            part *= prime
    return part
