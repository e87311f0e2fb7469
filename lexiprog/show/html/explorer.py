"""Sliders for tolerances and what follows them: a page of its own, in a frame of its own.

Notebooks may strip or refuse scripts in their own page. A frame runs them in every front end, and
in a page that was saved. Who strips frames, as notebooks that are not trusted and pages of code
hosts do, strips styles as well, and with them the rule that hides the same curves without sliders.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files

from lexiprog.outline.charts import Chart, series_of
from lexiprog.outline.drawing import draw
from lexiprog.outline.exploring import ExploreOutline
from lexiprog.outline.numbers import number
from lexiprog.show.html.chart import chart_html
from lexiprog.show.html.frame import safe

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>What a priority costs</title><style>{style}</style></head>
<body><div id="explorer">{fallback}</div>
<script>const DATA = {data};
{script}</script></body></html>"""


@draw.register
def _explorer(outline: ExploreOutline) -> str:
    """The page in a frame; its first state stands there for those without scripts."""
    height = 40 + sum(150 + 22 * max(len(level.variables), 6) for level in outline.levels)
    height += sum(110 + 30 * len(pair.optima) for pair in outline.pairs)
    frame = (
        '<iframe title="what a priority costs" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0" srcdoc="{safe(_page(outline))}"></iframe>'
    )
    hidden = "<style>.lx-unless-framed { display: none; }</style>"
    return f'{frame}<div class="lx-unless-framed">{hidden}{_still(outline)}</div>'


def _still(outline: ExploreOutline) -> str:
    """The curves as pictures, for front ends that show no frames."""
    parts = ["<p>The sliders are shown once this notebook is trusted. Until then, the curves:</p>"]
    for level in outline.levels:
        joined = "steps" if level.steps else "straight"
        series = tuple(
            series_of(name, level.tolerances, values, joined) for name, _, values in level.optima
        )
        parts += chart_html(Chart(f"tolerance on {level.name}", "optimum", series))
    return "".join(parts) + _fallback(outline)


def _page(outline: ExploreOutline) -> str:
    folder = files("lexiprog.show.html")
    style, script = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("explorer.css", "explorer.js")
    )
    # "</script>" inside a name would end the script, a line separator its strings.
    data = json.dumps(asdict(outline)).replace("</", "<\\/")
    return _PAGE.format(style=style, fallback=_fallback(outline), data=data, script=script)


def _fallback(outline: ExploreOutline) -> str:
    """The ends of every curve, for readers without scripts."""
    items = []
    for level in outline.levels:
        ends = [
            f"{safe(name)} from {number(values[0] + 0.0)} to {number(values[-1] + 0.0)}"
            for name, _, values in level.optima
        ]
        said = "; ".join(ends) or safe(level.note)
        items.append(f"<li>tolerance on {safe(level.name)}: {said}</li>")
    return f"<ul>{''.join(items)}</ul>"
