"""One solution as a table of its variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexiprog.outline.drawing import draw
from lexiprog.outline.numbers import duration, number
from lexiprog.outline.records import SolutionOutline, TableCell, TableOutline, counted
from lexiprog.outline.text import array_text
from lexiprog.show.html.card import level_table, lock_text, mark
from lexiprog.show.html.frame import page, safe, tag
from lexiprog.show.html.table import table_parts

SHOWN_ENTRIES = 12
SHOWN_VARIABLES = 30


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
            (TableCell(key), TableCell(_shape(value.shape), "quiet"), TableCell(_value(value)))
            for key, value in shown
        ),
        notes=(TableCell(f"and {counted(rest, 'more variable')}", "quiet"),) if rest else (),
    )
    head = tag(
        "div",
        "lx-head",
        mark(certified=found.certified),
        tag("span", "lx-name", safe(solution.name)),
        tag("span", "lx-value", safe(found.text())),
        tag("span", "lx-quiet", safe(f"{found.status}, {found.solver}, {duration(found.seconds)}")),
    )
    locks = [tag("div", "", safe(lock_text(lock))) for lock in found.locks]
    tone = "lx-quiet" if found.certified else "lx-bad"
    levels = level_table(found.levels)
    return page(
        head, levels, *table_parts(table), *locks, tag("div", tone, safe(found.certificate))
    )


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "number"


def _value(value: NDArray[np.generic]) -> str:
    if not value.shape and value.dtype.kind in "biuf":
        return number(float(value))
    if value.size <= SHOWN_ENTRIES:
        return array_text(value)
    if value.dtype.kind not in "biuf":
        return f"{value.size} numbers"
    real = value.astype(float)
    zeros = int(np.sum(np.abs(real) <= 1e-9))
    low, high, mean = (number(float(f(real))) for f in (np.min, np.max, np.mean))
    zero = f", {zeros} of them zero" if zeros else ""
    return f"{value.size} numbers{zero}; least {low}, mean {mean}, largest {high}"
