"""The program at one tolerance after another, each solved when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, overload

from lexiprog.compile.binding import Given
from lexiprog.declare.lock import Slack
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.hierarchy import execute
from lexiprog.solve.wishes import Wishes
from lexiprog.solvers.solver import Ladder
from lexiprog.watch import Desk

__all__ = ["Cases", "Later", "given_up_in", "slack_of"]

Item = TypeVar("Item")


@dataclass
class Cases:
    """Certified results of one program at any tolerance on one level, each found once."""

    program: Program
    name: str
    head: Mapping[str, Solution]
    ladders: Mapping[str, Ladder | None]
    given: Given
    elsewhere: Desk | None = None
    warm: WarmHighs = field(default_factory=WarmHighs)
    found: dict[float, Result] = field(default_factory=dict)

    def __call__(self, tolerance: float) -> Result:
        """The result at a tolerance."""
        if tolerance not in self.found:
            # Without slack a linear optimum is held by its face, which is found on the way.
            again = tolerance == 0.0 and all(self.program[n].kind == "LP" for n in self.head)
            head = {} if again else self.head
            self.found[tolerance] = self._execute(self.program.stages, tolerance, head)
        return self.found[tolerance]

    def alone(self, stage: str, subproblem: Subproblem, solved: Mapping[str, Solution]) -> Solution:
        """One later problem by itself, without slack."""
        before = next(k for k, s in enumerate(self.program.stages) if s.name == stage)
        known = {name for s in self.program.stages[:before] for name in _names(s)} & set(solved)
        stages = [Stage("before", *(self.program[name] for name in sorted(known)))] if known else []
        result = self._execute(
            (*stages, Stage(stage, subproblem)), 0.0, {name: solved[name] for name in known}
        )
        return result[subproblem.name]

    def _execute(
        self, stages: tuple[Stage, ...], tolerance: float, solved: Mapping[str, Solution]
    ) -> Result:
        # What was found with less slack is feasible here, and where integers start.
        begun = max((t for t in self.found if t <= tolerance), default=None)
        points = {} if begun is None else self.found[begun]
        wishes = Wishes(begun=points, elsewhere=self.elsewhere)
        slack = slack_of(self.program, {self.name: tolerance})
        return execute(
            stages, self.ladders, workers=1, tick=lambda _: None, solved=solved,
            slack=slack, warm=self.warm, given=self.given, wishes=wishes,
        )  # fmt: skip


def slack_of(program: Program, tolerances: Mapping[str, float]) -> Slack:
    """These tolerances in place of the declared ones; none that is none and was declared as none.

    What is said to be loosened, by nothing even, is held by its value and no longer by its face.
    """
    locks = [lock for p in program.subproblems.values() for _, lock in p.locks]
    some = {lock.owner_name for lock in locks if lock.parameters or lock.atol or lock.rtol}
    return Slack({name: t for name, t in tolerances.items() if t > 0.0 or name in some})


def _names(stage: Stage) -> list[str]:
    return [p.name for p in stage.subproblems]


def given_up_in(result: Result, later: Iterable[str], name: str) -> float:
    """Drift of a level in the last problem that holds it."""
    drifts = [lock.drift for p in later for lock in result[p].locks if lock.name == name]
    return drifts[-1]


class Later(Sequence[Item]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, size: int, make: Callable[[int], Item]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        positions = range(self._size)[index]
        if isinstance(positions, range):
            return [self._make(position) for position in positions]
        return self._make(positions)

    def __iter__(self) -> Iterator[Item]:
        return (self._make(position) for position in range(self._size))
