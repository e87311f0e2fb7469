"""Tables and arrays as text, for terminals and logs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexiprog.outline.records import TableOutline


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


def array_text(value: NDArray[np.generic]) -> str:
    """A value as numpy would print it, long arrays shortened."""
    return np.array2string(value, precision=6, threshold=8, separator=", ")
