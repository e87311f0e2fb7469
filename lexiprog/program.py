"""A whole hierarchy: stages in order, checked as a whole, solved as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import cvxpy as cp
import numpy as np

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import (
    FallbackSolvers,
    SolverChoice,
    default_fallbacks,
    resolve,
    with_defaults,
)
from lexiprog.compile.binding import Given
from lexiprog.errors import DeclarationError, UnknownName, did_you_mean, there_are
from lexiprog.model.expressions import CVXPY_LOCK
from lexiprog.model.references import points_read
from lexiprog.model.stage import Stage, check_references, check_unique_names, summary_of
from lexiprog.model.subproblem import Rebuilt, Subproblem
from lexiprog.progress import Progress, bar, listener
from lexiprog.results.rebind import rebind_result
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.batch import LevelBatches
from lexiprog.solve.driver import derivative, execute
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.strategies import describe_strategies
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.status import Status
from lexiprog.summary import ProgramSummary, draw
from lexiprog.typing import NUMBERS, Value

if TYPE_CHECKING:
    from lexiprog.compiled import CompiledProgram, Verify


class Program(Rebuilt):
    """Stages of subproblems, later ones using the optima of earlier ones.

    Use it for any hierarchy that no function such as :func:`preemptive` or :func:`leximin` writes
    for you.

    Parameters
    ----------
    *stages : Stage
        In order of priority.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, bounds=[0, 10], name="x")
    >>> cost, fumes = 3 * x[0] + x[1], x[0] + 4 * x[1]
    >>> demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    >>> cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    >>> clean = lx.Subproblem("clean", cp.Minimize(fumes), demand)
    >>> worst = cp.Variable(name="worst")
    >>> fair = lx.Subproblem("fair", cp.Minimize(worst), demand
    ...     + [cost <= cheap.optimum + worst, fumes <= clean.optimum + worst])
    >>> program = lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair))
    >>> result = program.solve()
    >>> {name: round(solution.value, 6) for name, solution in result.items()}
    {'cheap': 8.0, 'clean': 8.0, 'fair': 4.571429}
    """

    stages: tuple[Stage, ...]
    _warm: dict[int, WarmHighs]  # by process: a forked one cannot go on with its parent's
    _batches: LevelBatches

    def __init__(self, *stages: Stage) -> None:
        if not stages:
            raise DeclarationError("a program needs at least one stage.")
        for stage in stages:
            if not isinstance(stage, Stage):
                raise DeclarationError(f"a program holds stages only, not {stage!r}.")
        self._declare(stages=stages, _warm={}, _batches=LevelBatches())
        check_unique_names(stages)
        check_references(stages)

    @property
    def subproblems(self) -> dict[str, Subproblem]:
        """Every subproblem by name, in stage order."""
        return {p.name: p for stage in self.stages for p in stage.subproblems}

    def __getitem__(self, name: str) -> Subproblem:
        try:
            return self.subproblems[name]
        except KeyError:
            known = there_are(self.subproblems, name)
            raise UnknownName(f"no subproblem is called {name!r}; there are {known}") from None

    def extend(self, *stages: Stage) -> Program:
        """A new program with further stages at the end."""
        return Program(*self.stages, *stages)

    def describe(self, *, strategies: bool = False, solver: SolverChoice = None) -> str:
        """Stages, problems and who reads what, as text.

        Parameters
        ----------
        strategies : bool
            Say also what will be tried for each subproblem, in order: solvers, and how the optima
            that it holds are put to them.
        solver : optional
            As in :meth:`solve`, for the strategies.
        """
        if not strategies:
            return str(self.summary)
        solvers = with_defaults(self.subproblems.values(), self.ladders(solver))
        return f"{self.summary}\n\n{describe_strategies(self.stages, solvers)}"

    @property
    def summary(self) -> ProgramSummary:
        """What is declared, as plain records for display."""
        return summary_of(self.stages, self._default_solvers)

    def solve(
        self,
        solver: SolverChoice = None,
        *,
        workers: int | None = None,
        executor: Executor | Elsewhere | None = None,
        progress: bool = False,
        resume: Result | None = None,
        warm: bool = False,
        time_limit: float | None = None,
        verbose: bool = False,
        on_progress: Callable[[Progress], object] | None = None,
        **unknown: object,
    ) -> Result:
        """Solve stage by stage and return certified optima.

        Parameters are read once, at the start: whoever assigns to one meanwhile changes nothing.

        Parameters
        ----------
        solver : optional
            A name, Solver, object with ``solve(problem)``, a list of these (the next is tried
            when one fails), or a mapping from stage and subproblem names to these. By default
            HIGHS for linear problems and CLARABEL for the rest.
        workers : int, optional
            Threads for the problems of one stage; as many as cores by default. The results do
            not depend on it. With an executor, how many problems are sent at a time: all.
        executor : concurrent.futures.Executor, optional
            Where subproblems are solved: threads, processes, Dask's ``client.get_executor()``,
            ``mpi4py.futures``, or an :class:`Elsewhere`, which counts the bytes. Problems are
            compiled here, numbers are sent, never CVXPY's objects, and the answers are certified
            here. Fractions (EXACT), columns that are priced and solvers of your own stay here.
        progress : bool
            Show a bar (needs tqdm), and behind it the incumbent, bound and gap of integer levels
            as they move.
        resume : Result, optional
            Solutions to start from, such as ``error.partial``. Those with status "unfinished"
            are solved again, from the point that they had.
        warm : bool
            Start linear problems on HIGHS from the basis of this program's last warm solve: much
            faster after small changes, but which of several optimal points is found then
            depends on earlier calls. Points and multipliers that later stages read don't: where
            they are not the only ones they are found as if this were the first call.
        time_limit : float, optional
            Seconds for the whole call, retries, polishing and judging included. With n integer
            levels to go, the next may take 2 / (n + 1) of what is left. An integer level takes
            the best point found by its end, status "within_gap", with a warning, and what was
            reached is held; see :class:`Solver` for limits of one subproblem, for gaps, and for
            the solvers that cannot be stopped.
        verbose : bool
            Let the solvers print their own logs.
        on_progress : callable, optional
            Called in this thread with a :class:`Progress` whenever an integer level has moved,
            and at its end. If it returns something true, the level's incumbent is good enough:
            it is taken, status "within_gap", and the next level begins. HIGHS tells while it
            searches, other solvers at the end alone.

        Returns
        -------
        Result
            Each variable's ``.value`` is then that of the last stage that contains it.

        Raises
        ------
        StageError
            A subproblem has no certified optimum.
        Interrupted
            Ctrl-C was pressed. HIGHS stops at once, and an incumbent that it has is kept; a solver
            that does not stop is left to end by itself.
        """
        _refuse(unknown)
        _check_arguments(time_limit, workers, on_progress)
        solvers = self.ladders(solver)
        given = Given.to(self.subproblems.values())
        solved: dict[str, Solution] = {}
        starts: dict[str, Solution] = {}
        if resume is not None:
            for name, found in given.undisturbed(lambda: self.adopt(resume)).items():
                (starts if found.status is Status.UNFINISHED else solved)[name] = found
        self._note_starts()
        self._clear_variables()
        try:
            with ExitStack() as shown:
                tick: Callable[[str], None] = _nobody
                told = on_progress
                if progress:
                    counted = shown.enter_context(bar(len(self.subproblems), len(solved)))
                    tick, told = counted, listener(counted, on_progress)
                result = execute(
                    self.stages,
                    solvers,
                    workers=workers,
                    tick=tick,
                    solved=solved,
                    warm=self._kept() if warm else None,
                    given=given,
                    solve_options=SolveOptions(
                        time_limit,
                        verbose,
                        told,
                        starts,
                        None if executor is None else Elsewhere.of(executor),
                    ),
                    batches=self._batches,
                )
        except BaseException:
            self._clear_variables()
            raise
        with CVXPY_LOCK:
            for name, subproblem in self.subproblems.items():
                for variable in subproblem.variables:
                    variable.save_value(np.array(result[name][variable]))
        return result

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a linear hierarchy to a file that Gurobi, CPLEX, HiGHS or JuMP read.

        Parameters
        ----------
        path : str or path-like
            ``.lp`` or ``.mps``, with priorities, weights and tolerances where there are several
            levels; ``.mof.json``, MathOptFormat, with a vector objective; ``.gz`` behind either
            compresses it. Names are kept, but for signs that the format would misread. Levels
            must share their constraints and hold all levels before, as :func:`preemptive` and
            :func:`read` make them; parameters enter by their values now.

        Examples
        --------
        >>> import tempfile, pathlib, cvxpy as cp, lexiprog as lx
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan.mps"
        >>> x = cp.Variable(2, nonneg=True, name="x")
        >>> goals = {"cost": cp.Minimize(3 * x[0] + x[1]), "share": cp.Maximize(x[0])}
        >>> lx.preemptive(goals, [cp.sum(x) >= 8]).write(path)
        >>> [round(solution.value, 6) for solution in lx.read(path).solve().values()]
        [8.0, 0.0]
        """
        import_module("lexiprog.files").write(self, path)

    def compile(
        self,
        parameters: Sequence[cp.Parameter] | cp.Parameter,
        *,
        outputs: Iterable[cp.Variable | str] | None = None,
        verify: Verify = "always",
    ) -> CompiledProgram:
        """The program as a function of arrays, for loops in which a millisecond counts.

        What does not depend on the parameters is done once. Hierarchies of least squares, linear
        programs and hierarchies, and single quadratic programs are then solved without touching
        any CVXPY object, each call from where the last one of its thread ended, with the answer
        that it would have from nothing. Other programs are solved as by :meth:`solve`.

        Parameters
        ----------
        parameters : sequence of cvxpy.Parameter
            Whose values are given at each call, in this order; others keep their present ones.
        outputs : iterable of variables or names, optional
            What to return; by default all variables of the last stage.
        verify : {"always", "sampled", "never"}
            Which calls are checked before they return: all, one in sixteen, or none. A record says
            whether it was, and makes its certificate when asked for it.

        Returns
        -------
        CompiledProgram
            To be called with one array for each parameter.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand")
        >>> rows = [cp.sum(x) >= demand, x <= 3]
        >>> program = lx.preemptive({"cost": cp.Minimize(3 * x[0] + x[1])}, rows)
        >>> step = program.compile([demand])
        >>> step(4.0).values["cost"], step(7.0).status == "infeasible"
        (6.0, True)
        """
        from lexiprog.compiled import compile_program

        return compile_program(self, parameters, outputs, verify)

    def ladders(self, solver: SolverChoice = None) -> dict[str, FallbackSolvers | None]:
        """The solvers each subproblem would be tried with; None stands for the default."""
        names = {s.name: ([p.name for p in s.subproblems], s.solver) for s in self.stages}
        return resolve(solver, names)

    def _default_solvers(self, subproblem: Subproblem) -> list[str]:
        ladder = self.ladders()[subproblem.name] or default_fallbacks(subproblem.kind)
        return [solver.name for solver in ladder]

    def _kept(self) -> WarmHighs:
        """What the last warm solve in this process has left."""
        if os.getpid() not in self._warm:
            self._warm[os.getpid()] = WarmHighs(only=points_read(self.subproblems.values()))
        return self._warm[os.getpid()]

    def _note_starts(self) -> None:
        """Keep the values from which local searches begin."""
        for subproblem in self.subproblems.values():
            if subproblem.nlp:
                start = subproblem.memory.once("start", dict[int, Value])
                start.clear()
                for variable in subproblem.variables:
                    if variable.value is not None:
                        start[variable.id] = np.array(variable.value)

    def _clear_variables(self) -> None:
        with CVXPY_LOCK:
            for subproblem in self.subproblems.values():
                for variable in subproblem.variables:
                    variable.save_value(None)

    def adopt(self, result: Result) -> Result:
        """Check that a result is of this program and connect it to its CVXPY objects."""
        derive = partial(derivative, self.stages)
        return rebind_result(self.stages, result, lambda: self.summary, derive)

    def __repr__(self) -> str:
        return f"Program({', '.join(map(repr, self.stages))})"

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str | None:
        return draw(self.summary)


_KEYWORDS = (
    "solver", "workers", "executor", "progress", "resume", "warm", "time_limit", "verbose",
    "on_progress",
)  # fmt: skip


def _refuse(unknown: Mapping[str, object]) -> None:
    """Say what was meant by a keyword that `solve` does not have."""
    for name, value in unknown.items():
        near = did_you_mean(name, _KEYWORDS)
        raise TypeError(
            f"solve() has no argument {name!r}.{near} Options of a solver go with its name: "
            f"solver=lx.Solver('HIGHS', {name}={value!r}), where HIGHS may be another."
        )


def _check_arguments(time_limit: float | None, workers: int | None, on_progress: object) -> None:
    if time_limit is not None and not (isinstance(time_limit, NUMBERS) and time_limit >= 0):
        raise ValueError(f"time_limit must be at least 0 seconds, not {time_limit!r}.")
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise ValueError(f"workers must be a whole number of at least 1, not {workers!r}.")
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"on_progress is called with a Progress, which {on_progress!r} cannot be.")


def _nobody(_: str) -> None:
    """Called for each solved subproblem where no bar is shown."""
