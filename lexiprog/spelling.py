"""What somebody may have meant by a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "there_are"]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that names the likeliest of the known names; empty if none is near.

    Examples
    --------
    >>> did_you_mean("HIHGS", ["CLARABEL", "HIGHS"])
    " Did you mean 'HIGHS'?"
    """
    by_folded = {str(one).casefold(): str(one) for one in known if str(one) != str(name)}
    near = get_close_matches(str(name).casefold(), by_folded, n=1, cutoff=0.6)
    return f" Did you mean {by_folded[near[0]]!r}?" if near else ""


def there_are(known: Iterable[str], name: object) -> str:
    """The known names as the end of a sentence, and a question if one of them may be meant.

    Examples
    --------
    >>> there_are(["cheap", "clean"], "cheep")
    "'cheap', 'clean'. Did you mean 'cheap'?"
    """
    names = list(known)
    return f"{', '.join(map(repr, names)) or 'none'}.{did_you_mean(name, names)}"
