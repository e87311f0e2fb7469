"""Fill docstrings with texts that are written once: ``{nu, cap}`` stands for two of them."""

from __future__ import annotations

import re
from inspect import isfunction
from textwrap import indent
from typing import Any, TypeVar

from lexiprog_boost.checks.attribute_texts import ATTRIBUTES
from lexiprog_boost.checks.parameter_texts import PARAMETERS
from lexiprog_boost.checks.references import REFERENCES

Documented = TypeVar("Documented")

TEXTS = {name: text.strip("\n") for name, text in (PARAMETERS | ATTRIBUTES | REFERENCES).items()}
# Lines with nothing but names in braces, perhaps after the name of a section that they open; sets
# such as {"vote", "proba"} have quotes.
PLACE = re.compile(r"^( *)\{(?:([A-Z]\w+): )?([\w\s,]+)\}$", re.MULTILINE)


def described(thing: Documented) -> Documented:
    """Put the shared texts into the docstring of a function, or of a class and its methods.

    ``{nu, cap}`` on a line of its own stands for two texts; ``{Parameters: nu, cap}`` has the
    heading of a section before them, to which further entries may be added below.
    ``help``, scikit-learn and documentation tools then see the whole text. Without docstrings, as
    under ``python -OO``, there is nothing to fill.

    Parameters
    ----------
    thing : function or class
        It is changed, and returned.

    Returns
    -------
    function or class

    Examples
    --------
    >>> from lexiprog_boost.checks.docstrings import described
    >>> @described
    ... def grow(max_depth):
    ...     '''Grow a tree.
    ...
    ...     {Parameters: verbose}
    ...     max_depth : int
    ...     '''
    >>> [line.strip() for line in grow.__doc__.splitlines()[2:5]]
    ['Parameters', '----------', 'verbose : int']
    """
    parts = vars(thing).values() if isinstance(thing, type) else ()
    for part in (thing, *(found for found in parts if isfunction(found))):
        documented: Any = part
        if documented.__doc__:
            documented.__doc__ = PLACE.sub(_texts, documented.__doc__)
    return thing


def _texts(place: re.Match[str]) -> str:
    margin, section, names = place[1], place[2], re.split(r",\s*", place[3])
    unknown = [name for name in names if name not in TEXTS]
    if unknown:
        raise KeyError(f"a docstring asks for the text {unknown[0]!r}; there are {sorted(TEXTS)}.")
    heading = [section, "-" * len(section)] if section else []
    return indent("\n".join([*heading, *(TEXTS[name] for name in names)]), margin)
