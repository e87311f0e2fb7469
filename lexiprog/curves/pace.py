"""How long a search may go on, and what stopped it: whatever was found by then is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from lexiprog.watch import Desk, Returned

__all__ = ["OutOfTime", "Pace"]


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
