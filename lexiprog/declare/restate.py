"""The same demand put another way: an exact lock as an equation, or by what a curve depends on.

Fixing what is the same at every optimum (see ``objectives.curved``) is the same as fixing the
objective, without the square-root loss of accuracy that a bound on a curved function brings.
"""

from __future__ import annotations

from typing import Literal

import cvxpy as cp

from lexiprog.aliases import Constraint
from lexiprog.declare.lock import Lock
from lexiprog.declare.objectives.curved import Summands, arguments, held_parts, is_geometric
from lexiprog.declare.references.reference import limit_of
from lexiprog.declare.subproblem import Subproblem

__all__ = ["Restatement", "can_restate", "flat_at_zero", "has_arguments", "restated"]

Restatement = Literal["argument", "equal"]


def can_restate(subproblem: Subproblem, how: Restatement, loosened: frozenset[str]) -> bool:
    """Whether there is such a restatement, without declaring one that is seldom needed.

    Locks of the ``loosened`` owners stay bounds: their slack is not in the declaration, or is a
    parameter that is not zero.
    """
    return any(
        _has_other_way(lock, how) for _, lock in subproblem.locks if lock.owner_name not in loosened
    )


def _has_other_way(lock: Lock, how: Restatement) -> bool:
    owner = lock.owner()
    if owner is None or lock.loose:
        return False
    return (
        bool(owner.objective.expr.is_affine()) if how == "equal" else _held_parts(lock) is not None
    )


def restated(subproblem: Subproblem, how: Restatement, loosened: frozenset[str]) -> Subproblem:
    """The subproblem with its exact locks put another way; itself if there is no other way."""
    return subproblem.memory.once(
        ("restated", how, loosened), lambda: _rewrite(subproblem, how, loosened)
    )


def _rewrite(subproblem: Subproblem, how: Restatement, loosened: frozenset[str]) -> Subproblem:
    constraints: list[Constraint] = []
    locks = {k: lock for k, lock in subproblem.locks if lock.owner_name not in loosened}
    changed = False
    for position, constraint in enumerate(subproblem.constraints):
        lock = locks.get(position)
        other = None if lock is None else _other_way(lock, constraint, how)
        changed = changed or other is not None
        constraints += [constraint] if other is None else other
    if not changed:
        return subproblem
    problem = cp.Problem(subproblem.objective, constraints)
    return Subproblem(subproblem.name, problem, gp=subproblem.gp)


def _other_way(lock: Lock, constraint: Constraint, how: Restatement) -> list[Constraint] | None:
    owner = lock.owner()
    if owner is None or lock.loose:
        return None
    expression = owner.objective.expr
    if how == "equal":
        if not expression.is_affine():
            return None
        return [expression == limit_of(constraint, lock)]
    parts = _held_parts(lock)
    return None if parts is None else [part == owner.at(part) for part in parts]


def has_arguments(lock: Lock) -> bool:
    """Whether what a held objective depends on can be held in its place.

    Between whole points there are none that would be better: several may be optimal.
    """
    owner = lock.owner()
    if owner is None or owner.gp or owner.integer:
        return False
    expression = owner.objective.expr
    return owner.memory.once("has arguments", lambda: arguments(expression) is not None)


def _held_parts(lock: Lock) -> Summands | None:
    """What to hold in place of a held objective, if that is known."""
    owner = lock.owner()
    if owner is None or owner.gp or owner.integer:
        return None
    expression = owner.objective.expr
    return owner.memory.once("held parts", lambda: held_parts(expression))


def flat_at_zero(lock: Lock) -> bool:
    """Whether what is held says nothing of its argument where it is zero."""
    owner = lock.owner()
    return owner is not None and is_geometric(owner.objective.expr)
