"""How the limit of a held optimum follows a parameter: by the optimum, and by its tolerance."""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array
from lexiprog.declare.lock import Tolerance
from lexiprog.declare.references.reference import REFERENCES, Reference
from lexiprog.declare.subproblem import Subproblem
from lexiprog.gradients.first_order import NoDerivative
from lexiprog.result.attachment import constant_of
from lexiprog.result.solution import Solution

__all__ = ["limit_slopes", "refuse_closed_locks"]


def limit_slopes(
    reference: Reference,
    solution: Solution,
    slope: Array,
    holder: Solution,
    jacobians: Mapping[int, Array],
    *,
    sided: bool,
) -> Array:
    """Slopes of what a reference to an optimum stands for in the problem that holds it.

    Where both tolerances allow the same, the larger slope counts, which only one side has.
    """
    lock, value = reference.lock, solution.value
    if lock is None:
        return slope
    atol, rtol = _recorded(lock.atol, holder), _recorded(lock.rtol, holder)
    absolute = _moves(lock.atol, jacobians, slope.size)
    relative = rtol * np.sign(value) * slope + abs(value) * _moves(lock.rtol, jacobians, slope.size)
    if rtol * abs(value) < atol:
        room = absolute
    elif rtol * abs(value) > atol:
        room = relative
    elif sided or np.array_equal(absolute, relative):
        room = np.maximum(absolute, relative)
    else:
        raise NoDerivative(
            f"{lock.owner_name!r} is held within atol and rtol that allow the same there: ask for "
            'one side, side="right" or side="left"'
        )
    return slope - room if lock.maximise else slope + room


def refuse_closed_locks(
    parameter: cp.Parameter, subproblem: Subproblem, statement: Subproblem
) -> None:
    """Refuse a tolerance of zero on a curve: the first of it may buy more than any slope says."""
    found = (REFERENCES.get(p) for p in statement.problem.parameters())
    kept = [reference.lock for reference in found if reference is not None]
    for _, lock in subproblem.locks:
        gone = not any(lock is other for other in kept)
        if gone and any(p is parameter for p in lock.parameters.values()):
            raise NoDerivative(
                f"{parameter.name()!r} is a tolerance of 0 on {lock.owner_name!r}, which is no "
                "linear program: what the first of it buys need not have a slope"
            )


def _recorded(tolerance: Tolerance, holder: Solution) -> float:
    """A tolerance as it was when the program was solved."""
    if isinstance(tolerance, float):
        return tolerance
    value = constant_of(holder, tolerance)
    return float(np.asarray(tolerance.value if value is None else value).item())


def _moves(tolerance: Tolerance, jacobians: Mapping[int, Array], count: int) -> Array:
    if isinstance(tolerance, float):
        return np.zeros(count)
    return np.reshape(jacobians.get(tolerance.id, np.zeros(count)), count)
