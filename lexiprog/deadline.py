"""One deadline: how long work may take, whether it should stop, and what it has found so far."""

from __future__ import annotations

import atexit
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, Protocol, TypeVar

from lexiprog.typing import FreshOptions, Options

Returned = TypeVar("Returned")

# The last share of a limit, kept back for rounding integers and for certifying.
RESERVE = 0.04
# Seconds between two looks at a thread, and those that its answer may come late, with the share of
# the limit that may be added.
PULSE, GRACE, LATE = 0.05, 0.25, 0.05


# Seconds that the end of Python waits for solvers that were left behind: one that comes back to a
# Python that has ended takes the process down with it.
FAREWELL = 5.0


class OutOfTime(Exception):
    """The time limit has come, or the work was cancelled; what was found before is kept."""


class Work(Future[Returned]):
    """What a thread of :func:`in_thread` is to find; ``left`` once nobody waits for it."""

    left = False


_UNDER_WAY: set[Work[Any]] = set()
_HERE = threading.local()


def work_here() -> Work[Any] | None:
    """What this thread is for; None if it is none of :func:`in_thread`."""
    return getattr(_HERE, "work", None)


def proof_must_end() -> bool:
    """Whether the deadline that this thread works for is past all patience: no step is begun."""
    deadline: Deadline | None = getattr(_HERE, "deadline", None)
    return deadline is not None and deadline.overdue


def proof_should_end() -> bool:
    """The same as soon as the time is over: what is proved is enough, nothing better is sought."""
    deadline: Deadline | None = getattr(_HERE, "deadline", None)
    return deadline is not None and deadline.should_stop


def check_here() -> None:
    """Raise OutOfTime if the deadline that this thread works for is past all patience."""
    if proof_must_end():
        raise OutOfTime


def long_step(function: Callable[..., Returned], *arguments: object) -> Returned:
    """What a native step returns that nobody can stop, such as a large factorisation.

    It is done in a thread of its own and left behind, with OutOfTime, once the deadline that this
    thread works for is past all patience. Ctrl-C does not wait for it either.
    """
    deadline: Deadline | None = getattr(_HERE, "deadline", None)
    if deadline is None:
        return function(*arguments)
    check_here()
    future = in_thread(function, *arguments)
    while not wait([future], PULSE).done:
        if deadline.overdue:
            leave(future)
            raise OutOfTime
    return future.result()


def leave(future: Future[Any]) -> None:
    """Nobody waits any more: a solver that asks has to stop."""
    if isinstance(future, Work):
        future.left = True


if hasattr(os, "register_at_fork"):  # a child has none of these threads to wait for
    os.register_at_fork(after_in_child=_UNDER_WAY.clear)


@atexit.register
def _farewell() -> None:
    """Stop what was left behind, and let it end before Python does."""
    works = tuple(_UNDER_WAY)
    for work in works:
        leave(work)
    wait(works, FAREWELL)


class RemoteCaller(Protocol):
    """What a deadline needs of a remote executor.

    Attributes
    ----------
    trusted : bool
        Whether the word of its workers is enough for the bounds of integer searches.
    gave_up : str
        Why it has lost work for good; empty if it has not.
    """

    trusted: bool
    gave_up: str

    def call(
        self,
        function: Callable[..., Returned],
        *arguments: object,
        deadline: Deadline | None = None,
    ) -> Returned:
        """What the function returns where the executor runs it."""


def in_thread(
    function: Callable[..., Returned],
    *arguments: object,
    gate: threading.Semaphore | None = None,
) -> Work[Returned]:
    """What a function returns or raises, called in a thread that nobody waits for at the exit.

    With a ``gate`` it begins when that lets it through; until then the future can be cancelled.
    """
    future: Work[Returned] = Work()

    def run() -> None:
        with gate or nullcontext():
            if not future.set_running_or_notify_cancel():
                return
            _HERE.work = future
            _UNDER_WAY.add(future)
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # noqa: BLE001 - whoever asks for the result meets it
                future.set_exception(error)
            finally:
                _UNDER_WAY.discard(future)

    threading.Thread(target=run, name="lexiprog", daemon=True).start()
    return future


def _hear_ctrl_c() -> None:
    """Let Ctrl-C reach Python again: SCS, OSQP and ECOS take it for themselves while they run."""
    if threading.current_thread() is threading.main_thread():
        handler = signal.getsignal(signal.SIGINT)
        if handler is not None:  # one of Python's
            signal.signal(signal.SIGINT, handler)


class Deadline:
    """Time and cancellation for a piece of work, and for all parts of it.

    A part has a deadline of its own, a child: it never outlasts its parent and is cancelled with
    it.

    Parameters
    ----------
    seconds : float, optional
        From now on; no limit if None.
    budget : float
        Seconds that may be spent inside :meth:`running`: time spent waiting does not count.
    parent : Deadline, optional
        That of the whole work.
    keeps : bool
        Whether :meth:`kept` notes Ctrl-C, or lets it pass to whoever called.
    verbose : bool
        Whether the solver's own log is wanted.
    executor : RemoteCaller, optional
        Where native solves are run; in this process if None.

    Attributes
    ----------
    enough : bool
        The user is content with the incumbent: go on with the next level.
    latest : tuple
        The incumbent's value and the bound, None where there is none, in the units of the form.
    late : bool
        Whether the time was not enough for what :meth:`kept` enclosed.
    interrupt : KeyboardInterrupt or None
        Ctrl-C, if it was pressed there.

    Examples
    --------
    >>> deadline = Deadline(60)
    >>> deadline.child(600).left() <= 60
    True
    >>> deadline, solved = Deadline(60, keeps=True), []
    >>> with deadline.kept():
    ...     solved.append(1)
    ...     raise KeyboardInterrupt
    >>> solved, deadline.note
    ([1], 'it was interrupted.')
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        budget: float = math.inf,
        parent: Deadline | None = None,
        keeps: bool = False,
        verbose: bool = False,
        executor: RemoteCaller | None = None,
    ) -> None:
        self._seconds = math.inf if seconds is None else seconds
        self._end, self._budget, self.parent = time.monotonic() + self._seconds, budget, parent
        self._used, self._since = 0.0, math.nan
        self._keeps, self.verbose, self.executor = keeps, verbose, executor
        self._cancelled = self.enough = self.late = False
        self.interrupt: KeyboardInterrupt | None = None
        self.latest: tuple[float | None, float | None] = (None, None)
        self._first = 0.0  # until the next line knows
        self._first = self.left()

    def child(self, seconds: float | None = None, *, budget: float = math.inf) -> Deadline:
        """The deadline of a part of the work."""
        return Deadline(
            seconds, budget=budget, parent=self, keeps=self._keeps, verbose=self.verbose,
            executor=self.executor,
        )  # fmt: skip

    def __reduce__(self) -> tuple[object, ...]:  # clocks differ, what is left does not
        return partial(Deadline, keeps=self._keeps), (self.left() if self.limited else None,)

    # Time

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the seconds of what is done inside."""
        if not math.isnan(self._since):  # counted already
            yield
            return
        self._since = time.monotonic()
        try:
            with self.here():
                yield
        finally:
            self._used += time.monotonic() - self._since
            self._since = math.nan

    @contextmanager
    def here(self) -> Iterator[None]:
        """Make this the deadline of what this thread proves inside, however deep that is."""
        outer = getattr(_HERE, "deadline", None)
        _HERE.deadline = self
        try:
            yield
        finally:
            _HERE.deadline = outer

    @property
    def used(self) -> float:
        """Seconds that were spent inside :meth:`running`."""
        since = self._since  # another thread may end the run meanwhile
        return self._used + (0.0 if math.isnan(since) else time.monotonic() - since)

    def left(self) -> float:
        """Seconds left; infinity without a limit."""
        return max(-self.past(), 0.0)

    def past(self) -> float:
        """Seconds since the time was over, negative before."""
        own = max(time.monotonic() - self._end, self.used - self._budget)
        return own if self.parent is None else max(own, self.parent.past())

    @property
    def for_solver(self) -> float | None:
        """Seconds that the next native solve may take; None if as many as it likes."""
        left = self.left()
        return None if left == math.inf else max(left - RESERVE * self._first, 0.0)

    def limiting(self, options: Options) -> FreshOptions:
        """HiGHS options with the seconds that are left, for a run that nobody can stop."""
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
        return self.limited and self.left() <= 1.5 * RESERVE * self._first + 0.01

    # Cancellation

    @property
    def cancelled(self) -> bool:
        """Whether Ctrl-C was pressed: return at once with what there is."""
        return self._cancelled or (self.parent is not None and self.parent.cancelled)

    def cancel(self) -> None:
        """Ctrl-C was pressed: whoever works on this deadline, or on a child, should return."""
        self._cancelled = True

    @property
    def should_stop(self) -> bool:
        """Whether a running search should return what it has."""
        return self.cancelled or self.enough or self.for_solver == 0.0

    @property
    def overdue(self) -> bool:
        """Whether whatever is done must end, since the time was over a while ago."""
        return self.cancelled or self.past() > self.patience

    def check(self) -> None:
        """Raise OutOfTime if the time is over or the work was cancelled."""
        if self.cancelled or self.left() <= 0.0:
            raise OutOfTime
        if self.parent is not None:
            self.parent.check()

    def wait_for(self, function: Callable[..., Returned], *arguments: object) -> Returned:
        """Call a native solver in a thread of its own, so that Ctrl-C does not wait for it.

        One that ignores its time limit is left behind: OutOfTime is raised a little later.
        """
        future = in_thread(function, *arguments)
        self.wait_on(future)
        return future.result()

    def wait_on(self, future: Future[Returned], look: Callable[[], object] = bool) -> None:
        """Wait until the future is done, calling ``look`` meanwhile.

        In short turns: a Ctrl-C that another thread receives does not end a wait without limit.
        OutOfTime is raised a little after the time is over, or the work was cancelled, if whoever
        works at it does not heed that: it is left behind.
        """
        stopped: float | None = None
        while not future.done() and not wait([future], PULSE).done:
            _hear_ctrl_c()
            look()
            if not (self.cancelled or self.left() == 0.0):
                stopped = None
                continue
            stopped = time.monotonic() if stopped is None else stopped
            if time.monotonic() - stopped > self.patience:
                leave(future)
                raise OutOfTime

    @property
    def patience(self) -> float:
        """Seconds that an answer may come late."""
        return GRACE + (LATE * self.time_limit if self.time_limit < math.inf else 0.0)

    # Keeping what was found

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What stops the work inside, time or Ctrl-C, is noted here and goes no further."""
        try:
            yield
        except OutOfTime:
            self.late = True
        except KeyboardInterrupt as error:
            if not self._keeps:
                raise
            deadline: Deadline | None = self
            while deadline is not None:
                deadline.interrupt, deadline = error, deadline.parent

    @property
    def note(self) -> str:
        """What stopped the work; empty if nothing did."""
        if self.interrupt is not None:
            return "it was interrupted."
        return f"{self.time_limit:g} seconds were not enough." if self.late else ""

    @property
    def time_limit(self) -> float:
        """The limit that the user has set."""
        outer = self.parent
        return self._seconds if outer is None or not outer.limited else outer.time_limit

    @property
    def on_their_word(self) -> bool:
        """Whether solves are sent to workers whose word alone proves nothing."""
        return self.executor is not None and not self.executor.trusted

    def follow(
        self,
        search: Callable[..., Returned],
        *numbers: object,
        here: Mapping[str, object] | None = None,
        **options: object,
    ) -> Returned:
        """A search that takes a ``deadline``, done in this process or by the executor.

        ``here`` are callbacks of its caller, by keyword: they are not called from a distance.
        """
        if self.executor is None:
            return search(*numbers, deadline=self, **options, **(here or {}))
        return self.executor.call(
            partial(search, deadline=self, **options), *numbers, deadline=self
        )
