"""What all results that are tables have in common: how they are printed and drawn."""

from __future__ import annotations

from lexiprog.outline.drawing import draw
from lexiprog.outline.records import TableOutline
from lexiprog.outline.text import text_table


class ShownTable:
    """A record that shows itself as a table: as text when printed, as HTML in a notebook."""

    @property
    def outline(self) -> TableOutline:
        """Heads, rows and notes."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text_table(self.outline)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        return draw(self.outline)
