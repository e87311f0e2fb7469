"""The frame of every HTML display: its style, and texts made safe. There is no script."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from lexiprog.errors import visible
from lexiprog.summary import array_text, counted, number
from lexiprog.tolerances import SHOWN_ZERO
from lexiprog.typing import Values


@cache
def style() -> str:
    """The style sheet, without its comments."""
    sheet = files("lexiprog.display").joinpath("style.css").read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL)


def page(*parts: str) -> str:
    """The parts in one styled block."""
    return f'<div class="lx"><style>{style()}</style>\n' + "\n".join(parts) + "\n</div>"


def tag(name: str, classes: str, *inside: str) -> str:
    """An element around parts that are HTML already."""
    return f'<{name} class="{classes}">{"".join(inside)}</{name}>'


def safe(text: str) -> str:
    """A text that may contain anything, as HTML."""
    return escape(visible(text), quote=True)


# Words of this library with an explanation that appears when the pointer rests on them.

_GUIDE = "https://github.com/lexiprog/lexiprog/blob/main/docs/guide/"
MEANING = {
    "optimal for data within": "each number of your data may have to change by that share of "
    "itself for the point to be optimal; no unit makes a difference",
    "locally optimal for data within": "no point nearby is better, for data each number of which "
    "differs from yours by at most that share of itself; points further away may be",
    "feasible for data within": "each number of your data may have to change by that share of "
    "itself for the point to be feasible; that nothing is better is not proved",
    "value within": "where the optimum of your data as they are lies; of a problem with integers "
    "the outer end is the solver's word",
    "optimal for your data": "proved in rational numbers, without any rounding",
    "not certified": "what was measured is above what is accepted, so nothing is called optimal",
    "face lock": "held by the equations of its optimal face, without any tolerance",
    "argument lock": "held by fixing what its strictly curved objective depends on, without any "
    "tolerance",
    "value lock": "held by a bound on its objective",
    "drift": "how far the held objective really moved from its optimum",
    "incumbent": "the best point found; not proved to be the best there is",
    "within_gap": "an incumbent whose distance to the proved bound was accepted; it may not be the "
    "best there is",
    "optimal_inaccurate": "a point that was checked, but not proved to be optimal for your data, "
    "or that holds what is not known exactly enough",
    "price": "gain of this objective per unit of further slack on the held one",
}
# Where the guide says more.
GUIDE_PLACES = {
    "face lock": "locks.md#face",
    "argument lock": "locks.md#value-lock",
    "value lock": "locks.md#value-lock",
    "drift": "locks.md#drift",
    "incumbent": "integers.md#gaps",
    "within_gap": "integers.md#gaps",
    "optimal_inaccurate": "optimal.md#flagged",
    "price": "locks.md#price",
    "optimal for data within": "optimal.md#data",
    "locally optimal for data within": "optimal.md#data",
    "feasible for data within": "optimal.md#data",
    "value within": "optimal.md#value",
    "optimal for your data": "optimal.md#exact",
    "not certified": "optimal.md#refused",
}
_FOUND = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in MEANING))


def explained(text: str) -> str:
    """A text as HTML, its special words with their meaning and a link to the guide."""
    parts, end = [], 0
    for found in _FOUND.finditer(text):
        word = found[0]
        parts.append(safe(text[end : found.start()]))
        goal = f'href="{_GUIDE}{GUIDE_PLACES[word]}" target="_blank" rel="noopener"'
        parts.append(f'<abbr title="{safe(MEANING[word])}"><a {goal}>{safe(word)}</a></abbr>')
        end = found.end()
    return "".join([*parts, safe(text[end:])])


# Values of variables: small ones as numbers, large ones in a few words.

SHOWN_ENTRIES = 12
SHOWN_VARIABLES = 30
OPEN_VARIABLES = 4


def array_summary(value: NDArray[np.generic]) -> str:
    """The numbers of a small array; how many, how small and how large those of another are."""
    if not value.shape and value.dtype.kind in "biuf":
        return number(float(value))
    if value.size <= SHOWN_ENTRIES:
        return array_text(value)
    if value.dtype.kind not in "biuf":
        return f"{value.size} numbers"
    real = value.astype(float)
    zeros = int(np.sum(np.abs(real) <= SHOWN_ZERO))
    low, high, mean = (number(float(f(real))) for f in (np.min, np.max, np.mean))
    zero = f", {zeros} of them zero" if zeros else ""
    return f"{value.size} numbers{zero}; least {low}, mean {mean}, largest {high}"


def variable_lines(variables: Values) -> str:
    """A line for each of a few small variables; the others folded."""
    small = [name for name, value in variables.items() if value.size <= SHOWN_ENTRIES]
    open_ones = small[:OPEN_VARIABLES]
    folded = [name for name in variables if name not in open_ones]
    lines = "".join(_line(name, array_summary(variables[name])) for name in open_ones)
    if not folded:
        return lines
    inside = [_line(name, array_summary(variables[name])) for name in folded[:SHOWN_VARIABLES]]
    rest = len(folded) - len(inside)
    if rest:
        inside.append(_line("", f"and {counted(rest, 'more variable')}"))
    noun = "further variable" if open_ones else "variable"
    head = f"<summary>{counted(len(folded), noun)}</summary>"
    return lines + tag("details", "lx-more", head, *inside)


def _line(name: str, text: str) -> str:
    word = tag("span", "lx-word lx-quiet", safe(name))
    return tag("div", "lx-line", word, tag("span", "lx-code", safe(text)))
