"""A hierarchy that could not be solved to its end: where it stops, why, and who was asked."""

from __future__ import annotations

from collections.abc import Iterable

from lexiprog.errors import Attempt, ConflictPart
from lexiprog.outline.drawing import draw
from lexiprog.outline.failures import FailureOutline
from lexiprog.outline.numbers import duration, number
from lexiprog.outline.records import TableCell, TableOutline, counted
from lexiprog.outline.text import array_text
from lexiprog.show.html.card import Halt
from lexiprog.show.html.diagram import hierarchy_grid
from lexiprog.show.html.frame import page, safe, tag
from lexiprog.show.html.table import table_parts

SHOWN_TRIES = 8


@draw.register
def failure_html(failure: FailureOutline) -> str:
    """The hierarchy with the problem that failed, the conflict, and what was tried."""
    stop = Halt(failure.problem, failure.status, failure.reason)
    return page(
        hierarchy_grid(failure.result.program, failure.result.solved, stop),
        *_titled("What cannot hold together", _conflict(failure.conflict)),
        *_titled("Where it improves without limit", _direction(failure)),
        *_titled("What was tried", _tries(failure.attempts)),
        tag("div", "lx-quiet", safe(_kept(failure))),
    )


def _titled(title: str, table: TableOutline | None) -> list[str]:
    if table is None:
        return []
    return [tag("div", "lx-title lx-apart", safe(title)), *table_parts(table)]


def _conflict(parts: tuple[ConflictPart, ...]) -> TableOutline | None:
    """Each part with its place, and the relaxation where an earlier optimum could yield."""
    if not parts:
        return None
    columns = ["place", "constraint"]
    cells = [
        [
            TableCell("bound" if part.position is None else str(part.position), "quiet"),
            TableCell(" ".join(filter(None, [part.text, part.where]))),
        ]
        for part in parts
    ]
    if any(part.label for part in parts):
        columns.append("as written")
        for row, part in zip(cells, parts, strict=True):
            row.append(TableCell(part.expression if part.label else "", "quiet"))
    if any(part.optima for part in parts):
        columns += ["earlier optimum", "least relaxation"]
        for row, part in zip(cells, parts, strict=True):
            row += [TableCell(", ".join(part.optima)), TableCell(_relaxation(part))]
    rows = tuple(map(tuple, cells))
    return TableOutline("", tuple(columns), rows, frozenset(["least relaxation"]))


def _relaxation(part: ConflictPart) -> str:
    if part.relaxation is not None:
        return number(part.relaxation)
    return "none helps alone" if part.optima else ""


def _direction(failure: FailureOutline) -> TableOutline | None:
    if failure.direction is None:
        return None
    rows = (
        (TableCell(name), TableCell(array_text(value))) for name, value in failure.direction.items()
    )
    return TableOutline("", ("variable", "direction"), tuple(rows))


def _tries(attempts: Iterable[Attempt]) -> TableOutline:
    """Who was asked and what was said, alike answers of one solver together."""
    said: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        said.setdefault(str(attempt), []).append(attempt)
    rows = tuple(
        (
            TableCell(same[0].solver),
            TableCell(same[0].status, "bad"),
            TableCell(same[0].reason),
            TableCell("" if len(same) == 1 else f"{len(same)} ways", "quiet"),
            TableCell(duration(sum(one.seconds for one in same))),
        )
        for same in said.values()
    )
    rest = len(rows) - SHOWN_TRIES
    notes = (TableCell(f"and {counted(rest, 'further answer')}", "quiet"),) if rest > 0 else ()
    columns = ("solver", "said", "because", "in", "time")
    filled = [k for k in range(len(columns)) if any(row[k].text for row in rows)]
    return TableOutline(
        "",
        tuple(columns[k] for k in filled),
        tuple(tuple(row[k] for k in filled) for row in rows[:SHOWN_TRIES]),
        frozenset(["time"]),
        notes,
    )


def _kept(failure: FailureOutline) -> str:
    solved = len(failure.result.solved)
    if not solved:
        return "Nothing was solved before."
    verb = "is" if solved == 1 else "are"
    return (
        f"{counted(solved, 'solved problem')} {verb} in error.partial; "
        "program.solve(resume=error.partial) goes on from there."
    )
