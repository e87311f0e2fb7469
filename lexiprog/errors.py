"""What can go wrong, as named errors that carry what was already solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lexiprog.status import Fault, Status

if TYPE_CHECKING:
    from lexiprog.result.result import Result

__all__ = [
    "Attempt",
    "DeclarationError",
    "Interrupted",
    "LexiprogError",
    "LexiprogWarning",
    "StageError",
]


class LexiprogError(Exception):
    """Every error of this package is one of these; Ctrl-C, which is no error, is not.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.StageError, lx.LexiprogError)
    True
    """


class LexiprogWarning(UserWarning):
    """Something works, but costs more or promises less than it could.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.LexiprogWarning, UserWarning)
    True
    """


class DeclarationError(LexiprogError, ValueError):
    """A program that cannot be meant this way, found before anything is solved.

    Examples
    --------
    >>> import lexiprog as lx
    >>> lx.Stage("empty")
    Traceback (most recent call last):
        ...
    lexiprog.errors.DeclarationError: stage 'empty' holds no subproblem: give it at least one.
    """


@dataclass(frozen=True)
class Attempt:
    """One try of one solver at one subproblem, and why it was not accepted.

    ``incumbent`` is the Solution that a search had when it was stopped, if it had one.
    """

    solver: str
    status: Status
    reason: str = ""
    fault: Fault = Fault.NONE
    incumbent: Any = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        said = f"{self.solver}: {self.status}"
        return f"{said} ({self.reason})" if self.reason else said


class StageError(LexiprogError, RuntimeError):
    """A subproblem has no certified optimum; what was solved before it is in ``partial``.

    Attributes
    ----------
    stage, subproblem, solver, status : str
        Where it happened, which solver spoke last and what it said.
    attempts : tuple of Attempt
        Every solver tried, in order.
    partial : Result
        The certified solutions found so far; ``program.solve(resume=error.partial)``
        goes on from them.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x <= 1])))
    >>> try:
    ...     program.solve()
    ... except lx.StageError as error:
    ...     print(error.subproblem, error.status, len(error.partial))
    low unbounded 0
    """

    def __init__(
        self,
        message: str,
        *,
        stage: str,
        subproblem: str,
        solver: str,
        status: Status,
        attempts: tuple[Attempt, ...],
        partial: Result,
    ) -> None:
        super().__init__(message)
        self.stage = stage
        self.subproblem = subproblem
        self.solver = solver
        self.status = status
        self.attempts = attempts
        self.partial = partial

    def __reduce__(self) -> Any:  # keyword arguments would be lost between processes
        return partial(type(self), *self.args, **self.__dict__), ()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed; the solutions found before it are in ``partial``.

    It is no ``Exception``, so that ``except Exception`` in a loop does not swallow it.

    Attributes
    ----------
    partial : Result
        The certified solutions found so far, and the incumbent of a search that was stopped,
        status "unfinished"; ``program.solve(resume=...)`` goes on from them.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.Interrupted, KeyboardInterrupt), issubclass(lx.Interrupted, Exception)
    (True, False)
    """

    def __init__(self, message: str, *, partial: Result) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> Any:
        return partial(type(self), *self.args, **self.__dict__), ()
