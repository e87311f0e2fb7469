"""How long a solve may go on, whether it should stop, and what it has found so far."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Clock", "Watch"]

# The last share of a limit, which making whole and judging may take.
RESERVE = 0.04


class Clock:
    """The seconds of a whole call, and what of them each level may take.

    Later levels start from the point of earlier ones, so that earlier ones are worth more time:
    with n integer levels to go, the next may take 2 / (n + 1) of what is left. What it does not
    need is left to the others.
    """

    def __init__(self, seconds: float | None) -> None:
        self.end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return max(self.end - time.monotonic(), 0.0)

    def until(self, levels: int, *, others: bool) -> float:
        """When a level must be done that has ``levels`` integer ones, itself included, to go.

        ``others`` says whether anything else comes after them.
        """
        if self.end == math.inf or levels == 0:
            return self.end
        share = 2.0 / (levels + 1) * (0.9 if others else 1.0)
        return time.monotonic() + share * self.left


class Watch:
    """What a running solve is told, and what it tells.

    Parameters
    ----------
    seconds : float
        That all tries together may take, waiting not counted.
    end : float
        When to be done at the latest, as ``time.monotonic`` counts.
    verbose : bool
        Whether the solver's own log is wanted.

    Attributes
    ----------
    stopped : bool
        Ctrl-C was pressed: return at once with what there is.
    enough : bool
        The user is content with the incumbent: go on with the next level.
    latest : tuple
        The best value known and the bound, None where there is none, in the units of the form.
    """

    def __init__(
        self, seconds: float = math.inf, end: float = math.inf, *, verbose: bool = False
    ) -> None:
        self._seconds, self._end = seconds, end
        self._used, self._since = 0.0, math.nan
        self._first = min(seconds, max(end - time.monotonic(), 0.0))
        self.verbose = verbose
        self.stopped = self.enough = False
        self.latest: tuple[float | None, float | None] = (None, None)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the seconds of what is done inside."""
        if not math.isnan(self._since):  # counted already
            yield
            return
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._used += time.monotonic() - self._since
            self._since = math.nan

    @contextmanager
    def answering(self, *callbacks: Any) -> Iterator[None]:
        """While inside, a solver that calls back hears each time whether it should stop."""

        def answer(event: Any) -> None:
            event.interrupt(self.should_stop)  # HiGHS remembers a yes from run to run

        for callback in callbacks:
            callback.subscribe(answer)
        try:
            yield
        finally:
            for callback in callbacks:
                callback.unsubscribe(answer)

    @property
    def used(self) -> float:
        """Seconds that tries have taken."""
        since = self._since  # another thread may end the try meanwhile
        return self._used + (0.0 if math.isnan(since) else time.monotonic() - since)

    @property
    def left(self) -> float:
        """Seconds left; infinity without a limit."""
        return max(min(self._seconds - self.used, self._end - time.monotonic()), 0.0)

    @property
    def for_solver(self) -> float | None:
        """Seconds that the next search may take; None if as many as it likes."""
        left = self.left
        return None if left == math.inf else max(left - RESERVE * self._first, 0.0)

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._first < math.inf

    @property
    def over(self) -> bool:
        """Whether a limit has come, or is so near that nothing else can be begun."""
        return self.limited and self.left <= 1.5 * RESERVE * self._first + 0.01

    @property
    def should_stop(self) -> bool:
        """Whether a running search should return what it has."""
        return self.stopped or self.enough or self.for_solver == 0.0
