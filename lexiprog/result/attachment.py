"""Connect a solution to the CVXPY objects it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from lexiprog.aliases import Leaf, Record, Value
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.digest import digest_of
from lexiprog.result.solution import Solution

__all__ = ["attach", "constant_of", "fields_by_id", "with_leaves"]


def attach(solution: Solution, subproblem: Subproblem, constants: Mapping[int, Value]) -> Solution:
    """Let the solution be asked by CVXPY objects, and carry a trace of its problem."""
    return replace(solution, **fields_by_id(solution.variables, subproblem, constants))


def fields_by_id(
    variables: Mapping[str, Value], subproblem: Subproblem, constants: Mapping[int, Value]
) -> Record:
    """The fields by which a solution with these values is known to CVXPY objects."""
    leaves = dict(constants)
    for key, variable in zip(subproblem.keys, subproblem.variables, strict=True):
        leaves[variable.id] = variables[key]
    rows = {constraint.id: k for k, constraint in enumerate(subproblem.constraints)}
    return {"_leaves": leaves, "_rows": rows, "digest": partial(digest_of, subproblem)}


def constant_of(solution: Solution, parameter: Leaf) -> Value | None:
    """The value of a leaf that a problem was solved with, if it was."""
    return solution._leaves.get(parameter.id)  # noqa: SLF001 - attached here


def with_leaves(solution: Solution, values: Mapping[int, Value]) -> Solution:
    """The same solution, with other values by CVXPY id."""
    return replace(solution, _leaves={**solution._leaves, **values})  # noqa: SLF001 - attached here
