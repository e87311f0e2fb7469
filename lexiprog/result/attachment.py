"""Connect a solution to the CVXPY objects it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lexiprog.aliases import Value
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.digest import digest_of
from lexiprog.result.solution import Solution

__all__ = ["attach"]


def attach(solution: Solution, subproblem: Subproblem, constants: Mapping[int, Value]) -> Solution:
    """Let the solution be asked by CVXPY objects, and carry a trace of its problem."""
    leaves = dict(constants)
    for key, variable in zip(subproblem.keys, subproblem.variables, strict=True):
        leaves[variable.id] = solution.variables[key]
    rows = {constraint.id: k for k, constraint in enumerate(subproblem.constraints)}
    return replace(solution, _leaves=leaves, _rows=rows, digest=digest_of(subproblem))
