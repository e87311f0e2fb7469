"""Programs and results as a diagram: stages from top to bottom, arrows from who is used to whom."""

from __future__ import annotations

from collections.abc import Mapping

from lexiprog.outline.drawing import draw
from lexiprog.outline.records import ProgramOutline, ResultOutline, SolvedOutline
from lexiprog.show.html.card import Halt, problem_card, stopped_card, summary_card
from lexiprog.show.html.frame import page, safe, tag
from lexiprog.show.html.lanes import find_lanes, gutter, height, width
from lexiprog.show.html.rows import Row, rows_of


@draw.register
def program_html(program: ProgramOutline) -> str:
    """What was declared."""
    return page(hierarchy_grid(program, None))


@draw.register
def result_html(result: ResultOutline) -> str:
    """What was declared, and what was found for it."""
    return page(hierarchy_grid(result.program, result.solved))


def hierarchy_grid(
    program: ProgramOutline,
    solved: Mapping[str, SolvedOutline] | None,
    stop: Halt | None = None,
) -> str:
    """Rows of cards with arrows beside them; ``stop`` is where a solve could not go on."""
    rows = rows_of(program, None if stop is None else stop.name)
    place = {name: k for k, row in enumerate(rows) for name in row.names}
    # What a summary uses of itself needs no arrow; an owner that is not shown cannot have one.
    uses = [{place[o] for o in row.owners if o in place} - {k} for k, row in enumerate(rows)]
    lanes = find_lanes(uses)
    track = {lane.source: lane.track for lane in lanes}
    colours = {name: f"lx-track{track[k]}" for name, k in place.items() if k in track}
    cells = []
    for k, row in enumerate(rows):
        cells.append(tag("div", "lx-gutter", gutter(lanes, k)))
        cells.append(_content(row, colours, solved, stop, height(lanes, k)))
    columns = f"{width(lanes)}px minmax(0, 1fr)"
    return f'<div class="lx-grid" style="grid-template-columns:{columns}">{"".join(cells)}</div>'


def _content(
    row: Row,
    colours: Mapping[str, str],
    solved: Mapping[str, SolvedOutline] | None,
    stop: Halt | None,
    least: int,
) -> str:
    if not row.problems:
        return tag("div", "lx-stage", safe(row.text), tag("span", "", safe(row.note)))
    if row.single and stop is not None and row.names == {stop.name}:
        return tag("div", "lx-cell", stopped_card(row.problems[0], colours, stop, least))
    if row.single:
        return tag("div", "lx-cell", problem_card(row.problems[0], colours, solved, least))
    return tag("div", "lx-cell", summary_card(row, solved, least))
