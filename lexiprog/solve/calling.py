"""Call a runner so that whatever it raises can be told, and know when further tries are idle."""

from __future__ import annotations

from concurrent.futures import Future

from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import Attempt, LexiprogError
from lexiprog.runners.runner import Runner
from lexiprog.status import Fault, Status

__all__ = ["at_once", "failed", "is_solvers_fault", "settled", "shielded"]


class _Panic(Exception):
    """What a solver raised that no ``except Exception`` would have caught."""


def shielded(runner: Runner, task: Task) -> Answer:
    """Run on the task's time; a native panic becomes an error that can be caught."""
    try:
        with task.watch.running():
            return runner.run(task)
    except (KeyboardInterrupt, SystemExit, Exception):
        raise
    except BaseException as error:  # a Rust panic is no Exception
        raise _Panic(f"{type(error).__name__}: {error}") from error


def at_once(runner: Runner, task: Task) -> Future[Answer]:
    """Run in this thread; the answer, or what was raised, as a future that is done."""
    future: Future[Answer] = Future()
    try:
        future.set_result(shielded(runner, task))
    except Exception as error:  # noqa: BLE001 - whoever asks for the result meets it
        future.set_exception(error)
    return future


def failed(solver: str, error: Exception, fault: Fault) -> Attempt:
    """A try that ended with an error."""
    text = " ".join(str(error).split())
    kind = [] if isinstance(error, _Panic) else [type(error).__name__]
    return Attempt(solver, Status.FAILED, ": ".join([*kind, text] if text else kind), fault)


def is_solvers_fault(error: Exception) -> bool:
    """Whether another solver may do better."""
    if isinstance(error, LexiprogError):
        return False
    return type(error).__module__.startswith("cvxpy") or isinstance(error, ArithmeticError)


def settled(subproblem: Subproblem, attempts: list[Attempt]) -> bool:
    """Whether further solvers would only repeat that there is no optimum."""
    if subproblem.locks:  # a lock may be too tight for one solver and not for the next
        return False
    enough = 1 if subproblem.integer else 2
    return (
        sum(attempt.status.is_infeasible for attempt in attempts) >= enough
        or sum(attempt.status.is_unbounded for attempt in attempts) >= enough
    )
