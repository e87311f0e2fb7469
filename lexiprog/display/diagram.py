"""Programs and results as a diagram: stages from top to bottom, arrows from who is used to whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lexiprog.display.card import Halt, Row, problem_card, rows_of, stopped_card, summary_card
from lexiprog.display.frame import page, safe, tag
from lexiprog.summary import ProgramSummary, ResultSummary, SolvedSummary, render

# Arrows from problems to those that use them, as coloured lanes beside the rows.
#
# A problem that later ones use opens a lane at its row; the lane runs down the gutter and sends an
# arrow into every row that uses it. The picture is drawn row by row with lines that stretch, so it
# fits whatever height the rows turn out to have.

TRACKS = 6
_STEP, _EDGE, _TOP, _APART = 13, 12, 17, 10


@dataclass(frozen=True)
class Lane:
    """The arrows of one row: where they start, which rows they reach, and on which track."""

    track: int
    source: int
    readers: tuple[int, ...]


def find_lanes(uses: Sequence[Collection[int]]) -> list[Lane]:
    """Columns of arrows for rows of which the k-th uses the earlier rows ``uses[k]``.

    A track is taken again when its last arrow has ended; when all are taken, the last is shared.
    """
    free_from = [0] * TRACKS
    lanes = []
    for source in range(len(uses)):
        readers = tuple(k for k, used in enumerate(uses) if source in used)
        if readers:
            free = (track for track, row in enumerate(free_from) if row <= source)
            track = next(free, TRACKS - 1)
            free_from[track] = max(free_from[track], readers[-1] + 1)
            lanes.append(Lane(track, source, readers))
    return lanes


def width(lanes: Sequence[Lane]) -> int:
    """Pixels that the gutter needs."""
    tracks = max((lane.track for lane in lanes), default=-1) + 1
    return tracks * _STEP + _EDGE if tracks else 0


def height(lanes: Sequence[Lane], row: int) -> int:
    """Pixels that a row needs for its arrows."""
    ends = {lane.track for lane in lanes if row in lane.readers}
    return _TOP + _APART * (len(ends) + any(lane.source == row for lane in lanes))


def gutter(lanes: Sequence[Lane], row: int) -> str:
    """The piece of the picture beside one row."""
    right = width(lanes)
    ends = sorted({lane.track for lane in lanes if row in lane.readers})
    leave = _TOP + _APART * len(ends)
    entry = dict(zip(ends, range(_TOP, leave, _APART), strict=True))
    parts = []
    for track in sorted({lane.track for lane in lanes}):
        mine = [lane for lane in lanes if lane.track == track]
        x = right - _EDGE - _STEP * track
        if any(lane.source < row <= lane.readers[-1] for lane in mine):
            goes_on = any(lane.source <= row < lane.readers[-1] for lane in mine)
            parts.append(_line(track, x, "-1", x, "100%" if goes_on else str(entry[track])))
        if any(lane.source == row for lane in mine):
            parts += _source(track, x, leave, right)
        if track in entry:
            parts += _arrow(track, x, entry[track], right)
    return f'<svg aria-hidden="true">{"".join(parts)}</svg>' if parts else ""


def _source(track: int, x: int, y: int, right: int) -> list[str]:
    dot = f'<circle class="lx-track{track}" cx="{right}" cy="{y}" r="3.5" fill="currentColor"/>'
    return [_line(track, x, str(y), right, str(y)), _line(track, x, str(y), x, "100%"), dot]


def _arrow(track: int, x: int, y: int, right: int) -> list[str]:
    head = f"M{right - 7} {y - 4}L{right} {y}L{right - 7} {y + 4}z"
    tip = f'<path class="lx-track{track}" d="{head}" fill="currentColor"/>'
    return [_line(track, x, str(y), right - 4, str(y)), tip]


def _line(track: int, x1: int, y1: str, x2: int, y2: str) -> str:
    return (
        f'<line class="lx-track{track}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" '
        'stroke="currentColor" stroke-width="2"/>'
    )


@render.register
def program_html(program: ProgramSummary) -> str:
    """What was declared."""
    return page(hierarchy_grid(program, None))


@render.register
def result_html(result: ResultSummary) -> str:
    """What was declared, and what was found for it."""
    return page(hierarchy_grid(result.program, result.solved))


def hierarchy_grid(
    program: ProgramSummary,
    solved: Mapping[str, SolvedSummary] | None,
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
    solved: Mapping[str, SolvedSummary] | None,
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
