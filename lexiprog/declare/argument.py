"""Hold a curved objective by its argument: where it is strictly convex, optima share it.

If f(x) = h(Ax) + c'x with h strictly convex, then Ax and c'x are the same at every optimum, so
fixing both is the same as fixing f, without the square-root loss of accuracy that a bound on a
curved function brings.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

# Elementwise and summed atoms that are strictly convex (or concave) in a non-constant argument.
_STRICT = ("exp", "log", "entr", "logistic", "log1p", "inv_pos")


def arguments(expression: Any) -> list[Any] | None:
    """Affine expressions that are equal at every optimum, or None if that is not known."""
    curved: list[Any] = []
    linear: list[Any] = []
    if not _collect(expression, curved, linear) or not curved:
        return None
    if linear:
        curved.append(cp.sum(cp.hstack([cp.sum(part) for part in linear])))
    return curved


def _collect(expression: Any, curved: list[Any], linear: list[Any]) -> bool:
    """Sort the terms of a sum; False if one of them is neither affine nor strictly curved."""
    if expression.is_constant():
        return True
    if expression.is_affine():
        linear.append(expression)
        return True
    kind = type(expression).__name__
    if kind in ("AddExpression", "Sum", "sum_"):
        return all(_collect(part, curved, linear) for part in expression.args)
    if kind == "NegExpression":
        inner: list[Any] = []
        held = _collect(expression.args[0], curved, inner)
        linear += [-part for part in inner]
        return held
    if kind in ("multiply", "MulExpression", "DivExpression"):
        return _collect_scaled(expression, kind, curved, linear)
    argument = _strict_argument(expression, kind)
    if argument is None or not argument.is_affine():
        return False
    curved.append(argument)
    return True


def _collect_scaled(expression: Any, kind: str, curved: list[Any], linear: list[Any]) -> bool:
    """A product with constants that are nowhere zero keeps strict curvature."""
    left, right = expression.args
    constant, other = (right, left) if right.is_constant() else (left, right)
    if not _is_number(constant) or constant.ndim > 1:
        return False
    factor = constant.value
    if not np.all(factor):
        return False
    inner: list[Any] = []
    held = _collect(other, curved, inner)
    if kind == "DivExpression":
        linear += [part / factor for part in inner]
    elif kind == "multiply" or constant.ndim == 0:
        linear += [cp.multiply(factor, part) for part in inner]
    else:
        linear += [factor @ part for part in inner]
    return held


def _strict_argument(expression: Any, kind: str) -> Any:
    """The argument in which the atom is strictly curved, if it is one of those known to be."""
    if kind in _STRICT:
        return expression.args[0]
    if kind.lower().startswith("power") and expression.args[0].is_affine():
        power = float(np.asarray(expression.p.value if hasattr(expression.p, "value")
                                 else expression.p))  # fmt: skip
        # Higher powers are so flat at zero that an optimum says little about their argument.
        return None if power in (0.0, 1.0) or power > 2.0 else expression.args[0]
    if kind == "quad_over_lin":
        return expression.args[0] if _is_number(expression.args[1]) else None
    if kind == "QuadForm":
        point, form = expression.args
        return form @ point if _is_number(form) else None
    return None


def _is_number(expression: Any) -> bool:
    """Constant once and for all, not only until a parameter changes."""
    return bool(expression.is_constant()) and not expression.parameters()
