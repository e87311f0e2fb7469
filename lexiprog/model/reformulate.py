"""The same demand put another way: as an equation, by what a curve depends on, in its own size.

Fixing what is the same at every optimum (see ``objectives.curved``) is the same as fixing the
objective, without the square-root loss of accuracy that a bound on a curved function brings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import cvxpy as cp
import numpy as np

from lexiprog.model.expressions import evaluate
from lexiprog.model.lock import Lock, single
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import RANK
from lexiprog.typing import Array, Constraint, Leaves

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
    used = {v.id for part in others for v in part.variables()}
    columns = np.repeat([v.id in used for v in variables], [v.size for v in variables])
    # The null space of the arguments must leave the variables of all other terms alone.
    _, sizes, axes = np.linalg.svd(_jacobian(curved, variables))
    rank = int(np.count_nonzero(sizes > RANK * sizes.max(initial=0.0)))
    return curved if np.abs(axes[rank:, columns]).max(initial=0.0) < RANK else None


def _jacobian(parts: Summands, variables: list[cp.Variable]) -> Array:
    """The derivatives of affine expressions, a column for each entry of the variables."""
    zero = [(v, np.zeros(v.shape)) for v in variables]
    columns = [_stacked(parts, zero)]
    for k, variable in enumerate(variables):
        for unit in np.eye(variable.size):
            leaves = zero.copy()
            leaves[k] = variable, unit.reshape(variable.shape, order="F")
            columns.append(_stacked(parts, leaves))
    return (np.array(columns[1:]) - columns[0]).T


def _stacked(parts: Summands, leaves: Leaves) -> Array:
    return np.concatenate([np.ravel(evaluate(part, leaves)) for part in parts])


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
        # Higher powers are so flat at zero that an optimum says little about their argument.
        return None if _exponent(expression) > 2.0 else expression.args[0]
    if kind in (cp.quad_over_lin, cp.kl_div, cp.rel_entr):
        return expression.args[0] if _is_number(expression.args[1]) else None
    if kind is _QUADRATIC:
        point, form = expression.args
        return form @ point if _is_number(form) else None
    return None


def _exponent(power: cp.Expression) -> float:
    return float(np.asarray(power.p.value if hasattr(power.p, "value") else power.p))


def _is_number(expression: cp.Expression) -> bool:
    """Constant once and for all, not only until a parameter changes."""
    return bool(expression.is_constant()) and not expression.parameters()


# Curved terms in the size of what bounds them.
#
# A solver sees the square of x below t as a cone with the numbers x, t and one. Where t is 1e12,
# no unit suits all three; the square of x / 1e6 below t / 1e12 is the same and has numbers of one.

# Owners of locks and the powers of four that the terms they hold are about as large as.
Powers = tuple[tuple[str, int], ...]
# Powers are multiples of this: terms within a factor of 16 of one stay as they are.
_STEP = 4


def powers_of(subproblem: Subproblem, limits: Mapping[str, float]) -> Powers:
    """The sizes of held curved terms that are far from one, given the limits of their locks."""
    found = []
    for _, lock in single(subproblem.locks):
        size, owner = abs(limits[lock.owner_name]), lock.owner()
        if owner is None or owner.gp or not 0.0 < size < np.inf:
            continue
        power = _STEP * round(np.log2(size) / (2 * _STEP))
        if power and in_size(owner.objective.expr, power) is not None:
            found.append((lock.owner_name, power))
    return tuple(found)


def in_size(expression: cp.Expression, power: int) -> cp.Expression | None:
    """The same expression whose powers are of numbers that make them ``4**power`` times as small.

    None if it has no such terms.
    """
    if expression.is_affine():
        return None
    degree = _degree(expression)
    if degree is not None:
        point, *rest = expression.args
        root = round(2 * power / degree)
        return 2.0 ** (root * degree) * expression.copy([point / 2.0**root, *rest])
    parts = [in_size(part, power) for part in expression.args]
    if all(part is None for part in parts):
        return None
    return expression.copy(
        [old if new is None else new for old, new in zip(expression.args, parts, strict=True)]
    )


def _degree(expression: cp.Expression) -> float | None:
    """The degree of a power of its first argument alone; None if it is none, or the first."""
    kind = type(expression)
    if kind in (cp.quad_over_lin, _QUADRATIC):
        return 2.0 if _is_number(expression.args[1]) else None
    if not isinstance(expression, _POWERS):
        return None
    exponent = _exponent(expression)
    return None if exponent in (0.0, 1.0) else exponent


def in_own_size(subproblem: Subproblem, powers: Powers) -> Subproblem:
    """The subproblem with the powers in its locks written in the size of their limits."""
    return subproblem.memory.once(("own size", powers), lambda: _resized(subproblem, dict(powers)))


def _resized(subproblem: Subproblem, powers: Mapping[str, int]) -> Subproblem:
    constraints = list(subproblem.constraints)
    for position, lock in single(subproblem.locks):
        if lock.owner_name in powers:
            constraint = constraints[position]
            sides = [in_size(side, powers[lock.owner_name]) for side in constraint.args]
            given = zip(constraint.args, sides, strict=True)
            # With the same id its multiplier is read as that of the lock.
            constraints[position] = cp.constraints.Inequality(
                *(old if new is None else new for old, new in given), constr_id=constraint.id
            )
    return Subproblem(subproblem.name, cp.Problem(subproblem.objective, constraints))


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
