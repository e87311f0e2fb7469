"""How far constraints would have to be relaxed for a problem to have a solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cvxpy as cp

from lexiprog.aliases import Constraint
from lexiprog.compile.binding import bind_references
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.declare.references.reference import REFERENCES
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.solution import Solution
from lexiprog.solve.reasons.demands import Demand, elastic
from lexiprog.solve.reasons.feasibility import quick_answer
from lexiprog.status import Status

__all__ = ["least_relaxation", "optima_in", "tell_apart"]


def tell_apart(subproblem: Subproblem, solutions: Mapping[str, Solution]) -> Status:
    """Whether a problem called infeasible-or-unbounded is the one or the other."""
    with CVXPY_LOCK:
        bind_references(subproblem, solutions)
        zero = 0 * cp.sum(subproblem.variables[0]) if not subproblem.gp else cp.Constant(1.0)
        nothing = cp.Problem(cp.Minimize(zero), list(subproblem.constraints))
        status = quick_answer(nothing, gp=subproblem.gp).status
    if status is Status.OPTIMAL:
        return Status.UNBOUNDED
    return Status.INFEASIBLE if status.is_infeasible else Status.EITHER


def optima_in(constraint: Constraint) -> tuple[str, ...]:
    """The earlier optima that a constraint is written with."""
    found = (REFERENCES.get(parameter) for parameter in constraint.parameters())
    return tuple(sorted({reference.label for reference in found if reference is not None}))


def least_relaxation(
    subproblem: Subproblem, positions: Sequence[int], seconds: float
) -> float | None:
    """The least sum of slacks on these constraints with which there is a solution.

    At the values that references have now. None if there is no such slack, or the kind of
    constraint has no natural one.
    """
    if subproblem.gp:
        return None
    slacks = {position: cp.Variable(nonneg=True) for position in positions}
    constraints: list[Constraint] = []
    for position, constraint in enumerate(subproblem.constraints):
        if position in slacks:
            soft = elastic(Demand(constraint, ""), slacks[position])
            if not soft:
                return None
            constraints += soft
        else:
            constraints.append(constraint)
    problem = cp.Problem(cp.Minimize(sum(slacks.values())), constraints)
    answer = quick_answer(problem, seconds=seconds)
    return answer.value if answer.status is Status.OPTIMAL else None
