"""What is remembered of subproblems and of CVXPY objects, for as long as they live."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, Generic, TypeVar

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

    def of(self, key: Hashable, things: tuple[object, ...], make: Callable[[], Kept]) -> Kept:
        """What was made of these very objects, made anew if one of them is another."""
        kept: tuple[tuple[object, ...], Kept] | None = self._kept.get(key)
        if kept is None or any(one is not two for one, two in zip(kept[0], things, strict=True)):
            kept = self._kept[key] = (things, make())
        return kept[1]


class Registry(Generic[Kept]):
    """What is known of CVXPY objects, for as long as they live.

    CVXPY dispatches on exact types, so a placeholder must be a plain ``cp.Parameter`` and can
    carry nothing itself.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[object], Kept]] = {}
        # Who is gone is forgotten later: a callback of ours, run at any time, might be where Ctrl-C
        # strikes, and Python ignores what is raised there.
        self._gone: deque[weakref.KeyedRef[int, object]] = deque()

    def add(self, key: object, kept: Kept) -> None:
        """Remember ``kept`` for the object ``key``."""
        self._forget()
        self._known[id(key)] = (weakref.KeyedRef(key, self._gone.append, id(key)), kept)

    def _forget(self) -> None:
        """Drop what was known of objects that are gone, but not of others that took their place."""
        with suppress(IndexError):
            while True:
                gone = self._gone.popleft()
                found = self._known.get(gone.key)
                if found is None or found[0] is not gone:
                    continue
                dropped = self._known.pop(gone.key, found)
                if dropped is not found:  # another thread was quicker
                    self._known[gone.key] = dropped

    def alive(self) -> list[Any]:
        """The objects of which something is known."""
        return [
            key for reference, _ in list(self._known.values()) if (key := reference()) is not None
        ]

    def get(self, key: object) -> Kept | None:
        """What is known of ``key`` itself; CVXPY's ids don't count, since copies share them."""
        found = self._known.get(id(key))
        return found[1] if found is not None and found[0]() is key else None
