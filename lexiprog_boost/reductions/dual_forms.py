"""Programs in dual form: T rows and bounded columns for n rows (fact F7, docs/facts.md)."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats, Mask
from lexiprog_boost.checks.values import solver_for
from lexiprog_boost.programs.dual_lexiboost import declare_dual_class
from lexiprog_boost.programs.inputs import Inputs, Linear
from lexiprog_boost.programs.soft_margin import PointLimits, declare_dual_soft_margin
from lexiprog_boost.programs.tie_breaks import weights_stage


def class_optimum_by_dual(
    inputs: Inputs, j: int, *, linear: Linear | None = None, solver: Any = None
) -> tuple[float, Floats]:
    """Return L_j and weights that attain it, the multipliers of the dual's rows.

    Use it for a margin target below 1: many points make columns, which cost little.

    Parameters
    ----------
    inputs : Inputs
        Of all points; those of class j are used.
    j : int
        Position of the class.
    linear : Linear, optional
        Losses of further points that stay below theta.
    solver : optional
        As for ``lexiprog.Program.solve``.

    Returns
    -------
    float, ndarray of shape (T,)

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_optimum_by_dual
    >>> inputs = check_inputs([[1, -1], [-1, 1], [1, 1]], ["a", "a", "b"], margin_target=0.5)
    >>> optimum, alpha = class_optimum_by_dual(inputs, 0)
    >>> round(optimum, 6), round(float(alpha.sum()), 6)
    (0.5, 1.0)
    """
    solution = declare_dual_class(inputs, j, "exact", linear).solve(solver).final
    return float(solution.value), np.array(solution.dual(0), dtype=np.float64)


# A1, A2 and A3 in dual form: T rows and box-bounded columns in place of n rows.
#
# The members' weights are the multipliers (fact F7, docs/facts.md). By complementary slackness
# alpha is optimal exactly if it weighs no member whose edge is below s, and if each point lies
# where its weight says: at the margin r between the bounds of D_i, at r or beyond on the lower
# one, at r or short of it on the upper one.

# Of the point weights' mean and of the margins' scale, so much is rounding.
NOISE = 1e-7


def weights_by_dual_form(
    margins: Floats, limits: PointLimits, *, smallest: bool, solver: Any = None
) -> tuple[Floats, float, lx.Program, lx.Result]:
    """Return optimal alpha, the margin r, and the dual program with its result.

    Parameters
    ----------
    margins : ndarray of shape (n, T)
        Margin of every member on every point.
    limits : PointLimits
        Of the n points, all of positive weight.
    smallest : bool
        Of all optimal alpha, look for the one of smallest norm.
    solver : optional
        As for ``lexiprog.Program.solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.programs.soft_margin import point_limits
    >>> from lexiprog_boost.reductions.dual_forms import weights_by_dual_form
    >>> votes = np.array([[-1.0, 1.0, 1.0], [1.0, -1.0, -1.0]])
    >>> alpha, r, _, _ = weights_by_dual_form(votes, point_limits(2), smallest=True)
    >>> alpha.round(6).tolist()
    [0.5, 0.25, 0.25]
    """
    program = declare_dual_soft_margin(margins, limits)
    result = program.solve(solver_for(program, solver))
    dual = result["edge"]
    alpha, r = np.array(dual.dual(0), dtype=np.float64), -float(dual.dual(1))
    if smallest:
        D = np.array(dual["D"])
        tight = dual.value - NOISE < margins.T @ D
        noise = NOISE / len(D)
        low = limits.lower + noise >= D
        # Without a cap, the bound of one on D is there for the solver only.
        high = (limits.upper - noise <= D) & (limits.cap is not None)
        if not _is_unique(margins, tight, ~low & ~high):
            alpha, r = _smallest(margins, tight, low, high, (alpha, r), solver)
    return alpha, r, program, result


def _is_unique(margins: Floats, tight: Mask, between: Mask) -> bool:
    """Whether the points at r and the sum of the weights leave one alpha and one r."""
    rows = margins[np.ix_(between, tight)]
    system = np.vstack([np.column_stack([rows, -np.ones(len(rows))]), [1.0] * rows.shape[1] + [0]])
    return bool(np.linalg.matrix_rank(system, tol=NOISE) == system.shape[1])


def _smallest(
    margins: Floats,
    tight: Mask,
    low: Mask,
    high: Mask,
    fallback: tuple[Floats, float],
    solver: Any,
) -> tuple[Floats, float]:
    alpha = cp.Variable(int(tight.sum()), bounds=[0.0, 1.0], name="alpha")
    r = cp.Variable(name="r")
    between = ~low & ~high
    parts = [
        margins[np.ix_(points, tight)] @ alpha - r if points.any() else None
        for points in (between, low & ~high, high & ~low)
    ]
    at, beyond, short = parts
    constraints = [cp.sum(alpha) == 1]
    constraints += [at == 0] if at is not None else []
    constraints += [beyond >= 0] if beyond is not None else []
    constraints += [short <= 0] if short is not None else []
    goal = cp.Minimize(cp.sum_squares(alpha))
    program = lx.Program(weights_stage("smallest", goal, constraints))
    try:
        optimum = program.solve(solver_for(program, solver)).final
    except lx.StageError:
        # The multipliers are optimal too, if not the smallest.
        return fallback
    weights = np.zeros(len(tight))
    weights[tight] = optimum["alpha"]
    return weights, float(optimum["r"])
