"""Words of this library with an explanation that appears when the pointer rests on them."""

from __future__ import annotations

import re

from lexiprog.show.html.frame import safe

__all__ = ["explained"]

_GUIDE = "https://github.com/lexiprog/lexiprog/blob/main/docs/guide/"
_UNITS = "up to the tolerance, in units in which the numbers of the problem are about one"
_MEANING = {
    "certified: duals": f"proved by its multipliers: no feasible point is better, {_UNITS}",
    "certified: bound": f"proved by the bound of a solve of our own: no point is better, {_UNITS}",
    "certified: incumbent": "a feasible whole point, checked; that nothing is better is the "
    "solver's word",
    "certified: point": "a feasible whole point, checked; nobody has a bound for what is better",
    "certified: exact": "proved in rational numbers, without any rounding",
    "certified: oracle": "proved by its multipliers and the word of its oracle for the bounds, "
    f"{_UNITS}",
    "face lock": "held by the equations of its optimal face, without any tolerance",
    "argument lock": "held by fixing what its strictly curved objective depends on, without any "
    "tolerance",
    "value lock": "held by a bound on its objective",
    "drift": "how far the held objective really moved from its optimum",
    "worst measure": "the largest error in the proof of optimality, relative to the size of the "
    "problem; an optimum is certified below 1e-6",
    "incumbent": "the best point found; not proved to be the best there is",
    "within_gap": "an incumbent whose distance to the proved bound was accepted; it may not be the "
    "best there is",
    "optimal_inaccurate": "certified, but what it holds is not known exactly enough to call it "
    "optimal",
    "price": "gain of this objective per unit of further slack on the held one",
}
# Where the guide says more.
_PLACES = {
    "face lock": "locks.md#face",
    "argument lock": "locks.md#value-lock",
    "value lock": "locks.md#value-lock",
    "drift": "locks.md#drift",
    "worst measure": "locks.md#certificate",
    "incumbent": "integers.md#gaps",
    "within_gap": "integers.md#gaps",
    "optimal_inaccurate": "locks.md#certificate",
    "price": "locks.md#price",
    **dict.fromkeys((w for w in _MEANING if w.startswith("certified")), "locks.md#certificate"),
}
_FOUND = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in _MEANING))


def explained(text: str) -> str:
    """A text as HTML, its special words with their meaning and a link to the guide."""
    parts, end = [], 0
    for found in _FOUND.finditer(text):
        word = found[0]
        parts.append(safe(text[end : found.start()]))
        goal = f'href="{_GUIDE}{_PLACES[word]}" target="_blank" rel="noopener"'
        parts.append(f'<abbr title="{safe(_MEANING[word])}"><a {goal}>{safe(word)}</a></abbr>')
        end = found.end()
    return "".join([*parts, safe(text[end:])])
