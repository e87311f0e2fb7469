"""Small charts as SVG, in the reader's own text colour and the colours of tracks."""

from __future__ import annotations

from lexiprog.outline.charts import Chart, Series
from lexiprog.outline.numbers import number
from lexiprog.show.html.frame import safe, tag

__all__ = ["chart_html"]

WIDTH, HEIGHT = 420, 210
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 10, 38
COLOURS = 6
# Dots of more points than this are small.
MANY = 60


def chart_html(chart: Chart | None) -> list[str]:
    """The chart with a legend if there are several series; nothing if there is nothing to see."""
    if chart is None or not chart.worth_drawing:
        return []
    x, y = (_Axis.of(chart, name) for name in ("across", "up"))
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor" '
        'stroke-opacity=".45"/>',
        _text(LEFT, bottom + 14, number(x.low), "start"),
        _text(right, bottom + 14, number(x.high), "end"),
        _text((LEFT + right) / 2, HEIGHT - 6, chart.across, "middle"),
        _text(LEFT - 5, bottom, number(y.low), "end"),
        _text(LEFT - 5, TOP + 9, number(y.high), "end"),
        f'<text x="12" y="{(TOP + bottom) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 12 {(TOP + bottom) / 2})">{safe(_short(chart.up))}</text>',
    ]
    parts += [_series(series, k % COLOURS, x, y) for k, series in enumerate(chart.series)]
    title = f"<title>{safe(f'{chart.up} against {chart.across}')}</title>"
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'style="max-width:100%;font-size:11px" fill="currentColor">{title}{"".join(parts)}</svg>'
    )
    legend = ""
    if len(chart.series) > 1:
        names = (
            tag("span", f"lx-track{k % COLOURS}", f"&#9679; {safe(series.name)}&ensp;")
            for k, series in enumerate(chart.series)
        )
        legend = tag("div", "", "".join(names))
    return [tag("div", "lx-wide", svg), legend] if legend else [tag("div", "lx-wide", svg)]


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

    def __call__(self, value: float) -> float:
        return round(self._start + (value - self.low) * self._unit, 1)


def _series(series: Series, colour: int, x: _Axis, y: _Axis) -> str:
    places = [(x(a), y(b)) for a, b in zip(series.across, series.up, strict=True)]
    parts = []
    if series.joined != "not" and len(places) > 1:
        path = f"M{places[0][0]} {places[0][1]}"
        for across, up in places[1:]:
            path += f"H{across}V{up}" if series.joined == "steps" else f"L{across} {up}"
        parts.append(f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="1.6"/>')
    size = 1.6 if len(places) > MANY else 3
    dots = places if series.joined != "straight" or len(places) <= MANY else []
    parts += [
        f'<circle cx="{a}" cy="{b}" r="{size}"><title>{safe(series.name)}: {number(u)} at '
        f"{number(v)}</title></circle>"
        for (a, b), u, v in zip(dots, series.up, series.across, strict=False)
    ]
    return f'<g class="lx-track{colour}" fill="currentColor">{"".join(parts)}</g>'


def _text(across: float, up: float, text: str, anchor: str) -> str:
    return f'<text x="{across}" y="{up}" text-anchor="{anchor}">{safe(_short(text))}</text>'


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
