"""A sparse matrix of whole numbers, by row and by column, and its variables.

Columns and rows are variables alike: a row's activity ``(Ax)_i`` is variable ``n + i``, so that
equations, inequalities and bounds are all limits of variables with ``Ax - r = 0`` between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

Line = tuple[Sequence[int], Sequence[int]]  # places and their coefficients


@dataclass(frozen=True)
class WholeMatrix:
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

    def with_units(self) -> WholeMatrix:
        """A column of +1 and one of -1 for each row besides, which can make up for any violation.

        Column ``n + i`` is that of +1 in row ``i``, column ``n + m + i`` that of -1.
        """
        rows: list[Line] = [
            ([*places, self.n + i, self.n + self.m + i], [*values, 1, -1])
            for i, (places, values) in enumerate(self.rows)
        ]
        return WholeMatrix(self.n + 2 * self.m, rows)

    def with_rows(self, rows: Sequence[Line]) -> WholeMatrix:
        """More rows at the end."""
        return WholeMatrix(self.n, [*self.rows, *rows])


def within(lines: Sequence[Line], kept: Sequence[int]) -> list[Line]:
    """Lines restricted to some places, which are counted anew."""
    position = {place: k for k, place in enumerate(kept)}
    out: list[Line] = []
    for places, values in lines:
        pairs = [(position[p], v) for p, v in zip(places, values, strict=True) if p in position]
        out.append(([p for p, _ in pairs], [v for _, v in pairs]))
    return out
