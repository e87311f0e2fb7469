"""How long a solve may go on, whether it should stop, and what it has found so far."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

from lexiprog.typing import FreshOptions, Highs, Options

Returned = TypeVar("Returned")

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


class Desk(Protocol):
    """Someone who has functions called in other places."""

    def call(
        self,
        function: Callable[..., Returned],
        *arguments: object,
        deadline: Deadline | None = None,
    ) -> Returned:
        """What the function returns there."""


class Deadline:
    """What a running solve is told, and what it tells.

    Parameters
    ----------
    seconds : float
        That all tries together may take, waiting not counted.
    end : float
        When to be done at the latest, as ``time.monotonic`` counts.
    verbose : bool
        Whether the solver's own log is wanted.
    elsewhere : Desk, optional
        Who has native solves done in other places; here if None.

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
        self,
        seconds: float = math.inf,
        end: float = math.inf,
        *,
        verbose: bool = False,
        elsewhere: Desk | None = None,
    ) -> None:
        self._seconds, self._end = seconds, end
        self._used, self._since = 0.0, math.nan
        self._first = min(seconds, max(end - time.monotonic(), 0.0))
        self.verbose, self.elsewhere = verbose, elsewhere
        self.stopped = self.enough = False
        self._heeding: tuple[Highs, ...] = ()
        self._telling = threading.Lock()
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

    def stop(self) -> None:
        """Ctrl-C was pressed: whoever runs on this watch should return."""
        self.stopped = True
        self._tell()

    @contextmanager
    def heeded_by(self, *callbacks: Highs) -> Iterator[None]:
        """While inside, a solver with these callbacks hears it when it should stop.

        They are not called before: that would enter Python at every iteration.
        """
        with self._telling:
            self._heeding = callbacks
        if self.stopped:
            self._tell()
        try:
            yield
        finally:
            with self._telling:
                told, self._heeding = not self._heeding, ()
                for callback in callbacks if told else ():
                    callback.unsubscribe(_say_stop)

    def _tell(self) -> None:
        """Each callback once, lest one stay behind when the run has ended."""
        with self._telling:
            for callback in self._heeding:
                callback.subscribe(_say_stop)
            self._heeding = ()

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

    def limiting(self, options: Options) -> FreshOptions:
        """HiGHS options with the seconds that are left, for a run that cannot be told to stop."""
        seconds = self.for_solver
        limit = {} if seconds is None else {"time_limit": seconds}
        return {**options, **limit}

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


def _say_stop(event: Highs) -> None:
    event.interrupt(True)


# How long a search may go on, and what stopped it: whatever was found by then is kept.


class OutOfTime(Exception):
    """A limit of time was met; what was found before is kept."""


class Pace:
    """The seconds of one search, and what ended it early.

    Parameters
    ----------
    seconds : float, optional
        For all of it.
    keeps : bool
        Whether what Ctrl-C stops is kept here, or stops whoever asked too.
    elsewhere : Desk, optional
        Who has searches done in other places; here if None.

    Attributes
    ----------
    late : bool
        Whether the time was not enough.
    interrupt : KeyboardInterrupt or None
        Ctrl-C, if it was pressed.

    Examples
    --------
    >>> pace, found = Pace(60), []
    >>> with pace.kept():
    ...     found.append(1)
    ...     raise KeyboardInterrupt
    >>> found, pace.note
    ([1], 'it was interrupted.')
    """

    def __init__(
        self, seconds: float | None = None, *, keeps: bool = True, elsewhere: Desk | None = None
    ) -> None:
        self.seconds, self._keeps, self.elsewhere = seconds, keeps, elsewhere
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self.late = False
        self.interrupt: KeyboardInterrupt | None = None

    def __reduce__(self) -> tuple[object, ...]:  # clocks differ, what is left does not
        return Pace, (self.left if self.limited else None,)

    def follow(
        self,
        search: Callable[..., Returned],
        *numbers: object,
        told: object = None,
        **options: object,
    ) -> Returned:
        """A search of bare numbers at this pace, done where it is to be done.

        ``told`` is its argument ``tick``, if it has one; from elsewhere nothing is told.
        """
        if self.elsewhere is None:
            tick = {} if told is None else {"tick": told}
            return search(*numbers, pace=self, **options, **tick)
        return self.elsewhere.call(partial(search, pace=self, **options), *numbers)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(self._end - time.monotonic(), 0.0)

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.seconds is not None

    @property
    def note(self) -> str:
        """What stopped the search; empty if nothing did."""
        if self.interrupt is not None:
            return "it was interrupted."
        return f"{self.seconds:g} seconds were not enough." if self.late else ""

    def check(self) -> None:
        """Go no further than the end."""
        if self.left <= 0.0:
            raise OutOfTime

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Whatever stops what is done inside is noted here, and goes no further."""
        try:
            yield
        except OutOfTime:
            self.late = True
        except KeyboardInterrupt as error:
            if not self._keeps:
                raise
            self.interrupt = error

    @contextmanager
    def within(self, share: float) -> Iterator[None]:
        """What is done inside has a share of the time that is left."""
        end = self._end
        self._end = min(end, time.monotonic() + share * self.left)
        try:
            yield
        finally:
            self._end = end
