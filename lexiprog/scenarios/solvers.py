"""The same program with several solvers: what each finds, how well, and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import Solver, SolverChoice, UnknownSolver
from lexiprog.compile.binding import read_parameters
from lexiprog.errors import StageError
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.driver import execute
from lexiprog.solve.options import SolveOptions
from lexiprog.status import Status
from lexiprog.summary import (
    ShownTable,
    TableCell,
    TableSummary,
    data_frame,
    duration,
    tiny,
    value_text,
)
from lexiprog.tolerances import VALUES_DISAGREE

if TYPE_CHECKING:
    import pandas


# A table of what several choices of solvers made of one program.

NOT_REACHED = "not reached"

_COLUMNS = ("subproblem", "solvers", "optimum", "certificate", "disagreement", "time", "verdict")


@dataclass(frozen=True)
class SolverRow:
    """One subproblem under one choice of solvers; None for what a failure left unknown.

    ``certificate`` is its largest measure, ``seconds`` the time in the solver, ``compile_seconds``
    that before it, and ``disagreement`` the distance to the most trusted value, over one plus
    its size.
    """

    choice: str
    stage: str
    subproblem: str
    solver: str
    status: str
    reason: str = ""
    value: float | None = None
    certificate: float | None = None
    seconds: float | None = None
    compile_seconds: float | None = None
    disagreement: float | None = None
    bound: float | None = None  # proved, of an optimum that is known as an interval


@dataclass(frozen=True, repr=False)
class SolverComparison(ShownTable):
    """What several choices of solvers made of one program.

    What :func:`compare_solvers` returns: a table to choose from, and whether all agree.

    Attributes
    ----------
    rows : tuple of SolverRow
        Subproblem by subproblem in stage order, each with every choice in the order given.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    >>> table = lx.compare_solvers(program, ["HIGHS", "CLARABEL"])
    >>> [(row.choice, row.status, round(row.value, 6)) for row in table.rows]
    [('HIGHS', 'optimal', 1.0), ('CLARABEL', 'optimal', 1.0)]
    >>> max(row.disagreement for row in table.rows) < 1e-6
    True
    """

    rows: tuple[SolverRow, ...]

    @classmethod
    def of(cls, groups: Iterable[list[SolverRow]]) -> SolverComparison:
        """Compare the rows of each group, which belong to one subproblem, with each other."""
        return cls(tuple(row for rows in groups for row in _measured(rows)))

    @property
    def failures(self) -> tuple[SolverRow, ...]:
        """The rows without a certified optimum."""
        return tuple(row for row in self.rows if row.value is None)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a subproblem and choice."""
        columns = list(SolverRow.__dataclass_fields__)
        frame = data_frame([vars(row) for row in self.rows], columns=columns)
        return frame.set_index(["subproblem", "choice"])

    @property
    def summary(self) -> TableSummary:
        """The table as plain records for display."""
        return TableSummary(
            title="One program, several solvers",
            columns=_COLUMNS,
            rows=tuple(_cells(row, self.rows[:k]) for k, row in enumerate(self.rows)),
            numeric=frozenset(["optimum", "certificate", "disagreement", "time"]),
        )


def _cells(row: SolverRow, before: tuple[SolverRow, ...]) -> tuple[TableCell, ...]:
    """A row's texts; what the rows before it have said already is not repeated."""
    again = bool(before) and before[-1].subproblem == row.subproblem
    name, choice = TableCell("" if again else row.subproblem), TableCell(row.choice)
    if row.value is None:
        shown = {(other.choice, other.reason) for other in before}
        new = row.reason and (row.choice, row.reason) not in shown
        text = f"{row.status}: {row.reason}" if new else row.status
        blank = (TableCell("-", "quiet"),) * 4
        return (
            name,
            choice,
            *blank,
            TableCell(text, "quiet" if row.status == NOT_REACHED else "bad"),
        )
    apart = row.disagreement or 0.0
    return (
        name,
        choice,
        TableCell(value_text(row.value, row.bound, row.status, 8)),
        TableCell(tiny(row.certificate or 0.0)),
        TableCell(tiny(apart), "bad" if apart > VALUES_DISAGREE else ""),
        TableCell(duration(row.seconds or 0.0)),
        TableCell(row.status, "good" if row.status == Status.OPTIMAL else "bad"),
    )


def _measured(rows: list[SolverRow]) -> list[SolverRow]:
    """The rows with their distance to the value whose certificate is best."""
    solved = [row for row in rows if row.value is not None and row.certificate is not None]
    if not solved:
        return rows
    trusted = min(solved, key=lambda row: row.certificate or 0.0).value or 0.0
    return [
        row
        if row.value is None
        else replace(row, disagreement=abs(row.value - trusted) / (1.0 + abs(trusted)))
        for row in rows
    ]


def compare_solvers(
    program: Program,
    choices: Iterable[SolverChoice] | Mapping[str, SolverChoice],
    *,
    progress: bool = False,
    executor: Executor | Elsewhere | None = None,
) -> SolverComparison:
    """Solve a program with each choice of solvers and tabulate what they found.

    A choice that fails, or a solver that is not installed, is a row with its reason and no
    exception. Problems run one at a time, so that times can be compared. The variables' values
    stay as they were.

    Parameters
    ----------
    program : Program
    choices : iterable, or mapping from labels
        Each anything that :meth:`Program.solve` takes: a name, a Solver, a list, a mapping from
        stages and subproblems, or None for the engine's own choice. The table calls them by
        their labels, or else by what they are.
    progress : bool
        Show a bar (needs tqdm).
    executor : optional
        As for :meth:`Program.solve`; times then include the journey.

    Returns
    -------
    SolverComparison
        A row for each subproblem and choice.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive(
    ...     {"cost": cp.Minimize(x[0] + 2 * x[1]), "even": cp.Minimize(cp.sum_squares(x))},
    ...     [cp.sum(x) >= 4], atol={"cost": 1})
    >>> table = lx.compare_solvers(program, ["HIGHS", "CLARABEL", {"cost": "HIGHS"}, "NOSUCH"])
    >>> [(row.choice, row.subproblem) for row in table.failures]
    [('NOSUCH', 'cost'), ('NOSUCH', 'even')]
    """
    labelled = isinstance(choices, Mapping)
    options = list(choices.values() if isinstance(choices, Mapping) else choices)
    labels = [str(label) for label in choices] if labelled else _labels(options)
    for subproblem in program.subproblems.values():
        read_parameters(subproblem)  # a parameter without a value is no solver's fault
    solve_options = SolveOptions(executor=Elsewhere.of(executor))
    tables: list[list[SolverRow]] = []
    with bar(len(options), 0, progress=progress) as tick:
        for label, choice in zip(labels, options, strict=True):
            tables.append(list(_attempt(program, choice, label, solve_options)))
            tick(label)
    return SolverComparison.of(list(rows) for rows in zip(*tables, strict=True))


def _attempt(
    program: Program, choice: SolverChoice, label: str, solve_options: SolveOptions
) -> Iterator[SolverRow]:
    """A row for every subproblem, whatever happens."""
    try:
        result = execute(
            program.stages, program.ladders(choice), workers=1, tick=lambda _: None, solved={},
            solve_options=solve_options,
        )  # fmt: skip
    except UnknownSolver as error:
        for stage in program.stages:
            for p in stage.subproblems:
                yield SolverRow(label, stage.name, p.name, "", "not available", reason=str(error))
    except StageError as error:
        yield from _rows(program, error.partial, label, error)
    else:
        yield from _rows(program, result, label, None)


def _rows(
    program: Program, result: Result, label: str, error: StageError | None
) -> Iterator[SolverRow]:
    for stage in program.stages:
        for p in stage.subproblems:
            if p.name in result:
                yield _solved(label, result[p.name])
            elif error is not None and stage.name == error.stage:
                yield _failed(label, error, p.name)
            else:
                yield SolverRow(label, stage.name, p.name, "", NOT_REACHED)


def _solved(label: str, solution: Solution) -> SolverRow:
    solving = solution.timings.get("solve", 0.0)
    return SolverRow(
        choice=label,
        stage=solution.stage,
        subproblem=solution.name,
        solver=solution.solver,
        status=solution.status,
        value=solution.value,
        certificate=solution.certificate.worst,
        seconds=solving,
        compile_seconds=solution.seconds - solving,
        bound=solution.bound,
    )


def _failed(label: str, error: StageError, name: str) -> SolverRow:
    """The error tells in full of the first failed problem of its stage, of others only that."""
    if name != error.subproblem:
        reason = f"see {error.subproblem}"
        return SolverRow(label, error.stage, name, error.solver, "failed", reason=reason)
    reason = "; ".join(dict.fromkeys(a.reason for a in error.attempts if a.reason))
    return SolverRow(label, error.stage, name, error.solver, error.status, reason=reason)


def _labels(choices: list[SolverChoice]) -> list[str]:
    """How the table calls each choice; equal ones are numbered."""
    texts = [_label(choice) for choice in choices]
    seen: dict[str, int] = {}
    out = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        out.append(f"{text} #{seen[text]}" if seen[text] > 1 else text)
    return out


def _label(choice: SolverChoice) -> str:
    if choice is None:
        return "default"
    if isinstance(choice, Mapping):
        return ", ".join(f"{name}: {_label(part)}" for name, part in choice.items()) or "default"
    if isinstance(choice, Sequence) and not isinstance(choice, str):
        return ", else ".join(map(_label, choice))
    solver = choice if isinstance(choice, Solver) else Solver(choice)
    options = ", ".join(f"{key}={value!r}" for key, value in solver.options.items())
    return f"{solver.name}({options})" if options else solver.name
