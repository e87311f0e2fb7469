"""One program for hundreds of sets of parameter values: compiled once, solved as little as can be.

Scenarios are visited from neighbour to neighbour. A subproblem that no varying parameter reaches is
solved once. Where the last basis of a linear problem is optimal for the new numbers too, that is
all; else it is where HiGHS starts. Whatever was found is certified from the numbers of its own
scenario.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.aliases import Value
from lexiprog.compile.binding import Given
from lexiprog.declare.leaves import undisturbed
from lexiprog.declare.references.reference import REFERENCES
from lexiprog.errors import Interrupted, LexiprogError
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.runners.chains import find_chains
from lexiprog.runners.neighbours import Neighbours
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.hierarchy import execute
from lexiprog.solve.wishes import Wishes
from lexiprog.solvers.elsewhere.desk import Elsewhere
from lexiprog.solvers.solver import Ladder, SolverChoice, default_ladder
from lexiprog.sweeps.scenario_lists import Lists, checked, tour
from lexiprog.sweeps.scenario_table import Sweep

__all__ = ["sweep"]


def sweep(
    program: Program,
    scenarios: Mapping[cp.Parameter, Iterable[ArrayLike]],
    *,
    solver: SolverChoice = None,
    workers: int | None = None,
    executor: Executor | Elsewhere | None = None,
    progress: bool = False,
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
    plan = _Plan.of(program, solver, list(lists), Wishes(elsewhere=elsewhere))
    rows: list[Result | LexiprogError | None] = [None] * count
    order = tour(lists, count)
    blocks = [part.tolist() for part in np.array_split(order, min(threads, max(count, 1)))]
    stop = threading.Event()

    def work(block: Sequence[int], tick: Callable[[str], None]) -> WarmHighs:
        warm = plan.warm()
        for k in block:
            if stop.is_set():
                break
            rows[k] = plan.solve([(p, values[k]) for p, values in lists.items()], warm)
            tick(f"scenario {k}")
        return warm

    found: Counter[str] = Counter()
    try:
        with bar(count, 0, progress=progress) as tick:
            for warm in _in_threads(partial(work, tick=tick), blocks, stop):
                found += warm.found
    except KeyboardInterrupt as error:
        done = sum(row is not None for row in rows)
        raise Interrupted(
            f"interrupted after {done} of {count} scenarios; they are in error.partial.",
            partial=_table(plan, lists, rows, found),  # type: ignore[arg-type]
        ) from error
    return _table(plan, lists, rows, found)


def _table(
    plan: _Plan, lists: Lists, rows: Sequence[Result | LexiprogError | None], found: Counter[str]
) -> Sweep:
    missing = LexiprogError("not reached: the sweep was interrupted.")
    given: dict[str, list[Value]] = {}
    for parameter, values in lists.items():
        given[str(parameter.name())] = values
    names = tuple(plan.program.subproblems)
    return Sweep(given, names, tuple(missing if row is None else row for row in rows), dict(found))


def _in_threads(
    work: Callable[[Sequence[int]], WarmHighs], blocks: list[list[int]], stop: threading.Event
) -> list[WarmHighs]:
    if len(blocks) == 1:  # here, where Ctrl-C arrives
        return [work(blocks[0])]
    with ThreadPoolExecutor(len(blocks), thread_name_prefix="lexiprog-sweep") as pool:
        try:
            return list(pool.map(work, blocks))
        except BaseException:
            stop.set()
            raise


@dataclass(frozen=True)
class _Plan:
    """What all scenarios share: the program, its solvers, and who depends on what varies."""

    program: Program
    ladders: Mapping[str, Ladder | None]
    reach: Mapping[str, frozenset[int]]  # ids of the varying parameters that reach a subproblem
    read: frozenset[str]  # subproblems whose points or multipliers later ones use
    chained: frozenset[str]  # linear levels that are held by their faces
    wishes: Wishes
    known: dict[tuple[str, bytes], Solution] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        program: Program,
        solver: SolverChoice,
        varying: Iterable[cp.Parameter],
        wishes: Wishes,
    ) -> _Plan:
        ladders = program.ladders(solver)
        full = {n: ladders[n] or default_ladder(p.kind) for n, p in program.subproblems.items()}
        ids = {parameter.id for parameter in varying}
        reach: dict[str, frozenset[int]] = {}
        read: set[str] = set()
        for name, subproblem in program.subproblems.items():
            own = frozenset(p.id for p in subproblem.parameters if p.id in ids)
            owners = [reference.owner_name for _, reference in subproblem.references]
            reach[name] = own.union(*(reach[owner] for owner in owners))
            for parameter, reference in subproblem.references:
                if reference.lock is None and not _is_optimum(parameter, program):
                    read.add(reference.owner_name)
        chains = find_chains(program.stages, full)
        for chain in chains.values():  # its levels are solved together, from the first that varies
            together = frozenset().union(*(reach[name] for name in chain.members))
            reach |= {name: together for name in chain.members if reach[name]}
        return cls(program, ladders, reach, frozenset(read), frozenset(chains), wishes)

    def warm(self) -> WarmHighs:
        """A memory for one thread."""
        still = frozenset(name for name in self.chained if not self.reach[name])
        return WarmHighs(only=self.read, still=still, neighbours=Neighbours(self.read))

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
            result = execute(
                self.program.stages, self.ladders, workers=1, tick=lambda _: None, solved=solved,
                warm=warm, given=given, wishes=self.wishes,
            )  # fmt: skip
        except (Interrupted, KeyboardInterrupt):
            raise
        except LexiprogError as error:
            return error
        self.known.update({keys[name]: solution for name, solution in result.items()})
        return result


def _is_optimum(parameter: cp.Parameter, program: Program) -> bool:
    reference = REFERENCES.get(parameter)
    owner = None if reference is None else program[reference.owner_name]
    return owner is not None and parameter is owner.optimum
