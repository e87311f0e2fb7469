"""LexiBoost's programs: P_j, each class's least hinge loss; Q, the least worst deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.checks.values import check_optima
from lexiprog_boost.programs.inputs import Inputs, Linear, check_inputs, weight_variable


def lexiboost_program(
    margins: Any,
    y: Any,
    *,
    class_costs: Any = None,
    sample_weight: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
) -> lx.Program:
    """Declare both stages of LexiBoost, one hinge loss a point, as the paper states them.

    Stage "classes" holds P_j for every class j::

        minimise    sum_{i in j} w_i losses_i                       (optimum: L_j)
        subject to  theta - (M alpha)_i <= losses_i,  losses >= 0,  sum alpha = 1,
                    0 <= alpha <= cap

    and stage "balance" holds Q::

        minimise    chi
        subject to  cost_j (sum_{i in j} w_i losses_i - L_j) <= chi   for every class j,
                    and the same constraints for all points.

    chi is free: its sign tells a deviation below the class optima, which only other optima than
    those of "classes" allow (fact F10, docs/facts.md); the paper's chi is max(0, chi). Use it to
    read and change LexiBoost; `lexicographic_weights` solves smaller programs with its optima.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    class_costs : mapping or sequence, optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 each by default.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes; w_i is their share of the class.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.

    Returns
    -------
    lexiprog.Program
        Subproblems ``class:<label>`` with variables "alpha" and "losses"; subproblem "balance"
        with variables "alpha", "losses", "chi" and "deviations" (the left sides of its first
        constraint, costs included).

    Examples
    --------
    The first member is right on all but one of the many, the second on the rare ones:

    >>> from lexiprog_boost.programs import lexiboost_program
    >>> margins = [[1, -1], [1, -1], [1, 1], [-1, 1], [-1, 1]]
    >>> y = ["many", "many", "many", "rare", "rare"]
    >>> result = lexiboost_program(margins, y).solve()
    >>> {name: round(solution.value, 6) for name, solution in result.items()}
    {'class:many': 0.0, 'class:rare': 0.0, 'balance': 0.8}
    >>> result["balance"]["alpha"].round(6).tolist()
    [0.4, 0.6]

    A solver for each stage, and a rare class that matters twice as much:

    >>> program = lexiboost_program(margins, y, class_costs={"rare": 2, "many": 1})
    >>> result = program.solve({"classes": "HIGHS", "balance": "CLARABEL"})
    >>> result["balance"]["alpha"].round(6).tolist()
    [0.25, 0.75]
    """
    return declare_lexiboost(
        check_inputs(
            margins, y, class_costs=class_costs, sample_weight=sample_weight,
            margin_target=margin_target, weight_cap=weight_cap,
        )
    )  # fmt: skip


def declare_lexiboost(inputs: Inputs) -> lx.Program:
    """P_j and Q from checked inputs."""
    ideals = [_class_subproblem(inputs, j) for j in range(len(inputs.classes))]
    optima = cp.hstack([ideal.optimum for ideal in ideals])
    return lx.Program(lx.Stage("classes", *ideals), _balance_stage(inputs, optima))


def declare_balance(
    inputs: Inputs, optima: Any, linear: Linear | None = None, cuts: Sequence[Linear] = ()
) -> lx.Program:
    """Q alone, the class optima being constants; no loss is below any of the cuts."""
    return lx.Program(_balance_stage(inputs, check_optima(optima, inputs.classes), linear, cuts))


def _class_subproblem(inputs: Inputs, j: int) -> lx.Subproblem:
    mine = np.flatnonzero(inputs.codes == j)
    alpha = weight_variable(inputs)
    losses = cp.Variable(len(mine), nonneg=True, name="losses")
    constraints = [inputs.target - inputs.margins[mine] @ alpha <= losses, cp.sum(alpha) == 1]
    return lx.Subproblem(
        f"class:{inputs.classes[j]}", cp.Minimize(inputs.weights[mine] @ losses), constraints
    )


def _balance_stage(
    inputs: Inputs, optima: Any, linear: Linear | None = None, cuts: Sequence[Linear] = ()
) -> lx.Stage:
    alpha, chi = weight_variable(inputs), cp.Variable(name="chi")
    loss, constraints = 0.0, [cp.sum(alpha) == 1]
    if len(inputs.codes):
        losses = cp.Variable(len(inputs.codes), nonneg=True, name="losses")
        loss = inputs.averaging @ losses
        constraints.insert(0, inputs.target - inputs.margins @ alpha <= losses)
    if linear is not None:
        loss = loss + linear.constants - linear.slopes @ alpha
    # A variable of their own, so that later stages can name them without a reference.
    deviations = cp.Variable(len(inputs.classes), name="deviations")
    own = cp.multiply(inputs.costs, loss - optima)
    constraints.append(deviations >= own if cuts else deviations == own)
    if cuts:
        constants = np.concatenate([inputs.costs * (cut.constants - optima) for cut in cuts])
        slopes = np.vstack([inputs.costs[:, None] * cut.slopes for cut in cuts])
        each = cp.hstack([deviations] * len(cuts))
        constraints.append(each >= constants - slopes @ alpha)
    constraints.insert(0, deviations <= chi)
    return lx.Stage("balance", lx.Subproblem("balance", cp.Minimize(chi), constraints))


# The matrix game between the classes that Q becomes when no point reaches the margin target.


def game_program(inputs: Inputs, optima: Any) -> lx.Program:
    """Declare Q on the class means of the margins: T + 1 variables and C rows.

    Where no margin exceeds theta, the hinge is active everywhere (fact F1, docs/facts.md): use it
    there, whatever the number of points. Q is::

        minimise    chi
        subject to  cost_j (theta - m_j . alpha - L_j) <= chi   for every class j,
                    sum alpha = 1,  0 <= alpha <= cap

    Parameters
    ----------
    inputs : Inputs
        With one row a class, its mean margins m_j.
    optima : mapping or sequence
        L_j of every class, by label or in order.

    Returns
    -------
    lexiprog.Program
        One stage "balance" with a subproblem of the same name, variables "alpha", "chi"
        and "deviations".

    Examples
    --------
    The means of the example of `lexiboost_program`:

    >>> from lexiprog_boost.programs import check_inputs, game_program
    >>> means = check_inputs([[1, -1 / 3], [-1, 1]], ["many", "rare"])
    >>> game_program(means, [0, 0]).solve().final["alpha"].round(6).tolist()
    [0.4, 0.6]
    """
    if not np.array_equal(inputs.codes, np.arange(len(inputs.classes))):
        raise ValueError("the game is declared on class means: give one row a class, in order.")
    none = np.zeros(0, dtype=np.intp)
    ones = np.ones(len(inputs.classes))
    linear = Linear(inputs.target * ones, inputs.margins)
    hinges = replace(inputs, margins=inputs.margins[none], codes=none, weights=ones[none])
    return declare_balance(hinges, optima, linear)
