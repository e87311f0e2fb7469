"""Connect a saved, pickled or partial result to a program's CVXPY objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lexiprog.compile.binding import bind_references, read_parameters
from lexiprog.declare.leaves import CVXPY_LOCK, key_of
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import LexiprogError
from lexiprog.outline.records import ProgramOutline
from lexiprog.result.attachment import attach
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution


class ResumeError(LexiprogError, ValueError):
    """A result does not belong to this program, or not to its current parameters."""


def adopt(
    stages: Iterable[Stage], result: Result, declared: Callable[[], ProgramOutline]
) -> Result:
    """The result with every solution reachable by CVXPY objects, if it fits the stages."""
    if not isinstance(result, Result):
        raise TypeError(f"only a Result can be resumed or adopted, not {type(result).__name__}.")
    stages = tuple(stages)
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}
    known = {name for members in names.values() for name in members}
    for name in result:
        if name not in known:
            raise ResumeError(f"the result holds {name!r}, which is no subproblem of this program.")
    connected: dict[str, Solution] = {}
    for stage in stages:
        for subproblem in stage.subproblems:
            if subproblem.name in result:
                solution = result[subproblem.name]
                _check_match(subproblem, stage, solution, connected)
                connected[subproblem.name] = _connect(subproblem, solution, connected)
    return Result(names, connected, declared)


def _connect(
    subproblem: Subproblem, solution: Solution, connected: dict[str, Solution]
) -> Solution:
    with CVXPY_LOCK:
        bind_references(subproblem, connected)
        constants = {p.id: np.array(p.value) for p, _ in subproblem.references}
    for position, parameter in enumerate(subproblem.parameters):
        constants[parameter.id] = solution.parameters[key_of(parameter, position)]
    return attach(solution, subproblem, constants)


def _check_match(
    subproblem: Subproblem, stage: Stage, solution: Solution, connected: dict[str, Solution]
) -> None:
    where = f"the result's {subproblem.name!r} does not fit this program:"
    shapes = {key_of(v, k): tuple(v.shape) for k, v in enumerate(subproblem.variables)}
    found = {key: value.shape for key, value in solution.variables.items()}
    if shapes != found:
        raise ResumeError(f"{where} its variables are {found}, declared are {shapes}.")
    if solution.stage != stage.name:
        raise ResumeError(f"{where} it was solved in stage {solution.stage!r}.")
    if len(solution.duals) != len(subproblem.constraints):
        raise ResumeError(
            f"{where} it had {len(solution.duals)} constraints, declared are "
            f"{len(subproblem.constraints)}."
        )
    now = read_parameters(subproblem)
    for key in now.keys() | solution.parameters.keys():
        if (
            key not in now
            or key not in solution.parameters
            or not np.array_equal(now[key], solution.parameters[key])
        ):
            raise ResumeError(f"{where} parameter {key!r} has another value now.")
    for _, reference in subproblem.references:
        if reference.owner_name not in connected:
            raise ResumeError(f"{where} it uses {reference.owner_name!r}, which is missing.")
