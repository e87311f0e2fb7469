"""What can go wrong, as named errors that carry what was already solved."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from lexiprog.status import Fault, Status

if TYPE_CHECKING:
    from lexiprog.results.result import Result
    from lexiprog.results.solution import Solution
    from lexiprog.summary import FailureSummary
    from lexiprog.typing import Values


Made = TypeVar("Made")

# How errors are shown by IPython: with their picture where there is a page to show it on.

_SHOWN: dict[int, tuple[object, str]] = {}  # the last error with a picture, and the cell it was for


def render_traceback(error: BaseException) -> list[str]:
    """The lines of a traceback, for IPython, which asks errors for them.

    Notebooks show errors as text alone, so the picture of one that has any goes before it.
    """
    shell = _shell()
    # A terminal has no page for pictures.
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        _display(error, kernel)
    if shell is None:
        return traceback.format_exception(error)
    kind, trace = type(error), error.__traceback__
    lines: list[str] = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=1)
    return lines


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _display(error: BaseException, kernel: Any) -> None:
    try:
        # The kernel asks twice for one cell, for the page and for its reply.
        cell = kernel.get_parent().get("header", {}).get("msg_id")
        if _SHOWN.get(id(error)) == (cell, str(error)):
            return
        _SHOWN.clear()
        _SHOWN[id(error)] = (cell, str(error))
        html = error._repr_html_()  # type: ignore[attr-defined]
        if html is not None:
            from IPython.display import display

            display({"text/html": html, "text/plain": str(error)}, raw=True)  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001 - a picture that cannot be drawn must not hide the error
        return


def visible(text: str, *, lines: bool = True) -> str:
    r"""A text whose control characters and marks of direction are shown and not obeyed.

    Names may contain any; terminals and browsers would act upon them.

    Examples
    --------
    >>> visible("cheap\x1b[2J")
    'cheap\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or (lines and letter == "\n")
        else letter.encode("unicode_escape").decode()
        for letter in text
    )


class LexiprogError(Exception):
    """Every error of this package is one of these; Ctrl-C, which is no error, is not.

    Catch it where a caller should go on whatever went wrong here.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.StageError, lx.LexiprogError)
    True
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class LexiprogWarning(UserWarning):
    """Something works, but costs more or promises less than it could.

    Filter it, or turn it into an error, apart from the warnings of other packages.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.LexiprogWarning, UserWarning)
    True
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class UnknownName(LexiprogError, KeyError):
    """Something was asked for by a name that nobody has; the sentence lists those there are."""

    def __str__(self) -> str:  # KeyError puts its sentence in quotation marks
        return visible(str(self.args[0]) if self.args else "")


class DeclarationError(LexiprogError, ValueError):
    """A program that cannot be meant this way, found before anything is solved.

    Catch it to tell mistakes in a model from problems without an optimum, which are a
    :class:`StageError`.

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

    ``incumbent`` is the Solution that a search had when it was stopped, if it had one; ``flagged``
    one that is optimal for data near the given ones, but not proved for these.
    """

    solver: str
    status: Status
    reason: str = ""
    fault: Fault = Fault.NONE
    seconds: float = 0.0  # compiling and solving
    incumbent: Solution | None = field(default=None, repr=False, compare=False)
    flagged: Solution | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        said = f"{self.solver}: {self.status}"
        return f"{said} ({self.reason})" if self.reason else said


@dataclass(frozen=True)
class ConflictPart:
    """One of several demands that cannot be met together.

    Attributes
    ----------
    text : str
        Its label if it has one, its expression, and the entries that take part; for what a
        variable was declared with, that as an inequality, such as "x >= 0" or "x is whole".
    position : int or None
        Its place in the list of constraints, the first being 1; None for a variable's bounds.
    label : str or None
        As given by CVXPY's ``set_label``.
    expression : str
        The constraint as it is written.
    entries : tuple
        Of an array, the entries that take part, each with its index counted from 0 as in Python;
        empty if the constraint takes part as a whole.
    optima : tuple of str
        The earlier optima in it, such as "cheap.optimum".
    relaxation : float or None
        The least by which it would have to be relaxed for the problem to have a solution; None
        if it contains no earlier optimum, or relaxing it alone does not help.
    names : tuple of str
        Of the entries that take part, if entries came with names; ``text`` is then made of them.
    """

    text: str
    position: int | None = None
    label: str | None = None
    expression: str = ""
    entries: tuple[tuple[int, ...], ...] = ()
    optima: tuple[str, ...] = ()
    relaxation: float | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, expression: str, **fields: Any) -> ConflictPart:
        """The part with a text made of its label, expression and entries."""
        part = cls(expression, expression=expression, **fields)
        label = f"{part.label}: " if part.label else ""
        return replace(part, text=f"{label}{expression}{part.where and ' ' + part.where}")

    @property
    def where(self) -> str:
        """The entries in words; empty if all take part."""
        shown = [", ".join(map(str, entry)) for entry in self.entries[:6]]
        more = "" if len(self.entries) <= 6 else f" and {len(self.entries) - 6} more"
        return "at " + " ".join(f"[{entry}]" for entry in shown) + more if shown else ""

    def __str__(self) -> str:
        if self.names:
            return self.text
        if self.position is None:
            return f"{self.text}{self.where and ' ' + self.where}"
        return f"({self.position}) {self.text}"


class StageError(LexiprogError, RuntimeError):
    """A subproblem has no certified optimum; what was solved before it is in ``partial``.

    Catch it to use the earlier levels, or to ask why this one failed.

    Attributes
    ----------
    stage, subproblem, solver, status : str
        Where it happened, which solver spoke last and what it said.
    attempts : tuple of Attempt
        Every solver tried, in order, with what it said and how long it took.
    conflict : tuple of ConflictPart
        For an infeasible problem, constraints (and bounds of variables) that cannot hold together
        and none of which can be left out; empty if there are none or none were found.
    direction : mapping or None
        For an unbounded problem, a direction in which the objective improves without end, as
        values by variable; None if there is no straight one. In geometric programs the variables
        are multiplied by such factors.
    reason : str
        What the two mean, or what else to do about it, in a sentence or two.
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
    >>> demand, supply = (x >= 2).set_label("demand"), (x <= 1).set_label("supply")
    >>> low = lx.Subproblem("low", cp.Minimize(x), [x >= 0, demand, supply])
    >>> try:
    ...     lx.Program(lx.Stage("only", low)).solve()
    ... except lx.StageError as error:
    ...     print([(part.position, part.text) for part in error.conflict])
    [(2, 'demand: x >= 2'), (3, 'supply: x <= 1')]
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
        conflict: tuple[ConflictPart, ...] = (),
        direction: Values | None = None,
        reason: str = "",
    ) -> None:
        super().__init__(message)
        self.stage = stage
        self.subproblem = subproblem
        self.solver = solver
        self.status = status
        self.attempts = attempts
        self.partial = partial
        self.conflict = conflict
        self.direction = direction
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:  # keyword arguments would be lost between processes
        return partial(type(self), *self.args, **self.__dict__), ()

    @property
    def summary(self) -> FailureSummary:
        """What was declared, found and tried, and why it stops here, as plain records."""
        return self.partial.stopped_by(self)

    def _repr_html_(self) -> str | None:
        return self.summary.html()

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it: the picture first where it can be shown, then the trace."""
        return render_traceback(self)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed; the solutions found before it are in ``partial``.

    It is no ``Exception``, so that ``except Exception`` in a loop does not catch it.

    Attributes
    ----------
    partial : Result
        The certified solutions found so far, and the incumbent of a search that was stopped,
        status "unfinished"; ``program.solve(resume=...)`` goes on from them. Of a sweep or a front
        it is the Sweep or Frontier so far, of a trade-off the Tradeoff.

    Examples
    --------
    >>> import lexiprog as lx
    >>> issubclass(lx.Interrupted, KeyboardInterrupt), issubclass(lx.Interrupted, Exception)
    (True, False)
    """

    def __init__(self, message: str, *, partial: Result) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), *self.args, **self.__dict__), ()


# Pickles that another version wrote.


def blank(kind: type[Made], version: str) -> Made:
    """An object to be filled from a pickle.

    It is made before anything else of the pickle is read: if another version wrote it, that is
    said first, so that whatever cannot be read afterwards is explained.
    """
    here = this_version()
    if version != here:
        warnings.warn(
            f"this {kind.__name__} was pickled by lexiprog {version}, and here is {here}: if it "
            "cannot be read, read it with that version, and keep it by Result.save, whose files "
            "later versions read.",
            LexiprogWarning,
            stacklevel=2,
        )
    return object.__new__(kind)


def this_version() -> str:
    """The version of this package."""
    return str(sys.modules["lexiprog"].__version__)


# What somebody may have meant by a name that nobody knows.


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that names the likeliest of the known names; empty if none is near.

    Letters in common count, and words one of which begins the other.

    Examples
    --------
    >>> did_you_mean("HIHGS", ["CLARABEL", "HIGHS"])
    " Did you mean 'HIGHS'?"
    >>> did_you_mean("max_iterations", ["max_step_fraction", "max_iter"])
    " Did you mean 'max_iter'?"
    """
    asked, best, meant = str(name), 0.0, ""
    letters = SequenceMatcher(b=asked.casefold())
    for one in sorted(map(str, known)):
        letters.set_seq1(one.casefold())
        alike, shared = letters.ratio(), _shared_words(asked, one)
        if one != asked and max(alike, shared) >= _NEAR and alike + shared > best:
            best, meant = alike + shared, one
    return f" Did you mean {meant!r}?" if meant else ""


# Of what is alike in two names, the least at which one may be meant by the other.
_NEAR = 0.6


def _shared_words(one: str, other: str) -> float:
    """The share of words in two names of which one begins the other, as "max_iter", "maxIters"."""
    ours, theirs = (
        [word.casefold() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
        for name in (one, other)
    )
    long = [word for word in theirs if len(word) > 2]
    alike = [
        w for w in ours if len(w) > 2 and any(w.startswith(v) or v.startswith(w) for v in long)
    ]
    return 2.0 * len(alike) / (len(ours) + len(theirs) or 1)


def there_are(known: Iterable[str], name: object) -> str:
    """The known names as the end of a sentence, and a question if one of them may be meant.

    Examples
    --------
    >>> there_are(["cheap", "clean"], "cheep")
    "'cheap', 'clean'. Did you mean 'cheap'?"
    """
    names = list(known)
    return f"{', '.join(map(repr, names)) or 'none'}.{did_you_mean(name, names)}"
