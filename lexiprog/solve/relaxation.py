"""Explain a failure: which earlier optimum makes a problem infeasible, and by how much."""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint
from lexiprog.compile import cvxpy_door
from lexiprog.compile.binding import bind_references
from lexiprog.compile.cvxpy_door import Prepared
from lexiprog.declare.checks import kind_of
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.declare.reference import REFERENCES
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.solution import Solution
from lexiprog.solvers.solver import default_ladder
from lexiprog.status import Status


def tell_apart(subproblem: Subproblem, solutions: Mapping[str, Solution]) -> Status:
    """Whether a problem called infeasible-or-unbounded is the one or the other."""
    with CVXPY_LOCK:
        bind_references(subproblem, solutions)
        zero = 0 * cp.sum(subproblem.variables[0]) if not subproblem.gp else cp.Constant(1.0)
        status, _ = _solve(cp.Problem(cp.Minimize(zero), list(subproblem.constraints)),
                           gp=subproblem.gp)  # fmt: skip
    if status is Status.OPTIMAL:
        return Status.UNBOUNDED
    return Status.INFEASIBLE if status.is_infeasible else Status.EITHER


def blame(subproblem: Subproblem, solutions: Mapping[str, Solution]) -> str:
    """A sentence naming the reference whose relaxation cures infeasibility most cheaply."""
    with CVXPY_LOCK:
        bind_references(subproblem, solutions)
        suspects = {
            position: labels
            for position, constraint in enumerate(subproblem.constraints)
            if (labels := _labels(constraint)) and _elastic(constraint, cp.Variable()) is not None
        }
        if not suspects or subproblem.gp:
            named = sorted({label for c in subproblem.constraints for label in _labels(c)})
            return (
                f"It depends on {', '.join(named)}."
                if named
                else ("No earlier optimum enters its constraints: they contradict each other.")
            )
        cures = {}
        for position in suspects:
            slack = _least_slack(subproblem, [position])
            if slack is not None:
                cures[position] = slack
        if cures:
            position = min(cures, key=lambda p: cures[p])
            names = " and ".join(suspects[position])
            return (
                f"The earlier optimum {names} makes it infeasible: constraint {position} would "
                f"have to be relaxed by {cures[position]:.6g}, no less."
            )
        together = _least_slack(subproblem, list(suspects))
    names = ", ".join(sorted({label for labels in suspects.values() for label in labels}))
    if together is None:
        return f"Relaxing {names} would not help: its other constraints contradict each other."
    return f"The earlier optima {names} together make it infeasible, by {together:.6g} in sum."


def _labels(constraint: Constraint) -> list[str]:
    found = (REFERENCES.get(parameter) for parameter in constraint.parameters())
    return sorted({reference.label for reference in found if reference is not None})


def _elastic(constraint: Constraint, slack: cp.Variable) -> Constraint | None:
    """The constraint with room ``slack`` to be missed, where its kind has a natural one."""
    if isinstance(constraint, cp.constraints.Inequality):
        return constraint.expr <= slack
    if isinstance(constraint, cp.constraints.Equality):
        return cp.abs(constraint.expr) <= slack if constraint.expr.is_real() else None
    if isinstance(constraint, cp.constraints.PSD):
        size = constraint.args[0].shape[0]
        return constraint.args[0] + slack * np.eye(size) >> 0
    return None


def _least_slack(subproblem: Subproblem, positions: list[int]) -> float | None:
    slacks = {position: cp.Variable(nonneg=True) for position in positions}
    constraints = [
        _elastic(constraint, slacks[position]) if position in slacks else constraint
        for position, constraint in enumerate(subproblem.constraints)
    ]
    problem = cp.Problem(cp.Minimize(sum(slacks.values())), constraints)
    status, value = _solve(problem)
    return value if status is Status.OPTIMAL else None


def _solve(problem: cp.Problem, *, gp: bool = False) -> tuple[Status, float]:
    """Status and value, uncertified: good enough for advice."""
    status = Status.FAILED
    for solver in default_ladder(kind_of(problem, gp=gp))[:2]:
        options = solver.options_for(integer=problem.is_mixed_integer())
        try:
            compiled = Prepared(problem, gp=gp, dpp=False).compile(solver.target, options)
            answer = cvxpy_door.interpret(compiled, cvxpy_door.run(compiled, options))
        except Exception:  # noqa: BLE001 - advice must not replace the error it explains
            continue
        status = answer.status
        if status is Status.OPTIMAL or status.is_infeasible:
            return status, answer.value
    return status, np.nan
