"""Bind a declared problem to earlier optima and compile it for one solver."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog import canonical
from lexiprog.checks import shorten
from lexiprog.errors import LexiprogError
from lexiprog.evaluate import CVXPY_LOCK, key_of
from lexiprog.reference import bind
from lexiprog.solution import Solution
from lexiprog.solver import Solver
from lexiprog.subproblem import Subproblem

# CVXPY keeps one compiled form a problem and drops it when the solver changes. A problem of
# our own for each solver keeps them all, for as long as the declaration lives.
_COMPILED: weakref.WeakKeyDictionary[Subproblem, dict[Any, cp.Problem]] = (
    weakref.WeakKeyDictionary()
)


class BadParameter(LexiprogError, ValueError):
    """A parameter has no value, or one that is not finite."""


@dataclass(frozen=True)
class Task:
    """A subproblem with all its numbers, ready for a solver."""

    subproblem: Subproblem
    solver: Solver
    options: dict[str, Any]
    parameters: Mapping[str, Any]
    references: Mapping[str, Any]
    constants: Mapping[int, Any]  # values of parameters and placeholders by CVXPY id
    compiled: canonical.Compiled | None  # None for custom solvers

    @property
    def native(self) -> canonical.Compiled:
        """The compiled form, for solvers that have one."""
        if self.compiled is None:
            raise TypeError(f"{self.solver.name} takes problems, not compiled forms")
        return self.compiled

    @property
    def integer(self) -> bool:
        """Whether some variable must be whole."""
        return bool(self.subproblem.problem.is_mixed_integer())

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
        value = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
        if not np.isfinite(value).all():
            raise BadParameter(
                f"parameter {parameter.name()!r} of subproblem {subproblem.name!r} contains "
                f"{'NaN' if np.isnan(value).any() else 'infinity'}: {shorten(value)}."
            )
        values[key_of(parameter, position)] = value
    return values


def bind_references(subproblem: Subproblem, solutions: Mapping[str, Solution]) -> dict[str, Any]:
    """Give every placeholder in the subproblem its value from earlier solutions."""
    values = {}
    for parameter, reference in subproblem.references:
        bind(parameter, reference.read(solutions[reference.owner_name]))
        label = reference.label
        while label in values:  # two expressions may look alike once shortened
            label += "'"
        values[label] = parameter.value
    return values


def prepare(subproblem: Subproblem, solver: Solver, solutions: Mapping[str, Solution]) -> Task:
    """Bind and compile; the task no longer depends on CVXPY's mutable values."""
    with CVXPY_LOCK:
        parameters = read_parameters(subproblem)
        references = bind_references(subproblem, solutions)
        constants = {p.id: np.array(_dense(p.value)) for p in subproblem.problem.parameters()}
        integer = bool(subproblem.problem.is_mixed_integer())
        options = solver.options_for(integer=integer)
        compiled = None
        if not solver.is_custom:
            compiled = canonical.compile_problem(
                _problem_for(subproblem, solver, options),
                solver.target,
                gp=subproblem.gp,
                dpp=subproblem.dpp,
                options=options,
            )
    return Task(subproblem, solver, options, parameters, references, constants, compiled)


def _problem_for(subproblem: Subproblem, solver: Solver, options: dict[str, Any]) -> cp.Problem:
    forms = _COMPILED.setdefault(subproblem, {})
    target = solver.target if isinstance(solver.target, str) else id(solver.target)
    key = (target, options.get("use_quad_obj"))
    if key not in forms:
        forms[key] = cp.Problem(subproblem.objective, list(subproblem.constraints))
    return forms[key]


def _dense(value: Any) -> Any:
    return value.toarray() if hasattr(value, "toarray") else value
