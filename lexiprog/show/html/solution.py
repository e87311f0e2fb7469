"""One solution as a table of its variables."""

from __future__ import annotations

from lexiprog.outline.drawing import draw
from lexiprog.outline.numbers import duration
from lexiprog.outline.records import SolutionOutline, TableCell, TableOutline, counted
from lexiprog.show.html.card import level_table, lock_text, mark
from lexiprog.show.html.frame import page, safe, tag
from lexiprog.show.html.table import table_parts
from lexiprog.show.html.values import SHOWN_VARIABLES, array_summary
from lexiprog.show.html.words import explained


@draw.register
def solution_html(solution: SolutionOutline) -> str:
    """The optimum, its certificate and locks, and every variable, large ones summarised."""
    found, variables = solution.found, solution.variables
    shown = list(variables.items())[:SHOWN_VARIABLES]
    rest = len(variables) - len(shown)
    table = TableOutline(
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
