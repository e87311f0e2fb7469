"""Rebind a saved, pickled or partial result to a program's CVXPY objects, if it is its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import cvxpy as cp
import numpy as np

from lexiprog.compile.binding import bind_references, read_parameters
from lexiprog.errors import LexiprogError
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    as_float,
    automatic_names,
    dense,
    holding,
    key_of,
    readable,
)
from lexiprog.model.lock import Lock, Optimum, Slack
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.fingerprint import fingerprint_of
from lexiprog.results.result import Derive, Result
from lexiprog.results.solution import Solution, fields_by_id
from lexiprog.summary import ProgramSummary, counted
from lexiprog.tolerances import REBOUND_CONSTRAINT, REBOUND_OBJECTIVE, REBOUND_VALUE
from lexiprog.typing import Constraint, Leaf, Value, Values


def rebind_solution(
    solution: Solution, subproblem: Subproblem, constants: Mapping[int, Value]
) -> Solution:
    """Let the solution be asked by CVXPY objects, and carry a fingerprint of its problem."""
    return replace(solution, **fields_by_id(solution.variables, subproblem, constants))


def constant_of(solution: Solution, parameter: Leaf) -> Value | None:
    """The value of a leaf that a problem was solved with, if it was."""
    return solution._leaves.get(parameter.id)  # noqa: SLF001 - bound here


def with_leaves(solution: Solution, values: Mapping[int, Value]) -> Solution:
    """The same solution, with other values by CVXPY id."""
    return replace(solution, _leaves={**solution._leaves, **values})  # noqa: SLF001 - bound here


class ResumeError(LexiprogError, ValueError):
    """A result does not belong to this program, or not to its current parameters."""


def rebind_result(
    stages: Iterable[Stage],
    result: Result,
    declared: Callable[[], ProgramSummary],
    derive: Derive | None = None,
) -> Result:
    """The result with every solution reachable by CVXPY objects, if it fits the stages."""
    if not isinstance(result, Result):
        raise TypeError(f"only a Result can be resumed or adopted, not {type(result).__name__}.")
    stages = tuple(stages)
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}
    declared_names = {name for members in names.values() for name in members}
    for name in result:
        if name not in declared_names:
            raise ResumeError(f"the result holds {name!r}, which is no subproblem of this program.")
    bound: dict[str, Solution] = {}
    for stage in stages:
        for subproblem in stage.subproblems:
            if subproblem.name in result:
                solution = result[subproblem.name]
                _check_declaration(subproblem, stage, solution)
                _check_parameters(subproblem, solution)
                constants = _references(subproblem, solution, bound)
                for position, parameter in enumerate(subproblem.parameters):
                    constants[parameter.id] = solution.parameters[key_of(parameter, position)]
                found = rebind_solution(solution, subproblem, constants)
                _check_point(subproblem, found)
                bound[subproblem.name] = found
    return Result(names, bound, declared, derive)


def _refused(subproblem: Subproblem, reason: str) -> ResumeError:
    return ResumeError(f"the result's {subproblem.name!r} does not fit this program: {reason}.")


def _check_declaration(subproblem: Subproblem, stage: Stage, solution: Solution) -> None:
    """Refuse the solution of a problem that is declared in another way, or with other numbers."""
    shapes = {
        key: tuple(v.shape) for key, v in zip(subproblem.keys, subproblem.variables, strict=True)
    }
    solved = {key: value.shape for key, value in solution.variables.items()}
    if shapes != solved:
        raise _refused(subproblem, f"its variables are {solved}, declared are {shapes}")
    if solution.stage != stage.name:
        raise _refused(subproblem, f"it was solved in stage {solution.stage!r}")
    if len(solution.duals) != len(subproblem.constraints):
        count = len(subproblem.constraints)
        raise _refused(
            subproblem, f"it had {counted(len(solution.duals), 'constraint')}, declared are {count}"
        )
    if solution.digest is None:
        raise _refused(
            subproblem,
            "it carries no trace of the numbers that it was solved with, as files of version 0.1 "
            "do not, so that this cannot be checked; load it without a program, or solve again",
        )
    change = solution.digest.difference(fingerprint_of(subproblem), subproblem)
    if change:
        raise _refused(subproblem, change)


def _check_parameters(subproblem: Subproblem, solution: Solution) -> None:
    now = read_parameters(subproblem)
    for key in now.keys() | solution.parameters.keys():
        if (
            key not in now
            or key not in solution.parameters
            or not np.array_equal(now[key], solution.parameters[key])
        ):
            raise _refused(subproblem, f"parameter {key!r} has another value now")


def _check_point(subproblem: Subproblem, solution: Solution) -> None:
    """Refuse a point that has another value, or breaks a constraint, by what is declared."""
    # CVXPY does not negate yes and no, which a file may hold in place of 1 and 0.
    leaves = [(v, 1.0 * solution[v]) for v in subproblem.variables]
    placeholders = [parameter for parameter, _ in subproblem.references]
    known = [*subproblem.parameters, *placeholders]
    leaves += [(p, v) for p in known if (v := constant_of(solution, p)) is not None]
    slack = max(REBOUND_CONSTRAINT, 10 * solution.certificate.tolerance)
    with holding(leaves):
        objective = subproblem.objective.expr
        value = math.nan if objective.value is None else as_float(objective.value)
        away = abs(value - solution.value)
        if not (
            away <= REBOUND_OBJECTIVE * (solution.unit + abs(solution.value))
            or away <= REBOUND_OBJECTIVE * _terms(objective)
        ):
            raise _refused(
                subproblem,
                f"its objective is {value:g} at the point that it holds, not {solution.value:g}",
            )
        for condition in _plain_conditions(subproblem):
            miss = float(np.max(condition.violation(), initial=0.0))
            if not (miss == 0.0 or miss <= slack * max(map(_terms, condition.args))):
                text = readable(condition, automatic_names(subproblem.variables))
                raise _refused(subproblem, f"its point misses {text} by {miss:.3g}")


# Those whose violation CVXPY reads off: of other cones it would have to solve a problem.
_PLAIN = (
    cp.constraints.Equality,
    cp.constraints.Inequality,
    cp.constraints.NonNeg,
    cp.constraints.NonPos,
    cp.constraints.PSD,
    cp.constraints.SOC,
    cp.constraints.Zero,
)


def _plain_conditions(subproblem: Subproblem) -> list[Constraint]:
    """The constraints, and what variables are declared with."""
    domains = [condition for variable in subproblem.variables for condition in variable.domain]
    return [c for c in (*subproblem.constraints, *domains) if isinstance(c, _PLAIN)]


def _terms(expression: cp.Expression) -> float:
    """The largest number among those that an expression is made of, where it has its values."""
    value = dense(expression.value)
    largest = 0.0 if value is None else float(np.max(np.abs(value), initial=0.0))
    parts = [_terms(part) for part in expression.args]
    if isinstance(expression, cp.atoms.affine.binary_operators.MulExpression | cp.multiply):
        parts.append(math.prod(parts))  # what a product sums up may cancel
    return max([largest, *parts])


@dataclass(frozen=True)
class _AsRecorded(Slack):
    """The tolerances that are declared, with the guards that a solution was found with."""

    guards: Mapping[str, float] = field(default_factory=dict)

    def guard_for_lock(self, lock: Lock, optimum: Optimum, unit: float) -> Optimum:
        """Recorded for the optimum itself, or for the worst of several utilities."""
        worst = float(np.min(optimum) if lock.maximise else np.max(optimum))
        share = self.guards.get(lock.owner_name, 0.0) / (unit + abs(worst))
        return share * (unit + np.abs(optimum))  # type: ignore[no-any-return]

    def limit(self, lock: Lock, optimum: Optimum, unit: float) -> Optimum:
        """The bound as it was when the solution was found."""
        guard = self.guard_for_lock(lock, optimum, unit)
        return lock.limit(optimum, lock.tolerance(optimum) + guard)


def _references(
    subproblem: Subproblem, solution: Solution, bound: Mapping[str, Solution]
) -> dict[int, Value]:
    """What the solution used of earlier ones, by CVXPY id, if these still say the same."""
    for _, reference in subproblem.references:
        if reference.owner_name not in bound:
            raise _refused(subproblem, f"it uses {reference.owner_name!r}, which is missing")
    slack = _AsRecorded(guards={lock.name: lock.guard for lock in solution.locks})
    with CVXPY_LOCK:
        now = bind_references(subproblem, bound, slack)
    if list(now) != list(solution.references):
        raise _refused(
            subproblem, f"it used {_listed(solution.references)}, declared are {_listed(now)}"
        )
    for label, then in solution.references.items():
        if not _nearly(np.asarray(now[label]), then):
            raise _refused(subproblem, f"it used another value of {label} than it has now")
    placeholders = (parameter.id for parameter, _ in subproblem.references)
    return dict(zip(placeholders, solution.references.values(), strict=True))


def _nearly(now: Value, then: Value) -> bool:
    size = float(np.max(np.abs(then), initial=0.0))
    return now.shape == then.shape and bool(np.all(np.abs(now - then) <= REBOUND_VALUE * size))


def _listed(values: Values) -> str:
    return ", ".join(values) or "nothing"
