"""Fairness: raise the smallest utility, then the next; or make the worst regret small.

`leximin` and `leximax` declare one stage with one subproblem, which the engine solves level by
level. `minimax_regret` is a compromise with two stages: "ideal" with every objective by itself;
"regret", which minimises the largest scaled distance to an ideal; with ``refine`` it goes on to
the second largest, level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Fairness, Leximax, Leximin, Pricing
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.typing import Constraint, Expressions, Objective


def leximin(
    utilities: Expressions,
    constraints: Sequence[Constraint] = (),
    *,
    pricing: Pricing | None = None,
) -> Program:
    """Program that finds the leximin-fairest point.

    Use it where goods are to be shared: first the worst off counts, then the next, and so on.

    Parameters
    ----------
    utilities : sequence or mapping of scalar concave CVXPY expressions, or one vector of them
    constraints : sequence of CVXPY constraints
    pricing : callable, optional
        Finds the fairest lottery over more choices than can be listed: panels, paths, schedules. A
        choice is a column, what everyone gets from it; ``utilities`` are then numbers, what
        everyone has anyway, and there are no constraints. ``pricing(prices)`` gets a price for each
        utility, none negative, and returns the columns that are worth most (an array with a row
        for each) and a bound that ``prices @ column`` of no column exceeds. A level ends when the
        bound proves that no column can raise it. ``solution.lottery`` has the columns and weights.

    Returns
    -------
    Program
        One stage and subproblem "leximin". Its solution's ``levels`` are pairs of a value and the
        names of all who are settled there, from the lowest up; its ``value`` is the first of them.

    Examples
    --------
    Two heirs share three goods that they value differently.

    >>> import cvxpy as cp, lexiprog as lx
    >>> a = cp.Variable(3, bounds=[0, 1], name="a")
    >>> alice = 5 * a[0] + 3 * a[1]
    >>> george = 2 * (1 - a[0]) + 4 * (1 - a[1]) + 9 * (1 - a[2])
    >>> fair = lx.leximin({"Alice": alice, "George": george}).solve().final
    >>> [(round(value, 6), names) for value, names in fair.levels]
    [(8.0, ('Alice',)), (9.0, ('George',))]

    The nucleolus of a cooperative game is the leximin of what coalitions get beyond their worth.

    >>> worth = {(0,): -1, (1,): 0, (2,): 1, (0, 1): 3, (0, 2): 4, (1, 2): 2}
    >>> x = cp.Variable(3, name="x")
    >>> gains = [cp.sum(x[list(s)]) - v for s, v in worth.items()]
    >>> nucleolus = lx.leximin(gains, [cp.sum(x) == 5]).solve().final[x]
    >>> [round(float(v), 4) for v in nucleolus]
    [2.6667, 0.6667, 1.6667]

    Three sit on a panel of two, but Ann and Bob never together: a lottery over panels, each found
    by an integer program that is itself a subproblem.

    >>> seat = cp.Variable(3, boolean=True, name="seat")
    >>> prices = cp.Parameter(3, nonneg=True, name="prices")
    >>> rules = [cp.sum(seat) == 2, seat[0] + seat[1] <= 1]
    >>> panel = lx.Subproblem("panel", cp.Maximize(prices @ seat), rules)
    >>> best = lx.Program(lx.Stage("panel", panel))
    >>> def oracle(at):
    ...     prices.value = at
    ...     found = best.solve().final
    ...     return [found[seat]], found.bound
    >>> fair = lx.leximin({"Ann": 0, "Bob": 0, "Cid": 0}, pricing=oracle).solve().final
    >>> [(round(value, 6), names) for value, names in fair.levels]
    [(0.5, ('Ann', 'Bob')), (1.0, ('Cid',))]
    """
    if pricing is not None and constraints:
        raise DeclarationError(
            "leximin: a lottery has no constraints of its own: the rules of its columns belong to "
            "the pricing oracle."
        )
    return _program(Leximin(utilities, pricing), constraints)


def leximax(costs: Expressions, constraints: Sequence[Constraint] = ()) -> Program:
    """Program that finds the leximax-fairest point: largest cost least, and so on.

    Use it where burdens are to be shared: first the worst off counts, then the next.

    Parameters
    ----------
    costs : sequence or mapping of scalar convex CVXPY expressions, or one vector of them
    constraints : sequence of CVXPY constraints

    Returns
    -------
    Program
        One stage and subproblem "leximax", with levels from the highest down.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> result = lx.leximax([x[0], 2 * x[1]], [cp.sum(x) >= 3]).solve()
    >>> [round(float(v), 6) for v in result.final[x]]
    [2.0, 1.0]
    """
    return _program(Leximax(costs), constraints)


def _program(fair: Fairness, constraints: Sequence[Constraint]) -> Program:
    return Program(Stage(fair.kind, Subproblem(fair.kind, fair, constraints)))


def minimax_regret(
    objectives: Mapping[str, Objective],
    constraints: Sequence[Constraint] = (),
    *,
    scales: Mapping[str, float] | None = None,
    refine: bool = False,
) -> Program:
    """Program that finds the point whose worst regret is least.

    Use it for one decision under several scenarios of which none has a probability.

    Parameters
    ----------
    objectives : mapping
        Name to ``cp.Minimize`` or ``cp.Maximize``.
    constraints : sequence of CVXPY constraints
    scales : mapping, optional
        Factor of each regret, 1 by default.
    refine : bool
        Go on to the second largest regret and so on, so that no regret is larger than it must:
        "regret" is then a leximax, whose levels name the objectives.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, bounds=[0, 10], name="x")
    >>> demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    >>> program = lx.minimax_regret(
    ...     {"cost": cp.Minimize(3 * x[0] + x[1]), "fumes": cp.Minimize(x[0] + 4 * x[1])}, demand)
    >>> round(program.solve().final.value, 6)
    4.571429
    """
    if not isinstance(objectives, Mapping) or not objectives:
        raise DeclarationError(
            f"minimax_regret takes a mapping from names to objectives, not {objectives!r}."
        )
    scales = {} if scales is None else dict(scales)
    for name, scale in scales.items():
        if name not in objectives:
            raise DeclarationError(
                f"scales names {name!r}, which is no objective; "
                f"there are {there_are(objectives, name)}"
            )
        if not isinstance(scale, int | float | np.number) or not 0 < scale < np.inf:
            raise DeclarationError(f"the scale of {name!r} must be positive, not {scale!r}.")
    ideals = [Subproblem(name, objective, constraints) for name, objective in objectives.items()]
    regrets = [
        scales.get(p.name, 1.0)
        * (p.optimum - p.objective.expr if p.maximise else p.objective.expr - p.optimum)
        for p in ideals
    ]
    worst = Leximax(dict(zip(objectives, regrets, strict=True)))
    last = Subproblem("regret", worst if refine else worst.objective, constraints)
    return Program(Stage("ideal", *ideals), Stage("regret", last))
