"""What is known of CVXPY objects that can carry nothing themselves."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")


class Registry(Generic[Kept]):
    """What is known of CVXPY objects, for as long as they live.

    CVXPY dispatches on exact types, so a placeholder must be a plain ``cp.Parameter`` and can
    carry nothing itself.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Kept]] = {}

    def add(self, key: Any, kept: Kept) -> None:
        """Remember ``kept`` for the object ``key``."""
        self._known[id(key)] = (weakref.ref(key), kept)
        weakref.finalize(key, self._known.pop, id(key), None).atexit = False

    def get(self, key: Any) -> Kept | None:
        """What is known of ``key`` itself; CVXPY's ids don't count, since copies share them."""
        found = self._known.get(id(key))
        return found[1] if found is not None and found[0]() is key else None
