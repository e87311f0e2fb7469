"""Programs and results as a diagram: stages from top to bottom, arrows from who is used to whom."""

from __future__ import annotations

from collections.abc import Mapping

from lexiprog.outline.drawing import draw
from lexiprog.outline.records import ProgramOutline, ResultOutline, SolvedOutline
from lexiprog.show.html.card import problem_card, summary_card
from lexiprog.show.html.frame import page, safe, tag
from lexiprog.show.html.lanes import find_lanes, gutter, height, width
from lexiprog.show.html.rows import Row, rows_of


@draw.register
def program_html(program: ProgramOutline) -> str:
    """What was declared."""
    return page(_grid(program, None))


@draw.register
def result_html(result: ResultOutline) -> str:
    """What was declared, and what was found for it."""
    return page(_grid(result.program, result.solved))


def _grid(program: ProgramOutline, solved: Mapping[str, SolvedOutline] | None) -> str:
    rows = rows_of(program)
    place = {name: k for k, row in enumerate(rows) for name in row.names}
    # What a summary uses of itself needs no arrow; an owner that is not shown cannot have one.
    uses = [{place[o] for o in row.owners if o in place} - {k} for k, row in enumerate(rows)]
    lanes = find_lanes(uses)
    track = {lane.source: lane.track for lane in lanes}
    colours = {name: f"lx-track{track[k]}" for name, k in place.items() if k in track}
    cells = []
    for k, row in enumerate(rows):
        cells.append(tag("div", "lx-gutter", gutter(lanes, k)))
        cells.append(_content(row, colours, solved, height(lanes, k)))
    columns = f"{width(lanes)}px minmax(0, 1fr)"
    return f'<div class="lx-grid" style="grid-template-columns:{columns}">{"".join(cells)}</div>'


def _content(
    row: Row,
    colours: Mapping[str, str],
    solved: Mapping[str, SolvedOutline] | None,
    least: int,
) -> str:
    if not row.problems:
        return tag("div", "lx-stage", safe(row.text), tag("span", "", safe(row.note)))
    if row.single:
        return tag("div", "lx-cell", problem_card(row.problems[0], colours, solved, least))
    return tag("div", "lx-cell", summary_card(row, solved, least))
