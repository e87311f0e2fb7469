"""Options of a whole call, and how its time is divided among stages and subproblems."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lexiprog.backends.solver import EXACT, Solver
from lexiprog.compile.task import Task
from lexiprog.deadline import Deadline, RemoteCaller
from lexiprog.errors import LexiprogWarning
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.progress import Progress
from lexiprog.results.solution import Solution
from lexiprog.solve.certify import in_users_sense
from lexiprog.status import Status


@dataclass(frozen=True)
class SolveOptions:
    """What the user wants of a whole call.

    Attributes
    ----------
    time_limit : float or None
        Seconds in all.
    verbose : bool
        Whether the solvers' own logs are wanted.
    on_progress : callable or None
        Called for integer levels as they improve; true says that the incumbent is good enough.
    starts : mapping
        Points to start from, by subproblem: those of an earlier call that was stopped, or of a
        problem much like this one.
    executor : RemoteCaller or None
        Where native solves are run; in this process if None.
    deadline : Deadline or None
        That of the work that this call is a part of.
    """

    time_limit: float | None = None
    verbose: bool = False
    on_progress: Callable[[Progress], object] | None = None
    starts: Mapping[str, Solution] = field(default_factory=dict)
    executor: RemoteCaller | None = None
    deadline: Deadline | None = None

    @property
    def plain(self) -> bool:
        """Whether nothing is asked for that matters to linear problems."""
        limited = self.time_limit is not None or self.deadline is not None
        return not (limited or self.executor is not None or self.verbose or self.starts)


class StageDeadlines:
    """The deadline of each subproblem and solver, as children of the whole call's.

    Later levels start from the point of earlier ones, so that earlier ones are worth more time:
    with n integer levels to go, the next may take 2 / (n + 1) of what is left. What it does not
    need is left to the others.
    """

    def __init__(self, stages: Iterable[Stage], solve_options: SolveOptions, workers: int) -> None:
        self._options, self._workers = solve_options, workers
        self.call = Deadline(
            solve_options.time_limit, parent=solve_options.deadline,
            verbose=solve_options.verbose, executor=solve_options.executor,
        )  # fmt: skip
        self._ahead = [any(p.integer for p in stage.subproblems) for stage in stages]
        self._stage, self._budget = self.call, math.inf
        self._made: dict[tuple[str, str], Deadline] = {}
        self._told: dict[Deadline, tuple[float | None, float | None]] = {}

    def begin(self, waiting: list[Subproblem]) -> None:
        """Share out the time of the next stage."""
        integer, share = self._ahead.pop(0), 1.0
        if integer and waiting:
            share = 2.0 / (2 + sum(self._ahead))
            if self._ahead and not any(self._ahead):  # what comes after keeps a tenth
                share *= 0.9
        self._stage = self.call.child(share * self.call.left())
        rounds = max(len(waiting) / self._workers, 1.0)
        self._budget = self._stage.left() / rounds

    def of(self, subproblem: Subproblem, solver: Solver) -> Deadline:
        """The deadline of a subproblem for all tries with a solver of that name and limit."""
        limit = math.inf if solver.time_limit is None else solver.time_limit
        key = (subproblem.name, f"{solver.name} {limit}")
        if key not in self._made:
            self._made[key] = self._stage.child(budget=min(limit, self._budget))
        return self._made[key]

    def tell(self, stage: Stage, task: Task, *, solution: Solution | None = None) -> None:
        """Tell ``on_progress`` what is new, and hear whether it is content."""
        if self._options.on_progress is None or not task.integer:
            return
        deadline = task.deadline
        if solution is None and self._told.get(deadline, (None, None)) == deadline.latest:
            return
        self._told[deadline] = deadline.latest
        value, bound = deadline.latest
        if solution is not None:
            value, bound = solution.value, solution.bound
        elif task.compiled is not None:
            units = task.subproblem, task.compiled.scaling
            value, bound = (v if v is None else in_users_sense(*units, v) for v in (value, bound))
        content = self._options.on_progress(
            Progress(
                stage=stage.name,
                subproblem=task.subproblem.name,
                solver=task.solver.name,
                seconds=deadline.used,
                incumbent=value,
                bound=bound,
                finished=solution is not None,
            )
        )
        if content and solution is None and value is not None:
            deadline.enough = True


def warn_of_limit(task: Task, solution: Solution) -> None:
    """Warn of a value that a limit has left, which nobody was asked about."""
    allowed = max(task.solver.accept, task.solver.gap or 0.0)
    stopped = task.deadline.over or solution.certificate.gap_tolerance > allowed
    if solution.status is Status.WITHIN_GAP and stopped and not task.deadline.enough:
        warnings.warn(
            f"subproblem {solution.name!r} was stopped by a limit at {solution.summary.text()}, "
            "status 'within_gap': later stages go on with what was reached.",
            LexiprogWarning,
            stacklevel=2,
        )


def warn_of_solving_here(task: Task, solution: Solution) -> None:
    """Warn of what a worker was to solve, was lost there, and was solved here at last."""
    executor = task.deadline.executor
    if executor is None or not executor.gave_up or task.solver.target != EXACT:
        return
    warnings.warn(
        f"subproblem {solution.name!r} was solved here, by {solution.solver}: its executor did not "
        f"answer ({executor.gave_up}).",
        LexiprogWarning,
        stacklevel=2,
    )
