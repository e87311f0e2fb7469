"""The same program with several solvers: what each finds, how well, and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor

from lexiprog.compile.binding import read_parameters
from lexiprog.errors import StageError
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.solve.hierarchy import execute
from lexiprog.solve.wishes import Wishes
from lexiprog.solvers.elsewhere.desk import Elsewhere
from lexiprog.solvers.solver import Solver, SolverChoice, UnknownSolver
from lexiprog.sweeps.solver_table import NOT_REACHED, SolverComparison, SolverRow

__all__ = ["compare_solvers"]


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
    wishes = Wishes(elsewhere=Elsewhere.of(executor))
    found: list[list[SolverRow]] = []
    with bar(len(options), 0, progress=progress) as tick:
        for label, choice in zip(labels, options, strict=True):
            found.append(list(_attempt(program, choice, label, wishes)))
            tick(label)
    return SolverComparison.of(list(rows) for rows in zip(*found, strict=True))


def _attempt(
    program: Program, choice: SolverChoice, label: str, wishes: Wishes
) -> Iterator[SolverRow]:
    """A row for every subproblem, whatever happens."""
    try:
        ladders = program.ladders(choice)
        result = execute(
            program.stages, ladders, workers=1, tick=lambda _: None, solved={}, wishes=wishes
        )
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
