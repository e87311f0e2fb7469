"""Peel a square sparse matrix: what can be solved by substitution, and the core that cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    # The sum of the places that are left names the place when it is the only one.
    row_count, row_sum = [len(line) for line in rows], [sum(line) for line in rows]
    column_count, column_sum = [len(line) for line in columns], [sum(line) for line in columns]
    if 0 in row_count or 0 in column_count:
        raise SingularError("A row or column of the basis is empty.")
    row_left, column_left = [True] * len(rows), [True] * len(columns)
    first: list[tuple[int, int]] = []
    last: list[tuple[int, int]] = []
    waiting = [(True, i) for i, count in enumerate(row_count) if count == 1]
    waiting += [(False, j) for j, count in enumerate(column_count) if count == 1]
    while waiting:
        is_row, place = waiting.pop()
        if not (row_left if is_row else column_left)[place]:
            continue
        i, j = (place, row_sum[place]) if is_row else (column_sum[place], place)
        (first if is_row else last).append((i, j))
        row_left[i] = column_left[j] = False
        for other in columns[j]:
            row_count[other] -= 1
            row_sum[other] -= j
            if row_left[other]:
                _note(row_count[other], (True, other), waiting)
        for other in rows[i]:
            column_count[other] -= 1
            column_sum[other] -= i
            if column_left[other]:
                _note(column_count[other], (False, other), waiting)
    core = (
        [i for i, left in enumerate(row_left) if left],
        [j for j, left in enumerate(column_left) if left],
    )
    return Peeling(first, core, last)


def _note(count: int, place: tuple[bool, int], waiting: list[tuple[bool, int]]) -> None:
    if count == 0:
        raise SingularError("Columns of the basis share their only row, or rows their column.")
    if count == 1:
        waiting.append(place)
