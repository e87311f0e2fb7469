"""Rows and objectives over integer columns, checked in Python's integers: no tolerance, no units.

Where all columns of a row are integer and its coefficients are whole numbers or written decimals,
its activity is a multiple of one number, its step. Counted in steps, the row is one of whole
numbers: its limit may be rounded to a count, and a point either satisfies it or does not. The same
goes for an objective: a bound may be rounded up to the next count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, gcd, lcm, ulp

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.decimals import NEAR, written
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.certificate import Certificate
from lexiprog.tolerances import FEW_ROUNDINGS
from lexiprog.typing import Array, Mask, cached_property

# Ratios of numbers with no larger denominator are simple, if they are met but for rounding.
SIMPLE = 1000
# Coefficients of more steps than this are too many for a solver's tolerances of 1e-9.
LONG = 10**6


def in_steps(numbers: Array) -> tuple[Fraction, list[int]] | None:
    """The largest step of which all numbers are multiples, and these; None if there is none.

    Numbers are read as the decimals that they were written as; those that have no short one may
    still be multiples of the least of them, such as a third.

    Examples
    --------
    >>> in_steps(np.array([0.4, 1.0]))
    (Fraction(1, 5), [2, 5])
    >>> in_steps(np.array([1 / 3, 2.0]))[1]
    [1, 6]
    >>> in_steps(np.array([1.0, np.pi])) is None
    True
    """
    parts = written(numbers)
    if parts is None:
        parts = _multiples(numbers)
    if parts is None:
        return None
    bottom = lcm(*(part.denominator for part in parts))
    counts = [part.numerator * (bottom // part.denominator) for part in parts]
    top = gcd(*counts) or 1
    return Fraction(top, bottom), [count // top for count in counts]


def _multiples(numbers: Array) -> list[Fraction] | None:
    """The numbers as multiples of the smallest, if their ratios are simple."""
    least = float(np.abs(numbers).min())
    if least == 0.0:
        return None
    ratios = [Fraction(float(value) / least).limit_denominator(SIMPLE) for value in numbers]
    apart = np.abs(numbers - least * np.array([float(ratio) for ratio in ratios]))
    if np.any(apart > FEW_ROUNDINGS * np.abs(numbers)):
        return None
    return [Fraction(least) * ratio for ratio in ratios]


@dataclass(frozen=True)
class WholeRow:
    """``counts @ x[columns]``, in steps, at most ``limit``, or equal to it.

    Attributes
    ----------
    row : int
        Which row of the form it is.
    step : Fraction
        What one count is worth.
    limit : int or None
        None if no multiple of the step is near the right-hand side of an equation.
    """

    row: int
    step: Fraction
    columns: list[int]
    counts: list[int]
    limit: int | None
    equation: bool

    def excess(self, x: Array) -> int:
        """By how many steps a point with whole entries is beyond the limit."""
        over = _total(self.counts, x[self.columns]) - (self.limit or 0)
        return abs(over) if self.equation else max(over, 0)


@dataclass(frozen=True)
class WholeObjective:
    """An objective without its constant: ``step`` times ``counts @ x[columns]``."""

    step: Fraction
    columns: list[int]
    counts: list[int]

    @property
    def is_long(self) -> bool:
        """Whether it has more digits than a solver's tolerances."""
        return max(map(abs, self.counts), default=0) > LONG

    def count(self, x: Array) -> int:
        """The value at a point with whole entries, in steps."""
        return _total(self.counts, x[self.columns])

    def is_reached(self, x: Array, bound: float) -> bool:
        """Whether no count is between a bound, which is computed in floats, and a point's."""
        return self.count(x) - Fraction(bound) / self.step < Fraction(1, 2)


def _total(counts: Sequence[int], entries: Array) -> int:
    return sum(c * int(v) for c, v in zip(counts, np.rint(entries).tolist(), strict=True))


@dataclass(frozen=True)
class WholeNumbers:
    """What of a form in the user's own units is made of whole numbers.

    Attributes
    ----------
    form : StandardForm
    plain : ndarray of bool
        Rows of small whole numbers over integer columns; floats add them up exactly.
    rows : list of WholeRow
        All others that have steps.
    objective : WholeObjective or None
        None if it has no steps.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[9999999999.0, 5000000001.0]]))
    >>> form = StandardForm(
    ...     np.array([-3.0, -2.0]), 0.0, A, np.array([14999999999.0]), Cones(nonneg=1),
    ...     lower=np.zeros(2), upper=np.ones(2), integer=np.arange(2),
    ... )
    >>> numbers = WholeNumbers.of(form)
    >>> numbers.excess(np.ones(2)), numbers.excess(np.array([1.0, 0.0])), numbers.is_long
    (1.0, 0.0, True)
    """

    form: StandardForm
    plain: Mask
    rows: list[WholeRow]
    objective: WholeObjective | None

    @classmethod
    def of(cls, form: StandardForm) -> WholeNumbers:
        """What there is in a form with integer columns."""
        whole = np.zeros(form.c.size, dtype=bool)
        whole[form.integer] = True
        A, linear = sp.csr_array(form.A), form.cones.linear
        owners = np.repeat(np.arange(form.b.size), np.diff(A.indptr))
        other = (A.data != 0.0) & ~whole[A.indices]
        integer = np.bincount(owners, other, minlength=form.b.size) == 0
        integer &= np.bincount(owners, A.data != 0.0, minlength=form.b.size) > 0
        integer[linear:] = False
        integer &= np.isfinite(form.b)
        rough = (A.data != np.rint(A.data)) | (np.abs(A.data) > LONG)
        plain = integer & (np.bincount(owners, rough, minlength=form.b.size) == 0)
        rows = list(_rows(form, A, np.flatnonzero(integer & ~plain)))
        used = np.flatnonzero(form.c)
        objective = None
        if form.P is None and whole[used].all():
            found = (Fraction(1), list[int]()) if not used.size else in_steps(form.c[used])
            objective = None if found is None else WholeObjective(found[0], used.tolist(), found[1])
        return cls(form, plain, rows, objective)

    @cached_property
    def contradiction(self) -> str:
        """What is wrong with an equation that no whole numbers satisfy; empty if there is none."""
        for row in self.rows:
            if row.limit is None:
                return (
                    f"an equation over whole numbers moves in steps of {float(row.step):.15g}, of "
                    f"which its constant {self.form.b[row.row]:.15g} is no multiple"
                )
        return ""

    @cached_property
    def has_long_rows(self) -> bool:
        """Whether some row has more digits than a solver's tolerances."""
        return any(max(map(abs, row.counts)) > LONG for row in self.rows)

    @property
    def is_long(self) -> bool:
        """Whether some row or the objective has."""
        return self.has_long_rows or (self.objective is not None and self.objective.is_long)

    @cached_property
    def _limits(self) -> Array:
        """Right-hand sides of the plain rows, those that are whole but for rounding rounded."""
        b = self.form.b[self.plain]
        return np.where(np.abs(b - np.rint(b)) <= NEAR * np.spacing(np.abs(b)), np.rint(b), b)

    def excess(self, x: Array) -> float:
        """By how much a point with whole integers is beyond the worst of its rows; 0 is exact."""
        worst = max((row.excess(x) for row in self.rows), default=0)
        if not self.plain.any():
            return float(worst)
        at = np.zeros(x.size)
        at[self.form.integer] = np.rint(x[self.form.integer])
        slack = self._limits - (self.form.A @ at)[self.plain]
        equations = np.flatnonzero(self.plain) < self.form.cones.zero
        beyond = np.where(equations, np.abs(slack), -slack)
        return max(float(worst), float(beyond.max()), 0.0)

    def value(self, x: Array) -> float | None:
        """The objective at a point with whole integers, rounded once; None if it has no steps."""
        constant = written(np.array([self.form.offset]))
        if self.objective is None or constant is None:
            return None
        return float(self.objective.step * self.objective.count(x) + constant[0])

    def judged(self, certificate: Certificate, x: Array, bound: float | None) -> Certificate:
        """A certificate of an integer point without tolerance for what is made of whole numbers.

        A row that is missed by a step, or a value beside its bound, would be small beside numbers
        of many digits; ``bound`` is that of the objective without its constant.
        """
        missed = max(certificate.integrality, self.excess(x))
        certificate = replace(certificate, integrality=missed)
        if self.objective is None or bound is None or not np.isfinite(bound):
            return certificate
        if self.objective.is_reached(x, bound):
            return replace(certificate, gap=0.0)
        return replace(certificate, gap=max(certificate.gap, 2.0 * certificate.tolerance))


def _rows(form: StandardForm, A: sp.csr_array, places: NDArray[np.intp]) -> Iterator[WholeRow]:
    """Those of some rows that have steps."""
    for row in places.tolist():
        part = slice(A.indptr[row], A.indptr[row + 1])
        there = A.data[part] != 0.0
        found = in_steps(A.data[part][there])
        if found is not None:
            equation = row < form.cones.zero
            limit = _limit(float(form.b[row]), found[0], equation=equation)
            columns = A.indices[part][there].tolist()
            yield WholeRow(row, found[0], columns, found[1], limit, equation)


def _limit(b: float, step: Fraction, *, equation: bool) -> int | None:
    """A right-hand side in steps; one that is a multiple but for rounding counts as that."""
    read = written(np.array([b]))
    count = (Fraction(b) if read is None else read[0]) / step
    if count.denominator == 1:
        return int(count)
    near = round(count)
    error = NEAR * ulp(b)
    if error * 100 < step and abs(count - near) * step <= error:
        return near
    return None if equation else floor(count)
