"""A linear program in rational numbers, read from a standard form or from plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf
from numbers import Integral, Rational

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Matrix, Value
from lexiprog.exact.rationals import DEFAULT, ReadAs, read_floats
from lexiprog.forms.standard_form import StandardForm

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
    >>> from lexiprog.exact.program import ExactLP
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
            How its floats are read; see `lexiprog.exact.rationals`.
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
