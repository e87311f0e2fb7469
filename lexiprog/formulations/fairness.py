"""Fairness: raise the smallest utility, then the second smallest, and so on.

Stages: the sum of the k smallest utilities is maximised for k = 1, 2, ..., each sum held. For
concave utilities over a convex set this is the leximin order, with integers too.

Reference: Ogryczak and Sliwinski, "On direct methods for lexicographic min-max optimization",
ICCSA 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cvxpy as cp

from lexiprog.aliases import Constraint, Expressions
from lexiprog.errors import DeclarationError
from lexiprog.formulations.levels import Level, stages_in_turn
from lexiprog.program import Program

__all__ = ["Leximax", "Leximin", "leximax", "leximin"]


@dataclass(frozen=True, init=False)
class Leximin:
    """A level that makes the smallest of several utilities as large as possible, and so on.

    Parameters
    ----------
    utilities : sequence or mapping of scalar concave CVXPY expressions

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive(
    ...     {"fair": lx.Leximin([x[0], x[1]]), "last": cp.Minimize(x[0])}, [cp.sum(x) <= 4])
    >>> list(program.subproblems)
    ['fair 1', 'fair 2', 'last']
    """

    parts: tuple[cp.Expression, ...]

    def __init__(self, utilities: Expressions) -> None:
        object.__setattr__(self, "parts", _scalars(utilities, type(self).__name__))

    def levels(self, name: str) -> list[Level]:
        """Objectives in order of priority."""
        stacked = cp.hstack(list(self.parts))
        count = len(self.parts)
        sums = [cp.sum_smallest(stacked, k) for k in range(1, count)] + [cp.sum(stacked)]
        return [(f"{name} {k}", cp.Maximize(part)) for k, part in enumerate(sums, 1)]


@dataclass(frozen=True, init=False)
class Leximax:
    """A level that makes the largest of several costs as small as possible, and so on.

    Parameters
    ----------
    costs : sequence or mapping of scalar convex CVXPY expressions

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive({"load": lx.Leximax([x[0], 2 * x[1]])}, [cp.sum(x) >= 3])
    >>> [round(float(v), 6) for v in program.solve().final[x]]
    [2.0, 1.0]
    """

    parts: tuple[cp.Expression, ...]

    def __init__(self, costs: Expressions) -> None:
        object.__setattr__(self, "parts", _scalars(costs, type(self).__name__))

    def levels(self, name: str) -> list[Level]:
        """Objectives in order of priority."""
        stacked = cp.hstack(list(self.parts))
        count = len(self.parts)
        sums = [cp.sum_largest(stacked, k) for k in range(1, count)] + [cp.sum(stacked)]
        return [(f"{name} {k}", cp.Minimize(part)) for k, part in enumerate(sums, 1)]


def leximin(utilities: Expressions, constraints: Sequence[Constraint] = ()) -> Program:
    """Program whose last stage is the leximin-fairest point.

    Parameters
    ----------
    utilities : sequence or mapping of scalar concave CVXPY expressions
    constraints : sequence of CVXPY constraints

    Returns
    -------
    Program
        Stages "smallest 1", "smallest 2", ...: the optimum of the k-th is the sum of the k
        smallest utilities.

    Examples
    --------
    Two heirs share three goods that they value differently.

    >>> import cvxpy as cp, lexiprog as lx
    >>> a = cp.Variable(3, bounds=[0, 1], name="a")
    >>> alice = 5 * a[0] + 3 * a[1]
    >>> george = 2 * (1 - a[0]) + 4 * (1 - a[1]) + 9 * (1 - a[2])
    >>> result = lx.leximin([alice, george]).solve()
    >>> [round(float(result.final.at(u)), 6) for u in (alice, george)]
    [8.0, 9.0]

    The nucleolus of a cooperative game is the leximin of what coalitions get beyond their worth.

    >>> worth = {(0,): -1, (1,): 0, (2,): 1, (0, 1): 3, (0, 2): 4, (1, 2): 2}
    >>> x = cp.Variable(3, name="x")
    >>> gains = [cp.sum(x[list(s)]) - v for s, v in worth.items()]
    >>> nucleolus = lx.leximin(gains, [cp.sum(x) == 5]).solve().final[x]
    >>> [round(float(v), 4) for v in nucleolus]
    [2.6667, 0.6667, 1.6667]
    """
    return Program(*stages_in_turn(Leximin(utilities).levels("smallest"), constraints))


def leximax(costs: Expressions, constraints: Sequence[Constraint] = ()) -> Program:
    """Program whose last stage is the leximax-fairest point: largest cost least, and so on.

    Parameters
    ----------
    costs : sequence or mapping of scalar convex CVXPY expressions
    constraints : sequence of CVXPY constraints

    Returns
    -------
    Program
        Stages "largest 1", "largest 2", ...: the optimum of the k-th is the sum of the k
        largest costs.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> result = lx.leximax([x[0], 2 * x[1]], [cp.sum(x) >= 3]).solve()
    >>> [round(float(v), 6) for v in result.final[x]]
    [2.0, 1.0]
    """
    return Program(*stages_in_turn(Leximax(costs).levels("largest"), constraints))


def _scalars(parts: Expressions, kind: str) -> tuple[cp.Expression, ...]:
    values = list(parts.values() if isinstance(parts, Mapping) else parts)
    if not values:
        raise DeclarationError(f"{kind} needs at least one expression.")
    out = []
    for position, part in enumerate(values):
        try:
            expression = part if isinstance(part, cp.Expression) else cp.Constant(part)
        except (TypeError, ValueError):
            raise DeclarationError(
                f"{kind}: expression {position} is no CVXPY expression, but {part!r}."
            ) from None
        if expression.size != 1:
            raise DeclarationError(
                f"{kind}: expression {position} has shape {expression.shape}, but must be a "
                "scalar; give the entries of a vector one by one."
            )
        out.append(cp.sum(expression) if expression.shape else expression)
    return tuple(out)
