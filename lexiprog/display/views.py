"""One solution as a table of its variables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from importlib.resources import files

from lexiprog.display.card import Halt, level_table, lock_text, mark
from lexiprog.display.diagram import hierarchy_grid
from lexiprog.display.frame import SHOWN_VARIABLES, array_summary, explained, page, safe, tag
from lexiprog.display.table import chart_html, table_parts
from lexiprog.errors import Attempt, ConflictPart
from lexiprog.summary import (
    Chart,
    ExploreSummary,
    FailureSummary,
    FrontSummary,
    SolutionSummary,
    TableCell,
    TableSummary,
    array_text,
    counted,
    duration,
    number,
    render,
    series_of,
)


@render.register
def solution_html(solution: SolutionSummary) -> str:
    """The optimum, its certificate and locks, and every variable, large ones summarised."""
    found, variables = solution.found, solution.variables
    shown = list(variables.items())[:SHOWN_VARIABLES]
    rest = len(variables) - len(shown)
    table = TableSummary(
        title="",
        columns=("variable", "shape", "value"),
        rows=tuple(
            (
                TableCell(key),
                TableCell(_shape(value.shape), "quiet"),
                TableCell(array_summary(value)),
            )
            for key, value in shown
        ),
        notes=(TableCell(f"and {counted(rest, 'more variable')}", "quiet"),) if rest else (),
    )
    head = tag(
        "div",
        "lx-head",
        mark(found),
        tag("span", "lx-name", safe(solution.name)),
        tag("span", "lx-value", safe(found.text())),
        tag(
            "span",
            "lx-quiet",
            explained(f"{found.status}, {found.solver}, {duration(found.seconds)}"),
        ),
    )
    locks = [tag("div", "", explained(lock_text(lock))) for lock in found.locks]
    tone = "lx-quiet" if found.certified else "lx-bad"
    levels = level_table(found.levels)
    return page(
        head, levels, *table_parts(table), *locks, tag("div", tone, explained(found.certificate))
    )


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "number"


# A hierarchy that could not be solved to its end: where it stops, why, and who was asked.

SHOWN_TRIES = 8


@render.register
def failure_html(failure: FailureSummary) -> str:
    """The hierarchy with the problem that failed, the conflict, and what was tried."""
    stop = Halt(failure.problem, failure.status, failure.reason)
    return page(
        hierarchy_grid(failure.result.program, failure.result.solved, stop),
        *_titled("What cannot hold together", _conflict(failure.conflict)),
        *_titled("Where it improves without limit", _direction(failure)),
        *_titled("What was tried", _tries(failure.attempts)),
        tag("div", "lx-quiet", safe(_kept(failure))),
    )


def _titled(title: str, table: TableSummary | None) -> list[str]:
    if table is None:
        return []
    return [tag("div", "lx-title lx-apart", safe(title)), *table_parts(table)]


def _conflict(parts: tuple[ConflictPart, ...]) -> TableSummary | None:
    """Each part with its place, and the relaxation where an earlier optimum could yield."""
    if not parts:
        return None
    columns = ["place", "constraint"]
    cells = [
        [
            TableCell("bound" if part.position is None else str(part.position), "quiet"),
            TableCell(" ".join(filter(None, [part.label or part.expression, part.where]))),
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
    return TableSummary("", tuple(columns), rows, frozenset(["least relaxation"]))


def _relaxation(part: ConflictPart) -> str:
    if part.relaxation is not None:
        return number(part.relaxation)
    return "none helps alone" if part.optima else ""


def _direction(failure: FailureSummary) -> TableSummary | None:
    if failure.direction is None:
        return None
    rows = (
        (TableCell(name), TableCell(array_text(value))) for name, value in failure.direction.items()
    )
    return TableSummary("", ("variable", "direction"), tuple(rows))


def _tries(attempts: Iterable[Attempt]) -> TableSummary:
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
    return TableSummary(
        "",
        tuple(columns[k] for k in filled),
        tuple(tuple(row[k] for k in filled) for row in rows[:SHOWN_TRIES]),
        frozenset(["time"]),
        notes,
    )


def _kept(failure: FailureSummary) -> str:
    solved = len(failure.result.solved)
    if not solved:
        return "Nothing was solved before."
    verb = "is" if solved == 1 else "are"
    return (
        f"{counted(solved, 'solved problem')} {verb} in error.partial; "
        "program.solve(resume=error.partial) goes on from there."
    )


# Sliders for tolerances and what follows them: a page of its own, in a frame of its own.
#
# Notebooks may strip or refuse scripts in their own page. A frame runs them in every front end,
# and in a page that was saved. Who strips frames, as notebooks that are not trusted and pages of
# code hosts do, strips styles as well, and with them the rule that hides the same curves without
# sliders.

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>{title}</title><style>{style}</style></head>
<body><div id="{place}">{fallback}</div>
<script>const DATA = {data};
{script}</script></body></html>"""


# The height of a frame is estimated; where scripts run, the page inside says what it needs.
_FITTED = """<script>addEventListener("message", (event) => {
  const frames = [...document.querySelectorAll("iframe")];
  const frame = frames.find((one) => one.contentWindow === event.source);
  if (frame && event.data.lexiprog) frame.style.height = `${Number(event.data.lexiprog)}px`;
});</script>"""


@render.register
def _explorer(summary: ExploreSummary) -> str:
    """The page, or the page in a frame; its first state is there for those without scripts."""
    if not summary.framed:
        return _page(summary)
    height = 40 + sum(150 + 22 * max(len(level.variables), 6) for level in summary.levels)
    height += sum(110 + 30 * len(pair.optima) for pair in summary.pairs)
    frame = (
        '<iframe title="what a priority costs" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0" srcdoc="{escape(_page(summary))}"></iframe>'
    )
    hidden = "<style>.lx-unless-framed { display: none; }</style>"
    return f'{frame}{_FITTED}<div class="lx-unless-framed">{hidden}{_still(summary)}</div>'


def _still(summary: ExploreSummary) -> str:
    """The curves as pictures, for front ends that show no frames."""
    parts = ["<p>The sliders are shown once this notebook is trusted. Until then, the curves:</p>"]
    for level in summary.levels:
        joined = "not" if level.sampled else "steps" if level.steps else "straight"
        series = tuple(
            series_of(name, level.tolerances, values, joined) for name, _, values in level.optima
        )
        parts += chart_html(Chart(f"tolerance on {level.name}", "optimum", series))
    return "".join(parts) + _fallback(summary)


# Of what JSON writes by number, that which nobody would see, but for "<".
_UNSEEN = re.compile(
    r"(?<!\\)\\u(00[01][0-9a-f]|007f|00[89][0-9a-f]|061c|200[b-f]|202[89a-e]|206[0-9a-f]|feff)"
)


def _page(summary: ExploreSummary) -> str:
    return _scripted("explorer", "What a priority costs", _fallback(summary), asdict(summary))


def _scripted(place: str, title: str, fallback: str, numbers: object) -> str:
    """A page whose script of the same name draws numbers in a place."""
    folder = files("lexiprog.display")
    style, script = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("explorer.css", f"{place}.js")
    )
    # "</script>" or "<!--" inside a name would end the script, or hide its end; marks of direction
    # and control characters are shown by their numbers.
    data = _UNSEEN.sub(r"\\\\u\1", json.dumps(numbers).replace("<", "\\u003c"))
    return _PAGE.format(
        title=safe(title), place=place, style=style, fallback=fallback, data=data, script=script
    )


@render.register
def _front(summary: FrontSummary) -> str:
    """A whole page: the points in space or as lines, with sliders for bounds."""
    said = "".join(f"<li>{safe(note)}</li>" for note in summary.notes)
    title = f"Front of {' and '.join(summary.names)}"
    return _scripted("front", title, f"<ul>{said}</ul>", asdict(summary))


def _fallback(summary: ExploreSummary) -> str:
    """The ends of every curve, for readers without scripts."""
    items = []
    for level in summary.levels:
        ends = [
            f"{safe(name)} from {number(values[0] + 0.0)} to {number(values[-1] + 0.0)}"
            for name, _, values in level.optima
        ]
        said = "; ".join(ends) or safe(level.note)
        items.append(f"<li>tolerance on {safe(level.name)}: {said}</li>")
    return f"<ul>{''.join(items)}</ul>"
