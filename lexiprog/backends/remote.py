"""A remote executor: solves as serialised tasks, sent again if a worker is lost."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import platform
import socket
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.deadline import Deadline, Returned, in_thread
from lexiprog.errors import LexiprogWarning
from lexiprog.typing import NUMBERS

# Whose versions decide the answer; other packages only transport it.
PACKAGES = ("lexiprog", "numpy", "scipy", "cvxpy", "highspy", "clarabel")
_DECLARED = (cp.Problem, cp.expressions.expression.Expression, cp.Minimize, cp.Maximize)
_CONSTRAINT = cp.constraints.constraint.Constraint


@dataclass(frozen=True)
class Reply:
    """What a worker sends back: a value or what was raised, and who it is."""

    value: object = None
    raised: BaseException | None = None
    worker: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


class _NumbersOnly(pickle.Pickler):
    """A pickler that refuses objects of a declared problem."""

    def reducer_override(self, obj: object) -> Any:
        if isinstance(obj, (*_DECLARED, _CONSTRAINT)):
            raise TypeError(f"{type(obj).__name__} objects do not travel, only numbers do.")
        return NotImplemented


def serialised(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    """The call as bytes; refused if anything of a declared problem is among the arguments."""
    buffer = io.BytesIO()
    _NumbersOnly(buffer, protocol=5).dump((function, arguments))
    return buffer.getvalue()


def run_task(task: bytes, _ticket: str = "") -> bytes:
    """Run a serialised task, wherever this is; what is raised is sent back as well.

    ``_ticket`` makes each try a call of its own: schedulers remember calls that they have seen.
    """
    try:
        function, arguments = pickle.loads(task)
        reply = Reply(function(*arguments), None, _name(), versions())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a native panic is no Exception, nor an exit
        reply = Reply(None, _portable(error), _name(), versions())
    return _written(reply)


class _ReplyWriter(pickle.Pickler):
    """A pickler of errors as Python makes them: some packages put functions of theirs around."""

    def reducer_override(self, obj: object) -> Any:
        return obj.__reduce_ex__(5) if isinstance(obj, BaseException) else NotImplemented


def _written(reply: object) -> bytes:
    buffer = io.BytesIO()
    _ReplyWriter(buffer, protocol=5).dump(reply)
    return buffer.getvalue()


# Replies are read without running anything: a worker is believed no more than a solver.

_CONTAINERS = {"complex", "slice", "range"}  # sets and bytes have letters of their own in a pickle
# Digits of a fraction, more than which Python itself does not read.
_MOST_DIGITS = 4_000
_NUMPY = {"dtype", "ndarray", "_reconstruct", "scalar", "_frombuffer"}


class _ReplyReader(pickle.Unpickler):
    """A reader of numbers, arrays, records of this library and errors, and of nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """A class that a reply may be made of."""
        package = module.partition(".")[0]
        if (package == "numpy" and name in _NUMPY) or (
            module == "builtins" and name in _CONTAINERS
        ):
            return super().find_class(module, name)
        if (module, name) == ("fractions", "Fraction"):
            return _fraction
        if package in ("builtins", "lexiprog", "numpy", "scipy", "types"):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module and _may_travel(found):
                return found
        raise pickle.UnpicklingError(
            f"a reply holds {module}.{name}, which is neither a number nor a record"
        )


def _fraction(numerator: int | str, denominator: int = 1) -> Fraction:
    """A fraction of whole numbers; "1e400000000" would take for ever."""
    if isinstance(numerator, str):
        above, _, below = numerator.partition("/")
        digits = (above.removeprefix("-"), below or "1")
        if not all(part.isdecimal() and len(part) <= _MOST_DIGITS for part in digits):
            raise pickle.UnpicklingError("a reply holds a fraction that is not digits over digits")
        numerator, denominator = int(above), int(below or "1")
    return Fraction(numerator, denominator)


def _may_travel(kind: type) -> bool:
    """Whether making one of these does no more than to hold what it is given."""
    package = kind.__module__.partition(".")[0]
    if issubclass(kind, BaseException) and kind.__init__ is not object.__init__:
        return issubclass(kind, Exception)
    if package == "lexiprog":
        return is_dataclass(kind) or issubclass(kind, Enum | tuple) or kind is _Native
    if package == "scipy":
        return issubclass(kind, sp.sparray | sp.spmatrix)
    return kind is SimpleNamespace or (package == "numpy" and issubclass(kind, np.generic))


def read_reply(answer: bytes) -> Any:
    """What a worker has sent, if it is made of numbers, arrays and records alone."""
    # A few bytes can ask for a memory of billions of places; genops refuses lengths beyond the end.
    for letter, place, _ in pickletools.genops(answer):
        if letter.name in ("PUT", "BINPUT", "LONG_BINPUT") and (place or 0) >= len(answer):
            raise pickle.UnpicklingError(f"a reply of {len(answer)} bytes has no place {place}")
    return _ReplyReader(io.BytesIO(answer)).load()


def plain(native: object) -> object:
    """A solver's native result as plain values with the same attributes, if it is not picklable."""
    if isinstance(native, dict):
        return {key: plain(value) for key, value in native.items()}
    if isinstance(native, list | tuple):
        if native and all(isinstance(value, float) for value in native):
            return np.array(native)
        return type(native)(plain(value) for value in native)
    try:
        read_reply(pickle.dumps(native, protocol=5))
    except Exception:  # noqa: BLE001 - whatever the reason, its attributes are tried
        public = [name for name in dir(native) if not name.startswith("_")]
        values = {name: getattr(native, name, None) for name in public}
        parts = {
            name: plain(value)
            for name, value in values.items()
            if not callable(value) and type(value) is not type(native)  # members of an enum
        }
        return _Native(str(native), **parts)
    return native


class _Native(SimpleNamespace):
    """A native object's attributes, which prints as the object did."""

    def __init__(self, text: str = "", **parts: object) -> None:
        super().__init__(**parts)
        self._text = text

    def __str__(self) -> str:
        return self._text


@cache
def versions() -> dict[str, str]:
    """The versions in this process of all that decides the answer."""
    installed = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            installed[package] = "none"
    return installed


def _name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _portable(error: BaseException) -> BaseException:
    """The error itself if it can be pickled, else its text."""
    try:
        read_reply(_written(error))
    except Exception:  # noqa: BLE001 - whatever the reason
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# Seconds between two looks whether to go on waiting, those that an answer may come late, those that
# a scheduler may be out of reach, those that it may have no worker, and those between two questions
# for its workers.
PULSE, GRACE, SECONDS_ALONE, SECONDS_WITHOUT, ASKED = 0.25, 5.0, 3.0, 30.0, 1.0
# Executors whose workers are this program's own threads and processes.
_OWN = (ThreadPoolExecutor, ProcessPoolExecutor)


class WorkLost(RuntimeError):
    """A solve was sent away as often as allowed, and never came back."""


class Elsewhere:
    """A remote executor: what was sent, what came back, who answered; alias `RemoteExecutor`.

    Every call that takes ``executor=`` takes one of these as well. Problems are compiled here,
    their numbers are sent, and whatever comes back is certified here.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Threads, processes, ``distributed.Client.get_executor()``, ``mpi4py.futures``.
    retries : int
        How often a solve is sent again when its worker was lost or its task killed. After that it
        counts as a failed try of its solver, and the next solver is asked.
    trusted : bool, optional
        Whether the workers' word is enough for what cannot be checked from numbers: the bounds of
        integer searches. Without it, integer problems are searched here again, from the point
        that came back and for a second at most; what that does not prove has the status
        "optimal_inaccurate", with a warning. By default Python's own pools of threads and
        processes are trusted, others not. All else is certified here, whoever found it.
    wait_for_workers : float
        Seconds after which work counts as lost while Dask's scheduler has no worker. Set more, or
        ``math.inf``, for clusters that start their workers on demand.

    Attributes
    ----------
    tasks, sent, received : int
        Calls that were sent, and all bytes in both directions.
    lost : int
        Calls that did not come back, and were sent again or given up.
    answered : Counter
        Answers by worker, as "host:process".

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(3, nonneg=True, name="x")
    >>> program = lx.preemptive({"cost": cp.Minimize(cp.sum(x))}, [x[0] + x[1] >= 2])
    >>> with ThreadPoolExecutor(1) as pool:
    ...     there = lx.Elsewhere(pool)
    ...     value = program.solve(executor=there)["cost"].value
    >>> value, there.tasks, there.lost, 500 < there.sent < 5000
    (2.0, 1, 0, True)
    """

    def __init__(
        self,
        executor: Executor,
        *,
        retries: int = 2,
        trusted: bool | None = None,
        wait_for_workers: float = SECONDS_WITHOUT,
    ) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"executor takes a concurrent.futures.Executor, not {executor!r}; of Dask that is "
                "client.get_executor()."
            )
        if not isinstance(retries, int) or retries < 0:
            raise ValueError(f"retries must be a whole number of at least 0, not {retries!r}.")
        if not (isinstance(wait_for_workers, NUMBERS) and wait_for_workers >= 0):
            raise ValueError(
                f"wait_for_workers must be a number of at least 0, not {wait_for_workers!r}."
            )
        self.executor, self.retries = executor, retries
        self.scheduler = _Scheduler(getattr(executor, "_client", None), float(wait_for_workers))
        self.trusted = type(executor) in _OWN if trusted is None else trusted
        self.gave_up = ""  # why work was lost for good, last time
        self.tasks = self.sent = self.received = self.lost = 0
        self.answered: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._strangers: set[str] = set()

    @classmethod
    def of(cls, executor: Executor | Elsewhere | None) -> Elsewhere | None:
        """The executor as one of these; None stays None."""
        return executor if executor is None or isinstance(executor, cls) else cls(executor)  # type: ignore[arg-type]

    @property
    def width(self) -> int:
        """Calls that can run at the same time, as far as the executor says."""
        workers = getattr(self.executor, "_max_workers", None)
        if workers is None:
            workers = self.scheduler.threads(SECONDS_ALONE)
        return int(workers or os.cpu_count() or 1)

    def call(
        self,
        function: Callable[..., Returned],
        *arguments: object,
        deadline: Deadline | None = None,
    ) -> Returned:
        """What the function returns, or raises, wherever the executor calls it."""
        task = serialised(function, arguments)
        last: Exception | None = None
        for _ in range(1 + self.retries):
            if last is not None and deadline is not None and deadline.should_stop:
                break
            with self._lock:
                self.tasks += 1
                self.sent += len(task)
            try:
                future = self.executor.submit(run_task, task, uuid.uuid4().hex)
                answer = _awaited(future, deadline, self.scheduler.failure)
            except _GivenUp as reason:
                raise WorkLost(str(reason)) from None
            except Exception as error:  # noqa: BLE001 - schedulers lose work in ways of their own
                last = error
                with self._lock:
                    self.lost += 1
                continue
            try:
                reply = read_reply(answer)
            except Exception as error:
                raise WorkLost(f"what a worker sent back is not read: {error}") from error
            if not isinstance(reply, Reply):
                raise WorkLost(f"a worker sent back {type(reply).__name__}, which is no reply")
            self._note(reply, len(answer))
            if reply.raised is not None:
                raise reply.raised
            return reply.value  # type: ignore[return-value]
        said = " ".join(f"{type(last).__name__}: {last}".split())
        self.gave_up = f"sent {1 + self.retries} times without an answer; last {said}"
        raise WorkLost(self.gave_up)

    def _note(self, reply: Reply, size: int) -> None:
        """Count an answer, and tell once of a worker whose versions are others."""
        self.scheduler.has_answered()
        with self._lock:
            self.received += size
            self.answered[reply.worker] += 1
            others = _different(reply.versions)
            if not others or others in self._strangers:
                return
            self._strangers.add(others)
        warnings.warn(
            f"worker {reply.worker} has {others}: what it finds is certified here all the same, "
            "but may be another of several optimal points.",
            LexiprogWarning,
            stacklevel=2,
        )

    def __repr__(self) -> str:
        return (
            f"Elsewhere({type(self.executor).__name__}: {self.tasks} tasks, {self.sent:,} bytes "
            f"sent, {self.received:,} received, {self.lost} lost)"
        )


RemoteExecutor = Elsewhere  # the same by the usual name


class _Scheduler:
    """Whether Dask's client has a scheduler with workers; of other executors nobody can tell.

    All calls of one executor share the clock, so that what comes next need not wait as long again.
    """

    def __init__(self, client: Any, wait_for_workers: float) -> None:
        self.client, self.wait_for_workers = client, wait_for_workers
        self._reason, self._since, self._asked, self._looked = "", 0.0, 0.0, 0.0
        self._question: Future[Mapping[str, int]] | None = None
        self._lock = threading.Lock()

    def threads(self, seconds: float) -> int | None:
        """The workers' threads; None if the scheduler does not say so within these seconds."""
        if not hasattr(self.client, "nthreads"):
            return None
        question = in_thread(self.client.nthreads)
        return _counted(question) if wait([question], seconds).done else None

    def failure(self) -> str:
        """Why no answer will come, once that has been so for long enough; else empty."""
        if self.client is None:
            return ""
        with self._lock:
            now = time.monotonic()
            if now - self._looked > 2.0 * ASKED:  # what was heard then is old
                self._question = None
            if now - self._looked > max(2.0 * ASKED, self.wait_for_workers):
                self._reason = ""
            self._looked = now
            reason, allowed = self._trouble(now)
            if reason is None:
                return ""
            if not (reason and self._reason):
                self._since = now
            self._reason = reason
            return reason if reason and now - self._since >= allowed else ""

    def has_answered(self) -> None:
        """Somebody works, whatever was heard before."""
        with self._lock:
            self._reason = ""

    def _trouble(self, now: float) -> tuple[str | None, float]:
        """What is wrong, None if that is not known yet, and the seconds for which it may be so."""
        if getattr(self.client, "status", "running") not in ("running", None):
            return "the executor's scheduler cannot be reached", SECONDS_ALONE
        question, allowed = self._question, self.wait_for_workers
        if question is not None and not question.done():
            silent = now - self._asked > ASKED
            return ("the executor's scheduler does not answer" if silent else None), allowed
        if (question is None or now - self._asked >= ASKED) and hasattr(self.client, "nthreads"):
            self._question, self._asked = in_thread(self.client.nthreads), now
        if question is None or _counted(question):
            return (None if question is None else ""), allowed
        return f"the executor's scheduler has no worker (wait_for_workers={allowed:g})", allowed


def _counted(question: Future[Mapping[str, int]]) -> int | None:
    """The number of threads in the answer of a scheduler; None if it failed."""
    try:
        return sum(question.result().values())
    except Exception:  # noqa: BLE001 - clients fail in ways of their own
        return None


class _GivenUp(Exception):
    """Nobody waits any longer."""


def _awaited(future: Future[bytes], deadline: Deadline | None, failure: Callable[[], str]) -> bytes:
    """The future's result; what is queued is cancelled once nobody wants it any more."""
    late = 0.0
    try:
        while not wait([future], PULSE).done:
            # One that a pool cancels while it shuts down is never called done.
            if future.cancelled():
                raise RuntimeError("the executor was shut down, or has cancelled it")
            if reason := failure():
                raise RuntimeError(reason)
            if deadline is None:
                continue
            if deadline.cancelled or deadline.enough:
                raise _GivenUp("it was cancelled")
            late = late + PULSE if deadline.limited and deadline.left() == 0.0 else 0.0
            if late >= GRACE:
                raise _GivenUp("no answer within the time limit")
    except BaseException:  # Ctrl-C as well
        future.cancel()
        raise
    if future.cancelled():
        raise RuntimeError("the executor was shut down, or has cancelled it")
    error = future.exception()
    if error is not None:  # an exit, or Ctrl-C, of a worker is none of ours
        raise error if isinstance(error, Exception) else RuntimeError(repr(error))
    return future.result()


def _different(there: Mapping[str, str]) -> str:
    parts = [
        f"{name} {there.get(name, 'none')} where this process has {here}"
        for name, here in versions().items()
        if there.get(name, "none") != here
    ]
    return ", ".join(parts)
