"""CVXPY expressions as texts: as CVXPY writes them, and as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import cvxpy as cp

from lexiprog.aliases import Constraint

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
    (re.compile(r"(?<![\w.])(?<!/ )1 \* (?=[\w(])"), ""),
    (re.compile(r" \+ -\(([^()+]+)\)"), r" - \1"),
    (re.compile(r" \+ -(?=\()"), " - "),
    (re.compile(r" \+ -(?=[\w.\[])"), " - "),
    (re.compile(r"\b(?:PowerApprox|power)\((\w+(?:\[[^]]*\])?), (\d+)\)"), r"\1^\2"),
    (re.compile(r"\b(?:PowerApprox|power)\(([^()]+), (\d+)\)"), r"(\1)^\2"),
    (re.compile(rf"\bquad_over_lin\(({_INSIDE}), 1\)"), r"sum_squares(\1)"),
    (re.compile(rf"-\(sum_largest\(-\(({_INSIDE})\), (\d+)\)\)"), r"sum_smallest(\1, \2)"),
    (re.compile(r"\bPnorm(?:Approx)?\("), "norm("),
    (re.compile(r"\b(Sum|Hstack|Vstack|QuadForm)(?=\()"), lambda found: _NAMES[found[1]]),
]


def readable(thing: object, names: Mapping[str, str] | None = None) -> str:
    """The text of an expression or constraint, tidied and cut to a readable length.

    ``names`` are put in place of those that CVXPY gives to variables without one.
    """
    text = " ".join(str(thing)[:_READ].split())
    for automatic, name in (names or {}).items():
        text = re.sub(rf"\b{automatic}\b", name, text)
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def written(constraint: Constraint, names: Mapping[str, str] | None = None) -> str:
    """A constraint as one writes it: without its label, a constant on the right."""
    if isinstance(constraint, cp.constraints.Inequality):
        left, right = constraint.args
        if left.is_constant() and not right.is_constant():
            return readable(f"{right} >= {left}", names)
    text = str(constraint)
    return readable(text.removeprefix(f"{constraint.label}: "), names)


def shorten(thing: object, names: Mapping[str, str] | None = None) -> str:
    """A CVXPY object as CVXPY writes it, cut to a readable length; ``names`` as above."""
    text = " ".join(str(thing).split())
    for automatic, name in (names or {}).items():
        text = re.sub(rf"\b{automatic}\b", name, text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
