"""Settle one region of the objective space of an integer program, here or in another process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil, inf
from queue import Queue
from threading import Thread
from typing import IO, Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.integer_programs import Asked, CostSteps, IntegerPrograms, steps_of
from lexiprog.parametric.slices import IntegerForm, IntegerMultipliers, Slices
from lexiprog.parametric.value_function import CurveError
from lexiprog.tolerances import INTEGER_ROUNDING, LARGEST_WEIGHT, LIMIT_SLACK, WHOLE_GAP
from lexiprog.typing import Array, Options

# Partial points of a slice that may be kept, and how many times as many as a last resort.
CAP, LAST_RESORT = 20_000, 20
# How much thicker slices become where that was cheap, and the thickest.
GROWTH, LARGEST_WIDTH = 1.3, 500.0


@dataclass(frozen=True)
class Measure:
    """An objective in its own units: steps if it has any, else shares of its largest cost."""

    unit: float
    row: Array
    steps: CostSteps | None

    @classmethod
    def of(cls, cost: Array, integer: NDArray[np.intp]) -> Measure:
        """The measure of a cost, given the columns that are whole."""
        steps = steps_of(cost, integer)
        if steps is not None:
            return cls(float(steps.size), steps.counts.astype(float), steps)
        unit = float(np.max(np.abs(cost)))
        return cls(unit, cost / unit, None)

    def value(self, x: Array) -> float:
        """The objective in its units; a whole number if there are steps."""
        return float(self.steps.count(x)) if self.steps is not None else float(self.row @ x)

    def outside(self, value: float) -> float:
        """A value as the user states it."""
        if self.steps is None or not np.isfinite(value):
            return value * self.unit
        return float(int(value) * self.steps.size)

    def slack(self, value: float, x: Array) -> float:
        """What this objective may give up where it is to be held."""
        size = float(np.abs(self.row) @ np.abs(x))
        return 0.0 if self.steps is not None else LIMIT_SLACK * max(abs(value), size)

    @property
    def gap(self) -> float:
        """The gap at which a value is the optimum."""
        return WHOLE_GAP if self.steps is not None else LIMIT_SLACK


@dataclass(frozen=True)
class Statement:
    """Every feasible point whose values lie below ``limits`` is weakly dominated by a listed one.

    Attributes
    ----------
    limits : tuple of float
        In units of the objectives.
    axis : int
        The objective along which the region was settled.
    low : float
        What earlier statements prove of the axis: only points from there on were looked at.
    multipliers : list, optional
        Of a slice: integers from which its enumeration follows. None if an integer programming
        solver's bound is all there is.
    """

    limits: tuple[float, ...]
    axis: int
    low: float
    multipliers: IntegerMultipliers | None


@dataclass(frozen=True)
class Job:
    """A region to settle, as plain numbers."""

    upper: Array
    lows: Array
    axes: tuple[int, ...]
    widths: Array
    steps: Array  # by how much a limit is below the upper bound
    start: Array | None
    by_slices: bool


@dataclass(frozen=True)
class RegionOutcome:
    """What became of a region."""

    points: list[Array]
    statement: Statement
    widths: Array
    tries: int
    seconds: float
    by_slices: bool


class RegionSolver:
    """Settles regions of one integer program.

    Parameters
    ----------
    form : StandardForm
        Linear rows, integer columns.
    costs : ndarray of shape (p, n)
        All minimised.
    options : mapping
        HiGHS options of integer programs.
    deadline : Deadline
    """

    def __init__(
        self, form: StandardForm, costs: Array, options: Options, deadline: Deadline
    ) -> None:
        integer = np.asarray(form.integer, dtype=np.intp)
        self.measures = [Measure.of(cost, integer) for cost in costs]
        self.form, self.options, self.deadline = form, options, deadline
        steps = [m.steps for m in self.measures if m.steps is not None]
        whole = len(steps) == len(self.measures)
        self.whole = IntegerForm.of(form, steps) if whole else None
        self._slices: Slices | None = None
        self._programs: IntegerPrograms | None = None

    @property
    def slices(self) -> Slices | None:
        """The relaxation that settles slices; None if the program is not pure."""
        if self._slices is None and self.whole is not None:
            self._slices = Slices(self.whole, self.deadline)
        return self._slices

    @property
    def programs(self) -> IntegerPrograms:
        """The integer program with a row for each objective."""
        if self._programs is None:
            rows = np.stack([measure.row for measure in self.measures])
            options = {"presolve": "off", "threads": 1} | dict(self.options)
            self._programs = IntegerPrograms(self.form, rows, options, self.deadline)
        return self._programs

    def values(self, x: Array) -> Array:
        """The objectives at a point, in their units."""
        return np.array([measure.value(x) for measure in self.measures])

    def settle(self, job: Job) -> RegionOutcome:
        """Settle a region, or a slice of it."""
        begin = time.process_time()
        slices = self.slices if job.by_slices else None
        found = None if slices is None else _sliced(slices, job)
        if found is None:
            found = self._asked(job)
        return replace(found, seconds=time.process_time() - begin, by_slices=job.by_slices)

    def _asked(self, job: Job) -> RegionOutcome:
        """By one integer program, or by two where the objectives cannot be weighed into one."""
        axis, limits = job.axes[0], job.upper - job.steps
        limits[axis] = inf
        x = self._at_once(job, axis, limits)
        if x is None:
            x = self.in_turn(axis, limits, job.start)
        closed = job.upper.copy()
        closed[axis] = inf if x is None else self.measures[axis].value(x)
        statement = Statement(tuple(closed.tolist()), axis, -inf, None)
        return RegionOutcome(
            [] if x is None else [x], statement, job.widths, 1, 0.0, by_slices=False
        )

    def _at_once(self, job: Job, axis: int, limits: Array) -> Array | None:
        """All objectives in one program, the axis counting more than the others together.

        None if that is not possible, or if the region is empty, which the next one will tell.
        """
        rest = np.arange(limits.size) != axis
        if any(m.steps is None for m in self.measures):
            return None
        weight = 1.0 + float(np.sum((limits - job.lows)[rest]))
        if (
            not weight * max(np.abs(m.row).max(initial=0.0) for m in self.measures)
            <= LARGEST_WEIGHT
        ):
            return None
        cost = sum(m.row for m in self.measures) + (weight - 1.0) * self.measures[axis].row
        asked = self.programs.ask(cost, limits.tolist(), job.start, gap=WHOLE_GAP)
        if asked is None:
            return None
        values = self.values(asked.x)
        proved = ceil(asked.bound - INTEGER_ROUNDING)
        return asked.x if proved >= values.sum() + (weight - 1.0) * values[axis] else None

    def in_turn(self, axis: int, limits: Array, start: Array | None) -> Array | None:
        """The least value along the axis, and of those the least sum of the others."""
        measure = self.measures[axis]
        asked = self.programs.ask(measure.row, limits.tolist(), start, gap=measure.gap)
        if asked is None:
            return None
        best = measure.value(asked.x)
        _check_proved(asked, best, measure)
        limits = limits.copy()
        limits[axis] = min(limits[axis], best + measure.slack(best, asked.x))
        others = [m for k, m in enumerate(self.measures) if k != axis]
        gap = WHOLE_GAP if all(m.steps is not None for m in others) else LIMIT_SLACK
        total = np.sum([m.row for m in others], axis=0)
        again = self.programs.ask(total, limits.tolist(), asked.x, gap=gap)
        if again is None or measure.steps is not None:
            return asked.x if again is None else again.x
        # What the axis gave up to rounding is taken back.
        kept = [inf if k == axis else m.value(again.x) + m.slack(m.value(again.x), again.x)
                for k, m in enumerate(self.measures)]  # fmt: skip
        return self.programs.improved(again.x, measure.row, np.minimum(kept, limits).tolist())


def _check_proved(asked: Asked, value: float, measure: Measure) -> None:
    """The bound must be the value itself where that is a whole number."""
    if measure.steps is not None and ceil(asked.bound - INTEGER_ROUNDING) < value:
        raise CurveError(
            f"HiGHS calls {value:g} steps optimal, but its bound is {asked.bound:g}: not proved."
        )


def _sliced(slices: Slices, job: Job) -> RegionOutcome | None:
    """A slice along one of the axes, as thick as the cap allows; None if even one unit is not."""
    widths, tries = job.widths.copy(), 0
    for turn, k in enumerate([*job.axes, job.axes[0]]):
        low, top = float(job.lows[k]), float(job.upper[k])
        begin = max(min(slices.bound(job.upper, low, k), top - 1.0), low)
        end = min(top, begin + max(1.0, widths[k] // 1.0))
        cap = CAP * (LAST_RESORT if turn == len(job.axes) else 1)
        while True:
            before, limits = slices.states, job.upper.copy()
            limits[k] = end
            points, tries = slices.settle(limits, low, k, cap=cap), tries + 1
            if points is not None:
                if slices.states - before < CAP and end < top:
                    widths[k] = min(widths[k] * GROWTH, LARGEST_WIDTH)
                statement = Statement(tuple(limits.tolist()), k, low, slices.multipliers)
                found = [x.astype(float) for x in points]
                return RegionOutcome(found, statement, widths, tries, 0.0, by_slices=True)
            if turn == 0:
                widths[k] = max(1.0, widths[k] / 2.0)
            if end <= begin + 1.0:
                break
            end = begin + max(1.0, (end - begin) // 3.0)
    return None


class Crew(Protocol):
    """Who settles regions: several at once, or here and now."""

    width: int

    def submit(self, job: Job) -> Future[RegionOutcome]:
        """The outcome of a job, now or later."""

    def close(self) -> None:
        """No more jobs will come."""


class Here:
    """One region after the other, in this process."""

    width = 1

    def __init__(self, solver: RegionSolver) -> None:
        self.solver = solver

    def submit(self, job: Job) -> Future[RegionOutcome]:
        """The outcome, at once."""
        future: Future[RegionOutcome] = Future()
        future.set_result(self.solver.settle(job))
        return future

    def close(self) -> None:
        """Nothing is left behind."""


_KEPT: dict[str, RegionSolver] = {}


def settle_there(
    name: str, form: StandardForm, costs: Array, options: Options, deadline: Deadline, job: Job
) -> RegionOutcome:
    """Settle a region wherever this is called; a worker keeps the last program."""
    solver = _KEPT.pop(name, None)
    if solver is None:
        _KEPT.clear()
        solver = RegionSolver(form, costs, options, Deadline())
    for model in (solver.slices, solver.programs):
        if model is not None:
            model.model.deadline = deadline
    try:
        return solver.settle(job)
    finally:
        _KEPT[name] = solver


class There:
    """Several regions at a time, by the executor of a deadline.

    Parameters
    ----------
    solver : RegionSolver
        Whose numbers are sent.
    costs : ndarray
    width : int
        How many.
    """

    def __init__(self, solver: RegionSolver, costs: Array, width: int) -> None:
        self.solver, self.costs, self.width = solver, costs, width
        self.name = uuid4().hex
        self.threads = ThreadPoolExecutor(width, thread_name_prefix="lexiprog-front")

    def submit(self, job: Job) -> Future[RegionOutcome]:
        """The outcome, later."""
        return self.threads.submit(self._call, job)

    def _call(self, job: Job) -> RegionOutcome:
        solver, deadline = self.solver, self.solver.deadline
        if deadline.executor is None:
            raise ValueError("a front that other processes settle needs an executor.")
        return deadline.executor.call(
            settle_there, self.name, solver.form, self.costs, dict(solver.options), deadline, job,
            deadline=deadline,
        )  # fmt: skip

    def close(self) -> None:
        """Wait for nobody, and tell those who still wait for an answer to stop."""
        self.solver.deadline.cancel()
        self.threads.shutdown(wait=False, cancel_futures=True)


# Processes of our own: they import nothing of the caller's script, which need not be guarded.

_SERVE = "from lexiprog.parametric.region_solver import serve; serve()"


class WorkerProcesses(Executor):
    """Other Python processes that run what is submitted, one call at a time each.

    Parameters
    ----------
    count : int
    """

    def __init__(self, count: int) -> None:
        self._max_workers, self._closed = count, False
        self._waiting: Queue[tuple[Future[Any], bytes] | None] = Queue()
        path = os.pathsep.join(filter(None, sys.path))
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                self._processes.append(subprocess.Popen(
                    [sys.executable, "-c", _SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": path},
                ))  # fmt: skip
        except BaseException:  # Ctrl-C, or no process more: none is left behind
            self.shutdown()
            raise
        for process in self._processes:
            Thread(target=self._feed, args=[process], daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function in one of the processes."""
        if self._closed:
            raise RuntimeError("the worker processes have been ended.")
        future: Future[Any] = Future()
        self._waiting.put((future, pickle.dumps((fn, args, kwargs), protocol=5)))
        return future

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        """Hand calls to one process until there are no more."""
        while (work := self._waiting.get()) is not None:
            future, call = work
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if process.stdin is None or process.stdout is None:
                    raise OSError("the pipes of a worker are closed.")
                _write(process.stdin, call)
                future.set_result(pickle.loads(_read(process.stdout)))
            except BaseException as error:  # noqa: BLE001 - whoever asks for the result meets it
                future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as declared by Executor
        """End the processes."""
        self._closed = True
        for process in self._processes:
            self._waiting.put(None)
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()


def serve() -> None:
    """Run what comes in until the pipe is closed; what is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller hears Ctrl-C and ends this process
    while True:
        try:
            function, arguments, options = pickle.loads(_read(sys.stdin.buffer))
        except EOFError:
            return
        _write(answers, pickle.dumps(function(*arguments, **options), protocol=5))


def _write(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(8, "big") + message)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError("a worker process has ended.")
    return pipe.read(int.from_bytes(head, "big"))
