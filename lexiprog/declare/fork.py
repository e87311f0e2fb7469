"""A lock that is free in a forked process, whoever held it at the fork."""

from __future__ import annotations

import os
import threading

# A custom solver may keep the lock for hours; a fork waits for it no longer than this.
SECONDS = 10.0


class ForkSafeLock:
    """A re-entrant lock that forks wait for, so that no child is born in the middle of something.

    Threads do not survive a fork, but the locks they held do, and what they were changing stays
    half changed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forking = threading.local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork,
                after_in_parent=self._in_parent,
                after_in_child=self._in_child,
            )

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _before_fork(self) -> None:
        self._forking.holds = self._lock.acquire(timeout=SECONDS)

    def _in_parent(self) -> None:
        if self._forking.holds:
            self._lock.release()

    def _in_child(self) -> None:
        if self._forking.holds:
            self._lock.release()
        else:  # whoever holds it is not here
            self._lock = threading.RLock()
