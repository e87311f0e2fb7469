"""A result as a table of text."""

from __future__ import annotations

from collections.abc import Iterable

from lexiprog.aliases import Record
from lexiprog.outline.records import TableCell, TableOutline, value_text
from lexiprog.outline.text import text_table

__all__ = ["as_text"]


def as_text(table: Iterable[Record], notes: Iterable[str]) -> str:
    """One line a solved subproblem, and notes below."""
    columns = ("stage", "subproblem", "value", "status", "solver", "seconds", "certificate")
    rows = [
        (
            row["stage"],
            row["subproblem"],
            value_text(row["value"], row["bound"], row["status"], 10),
            row["status"],
            row["solver"],
            f"{row['seconds']:.3f}",
            f"{row['certificate']:.1e}",
        )
        for row in table
    ]
    return text_table(
        TableOutline(
            title="",
            columns=columns,
            rows=tuple(tuple(map(TableCell, row)) for row in rows),
            numeric=frozenset(["value", "seconds", "certificate"]),
            notes=tuple(map(TableCell, notes)),
        )
    )
