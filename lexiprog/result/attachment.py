"""Connect a solution to the CVXPY objects it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lexiprog.aliases import Value
from lexiprog.declare.leaves import key_of
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.digest import digest_of
from lexiprog.result.solution import Solution

__all__ = ["attach"]


def attach(solution: Solution, subproblem: Subproblem, constants: Mapping[int, Value]) -> Solution:
    """Let the solution be asked by CVXPY objects, and carry a trace of its problem."""
    leaves = dict(constants)
    for position, variable in enumerate(subproblem.variables):
        leaves[variable.id] = solution.variables[key_of(variable, position)]
    rows = {constraint.id: k for k, constraint in enumerate(subproblem.constraints)}
    return replace(solution, _leaves=leaves, _rows=rows, digest=digest_of(subproblem))
