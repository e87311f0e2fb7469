"""CVXPY expressions as texts: as CVXPY writes them, and as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable

_READ, _SHOWN = 2000, 120
_INSIDE = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?"  # text whose brackets match
_NAMES = {"Sum": "sum", "Hstack": "hstack", "Vstack": "vstack", "QuadForm": "quad_form"}

# CVXPY prints its atoms with all their arguments; these say nothing in a display.
_REWRITES: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    (re.compile(r", None, False(?=\))"), ""),
    (re.compile(rf"\breshape\(({_INSIDE}), \((?:1,)?\), F\)"), r"\1"),
    (re.compile(rf"\bPromote\(({_INSIDE}), \([\d, ]*\)\)"), r"\1"),
    (re.compile(r"\[[\d\s.,e+\-\[\]]{20,}\]"), "[…]"),
    (re.compile(r"(?<![\w.])(\d+)\.0(?![\w.])"), r"\1"),
    (re.compile(r" \+ -\(([^()+]+)\)"), r" - \1"),
    (re.compile(r" \+ -(?=[\w.\[])"), " - "),
    (re.compile(r"\b(?:PowerApprox|power)\((\w+(?:\[[^]]*\])?), (\d+)\)"), r"\1^\2"),
    (re.compile(r"\b(?:PowerApprox|power)\(([^()]+), (\d+)\)"), r"(\1)^\2"),
    (re.compile(rf"\bquad_over_lin\(({_INSIDE}), 1\)"), r"sum_squares(\1)"),
    (re.compile(rf"-\(sum_largest\(-\(({_INSIDE})\), (\d+)\)\)"), r"sum_smallest(\1, \2)"),
    (re.compile(r"\bPnorm(?:Approx)?\("), "norm("),
    (re.compile(r"\b(Sum|Hstack|Vstack|QuadForm)(?=\()"), lambda found: _NAMES[found[1]]),
]


def readable(thing: object) -> str:
    """The text of an expression or constraint, tidied and cut to a readable length."""
    text = " ".join(str(thing)[:_READ].split())
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def shorten(thing: object) -> str:
    """A CVXPY object as CVXPY writes it, cut to a readable length."""
    text = " ".join(str(thing).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
