"""Tables and arrays as text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from lexiprog.outline.numbers import number
from lexiprog.outline.records import Levels, SolutionOutline, TableOutline, counted

MOST_LEVELS, MOST_NAMES = 12, 10


def text_table(table: TableOutline) -> str:
    """The heads and rows of a table, column under column; notes below."""
    rows = [table.columns, *(tuple(cell.text for cell in row) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [name in table.numeric for name in table.columns]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *(note.text for note in table.notes)])


def level_texts(levels: Levels) -> list[tuple[str, str]]:
    """Each level's value and who is on it, long lists of names and of levels shortened."""
    shown = [(number(value), names_text(names)) for value, names in levels[:MOST_LEVELS]]
    if len(levels) > MOST_LEVELS:
        rest = sum(len(names) for _, names in levels[MOST_LEVELS:])
        shown.append(
            (
                "...",
                f"{counted(len(levels) - MOST_LEVELS, 'more level')} with {counted(rest, 'name')}",
            )
        )
    return shown


def names_text(names: Sequence[Hashable]) -> str:
    """Names in a row, the first ones if there are many."""
    listed = ", ".join(map(str, names[:MOST_NAMES]))
    return listed if len(names) <= MOST_NAMES else f"{listed} and {len(names) - MOST_NAMES} more"


def level_lines(levels: Levels) -> list[str]:
    """One line a level."""
    texts = level_texts(levels)
    width = max((len(value) for value, _ in texts), default=0)
    return [f"  level {value.rjust(width)}: {names}" for value, names in texts]


def array_text(value: NDArray[np.generic]) -> str:
    """A value as numpy would print it, long arrays shortened."""
    return np.array2string(value, precision=6, threshold=8, separator=", ")


def solution_text(solution: SolutionOutline, words: str) -> str:
    """What was found for one problem, with its levels and variables, and how it is known."""
    found = solution.found
    lines = [f"{solution.name}: {found.text(10)} ({found.status}, {found.solver})"]
    lines += level_lines(found.levels)
    for key, value in solution.variables.items():
        lines.append(f"  {key} = {array_text(value)}".replace("\n", "\n    "))
    return "\n".join([*lines, f"  {words}"])
