"""What is wished of a whole call: its time, its logs, and who is told how it goes."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lexiprog.backends.solver import Solver
from lexiprog.backends.strategies import Strategy
from lexiprog.compile.task import Task
from lexiprog.deadline import Clock, Deadline, Desk
from lexiprog.errors import LexiprogWarning
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.progress import Progress
from lexiprog.results.solution import Solution
from lexiprog.solve.certify import in_users_sense
from lexiprog.status import Status


@dataclass(frozen=True)
class SolveOptions:
    """What the user wishes of a whole call.

    Attributes
    ----------
    time_limit : float or None
        Seconds in all.
    verbose : bool
        Whether the solvers' own logs are wanted.
    listener : callable or None
        Told of integer levels as they move; true says that the incumbent is good enough.
    begun : mapping
        Points to start from, by subproblem: those of an earlier call that was stopped, or of a
        problem much like this one.
    elsewhere : Desk or None
        Who has native solves done in other places.
    """

    time_limit: float | None = None
    verbose: bool = False
    listener: Callable[[Progress], object] | None = None
    begun: Mapping[str, Solution] = field(default_factory=dict)
    elsewhere: Desk | None = None

    @property
    def plain(self) -> bool:
        """Whether nothing is wished for that linear problems would heed."""
        wished = self.time_limit is not None or self.elsewhere is not None
        return not (wished or self.verbose or self.begun)


class Watches:
    """The watch of each subproblem and solver, from the time of the whole call."""

    def __init__(self, stages: Iterable[Stage], solve_options: SolveOptions, workers: int) -> None:
        self._wishes, self._workers = solve_options, workers
        self._clock = Clock(solve_options.time_limit)
        self._ahead = [any(p.integer for p in stage.subproblems) for stage in stages]
        self._seconds = self._end = math.inf
        self._made: dict[tuple[str, str], Deadline] = {}
        self._told: dict[Deadline, tuple[float | None, float | None]] = {}

    @property
    def listened(self) -> bool:
        """Whether anybody wants to know how it goes."""
        return self._wishes.listener is not None

    @property
    def left(self) -> float:
        """Seconds that the whole call has left."""
        return self._clock.left

    def begin(self, waiting: list[Subproblem]) -> None:
        """Share out the time of the next stage."""
        integer = self._ahead.pop(0)
        levels = integer + sum(self._ahead)
        last = not any(self._ahead)
        self._end = self._clock.end
        if integer and waiting:
            self._end = self._clock.until(levels, others=last and bool(self._ahead))
        rounds = max(len(waiting) / self._workers, 1.0)
        self._seconds = max(self._end - time.monotonic(), 0.0) / rounds

    def of(self, subproblem: Subproblem, solver: Solver) -> Deadline:
        """The watch of a subproblem for all tries with a solver of that name and limit."""
        limit = math.inf if solver.time_limit is None else solver.time_limit
        key = (subproblem.name, f"{solver.name} {limit}")
        if key not in self._made:
            seconds = min(limit, self._seconds)
            solve_options = self._wishes
            self._made[key] = Deadline(
                seconds, self._end, verbose=solve_options.verbose, elsewhere=solve_options.elsewhere
            )
        return self._made[key]

    def in_time(
        self, subproblem: Subproblem, strategies: Sequence[Strategy], turn: int
    ) -> Sequence[Strategy]:
        """The ways, from a turn on those for which there is still time."""
        later = (
            strategy
            for strategy in strategies[turn:]
            if not self.of(subproblem, strategy.solver).over
        )
        return [*strategies[:turn], *later]

    def tell(self, stage: Stage, task: Task, *, found: Solution | None = None) -> None:
        """Tell the listener what is new, and hear whether it is content."""
        if self._wishes.listener is None or not task.integer:
            return
        deadline = task.deadline
        if found is None and self._told.get(deadline, (None, None)) == deadline.latest:
            return
        self._told[deadline] = deadline.latest
        value, bound = deadline.latest
        if found is not None:
            value, bound = found.value, found.bound
        elif task.compiled is not None:
            own = task.subproblem, task.compiled.scaling
            value, bound = (v if v is None else in_users_sense(*own, v) for v in (value, bound))
        content = self._wishes.listener(
            Progress(
                stage=stage.name,
                subproblem=task.subproblem.name,
                solver=task.solver.name,
                seconds=deadline.used,
                incumbent=value,
                bound=bound,
                finished=found is not None,
            )
        )
        if content and found is None and value is not None:
            deadline.enough = True


def warn_of_limit(task: Task, found: Solution) -> None:
    """Warn of a value that a limit has left, and that nobody was asked about."""
    allowed = max(task.solver.accept, task.solver.gap or 0.0)
    stopped = task.deadline.over or found.certificate.gap_tolerance > allowed
    if found.status is Status.WITHIN_GAP and stopped and not task.deadline.enough:
        warnings.warn(
            f"subproblem {found.name!r} was stopped by a limit at {found.summary.text()}, status "
            "'within_gap': later stages go on with what was reached.",
            LexiprogWarning,
            stacklevel=2,
        )
