"""Tables as HTML."""

from __future__ import annotations

from base64 import b64encode
from itertools import cycle

from lexiprog.display.frame import page, safe, tag
from lexiprog.summary import Chart, Series, TableCell, TableSummary, cleaned, number, render

# Small charts as pictures in SVG.
#
# They are put in as images: notebooks that are not trusted strip drawings, but leave their words
# behind. An image knows nothing of the page around it, so that its colours suit light and dark
# ones.

WIDTH, HEIGHT = 420, 210
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 10, 38
# Those of tracks in style.css, and what is read on light and on dark.
COLOURS = ("#3d85c6", "#c9702c", "#3c9a63", "#9a6cc7", "#b8902a", "#c9568c")
GREY = "#808080"
# Characters of a number that fit beside the axis.
ROOM = 8
# Dots of more points than this are small.
MANY = 60


def chart_html(chart: Chart | None) -> list[str]:
    """The chart with a legend if there are several series; nothing if there is nothing to see."""
    if chart is None or not chart.worth_drawing:
        return []
    x, y = (_Axis.of(chart, name) for name in ("across", "up"))
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="{GREY}"/>',
        _text(LEFT, bottom + 14, x.ends[0], "start"),
        _text(right, bottom + 14, x.ends[1], "end"),
        _text((LEFT + right) / 2, HEIGHT - 6, chart.across, "middle"),
        _text(LEFT - 5, bottom, y.ends[0], "end"),
        _text(LEFT - 5, TOP + 9, y.ends[1], "end"),
        f'<text x="12" y="{(TOP + bottom) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 12 {(TOP + bottom) / 2})">{safe(_short(chart.up))}</text>',
    ]
    coloured = list(zip(chart.series, cycle(COLOURS), strict=False))
    parts += [_series(series, colour, x, y) for series, colour in coloured]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="system-ui, sans-serif" font-size="11" fill="{GREY}">'
        f"{''.join(parts)}</svg>"
    )
    data = b64encode(svg.encode()).decode()
    title = safe(f"{chart.up} against {chart.across}")
    image = f'<img alt="{title}" width="{WIDTH}" src="data:image/svg+xml;base64,{data}">'
    legend = ""
    if len(chart.series) > 1:
        names = (
            f'<span style="color:{colour}">&#9679; {safe(series.name)}&ensp;</span>'
            for series, colour in coloured
        )
        legend = tag("div", "", "".join(names))
    return [tag("div", "lx-wide", image), *([legend] if legend else [])]


class _Axis:
    """From values to places."""

    def __init__(self, low: float, high: float, start: float, stop: float) -> None:
        self.low, self.high, self._start = low, high, start
        self._unit = (stop - start) / ((high - low) or 1.0)

    @classmethod
    def of(cls, chart: Chart, name: str) -> _Axis:
        values = [v for series in chart.series for v in getattr(series, name)]
        low, high = min(values), max(values)
        if name == "across":
            return cls(low, high, LEFT + 6.0, WIDTH - RIGHT - 6.0)
        return cls(low, high, HEIGHT - BOTTOM - 6.0, TOP + 6.0)

    @property
    def ends(self) -> tuple[str, ...]:
        """The least and the largest value in as many digits as there is room for."""
        clean = cleaned([self.low, self.high])
        return tuple(t if len(t := number(v)) <= ROOM else f"{v:.2g}" for v in clean)

    def __call__(self, value: float) -> float:
        return round(self._start + (value - self.low) * self._unit, 1)


def _series(series: Series, colour: str, x: _Axis, y: _Axis) -> str:
    places = [(x(a), y(b)) for a, b in zip(series.across, series.up, strict=True)]
    parts = []
    if series.joined != "not" and len(places) > 1:
        path = f"M{places[0][0]} {places[0][1]}"
        for across, up in places[1:]:
            path += f"H{across}V{up}" if series.joined == "steps" else f"L{across} {up}"
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    size = 1.6 if len(places) > MANY else 3
    dots = places if series.joined != "straight" or len(places) <= MANY else []
    parts += [f'<circle cx="{a}" cy="{b}" r="{size}"/>' for a, b in dots]
    return f'<g fill="{colour}">{"".join(parts)}</g>'


def _text(across: float, up: float, text: str, anchor: str) -> str:
    return f'<text x="{across}" y="{up}" text-anchor="{anchor}">{safe(_short(text))}</text>'


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


@render.register
def table_html(table: TableSummary) -> str:
    """A titled table with its notes below, as a page of its own."""
    title = tag("div", "lx-title", safe(table.title))
    return page(title, *chart_html(table.chart), *table_parts(table))


def table_parts(table: TableSummary) -> list[str]:
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


def _number(table: TableSummary, name: str) -> str:
    return "lx-number" if name in table.numeric else ""


def _tone(cell: TableCell) -> str:
    return f"lx-{cell.tone}" if cell.tone else ""
