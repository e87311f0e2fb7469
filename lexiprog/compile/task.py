"""Bind a declared problem to earlier optima and compile it for one solver."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.compile import cvxpy_door as canonical
from lexiprog.declare.checks import shorten
from lexiprog.declare.leaves import CVXPY_LOCK, dense, key_of
from lexiprog.declare.reference import REFERENCES, Slack, bind
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import LexiprogError
from lexiprog.result.solution import Solution
from lexiprog.solvers.solver import Solver
from lexiprog.solvers.ways import GUARD, Rung, variant

# CVXPY keeps one compiled form a problem and drops it when the solver changes. A problem of
# our own for each solver keeps them all, for as long as the declaration lives.
_COMPILED: weakref.WeakKeyDictionary[Subproblem, dict[Any, cp.Problem]] = (
    weakref.WeakKeyDictionary()
)


NO_SLACK = Slack()


class BadParameter(LexiprogError, ValueError):
    """A parameter has no value, or one that is not finite."""


@dataclass(frozen=True)
class Task:
    """A subproblem with all its numbers, ready for a solver."""

    subproblem: Subproblem
    rung: Rung
    options: dict[str, Any]
    slack: Slack
    parameters: Mapping[str, Any]
    references: Mapping[str, Any]
    constants: Mapping[int, Any]  # values of parameters and placeholders by CVXPY id
    compiled: canonical.Compiled | None  # None for custom solvers

    @property
    def solver(self) -> Solver:
        """Who is asked."""
        return self.rung.solver

    @property
    def native(self) -> canonical.Compiled:
        """The compiled form, for solvers that have one."""
        if self.compiled is None:
            raise TypeError(f"{self.solver.name} takes problems, not compiled forms")
        return self.compiled

    @property
    def integer(self) -> bool:
        """Whether some variable must be whole."""
        return self.subproblem.integer

    def fresh_options(self) -> dict[str, Any]:
        """Options the solver's interface may write into."""
        return {k: dict(v) if isinstance(v, dict) else v for k, v in self.options.items()}


def read_parameters(subproblem: Subproblem) -> dict[str, Any]:
    """Current values of the user's parameters, by name."""
    values = {}
    for position, parameter in enumerate(subproblem.parameters):
        value = parameter.value
        if value is None:
            raise BadParameter(
                f"parameter {parameter.name()!r} of subproblem {subproblem.name!r} has no value: "
                "set it before solving."
            )
        value = np.asarray(dense(value))
        if not np.isfinite(value).all():
            raise BadParameter(
                f"parameter {parameter.name()!r} of subproblem {subproblem.name!r} contains "
                f"{'NaN' if np.isnan(value).any() else 'infinity'}: {shorten(value)}."
            )
        values[key_of(parameter, position)] = value
    return values


def bind_references(
    subproblem: Subproblem, solutions: Mapping[str, Solution], slack: Slack = NO_SLACK
) -> dict[str, Any]:
    """Give every placeholder in the subproblem its value from earlier solutions."""
    values = {}
    for parameter, reference in subproblem.references:
        value = reference.read(solutions[reference.owner_name])
        if reference.lock is not None:
            value = slack.limit(reference.lock, value)
        bind(parameter, value)
        label = reference.label
        while label in values:  # two expressions may look alike once shortened
            label += "'"
        values[label] = parameter.value
    return values


def bind_objective(subproblem: Subproblem, solutions: Mapping[str, Solution]) -> None:
    """Give the placeholders in the objective alone their values."""
    for parameter in subproblem.objective.parameters():
        reference = REFERENCES.get(parameter)
        if reference is not None:
            bind(parameter, reference.read(solutions[reference.owner_name]))


def prepare(
    subproblem: Subproblem,
    rung: Rung,
    solutions: Mapping[str, Solution],
    slack: Slack = NO_SLACK,
    joint: Callable[[Subproblem, Mapping[str, Solution]], canonical.Compiled] | None = None,
) -> Task:
    """Bind and compile; the task no longer depends on CVXPY's mutable values.

    ``joint`` compiles the subproblem as part of a larger problem instead of by itself.
    """
    if rung.mode == "guarded":
        slack = replace(slack, guard=GUARD)
    actual = variant(subproblem, rung)
    solver = rung.solver
    with CVXPY_LOCK:
        parameters = read_parameters(subproblem)
        references = bind_references(subproblem, solutions, slack)
        if actual is not subproblem:
            bind_references(actual, solutions, slack)
        inputs = [*subproblem.inputs, *actual.inputs]
        constants = {p.id: np.array(dense(p.value)) for p in inputs}
        options = solver.options_for(integer=subproblem.integer)
        compiled = None
        if joint is not None:
            compiled = joint(subproblem, solutions)
        elif not solver.is_custom:
            compiled = compile_for(actual, solver, options)
    return Task(subproblem, rung, options, slack, parameters, references, constants, compiled)


def compile_for(
    subproblem: Subproblem, solver: Solver, options: dict[str, Any]
) -> canonical.Compiled:
    """The subproblem's numbers for a solver, at the values its placeholders have now."""
    forms = _COMPILED.setdefault(subproblem, {})
    target = solver.target if isinstance(solver.target, str) else id(solver.target)
    key = (target, options.get("use_quad_obj"))
    if key not in forms:
        forms[key] = cp.Problem(subproblem.objective, list(subproblem.constraints))
    return canonical.compile_problem(
        forms[key], solver.target, gp=subproblem.gp, dpp=subproblem.dpp, options=options
    )
