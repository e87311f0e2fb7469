"""The same demand put another way: an exact lock as an equation, or by what a curve depends on.

If f(x) = h(Ax) + c'x with h strictly convex, then Ax and c'x are the same at every optimum, so
fixing both is the same as fixing f, without the square-root loss of accuracy that a bound on a
curved function brings.
"""

from __future__ import annotations

from typing import Literal

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint
from lexiprog.declare.lock import Lock
from lexiprog.declare.references.reference import limit_of
from lexiprog.declare.subproblem import Subproblem

__all__ = ["Restatement", "arguments", "can_restate", "has_arguments", "restated"]

Restatement = Literal["argument", "equal"]
Summands = list[cp.Expression]

# Operators have classes that CVXPY does not export, so they are asked for theirs.
_one, _few = cp.Variable(), cp.Variable(2)
_ADD, _NEGATE, _DIVIDE = type(_one + _one), type(-_one), type(_one / 2)
_TIMES, _SUM = type(_few @ [1, 2]), type(cp.sum(_few))
_QUADRATIC = type(cp.quad_form(_few, np.eye(2)))
# CVXPY may choose among several classes of powers by the exponent.
_POWERS = tuple({type(cp.power(_one, p, approx=a)) for p in (-1, 0.5, 2) for a in (True, False)})
# Elementwise and summed atoms that are strictly convex (or concave) in a non-constant argument.
_STRICT = {cp.exp, cp.log, cp.entr, cp.logistic, cp.log1p}


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
    return bool(owner.objective.expr.is_affine()) if how == "equal" else has_arguments(lock)


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
    if not has_arguments(lock):
        return None
    return [part == owner.at(part) for part in arguments(expression) or []]


def has_arguments(lock: Lock) -> bool:
    """Whether what a held objective depends on can be held in its place.

    Between whole points there are none that would be better: several may be optimal.
    """
    owner = lock.owner()
    if owner is None or owner.gp or owner.integer:
        return False
    expression = owner.objective.expr
    return owner.memory.once("has arguments", lambda: arguments(expression) is not None)


def arguments(expression: cp.Expression) -> Summands | None:
    """Affine expressions that are equal at every optimum, or None if that is not known."""
    curved: Summands = []
    linear: Summands = []
    if not _collect(expression, curved, linear) or not curved:
        return None
    if linear:
        curved.append(cp.sum(cp.hstack([cp.sum(part) for part in linear])))
    return curved


def _collect(expression: cp.Expression, curved: Summands, linear: Summands) -> bool:
    """Sort the terms of a sum; False if one of them is neither affine nor strictly curved."""
    if expression.is_constant():
        return True
    if expression.is_affine():
        linear.append(expression)
        return True
    kind = type(expression)
    if kind in (_ADD, _SUM):
        return all(_collect(part, curved, linear) for part in expression.args)
    if kind is _NEGATE:
        inner: Summands = []
        held = _collect(expression.args[0], curved, inner)
        linear += [-part for part in inner]
        return held
    if kind in (cp.multiply, _TIMES, _DIVIDE):
        return _collect_scaled(expression, curved, linear)
    argument = _strict_argument(expression)
    if argument is None or not argument.is_affine():
        return False
    curved.append(argument)
    return True


def _collect_scaled(expression: cp.Expression, curved: Summands, linear: Summands) -> bool:
    """A product with constants that are nowhere zero keeps strict curvature."""
    left, right = expression.args
    constant, other = (right, left) if right.is_constant() else (left, right)
    if not _is_number(constant) or constant.ndim > 1:
        return False
    factor = constant.value
    if not np.all(factor):
        return False
    inner: Summands = []
    held = _collect(other, curved, inner)
    if type(expression) is _DIVIDE:
        linear += [part / factor for part in inner]
    elif type(expression) is cp.multiply or constant.ndim == 0:
        linear += [cp.multiply(factor, part) for part in inner]
    else:
        linear += [factor @ part for part in inner]
    return held


def _strict_argument(expression: cp.Expression) -> cp.Expression | None:
    """The argument in which the atom is strictly curved, if it is one of those known to be."""
    kind = type(expression)
    if kind in _STRICT:
        return expression.args[0]
    if isinstance(expression, _POWERS) and expression.args[0].is_affine():
        power = float(np.asarray(expression.p.value if hasattr(expression.p, "value")
                                 else expression.p))  # fmt: skip
        # Higher powers are so flat at zero that an optimum says little about their argument.
        return None if power > 2.0 else expression.args[0]
    if kind is cp.quad_over_lin:
        return expression.args[0] if _is_number(expression.args[1]) else None
    if kind is _QUADRATIC:
        point, form = expression.args
        return form @ point if _is_number(form) else None
    return None


def _is_number(expression: cp.Expression) -> bool:
    """Constant once and for all, not only until a parameter changes."""
    return bool(expression.is_constant()) and not expression.parameters()
