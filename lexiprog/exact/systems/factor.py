"""Square systems of whole numbers, solved exactly: substitution, then a small core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from lexiprog.exact.rationals import Integer
from lexiprog.exact.systems.lifting import Lifting, Quotients
from lexiprog.exact.systems.peeling import SingularError, peel
from lexiprog.exact.systems.vectors import Vector, library

Line = tuple[Sequence[int], Sequence[int]]

# Cores up to this size go to flint's dense p-adic lifting, larger ones to the sparse one.
DENSE = 200

SolveCore = Callable[[list[Integer], float], Quotients]


class Factor:
    """A square matrix that is peeled once and solved for many right-hand sides.

    Parameters
    ----------
    rows, columns : sequence of (places, coefficients)
        The matrix, by row and by column.
    deadline : float
        Time of `time.perf_counter` after which TimeoutError is raised.

    Raises
    ------
    SingularError
        Here, or by a solution, if there is no unique one.

    Examples
    --------
    >>> from lexiprog.exact.systems.factor import Factor
    >>> rows = [([0, 1], [2, 1]), ([0, 1], [1, 3])]
    >>> solution = Factor(rows, rows).solve([1, 0])
    >>> [f"{a}/{b}" for a, b in zip(solution.numerators, solution.denominators)]
    ['3/5', '-1/5']
    """

    def __init__(
        self, rows: Sequence[Line], columns: Sequence[Line], deadline: float = math.inf
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

    def solve(rhs: list[Integer], deadline: float) -> Quotients:
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
