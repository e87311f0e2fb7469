"""Tables as HTML."""

from __future__ import annotations

from lexiprog.outline.drawing import draw
from lexiprog.outline.records import TableCell, TableOutline
from lexiprog.show.html.chart import chart_html
from lexiprog.show.html.frame import page, safe, tag


@draw.register
def table_html(table: TableOutline) -> str:
    """A titled table with its notes below, as a page of its own."""
    title = tag("div", "lx-title", safe(table.title))
    return page(title, *chart_html(table.chart), *table_parts(table))


def table_parts(table: TableOutline) -> list[str]:
    """The table and its notes, to stand among other parts."""
    heads = "".join(
        f'<th class="{_number(table, name)}">{safe(name)}</th>' for name in table.columns
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="{_tone(cell)} {_number(table, name)}">{safe(cell.text)}</td>'
            for name, cell in zip(table.columns, row, strict=True)
        )
        + "</tr>\n"
        for row in table.rows
    )
    body = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table>"
    notes = [tag("div", _tone(note), safe(note.text)) for note in table.notes]
    return [tag("div", "lx-wide", body), *notes]


def _number(table: TableOutline, name: str) -> str:
    return "lx-number" if name in table.numeric else ""


def _tone(cell: TableCell) -> str:
    return f"lx-{cell.tone}" if cell.tone else ""
