"""Values of variables: small ones as numbers, large ones in a few words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Values
from lexiprog.outline.numbers import number
from lexiprog.outline.records import counted
from lexiprog.outline.text import array_text
from lexiprog.show.html.frame import safe, tag

__all__ = ["array_summary", "variable_lines"]

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
    zeros = int(np.sum(np.abs(real) <= 1e-9))
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
