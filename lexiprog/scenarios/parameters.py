"""One program for hundreds of sets of parameter values: compiled once, solved as little as can be.

Scenarios are visited from neighbour to neighbour. A subproblem that no varying parameter reaches is
solved once. Where the last basis of a linear problem is optimal for the new numbers too, that is
all; else it is where HiGHS starts. Whatever was found is certified from the numbers of its own
scenario.
"""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import FallbackSolvers, SolverChoice, default_fallbacks
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.errors import (
    DeclarationError,
    Interrupted,
    LexiprogError,
    LexiprogWarning,
    StageError,
)
from lexiprog.model.expressions import dense, undisturbed
from lexiprog.model.references import points_read
from lexiprog.parametric.context import in_threads, solve_scenario
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import Direct
from lexiprog.solve.lp_chain import find_chains
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.summary import (
    Chart,
    ShownTable,
    TableCell,
    TableSummary,
    counted,
    data_frame,
    number,
    series_of,
)
from lexiprog.typing import Array, Value

if TYPE_CHECKING:
    import pandas


# Lists of parameter values: checked, and put in an order in which neighbours are near.

Lists = dict[cp.Parameter, list[Value]]

# Beyond this many scenarios the tour from neighbour to neighbour costs more than it saves.
TOUR = 3000


def checked(program: Program, scenarios: Mapping[cp.Parameter, Iterable[ArrayLike]]) -> Lists:
    """The values as arrays, if the parameters are the program's and would take them."""
    declared = {p.id: p for s in program.subproblems.values() for p in s.parameters}
    if not isinstance(scenarios, Mapping) or not scenarios:
        raise DeclarationError("sweep needs a mapping from parameters to lists of their values.")
    lists: Lists = {}
    for parameter, values in scenarios.items():
        if not isinstance(parameter, cp.Parameter) or declared.get(parameter.id) is not parameter:
            raise _unknown(parameter, declared.values())
        lists[parameter] = _values(parameter, values)
    lengths = {str(p.name()): len(values) for p, values in lists.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise DeclarationError(f"sweep: the lists of values are of one length each, but {text}.")
    return lists


def _unknown(parameter: object, declared: Iterable[cp.Parameter]) -> DeclarationError:
    names = ", ".join(repr(p.name()) for p in declared) or "none"
    itself = " Give the cp.Parameter itself." if isinstance(parameter, str) else ""
    return DeclarationError(
        f"sweep: {parameter!s} is no parameter of this program; it has {names}.{itself}"
    )


def _values(parameter: cp.Parameter, values: Iterable[ArrayLike]) -> list[Value]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise DeclarationError(
            f"sweep: the values of {parameter.name()!r} come in a list, not as {values!r}."
        )
    return [_value(parameter, value, k) for k, value in enumerate(values)]


def _value(parameter: cp.Parameter, value: ArrayLike, position: int) -> Value:
    """A copy that the parameter would take; CVXPY is asked with a parameter like it."""
    kept = {name: given for name, given in parameter.attributes.items() if given}
    try:
        array = np.array(dense(value), dtype=complex if parameter.is_complex() else float)
        if np.isfinite(array).all():  # what is not finite is the scenario's own failure
            cp.Parameter(parameter.shape, **kept).value = array
        elif array.shape != parameter.shape:
            raise ValueError(f"shape {array.shape} in place of {parameter.shape}")
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"sweep: parameter {parameter.name()!r} does not take its value at position "
            f"{position}: {error}"
        ) from error
    array.setflags(write=False)
    return array


def tour(lists: Lists, count: int) -> NDArray[np.intp]:
    """The scenarios in an order in which each is near the one before it."""
    order = np.arange(count)
    if not 2 < count <= TOUR:
        return order
    columns = [np.array([np.ravel(v) for v in values]) for values in lists.values()]
    points = (
        np.abs(np.hstack(columns)) if any(map(np.iscomplexobj, columns)) else np.hstack(columns)
    )
    points = np.where(np.isfinite(points), points, 0.0)
    spread = np.ptp(points, axis=0)
    points = points / np.where(spread > 0.0, spread, 1.0)
    squares = np.sum(points**2, axis=1)
    left, here, visited = np.ones(count, dtype=bool), 0, [0]
    left[0] = False
    while left.any():
        away = np.where(left, squares - 2.0 * (points @ points[here]), np.inf)
        here = int(np.argmin(away))
        left[here] = False
        visited.append(here)
    return np.array(visited)


# What a program's optima are in one scenario after the other.

# Longer tables are shown by their two ends.
SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(ShownTable, Sequence[Result | LexiprogError]):
    """A program solved for one set of parameter values after the other.

    ``sweep[i]`` is the Result at position i of the lists, or the error if there is none.

    Attributes
    ----------
    parameters : mapping
        Name of each parameter that varied to its values.
    names : tuple of str
        The program's subproblems, in stage order.
    rows : tuple of Result or LexiprogError
        What was found, scenario by scenario.
    found : mapping
        How many linear problems were answered by a "kept" basis without a solve, how many "warm"
        and how many "cold".

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand")
    >>> cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), [cp.sum(x) >= demand, x <= 3])
    >>> table = lx.sweep(lx.Program(lx.Stage("cost", cheap)), {demand: [2, 4, 7]})
    >>> print(table)
       demand  cheap
    0       2      2
    1       4      6
    2       7      -  infeasible
    3 scenarios, 1 without a result.
    >>> table[1]["cheap"].value, table[2].status == "infeasible", list(table.failures)
    (6.0, True, [2])
    """

    parameters: Mapping[str, Sequence[Value]]
    names: tuple[str, ...]
    rows: tuple[Result | LexiprogError, ...] = field(repr=False)
    found: Mapping[str, int] = field(default_factory=dict)

    @overload
    def __getitem__(self, position: int) -> Result | LexiprogError: ...

    @overload
    def __getitem__(self, position: slice) -> Sequence[Result | LexiprogError]: ...

    def __getitem__(
        self, position: int | slice
    ) -> Result | LexiprogError | Sequence[Result | LexiprogError]:
        return self.rows[position]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Result | LexiprogError]:
        return iter(self.rows)

    @property
    def values(self) -> Mapping[str, Array]:
        """Subproblem to its optimum in every scenario; not a number where there is none."""
        return {
            name: np.array([_optimum(row, name) for row in self.rows], dtype=float)
            for name in self.names
        }

    @property
    def failures(self) -> Mapping[int, LexiprogError]:
        """The scenarios without a result, by position, each with its error."""
        return {k: row for k, row in enumerate(self.rows) if not isinstance(row, Result)}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a scenario: scalar parameters, optima, and why one is missing."""
        scalars = {n: list(map(float, v)) for n, v in self.parameters.items() if _is_scalar(v)}
        failed = [_reason(row) for row in self.rows]
        frame = data_frame(scalars | dict(self.values) | {"failure": failed})
        return frame.rename_axis("scenario")

    @property
    def summary(self) -> TableSummary:
        """The table as plain records for display."""
        scalars = {name: v for name, v in self.parameters.items() if _is_scalar(v)}
        columns = ("", *scalars, *self.names, " ")
        shown: list[int | None] = list(range(len(self)))
        if len(self) > SHOWN:
            half = SHOWN // 2
            shown = [*range(half), None, *range(len(self) - half, len(self))]
        values = self.values
        rows = []
        for k in shown:
            if k is None:
                rows.append((*(TableCell("...", "quiet") for _ in columns[:-1]), _BLANK))
                continue
            given = [TableCell(number(float(v[k]))) for v in scalars.values()]
            optima = [_cell(values[name][k]) for name in self.names]
            reason = TableCell(_reason(self.rows[k]), "bad")
            rows.append((TableCell(str(k), "quiet"), *given, *optima, reason))
        failed = len(self.failures)
        note = f"{counted(len(self), 'scenario')}, {failed or 'none'} without a result."
        return TableSummary(
            title="Scenario by scenario",
            columns=columns,
            rows=tuple(rows),
            numeric=frozenset(columns[:-1]),
            notes=(TableCell(note),),
            chart=self.chart,
        )

    @property
    def chart(self) -> Chart:
        """The optima over the one scalar parameter that varies, or over the scenarios' numbers."""
        scalars = [name for name, values in self.parameters.items() if _is_scalar(values)]
        across, places = "scenario", list(map(float, range(len(self))))
        if len(self.parameters) == 1 and scalars:
            across, places = scalars[0], [float(v) for v in self.parameters[scalars[0]]]
        order = np.argsort(places, kind="stable")
        values = self.values
        series = [
            series_of(name, np.array(places)[order], values[name][order],
                      "straight" if across != "scenario" else "not")
            for name in self.names
        ]  # fmt: skip
        return Chart(across, self.names[0] if len(self.names) == 1 else "optimum", tuple(series))


_BLANK = TableCell("")


def _optimum(row: Result | LexiprogError, name: str) -> float:
    """What is known of one optimum, also in a scenario that failed later."""
    result = row if isinstance(row, Result) else getattr(row, "partial", None)
    return result[name].value if result is not None and name in result else np.nan


def _reason(row: Result | LexiprogError) -> str:
    if isinstance(row, Result):
        return ""
    return str(row.status) if isinstance(row, StageError) else str(row)


def _cell(value: float) -> TableCell:
    return TableCell("-", "quiet") if np.isnan(value) else TableCell(number(value + 0.0))


def _is_scalar(values: Sequence[Value]) -> bool:
    return all(np.ndim(value) == 0 for value in values)


def sweep(
    program: Program,
    scenarios: Mapping[cp.Parameter, Iterable[ArrayLike]],
    *,
    solver: SolverChoice = None,
    workers: int | None = None,
    executor: Executor | Elsewhere | None = None,
    progress: bool = False,
    time_limit: float | None = None,
) -> Sweep:
    """Solve a program for every position in lists of parameter values.

    The optima are those of solving one by one. Of several optimal points another may be found, as
    with any other start; where a later subproblem uses the point or a multiplier (``at``,
    ``dual``), the one of a solve from scratch is taken. Parameters and variables keep their values.

    Parameters
    ----------
    program : Program
    scenarios : mapping
        Parameter to its values, all lists of one length: scenario i takes the i-th of each.
        Other parameters keep the value they have.
    solver : optional
        As for :meth:`Program.solve`.
    workers : int, optional
        Threads that share the scenarios, one by default; with an executor twice as many as it has
        workers, as far as that is known.
    executor : concurrent.futures.Executor, optional
        Where subproblems are solved, as for :meth:`Program.solve`.
    progress : bool
        Show a bar (needs tqdm).
    time_limit : float, optional
        Seconds for the whole call. Scenarios that are not reached by then are rows with an error,
        and a warning counts them.

    Returns
    -------
    Sweep
        A scenario that fails is a row with its error.

    Raises
    ------
    Interrupted
        Ctrl-C was pressed; ``partial`` is a Sweep whose missing rows are errors.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, price = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(nonneg=True, name="price")
    >>> bill = lx.Subproblem("bill", cp.Minimize(price * x[0] + 2 * x[1]), [cp.sum(x) >= 3])
    >>> lx.sweep(lx.Program(lx.Stage("cost", bill)), {price: [1, 2, 5]}).values["bill"].tolist()
    [3.0, 6.0, 6.0]
    """
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise ValueError(f"workers must be a whole number of at least 1, not {workers!r}.")
    lists = checked(program, scenarios)
    count = len(next(iter(lists.values())))
    elsewhere = Elsewhere.of(executor)
    # Two for each worker elsewhere: one scenario is certified here while another is solved there.
    threads = workers or (1 if elsewhere is None else 2 * elsewhere.width)
    deadline = Deadline(time_limit, executor=elsewhere)
    options = SolveOptions(
        executor=elsewhere, deadline=deadline if deadline.limited or threads > 1 else None
    )
    plan = _Plan.of(program, solver, list(lists), options)
    rows: list[Result | LexiprogError | None] = [None] * count

    def work(part: list[int], stop: threading.Event) -> WarmHighs:
        warm = plan.warm()
        for k in part:
            if stop.is_set() or deadline.over:
                break
            rows[k] = plan.solve([(p, values[k]) for p, values in lists.items()], warm)
            tick(f"scenario {k}")
        return warm

    found: Counter[str] = Counter()
    try:
        with bar(count, 0, progress=progress) as tick:
            for warm in in_threads(work, tour(lists, count), threads, "lexiprog-sweep", deadline):
                found += warm.found
    except KeyboardInterrupt as error:
        done = sum(row is not None for row in rows)
        raise Interrupted(
            f"interrupted after {done} of {count} scenarios; they are in error.partial.",
            partial=_table(plan, lists, rows, found),  # type: ignore[arg-type]
        ) from error
    missing = sum(row is None for row in rows)
    if missing:
        warnings.warn(
            f"{time_limit:g} seconds were not enough: {missing} of {count} scenarios were not "
            "reached.",
            LexiprogWarning,
            stacklevel=2,
        )
    return _table(plan, lists, rows, found)


def _table(
    plan: _Plan, lists: Lists, rows: Sequence[Result | LexiprogError | None], found: Counter[str]
) -> Sweep:
    missing = LexiprogError("not reached: the sweep was stopped before it.")
    given: dict[str, list[Value]] = {}
    for parameter, values in lists.items():
        given[str(parameter.name())] = values
    names = tuple(plan.program.subproblems)
    return Sweep(given, names, tuple(missing if row is None else row for row in rows), dict(found))


@dataclass(frozen=True)
class _Plan:
    """What all scenarios share: the program, its solvers, and who depends on what varies."""

    program: Program
    ladders: Mapping[str, FallbackSolvers | None]
    reach: Mapping[str, frozenset[int]]  # ids of the varying parameters that reach a subproblem
    read: frozenset[str]  # subproblems whose points or multipliers later ones use
    chained: frozenset[str]  # linear levels that are held by their faces
    solve_options: SolveOptions
    known: dict[tuple[str, bytes], Solution] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        program: Program,
        solver: SolverChoice,
        varying: Iterable[cp.Parameter],
        solve_options: SolveOptions,
    ) -> _Plan:
        ladders = program.ladders(solver)
        full = {n: ladders[n] or default_fallbacks(p.kind) for n, p in program.subproblems.items()}
        chains = find_chains(program.stages, full)
        reach = _reach(program, {parameter.id for parameter in varying})
        for chain in chains.values():  # its levels are solved together, from the first that varies
            together = frozenset().union(*(reach[name] for name in chain.members))
            reach |= {name: together for name in chain.members if reach[name]}
        read = points_read(program.subproblems.values())
        return cls(program, ladders, reach, read, frozenset(chains), solve_options)

    def warm(self) -> WarmHighs:
        """A memory for one thread."""
        still = frozenset(name for name in self.chained if not self.reach[name])
        return WarmHighs(only=self.read, still=still, integers=Direct(starts={}))

    def solve(
        self, values: list[tuple[cp.Parameter, Value]], warm: WarmHighs
    ) -> Result | LexiprogError:
        """One scenario; what is known from others is not solved again."""
        keys = {
            name: (name, b"".join(v.tobytes() for p, v in values if p.id in ids))
            for name, ids in self.reach.items()
        }
        solved = {
            name: self.known[key]
            for name, key in keys.items()
            if key in self.known and not (name in warm.still and warm.needs(name))
        }
        subproblems = self.program.subproblems.values()
        try:
            given = undisturbed(values, lambda: Given.to(subproblems))
            result = solve_scenario(
                self.program.stages, self.ladders, given, warm=warm, solved=solved,
                solve_options=self.solve_options,
            )  # fmt: skip
        except LexiprogError as error:
            return error
        self.known.update({keys[name]: solution for name, solution in result.items()})
        return result


def _reach(program: Program, ids: set[int]) -> dict[str, frozenset[int]]:
    """Which of some parameters each subproblem depends on, by itself or through others."""
    reach: dict[str, frozenset[int]] = {}
    for name, subproblem in program.subproblems.items():
        direct = frozenset(p.id for p in subproblem.parameters if p.id in ids)
        owners = [reference.owner_name for _, reference in subproblem.references]
        reach[name] = direct.union(*(reach[owner] for owner in owners))
    return reach
