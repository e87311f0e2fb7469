"""The same demand put another way: an exact lock as an equation, or by what a curve depends on.

Fixing what is the same at every optimum (see ``objectives.curved``) is the same as fixing the
objective, without the square-root loss of accuracy that a bound on a curved function brings.
"""

from __future__ import annotations

from typing import Literal

import cvxpy as cp
import numpy as np

from lexiprog.model.expressions import evaluate
from lexiprog.model.lock import Lock
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import RANK
from lexiprog.typing import Constraint

# What is the same at every optimum of a curved objective.
#
# If f(x) = h(Ax) + c'x with h strictly convex, then Ax and c'x are the same at every optimum.
# Another convex term changes nothing as long as it depends on Ax alone. And functions that are
# straight along some lines only, on which they never stay the same (norms along rays, geometric
# means off zero, log_sum_exp along the diagonal), are as good by themselves.

Summands = list[cp.Expression]

# Operators have classes that CVXPY does not export, so they are asked for theirs.
_one, _few = cp.Variable(), cp.Variable(2)
_ADD, _NEGATE, _DIVIDE = type(_one + _one), type(-_one), type(_one / 2)
_TIMES, _SUM = type(_few @ [1, 2]), type(cp.sum(_few))
_QUADRATIC = type(cp.quad_form(_few, np.eye(2)))
# CVXPY may choose among several classes of powers by the exponent.
_POWERS = tuple({type(cp.power(_one, p, approx=a)) for p in (-1, 0.5, 2) for a in (True, False)})
# Elementwise and summed atoms that are strictly convex (or concave) in a non-constant argument.
_STRICT = {cp.exp, cp.log, cp.entr, cp.logistic, cp.log1p, cp.log_det}
_GEOMETRIC = type(cp.geo_mean(_few)), type(cp.geo_mean(_few, approx=False))
# Entries of variables up to which it is looked at what other terms depend on.
FEW = 200


def held_parts(expression: cp.Expression) -> Summands | None:
    """Affine expressions that are equal at every optimum, if some that hold it are known."""
    return arguments(expression) or _beside(expression) or _alone(expression)


def is_geometric(expression: cp.Expression) -> bool:
    """Whether it is a geometric mean, which says nothing of its argument where it is zero."""
    return isinstance(_bare(expression), _GEOMETRIC)


def arguments(expression: cp.Expression) -> Summands | None:
    """Affine expressions that are equal at every optimum, or None if that is not known."""
    curved: Summands = []
    linear: Summands = []
    if not _collect(expression, curved, linear) or not curved:
        return None
    if linear:
        curved.append(cp.sum(cp.hstack([cp.sum(part) for part in linear])))
    return curved


def _alone(expression: cp.Expression) -> Summands | None:
    """The argument of a function that is straight, but not constant, along some lines."""
    atom = _bare(expression)
    if atom is None or atom.size != 1 or not atom.args or not atom.args[0].is_affine():
        return None
    straight = isinstance(atom, cp.Pnorm) and 1.0 < float(atom.p) < np.inf
    straight |= isinstance(atom, _GEOMETRIC) and len(atom.w) == atom.args[0].size
    straight |= type(atom) is cp.log_sum_exp
    return [atom.args[0]] if straight else None


def _bare(expression: cp.Expression) -> cp.Expression | None:
    """The one term of a sum, without factors, that is not constant; None if there are several."""
    kind = type(expression)
    if kind in (_ADD, _NEGATE, cp.multiply, _TIMES, _DIVIDE):
        rest = [part for part in expression.args if not _is_number(part)]
        return _bare(rest[0]) if len(rest) == 1 else None
    return expression


def _beside(expression: cp.Expression) -> Summands | None:
    """The arguments of the strictly curved terms, if all others depend on these alone."""
    curved: Summands = []
    others: Summands = []
    if expression.parameters() or not _collect(expression, curved, others, others) or not curved:
        return None
    variables = expression.variables()
    if sum(v.size for v in variables) > FEW or any(not v.is_real() for v in variables):
        return None
    nothing = [(v, np.zeros(v.shape)) for v in variables]
    zero = [evaluate(part, nothing) for part in curved]
    columns, places = [], []
    used = {v.id for part in others for v in part.variables()}
    for k, variable in enumerate(variables):
        for entry in range(variable.size):
            unit = np.zeros(variable.size)
            unit[entry] = 1.0
            leaves = nothing.copy()
            leaves[k] = variable, unit.reshape(variable.shape, order="F")
            moved = [evaluate(part, leaves) for part in curved]
            columns.append(
                np.concatenate([np.ravel(m - z) for m, z in zip(moved, zero, strict=True)])
            )
            places.append(variable.id in used)
    # What the arguments leave open must leave the variables of all other terms alone.
    _, sizes, axes = np.linalg.svd(np.array(columns).T)
    rank = int(np.count_nonzero(sizes > RANK * sizes.max(initial=0.0)))
    return curved if np.abs(axes[rank:, places]).max(initial=0.0) < RANK else None


def _collect(
    expression: cp.Expression, curved: Summands, linear: Summands, others: Summands | None = None
) -> bool:
    """Sort the terms of a sum; False if one is neither affine nor strictly curved.

    Unless it is taken with the ``others``.
    """
    if expression.is_constant():
        return True
    if expression.is_affine():
        linear.append(expression)
        return True
    kind = type(expression)
    if kind in (_ADD, _SUM):
        return all(_collect(part, curved, linear, others) for part in expression.args)
    if kind is _NEGATE:
        inner: Summands = []
        held = _collect(expression.args[0], curved, inner, others)
        linear += [-part for part in inner]
        return held
    if kind in (cp.multiply, _TIMES, _DIVIDE):
        return _collect_scaled(expression, curved, linear, others)
    argument = _strict_argument(expression)
    if argument is None or not argument.is_affine():
        if others is not None:
            others.append(expression)
        return others is not None
    curved.append(argument)
    return True


def _collect_scaled(
    expression: cp.Expression, curved: Summands, linear: Summands, others: Summands | None
) -> bool:
    """A product with constants that are nowhere zero keeps strict curvature."""
    left, right = expression.args
    constant, other = (right, left) if right.is_constant() else (left, right)
    if not _is_number(constant) or constant.ndim > 1:
        return False
    factor = constant.value
    if not np.all(factor):
        return False
    inner: Summands = []
    held = _collect(other, curved, inner, others)
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
