"""Sliders for tolerances and what follows them: a page of its own, in a frame of its own.

Notebooks may strip or refuse scripts in their own page. A frame runs them in every front end, and
in a page that was saved.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files

from lexiprog.outline.drawing import draw
from lexiprog.outline.exploring import ExploreOutline
from lexiprog.outline.numbers import number
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
    return (
        '<iframe title="what a priority costs" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0" srcdoc="{safe(_page(outline))}"></iframe>'
    )


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
