"""Tables as aligned text, for terminals and logs."""

from __future__ import annotations

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
