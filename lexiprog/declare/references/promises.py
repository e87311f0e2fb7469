"""What a placeholder may promise of its value: sign and structure, for CVXPY's rules."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint
from lexiprog.declare.leaves import dense
from lexiprog.errors import DeclarationError

_STRUCTURE = ("PSD", "NSD", "symmetric", "hermitian", "diag")


def sign_of(expression: cp.Expression) -> dict[str, bool]:
    """Sign as a parameter attribute, from DCP analysis or from variable bounds."""
    if expression.is_complex():
        return {"complex": True}
    if expression.is_nonneg():
        return {"nonneg": True}
    if expression.is_nonpos():
        return {"nonpos": True}
    try:
        # Zero times infinity may end as a bound of zero in CVXPY's intervals: better none.
        with np.errstate(all="raise"):
            lower, upper = expression.get_bounds()
    except (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError):
        return {}
    if lower is not None and np.all(np.asarray(dense(lower)) >= 0):
        return {"nonneg": True}
    if upper is not None and np.all(np.asarray(dense(upper)) <= 0):
        return {"nonpos": True}
    return {}


def attributes_of(expression: cp.Expression, *, gp: bool) -> dict[str, bool]:
    """Sign and structure that a placeholder for ``expression`` may promise."""
    sign = sign_of(expression)
    if gp and "nonneg" in sign:
        return {"pos": True}
    shape = expression.shape
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2:
        return sign
    if isinstance(expression, cp.Variable):
        structure = next((n for n in _STRUCTURE if expression.attributes.get(n)), None)
    elif expression.is_complex():
        structure = "hermitian" if expression.is_hermitian() else None
    else:
        tests = {"PSD": expression.is_psd, "NSD": expression.is_nsd,
                 "symmetric": expression.is_symmetric}  # fmt: skip
        structure = next((name for name, holds in tests.items() if holds()), None)
    if structure is None:
        return sign
    # CVXPY takes hermitian alone; a sign beside the other structures stays useful for DCP.
    return {"hermitian": True} if structure == "hermitian" else sign | {structure: True}


def is_whole(expression: cp.Expression) -> bool:
    """Whether the expression is an integer or boolean variable."""
    return isinstance(expression, cp.Variable) and bool(
        expression.attributes.get("integer") or expression.attributes.get("boolean")
    )


def dual_attributes(constraint: Constraint, where: str) -> dict[str, bool]:
    """Sign and structure of a constraint's multiplier, or a refusal if it is no single array."""
    kinds = cp.constraints
    if isinstance(constraint, kinds.Inequality | kinds.NonNeg | kinds.NonPos):
        return {"nonneg": True}
    if isinstance(constraint, kinds.Equality | kinds.Zero):
        return {}
    if isinstance(constraint, kinds.PSD):
        return {"PSD": True}
    raise DeclarationError(
        f"{where}: the multiplier of a {type(constraint).__name__} constraint is a list of arrays, "
        "not one; write the constraint as an inequality (cp.norm(x) <= t, cp.exp(x) <= t) to refer "
        "to its dual."
    )
