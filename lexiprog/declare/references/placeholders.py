"""Make placeholders for what later problems take from an earlier one's solution."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint
from lexiprog.declare.checks import call_plain
from lexiprog.declare.leaves import automatic_names
from lexiprog.declare.lock import LOCKS, Lock, Tolerance, checked_tolerance
from lexiprog.declare.references.promises import attributes_of, dual_attributes, is_whole
from lexiprog.declare.references.reference import REFERENCES, Reference, ReferenceKind
from lexiprog.declare.text import shorten
from lexiprog.errors import DeclarationError

if TYPE_CHECKING:
    from lexiprog.declare.subproblem import Subproblem
    from lexiprog.result.solution import Solution

__all__ = ["hold", "multiplier_of", "optimum_of", "value_at"]


def optimum_of(owner: Subproblem) -> cp.Parameter:
    """A placeholder for the optimal value."""
    attributes = attributes_of(owner.objective.expr, gp=owner.gp)
    return _refer(owner, ReferenceKind.OPTIMUM, (), lambda found: found.value, attributes)


def value_at(owner: Subproblem, given: object) -> cp.Parameter:
    """A placeholder for the value of an expression at the optimum."""
    expression = _as_expression(owner, given)
    mine = {variable.id for variable in owner.variables}
    for variable in expression.variables():
        if variable.id not in mine:
            raise DeclarationError(
                f"{owner.name}.at({shorten(expression)}): variable "
                f"{variable.name()!r} is not part of subproblem {owner.name!r}, so its optimum "
                "says nothing about it."
            )
    whole = is_whole(expression)
    return _refer(
        owner,
        ReferenceKind.AT,
        expression.shape,
        lambda found: np.round(found.at(expression)) if whole else found.at(expression),
        attributes_of(expression, gp=owner.gp),
        inside=expression.parameters(),
        expression=expression,
    )


def multiplier_of(owner: Subproblem, constraint: Constraint) -> cp.Parameter:
    """The placeholder for the multiplier of one of its constraints, made once."""
    where = f"{owner.name}.dual({shorten(constraint, automatic_names(owner.variables))})"
    position = next((k for k, c in enumerate(owner.constraints) if c is constraint), None)
    if position is None:
        raise DeclarationError(f"{where}: subproblem {owner.name!r} has no such constraint.")
    if owner.integer:
        raise DeclarationError(
            f"{where}: integer problems have no multipliers; fix the integers in a further "
            "stage and refer to that one."
        )
    attributes, kind = dual_attributes(constraint, where), ReferenceKind.DUAL
    shape = constraint.shape

    def make() -> cp.Parameter:
        return _refer(
            owner, kind, shape, lambda found: found.dual(position), attributes, position=position
        )

    return owner.memory.once((kind, position), make)


def hold(owner: Subproblem, *, atol: Tolerance, rtol: Tolerance) -> Constraint:
    """The constraint that keeps the optimum of ``owner``, on record as a lock."""
    atol = checked_tolerance(f"{owner.name}.held: atol", atol)
    rtol = checked_tolerance(f"{owner.name}.held: rtol", rtol)
    fair, ordered = owner.fair, owner.integer
    lock = Lock(owner.name, weakref.ref(owner), owner.maximise, atol, rtol, fair is not None)
    inside, held = lock.parameters.values(), ReferenceKind.HELD
    if fair is None:
        attributes = {"pos": True} if owner.gp else {}
        limit = _refer(owner, held, (), lambda found: found.value, attributes, lock, inside)
        expression = owner.objective.expr
        constraint = expression >= limit if owner.maximise else expression <= limit
        if owner.plain:
            call_plain(constraint)
    else:
        shape = (len(fair.names),)
        limit = _refer(
            owner,
            held,
            shape,
            lambda found: fair.values(found.levels, ordered=ordered),
            {},
            lock,
            inside,
        )
        constraint = fair.keep(limit, ordered=ordered)
    LOCKS.add(constraint, lock)
    return constraint


def _as_expression(owner: Subproblem, given: object) -> cp.Expression:
    """What ``at`` was given; numbers are expressions, too, names are not."""
    if isinstance(given, cp.Expression):
        return given
    try:
        return cp.Constant(given)
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"{owner.name}.at({given!r}): give a variable of {owner.name!r} or an expression of "
            f"them, not {type(given).__name__}."
        ) from error


def _refer(
    owner: Subproblem,
    kind: ReferenceKind,
    shape: tuple[int, ...],
    read: Callable[[Solution], Any],
    attributes: dict[str, bool],
    lock: Lock | None = None,
    inside: Iterable[cp.Parameter] = (),
    expression: cp.Expression | None = None,
    position: int | None = None,
) -> cp.Parameter:
    """A placeholder named for what it stands for, with its owner on record."""
    what = str(kind)
    if expression is not None:
        what = f"{kind}({shorten(expression, automatic_names(owner.variables))})"
    elif position is not None:
        what = f"{kind}({position})"
    found = weakref.ref(owner)
    reference = Reference(
        kind, what, owner.name, found, read, lock, tuple(inside), expression, position
    )
    parameter = cp.Parameter(shape, name=reference.label, **attributes)
    REFERENCES.add(parameter, reference)
    return parameter
