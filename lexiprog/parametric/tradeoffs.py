"""What slack on one level buys in the later ones: at some tolerances, or at all of them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import SolverChoice
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.errors import DeclarationError, Interrupted, LexiprogWarning, StageError
from lexiprog.parametric.context import (
    Later,
    ParametricContext,
    ScenarioCache,
    given_up_in,
    in_threads,
)
from lexiprog.parametric.tradeoff_curves import value_functions
from lexiprog.parametric.value_function import CurveKind, ValueFunction
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.results.result import Result
from lexiprog.summary import (
    UNSETTLED,
    Chart,
    ShownTable,
    TableCell,
    TableSummary,
    cleaned,
    counted,
    data_frame,
    number,
    series_of,
)
from lexiprog.typing import NUMBERS

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class Tradeoff(ShownTable):
    """Optima along a range of tolerances on one level.

    What :func:`tradeoff` returns: read off what a little less of one optimum buys of the others.

    Attributes
    ----------
    name : str
        The level whose tolerance varies.
    tolerances : tuple of float
        Absolute degradations allowed. Of a whole curve: all its breakpoints, steps or samples.
    values : mapping
        Later subproblem to its optimum at each tolerance; of a whole curve what that says there, to
        its stated error.
    given_up : sequence of float
        How much of the level's optimum the last stage really gave up.
    results : sequence of Result
        The whole solution at each tolerance; those of a whole curve are found when asked for.
    slopes : mapping
        Later subproblem to the right derivative of its optimum at each tolerance: for the one that
        holds the level, its price up to the sign. Empty for a table, nan where it is not known.
    errors : mapping
        Later subproblem to how far its optimum may be from what the curve says between two
        tolerances: 0 if it is exact, nan if nothing is known. Empty for a table.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> program = lx.preemptive({"x": cp.Maximize(x), "y": cp.Maximize(y)},
    ...                         [2 * x + y <= 3, 0.5 * x + y <= 1.5])
    >>> print(lx.tradeoff(program, "x", [0, 0.5, 1.5]))
    tolerance on x    y
                 0    0
               0.5    1
               1.5  1.5
    >>> curve = lx.tradeoff(program, "x")
    >>> print(curve)
    tolerance on x    y  slope
                 0    0      2
               0.5    1    0.5
               1.5  1.5      0
    y: exact, linear between breakpoints; constant from 1.5 on
    >>> curve.at(0.75)
    {'y': 1.125}
    """

    name: str
    tolerances: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    given_up: Sequence[float] = field(repr=False)
    results: Sequence[Result] = field(repr=False)
    slopes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    functions: Mapping[str, ValueFunction] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_functions(
        cls,
        name: str,
        functions: Mapping[str, ValueFunction],
        tolerances: tuple[float, ...],
        given_up: Sequence[float],
        results: Sequence[Result],
    ) -> Tradeoff:
        """The whole curve that several later problems make."""
        at = np.array(tolerances)
        return cls(
            name=name,
            tolerances=tolerances,
            values={k: tuple(map(float, f.at(at))) for k, f in functions.items()},
            given_up=given_up,
            results=results,
            slopes={
                k: tuple(function.slope_at(t) for t in tolerances)
                for k, function in functions.items()
            },
            errors={
                k: np.nan if function.kind is CurveKind.SAMPLED else function.error
                for k, function in functions.items()
            },
            functions=MappingProxyType(dict(functions)),
        )

    @property
    def whole(self) -> bool:
        """Whether this is a curve for every tolerance and no table of a few."""
        return bool(self.functions)

    @property
    def notes(self) -> tuple[str, ...]:
        """How well each later optimum is known, and what comes after the last tolerance."""
        return tuple(f"{name}: {function.summary}" for name, function in self.functions.items())

    def at(self, tolerance: float) -> dict[str, float]:
        """The later optima at any tolerance that a whole curve covers, without a solve.

        Parameters
        ----------
        tolerance : float

        Returns
        -------
        dict
            Later subproblem to its optimum, exact or to the error that is stated; nan where the
            curve says nothing.
        """
        if not self.whole:
            raise DeclarationError(
                "a table knows its own tolerances only; lexiprog.tradeoff(program, "
                f"{self.name!r}) without tolerances gives the whole curve."
            )
        if not 0 <= tolerance < np.inf:
            raise DeclarationError(
                f"a tolerance is a finite number of at least 0, not {tolerance!r}."
            )
        return {name: float(function.at(tolerance)) for name, function in self.functions.items()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a tolerance."""
        columns: dict[str, Sequence[float]] = {"tolerance": self.tolerances}
        if not self.whole:  # a curve would have to solve at each breakpoint first
            columns["given up"] = self.given_up
        columns |= dict(self.values)
        columns |= {f"slope of {name}": slopes for name, slopes in self.slopes.items()}
        return data_frame(columns, "tolerance")

    @property
    def summary(self) -> TableSummary:
        """The table as plain records for display."""
        columns, series = [f"tolerance on {self.name}"], [_texts(self.tolerances)]
        for name, values in self.values.items():
            columns.append(name)
            series.append(_texts(values) if self.whole else self._intervals(name, values))
            if name in self.slopes and self.functions[name].kind is not CurveKind.SAMPLED:
                columns.append("slope" if len(self.values) == 1 else f"slope of {name}")
                series.append(_texts(self.slopes[name]))
        return TableSummary(
            title=f"What slack on {self.name} buys",
            columns=tuple(columns),
            rows=tuple(tuple(map(TableCell, row)) for row in zip(*series, strict=True)),
            numeric=frozenset(columns),
            notes=tuple(TableCell(note, "quiet") for note in self.notes),
            chart=self._chart,
        )

    @property
    def _chart(self) -> Chart:
        """What each later problem gains or loses, as far as its curve goes."""
        joined = {
            CurveKind.LINEAR: "straight",
            CurveKind.BOUNDED: "straight",
            CurveKind.STEPS: "steps",
        }
        series = []
        for name, values in self.values.items():
            function = self.functions.get(name)
            how = "not" if function is None else joined.get(function.kind, "not")
            series.append(series_of(name, self.tolerances, values, how))
        what = series[0].name if len(series) == 1 else "optimum"
        return Chart(f"tolerance on {self.name}", what, tuple(series))

    def _intervals(self, name: str, values: Sequence[float]) -> list[str]:
        """The texts of a table's values; where a limit stopped a search, with its bound."""
        summaries = [result[name].summary for result in self.results]
        return [
            summary.text() if summary.status in UNSETTLED else text
            for text, summary in zip(_texts(values), summaries, strict=True)
        ]


def _texts(values: Sequence[float]) -> list[str]:
    """Numbers without rounding noise; a dash for what is not known."""
    clean = iter(cleaned([value for value in values if np.isfinite(value)]))
    return [number(next(clean)) if np.isfinite(value) else "-" for value in values]


def tradeoff(
    program: Program,
    name: str,
    tolerances: Iterable[float] | None = None,
    *,
    solver: SolverChoice = None,
    progress: bool = False,
    error: float = 1e-3,
    limit: int = 1000,
    executor: Executor | Elsewhere | None = None,
    time_limit: float | None = None,
) -> Tradeoff:
    """What the later optima become with more slack on one held optimum.

    With tolerances the program is solved at each of them: the stages up to that optimum once;
    later ones are compiled once and, where they are linear, started from the last basis.

    Without tolerances the result is the whole curve, for every tolerance there is. Linear
    problems: exact, piecewise linear, from one solve and the basis exchanges after it; the
    tolerances are the breakpoints. Integer problems: exact, every step. Other convex problems:
    solved at more and more tolerances until tangents and chords are close together. A later
    problem that reads others which move is followed from breakpoint to breakpoint of those, if it
    is linear or integer like they are; otherwise it is solved at the tolerances of the others and
    in the middle between them, and the text says so.

    Parameters
    ----------
    program : Program
    name : str
        A subproblem that later ones hold (``held()``, as the formulations do).
    tolerances : iterable of float, optional
        Absolute degradations, in place of those declared; all of them if left out.
    solver : optional
        As for :meth:`Program.solve`; curves of linear and integer problems are followed by HiGHS
        whatever is given here.
    progress : bool
        Show a bar (needs tqdm).
    error : float
        For whole curves of convex problems: how far tangents and chords may be apart, as a share
        of all that slack buys.
    limit : int
        For whole curves: most breakpoints or samples of one problem. A curve with more says where
        it ends.
    executor : optional
        As for :meth:`Program.solve`, with the tolerances shared out among its workers. Whole
        curves are followed here; what is solved on the way is solved there.
    time_limit : float, optional
        Seconds for the whole call. What is not reached by then is missing, with a warning; the
        optimum that is to be loosened must be.

    Raises
    ------
    Interrupted
        Ctrl-C was pressed; ``partial`` is the Tradeoff so far: the tolerances that were done, or
        the curves that were followed, the last of them as far as it says.
    StageError
        The optimum that is to be loosened was not found; ``partial`` is a Result, as from
        :meth:`Program.solve`.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> hours = cp.Variable(2, nonneg=True, name="hours")
    >>> levels = {"bread": cp.Maximize(hours[0]), "cake": cp.Maximize(hours[1])}
    >>> program = lx.preemptive(levels, [hours @ [2, 1] <= 3, hours @ [0.5, 1] <= 1.5])
    >>> [round(cake, 6) for cake in lx.tradeoff(program, "bread", [0.25, 0.5, 1.5]).values["cake"]]
    [0.5, 1.0, 1.5]
    >>> curve = lx.tradeoff(program, "bread")
    >>> curve.tolerances, curve.values["cake"], curve.slopes["cake"]
    ((0.0, 0.5, 1.5), (0.0, 1.0, 1.5), (2.0, 0.5, 0.0))
    """
    steps = None if tolerances is None else _steps(tolerances)
    _check(program, name, steps, error, limit)
    held = program[name]
    position = next(k for k, s in enumerate(program.stages) if held in s.subproblems)
    given = Given.to(program.subproblems.values())
    there = Elsewhere.of(executor)
    choice = _head_choice(program, solver, position)
    deadline = Deadline(time_limit, keeps=True)
    later = [p.name for stage in program.stages[position + 1 :] for p in stage.subproblems]
    with deadline.kept():
        head = Program(*program.stages[: position + 1]).solve(
            choice, executor=there, time_limit=time_limit
        )
    if deadline.interrupt is not None:
        done = counted(len(steps or later), "curve" if steps is None else "tolerance")
        return _or_interrupted(_table(name, steps or [], later, {}), deadline, f"0 of {done}")
    new = partial(
        ScenarioCache, program, program.ladders(solver), given, head, there, deadline=deadline
    )
    if steps is None:
        context = ParametricContext(name, new(), dict(head), error, limit, deadline)
        with bar(len(later), 0, progress=progress) as tick:
            curve = _whole_curve(context, later, tick)
        done = f"{len(curve.functions)} of {counted(len(later), 'curve')}"
        return _or_interrupted(curve, deadline, f"{done}, the last as far as it was followed")
    results, failures = dict[int, Result](), dict[int, StageError]()

    def work(part: list[int], stop: threading.Event) -> None:
        scenarios = new()  # from basis to basis
        for k in part:
            if stop.is_set():
                break
            with deadline.kept():
                try:
                    results[k] = scenarios.at({name: steps[k]})
                except StageError as failure:  # which loses one row, not the table
                    failures[k] = failure
            if deadline.note:
                break
            tick(f"{name} {steps[k]:g}")

    width = 1 if there is None else there.width
    with bar(len(steps), 0, progress=progress) as tick, deadline.kept():
        in_threads(work, range(len(steps)), width, "lexiprog-tradeoff", deadline)
    _tell_failures(failures, steps, everything=not results)
    table = _table(name, steps, later, results)
    done = f"{len(results)} of {counted(len(steps), 'tolerance')}"
    return _or_interrupted(table, deadline, done)


def _table(
    name: str, steps: Sequence[float], later: list[str], results: Mapping[int, Result]
) -> Tradeoff:
    rows = sorted(results)
    return Tradeoff(
        name=name,
        tolerances=tuple(steps[k] for k in rows),
        values={other: tuple(results[k][other].value for k in rows) for other in later},
        given_up=tuple(given_up_in(results[k], later, name) for k in rows),
        results=tuple(results[k] for k in rows),
    )


def _tell_failures(
    failures: Mapping[int, StageError], steps: Sequence[float], *, everything: bool
) -> None:
    """Warn of tolerances that are missing; if all are, the first error is raised."""
    if not failures:
        return
    first = min(failures)
    if everything:
        raise failures[first]
    warnings.warn(
        f"{len(failures)} of {counted(len(steps), 'tolerance')} are missing, {steps[first]:g} the "
        f"first of them: {failures[first]}",
        LexiprogWarning,
        stacklevel=3,
    )


def _steps(tolerances: Iterable[float]) -> list[float]:
    try:
        return [float(tolerance) for tolerance in tolerances]
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"tolerances are a list of numbers, such as [0, 0.1], not {tolerances!r}."
        ) from error


def _check(
    program: Program, name: str, steps: list[float] | None, error: float, limit: int
) -> None:
    held = program[name]
    if not any(lock.owner() is held for p in program.subproblems.values() for _, lock in p.locks):
        raise DeclarationError(f"no later subproblem holds {name!r}: there is nothing to trade.")
    for step in steps or []:
        if not 0 <= step < np.inf:
            raise DeclarationError(f"a tolerance is a finite number of at least 0, not {step!r}.")
    if not (isinstance(error, NUMBERS) and 0 < error < 1):
        raise DeclarationError(f"error is a share between 0 and 1, not {error!r}.")
    if limit < 2:
        raise DeclarationError(f"limit is at least 2, not {limit!r}.")


def _whole_curve(
    context: ParametricContext, later: list[str], tick: Callable[[str], None]
) -> Tradeoff:
    """The later problems for every tolerance; results are found when they are asked for."""
    functions, tolerances = value_functions(context, tick)
    results = Later(len(tolerances), lambda k: context.at(tolerances[k]))
    given_up = Later(len(tolerances), lambda k: given_up_in(results[k], later, context.name))
    return Tradeoff.of_functions(context.name, functions, tolerances, given_up, results)


def _or_interrupted(result: Tradeoff, deadline: Deadline, done: str) -> Tradeoff:
    """The result, unless Ctrl-C ended it early: then it is the error's ``partial``."""
    if deadline.interrupt is None:
        if deadline.late:
            warnings.warn(f"{deadline.note} There are {done}.", LexiprogWarning, stacklevel=3)
        return result
    raise Interrupted(
        f"interrupted with {done}: error.partial is the Tradeoff so far.",
        partial=result,  # type: ignore[arg-type]
    ) from deadline.interrupt


def _head_choice(program: Program, solver: SolverChoice, position: int) -> SolverChoice:
    """The part of a solver choice that concerns the stages up to ``position``."""
    if not isinstance(solver, Mapping):
        return solver
    stages = program.stages[: position + 1]
    names = {name for s in stages for name in (s.name, *(p.name for p in s.subproblems))}
    return {name: choice for name, choice in solver.items() if name in names}
