"""A rational program in whole numbers: rows, columns, bounds and costs scaled exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from lexiprog.exact.program import ExactLP
from lexiprog.exact.systems.whole_matrix import Line, WholeMatrix

Limits = list[int | None]


class IntegerProgram:
    """The feasible set of an `ExactLP` in whole numbers.

    Attributes
    ----------
    matrix : WholeMatrix
        Its columns and rows, ``n + m`` variables.
    lower, upper : list of int or None
        Limits of all variables.
    unit : list of Fraction
        What one of each variable is worth in the units of the `ExactLP`.

    Examples
    --------
    >>> from lexiprog.exact.integer_program import IntegerProgram
    >>> from lexiprog.exact.program import ExactLP
    >>> lp = ExactLP.of([1.5, 1], [[0.1, 2]], [0.5], lower=[0, 0])
    >>> program = IntegerProgram(lp)
    >>> program.matrix.rows[0][1], program.upper[2], program.cost(lp.c)
    ([1, 1], 1, ([30, 1], 4))
    """

    def __init__(self, lp: ExactLP) -> None:
        n, m = len(lp.c), len(lp.b)
        by_column: list[list[tuple[int, Fraction]]] = [[] for _ in lp.c]
        for i, (places, values) in enumerate(lp.rows):
            for j, value in zip(places, values, strict=True):
                by_column[j].append((i, value))
        self._scales: list[Fraction] = []
        rows: list[tuple[list[int], list[int]]] = [([], []) for _ in lp.b]
        for j, entries in enumerate(by_column):
            whole, scale = _whole([value for _, value in entries])
            self._scales.append(scale)
            for (i, _), entry in zip(entries, whole, strict=True):
                rows[i][0].append(j)
                rows[i][1].append(entry)
        factors = [_round_part(gcd(*entries)) for _, entries in rows]
        lines: list[Line] = [
            (columns, [entry // factor for entry in entries])
            for (columns, entries), factor in zip(rows, factors, strict=True)
        ]
        self.matrix = WholeMatrix(n, lines)
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
            raise TypeError("Costs are fractions; lexiprog.exact.rationals.read reads floats.")
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
