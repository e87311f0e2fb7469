"""What was made for a subproblem and may be needed again, for as long as the subproblem lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Kept = TypeVar("Kept")


class Memory:
    """One subproblem's placeholders, restatements and compiled problems, each made once.

    The subproblem itself never changes; this is the one thing beside it that grows.
    """

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is kept under ``key``, made at first use."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: Kept = self._kept[key]
        return kept

    def latest(self, key: Hashable, fresh: Kept, same: Callable[[Kept, Kept], bool]) -> Kept:
        """What is kept under ``key`` if it is the same as ``fresh``, which else replaces it."""
        kept: Kept | None = self._kept.get(key)
        if kept is None or not same(kept, fresh):
            kept = self._kept[key] = fresh
        return kept
