"""The optimal face of a solved linear subproblem, as equations for a later stage.

By complementary slackness a feasible point is optimal exactly if every row and every bound with a
non-zero multiplier is met with equality. Written as equations, that needs no slack: a quadratic
stage that holds them is accurate where one that bounds the objective by its optimum is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import lexiprog as lx

Floats = NDArray[np.float64]

# Multipliers below this share of the terms that they balance are rounding.
NOISE = 1e-9


def optimal_face(subproblem: lx.Subproblem, solution: lx.Solution) -> list[Any]:
    """Return equations that all optima of a linear subproblem meet, and no other feasible point.

    Parameters
    ----------
    subproblem : lexiprog.Subproblem
        Linear; its variables hold the values of `solution`, as they do after ``solve``.
    solution : lexiprog.Solution
        Its optimum with multipliers, from a simplex or an interior-point solver.

    Returns
    -------
    list of cvxpy constraints
        To be added to those of the subproblem.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog_boost.programs import optimal_face
    >>> x = cp.Variable(3, bounds=[0, 1], name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x[0] + x[1] + 2 * x[2]), [cp.sum(x) == 1])
    >>> result = lx.Program(lx.Stage("only", low)).solve()
    >>> [str(equation) for equation in optimal_face(low, result["low"])]
    ['x[2] == [0.]']
    """
    matrix, multipliers, slacks = _rows(subproblem, solution)
    costs = _column(subproblem.objective.expr, subproblem.variables)
    costs = -costs if subproblem.maximise else costs
    terms = np.abs(costs) + abs(matrix).T @ np.abs(multipliers)
    reduced = costs + matrix.T @ multipliers
    return _tight_rows(subproblem, matrix, multipliers, slacks, terms) + _fixed_columns(
        subproblem, solution, reduced, terms
    )


def _rows(subproblem: lx.Subproblem, solution: lx.Solution) -> tuple[sp.csr_array, Floats, Floats]:
    """All constraints as one matrix over all variables, with multiplier and slack of each row."""
    blocks, multipliers, slacks = [], [], []
    for position, constraint in enumerate(subproblem.constraints):
        blocks.append(_jacobian(constraint.expr, subproblem.variables))
        multipliers.append(np.ravel(solution.dual(position), order="F"))
        slacks.append(np.abs(np.ravel(solution.at(constraint.expr), order="F")))
    return sp.vstack(blocks, format="csr"), np.concatenate(multipliers), np.concatenate(slacks)


def _jacobian(expression: Any, variables: Sequence[Any]) -> sp.csr_array:
    slopes = expression.grad
    parts = [
        sp.csr_array(np.atleast_2d(slopes[v]) if np.isscalar(slopes[v]) else slopes[v]).T
        if v in slopes
        else sp.csr_array((expression.size, v.size))
        for v in variables
    ]
    return sp.hstack(parts, format="csr")


def _column(expression: Any, variables: Sequence[Any]) -> Floats:
    return _jacobian(expression, variables).toarray().reshape(-1)


def _tight_rows(
    subproblem: lx.Subproblem,
    matrix: sp.csr_array,
    multipliers: Floats,
    slacks: Floats,
    terms: Floats,
) -> list[Any]:
    scale = np.divide(1.0, terms, out=np.zeros_like(terms), where=terms > 0)
    heights = abs(matrix) @ sp.diags_array(scale)
    shares = np.abs(multipliers) * heights.max(axis=1).toarray().reshape(-1)
    # An interior point leaves both a little above zero: the larger of the two is the real one.
    tight = (shares > NOISE) & (shares > slacks)
    equations, start = [], 0
    for constraint in subproblem.constraints:
        size = constraint.expr.size
        rows = np.flatnonzero(tight[start : start + size])
        start += size
        if len(rows) and not isinstance(constraint, cp.constraints.Equality):
            whole = len(rows) == size
            equations.append((constraint.expr if whole else constraint.expr[rows]) == 0)
    return equations


def _fixed_columns(
    subproblem: lx.Subproblem, solution: lx.Solution, reduced: Floats, terms: Floats
) -> list[Any]:
    equations, start = [], 0
    for variable in subproblem.variables:
        columns = slice(start, start + variable.size)
        start += variable.size
        lower, upper = (np.broadcast_to(b, variable.shape).ravel() for b in variable.get_bounds())
        share = np.divide(
            reduced[columns], terms[columns], out=np.zeros(variable.size), where=terms[columns] > 0
        )
        bound = np.where(share > 0, lower, upper)
        distance = np.abs(np.ravel(solution[variable]) - bound)
        fixed = np.flatnonzero(
            (np.abs(share) > NOISE) & np.isfinite(bound) & (np.abs(share) > distance)
        )
        if len(fixed):
            equations.append(variable[fixed] == bound[fixed])
    return equations
