"""Which constraint lets something through where a whole number is not quite whole."""

from __future__ import annotations

from collections.abc import Sequence

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Leaf, Value
from lexiprog.declare.leaves import holding
from lexiprog.declare.subproblem import Subproblem
from lexiprog.declare.text import written

__all__ = ["about_leak"]

# What counts as whole to a solver, and what is too little to speak of.
NEARLY, NOTHING = 1e-4, 1e-7
# Factors below this are no reason for a leak.
LARGE = 1e4


def about_leak(
    subproblem: Subproblem,
    found: Sequence[tuple[cp.Variable, Value]],
    constants: Sequence[tuple[Leaf, Value]],
) -> str:
    """A sentence about the big M of a point, as its solver left it; empty if none leaks.

    Parameters
    ----------
    subproblem : Subproblem
        With integers.
    found, constants : sequences of (leaf, value)
        The point, not rounded, and the values of all parameters.
    """
    if not subproblem.constraints:
        return ""
    near = [(v, np.round(value) if _is_whole(v) else value) for v, value in found]
    off = max((_apart(a, b) for (_, a), (_, b) in zip(found, near, strict=True)), default=0.0)
    if not 0.0 < off <= NEARLY:
        return ""
    misses = [_misses(subproblem.constraints, [*point, *constants]) for point in (found, near)]
    grown = misses[1] - misses[0]
    worst = int(np.argmax(grown))
    constraint, amount = subproblem.constraints[worst], float(grown[worst])
    sides = [
        (v, _apart(a, b))
        for (v, a), (_, b) in zip(found, near, strict=True)
        if any(v.id == other.id for other in constraint.variables())
    ]
    variable, fraction = max(sides, key=lambda side: side[1], default=(None, 0.0))
    if variable is None or not (fraction > 0.0 and amount > NOTHING and amount > LARGE * fraction):
        return ""
    return (
        f"{written(constraint)} lets {amount:.3g} through while {variable.name()} is "
        f"{fraction:.0e} away from a whole number: its M of about {amount / fraction:.0e} is too "
        "large. Give a smaller one, or bounds from which a smaller one follows"
    )


def _is_whole(variable: cp.Variable) -> bool:
    return bool(variable.attributes["integer"] or variable.attributes["boolean"])


def _apart(one: Value, other: Value) -> float:
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0.0))


def _misses(constraints: Sequence[Constraint], leaves: Sequence[tuple[Leaf, Value]]) -> np.ndarray:
    with holding(leaves):
        return np.array([float(np.max(c.violation(), initial=0.0)) for c in constraints])
