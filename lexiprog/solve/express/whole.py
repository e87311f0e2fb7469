"""A whole result, whichever way its solutions were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lexiprog.compile.binding import Given
from lexiprog.declare.describe import outline_of
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import Interrupted
from lexiprog.gradients.gradient import gradient_of
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.solve.express.lane import Lanes
from lexiprog.solve.wishes import Wishes
from lexiprog.solvers.solver import Ladder, default_ladder

__all__ = ["interrupted", "result_of", "through_lane"]


def through_lane(
    stages: tuple[Stage, ...],
    ladders: Mapping[str, Ladder | None],
    lanes: Lanes,
    tick: Callable[[str], None],
    given: Given | None,
    wishes: Wishes | None,
) -> Result | None:
    """The whole result, where the stages are a lane and nothing else is wished for."""
    if given is None or wishes is None or not wishes.plain:
        return None
    lane = lanes.of(stages, ladders)
    try:
        found = None if lane is None else lane.solve(given, tick)
    except KeyboardInterrupt as error:
        raise interrupted(result_of(stages, {}, ladders), len(ladders)) from error
    return None if found is None else result_of(stages, found, ladders)


def interrupted(found_so_far: Result, of: int) -> Interrupted:
    """What Ctrl-C raises, with what was solved before."""
    done = f"interrupted with {len(found_so_far)} of {of} subproblems solved; "
    advice = "go on with program.solve(resume=error.partial)."
    return Interrupted(done + advice, partial=found_so_far)


def result_of(
    stages: tuple[Stage, ...],
    found: Mapping[str, Solution],
    ladders: Mapping[str, Ladder | None],
) -> Result:
    """What was found, to be shown with the solvers that each was to be tried with."""
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}

    def solvers(subproblem: Subproblem) -> list[str]:
        ladder = ladders[subproblem.name] or default_ladder(subproblem.kind)
        return [solver.name for solver in ladder]

    outline, derive = partial(outline_of, stages, solvers), partial(gradient_of, stages)
    return Result(names, found, outline, derive)
