"""Give a problem's parameters and placeholders their values, and read them back as copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import cvxpy as cp
import numpy as np

from lexiprog.errors import LexiprogError
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    Held,
    dense,
    holding,
    key_of,
    shorten,
    undisturbed,
)
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.references import REFERENCES, check_callbacks
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import PLACEHOLDER_NOISE
from lexiprog.typing import Record, Value

if TYPE_CHECKING:
    from lexiprog.results.solution import Solution


Made = TypeVar("Made")


class BadParameter(LexiprogError, ValueError):
    """A parameter has no value, or one that is not finite."""


@dataclass(frozen=True)
class Given:
    """The values that the user's parameters had when a solve began; no later ones count in it."""

    values: tuple[tuple[cp.Parameter, Value], ...]

    @classmethod
    def to(cls, subproblems: Iterable[Subproblem]) -> Given:
        """Copies of the values that the parameters of these subproblems have now."""
        subproblems = list(subproblems)
        listed = {p.id: p for subproblem in subproblems for p in subproblem.parameters}
        with CVXPY_LOCK:
            for subproblem in subproblems:
                check_callbacks(f"subproblem {subproblem.name!r}", subproblem.parameters)
            given = cls(tuple((p, copy(p.value)) for p in listed.values()))
            with given.held():
                for subproblem in subproblems:
                    read_parameters(subproblem)
        return given

    def held(self) -> AbstractContextManager[Held]:
        """Give the parameters these values for a moment."""
        return holding(self.values)

    def undisturbed(self, make: Callable[[], Made]) -> Made:
        """What ``make`` makes of these values, although other threads may assign others."""
        return undisturbed(self.values, make)


def read_parameters(subproblem: Subproblem) -> Record:
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
    for _, lock in subproblem.locks:
        for label, parameter in lock.parameters.items():
            if np.min(parameter.value) < 0:
                raise BadParameter(
                    f"parameter {parameter.name()!r} is the {label} with which subproblem "
                    f"{subproblem.name!r} holds {lock.owner_name!r}, and must be at least 0, not "
                    f"{float(np.min(parameter.value)):g}."
                )
    return values


def bind_references(
    subproblem: Subproblem, solutions: Mapping[str, Solution], slack: Slack = NO_SLACK
) -> Record:
    """Give every placeholder in the subproblem its value from earlier solutions."""
    values = {}
    for parameter, reference in subproblem.references:
        owner = solutions[reference.owner_name]
        value = reference.read(owner)
        if reference.lock is not None:
            value = slack.limit(reference.lock, value, owner.unit)
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


def bind(parameter: cp.Parameter, value: float | Value) -> None:
    """Give a placeholder its value, cleaned of solver noise that its attributes exclude."""
    if isinstance(value, float) and parameter.shape == () and _promises_nothing(parameter):
        parameter.save_value(np.array(value))
        return
    array = np.asarray(dense(value))
    if array.shape != parameter.shape:
        array = array.reshape(parameter.shape)
    given, has = array, parameter.attributes
    if has["diag"]:
        array = np.diag(np.diag(array))
    if has["PSD"] or has["NSD"] or has["symmetric"] or has["hermitian"]:
        array = 0.5 * (array + array.conj().T)
    if has["PSD"] or has["NSD"]:
        roots, axes = np.linalg.eigh(array)
        roots = np.maximum(roots, 0) if has["PSD"] else np.minimum(roots, 0)
        array = (axes * roots) @ axes.conj().T
    if has["nonneg"]:
        array = np.maximum(array, 0.0)
    if has["nonpos"]:
        array = np.minimum(array, 0.0)
    if has["pos"]:
        array = np.maximum(array, np.finfo(float).tiny)
    change = float(np.max(np.abs(array - given), initial=0.0))
    if change > PLACEHOLDER_NOISE * (1.0 + float(np.max(np.abs(given), initial=0.0))):
        raise LexiprogError(
            f"the value of {parameter.name()} breaks the sign or structure that was inferred for "
            f"it, by {change:.1e}; please report this with the expression."
        )
    if has["diag"] and not hasattr(array, "tocoo"):
        parameter.save_value(array)  # the setter wants a sparse matrix here
        return
    parameter.value = array


def _promises_nothing(parameter: cp.Parameter) -> bool:
    return not any(
        value is not None and value is not False for value in parameter.attributes.values()
    )
