"""What a CVXPY leaf holds underneath: to be looked at and given back exactly as it was.

A leaf's public ``value`` checks, copies or calls somebody, so that what it gives is not always what
it was given. Beside the door to CVXPY this is the only place that knows its private names.
"""

from __future__ import annotations

import cvxpy as cp

from lexiprog.aliases import Leaf

__all__ = ["give", "give_back", "stored"]


def stored(leaf: Leaf) -> object:
    """Its value, or whom it asks for one."""
    # A callback parameter has no value to set: it has somebody to ask.
    return leaf._callback if isinstance(leaf, cp.CallbackParam) else leaf._value  # noqa: SLF001


def give(leaf: Leaf, value: object) -> None:
    """Let it have a value, or let the one whom it asks say so."""
    if isinstance(leaf, cp.CallbackParam):
        leaf._callback = lambda: value  # noqa: SLF001
    else:
        leaf.save_value(value)


def give_back(leaf: Leaf, before: object) -> None:
    """Let it have what was stored there once."""
    if isinstance(leaf, cp.CallbackParam):
        leaf._callback = before  # noqa: SLF001
    else:
        leaf._value = before  # noqa: SLF001
