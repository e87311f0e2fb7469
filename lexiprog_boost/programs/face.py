"""The optimal face of a solved linear subproblem, as equations for a later stage.

By complementary slackness a feasible point is optimal exactly if every row and every bound with a
non-zero multiplier is met with equality. Written as equations, that needs no slack: a quadratic
stage that holds them is accurate where one that bounds the objective by its optimum is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import lexiprog as lx

Floats = NDArray[np.float64]

# Multipliers below this share of the terms that they balance are rounding.
NOISE = 1e-9
# The same where all terms are rounding; our objectives have coefficients of about one.
FLOOR = 1e-12
# Beyond this many columns it is quicker to look for a smaller optimum than for its uniqueness.
LARGEST = 1000


@dataclass(frozen=True)
class OptimalFace:
    """The optima of a linear subproblem among its feasible points.

    Attributes
    ----------
    equations : tuple of cvxpy constraints
        All optima meet them, and no other feasible point; to be added to the constraints.
    is_point : bool
        Whether they are known to leave one point: the optimum is then unique.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog_boost.programs import optimal_face
    >>> x = cp.Variable(2, bounds=[0, 1], name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x[0] + 2 * x[1]), [cp.sum(x) == 1])
    >>> optimal_face(low, lx.Program(lx.Stage("only", low)).solve()["low"]).is_point
    True
    """

    equations: tuple[Any, ...]
    is_point: bool


def optimal_face(subproblem: lx.Subproblem, solution: lx.Solution) -> OptimalFace:
    """Find the equations that tell the optima of a linear subproblem from other feasible points.

    Parameters
    ----------
    subproblem : lexiprog.Subproblem
        Linear; its variables hold the values of `solution`, as they do after ``solve``.
    solution : lexiprog.Solution
        Its optimum with multipliers, from a simplex or an interior-point solver.

    Returns
    -------
    OptimalFace

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog_boost.programs import optimal_face
    >>> x = cp.Variable(3, bounds=[0, 1], name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x[0] + x[1] + 2 * x[2]), [cp.sum(x) == 1])
    >>> face = optimal_face(low, lx.Program(lx.Stage("only", low)).solve()["low"])
    >>> [str(equation) for equation in face.equations], face.is_point
    (['x[2] == [0.]'], False)
    """
    matrix, multipliers, slacks = _rows(subproblem, solution)
    costs = _jacobian(subproblem.objective.expr, subproblem.variables).toarray().reshape(-1)
    costs = -costs if subproblem.maximise else costs
    terms = np.abs(costs) + abs(matrix).T @ np.abs(multipliers)
    reduced = costs + matrix.T @ multipliers
    tight = _tight(matrix, multipliers, slacks, terms)
    bounds = _bounds(subproblem.variables, reduced > 0)
    point = np.concatenate([np.ravel(solution[v], order="F") for v in subproblem.variables])
    share = np.abs(np.divide(reduced, terms, out=np.zeros_like(terms), where=terms > 0))
    fixed = (share > NOISE) & np.isfinite(bounds) & (np.abs(reduced) > np.abs(point - bounds))
    fixed &= np.abs(reduced) > FLOOR

    equations = []
    for constraint, rows in _parts(subproblem.constraints, tight, lambda c: c.expr.size):
        if len(rows) and not isinstance(constraint, cp.constraints.Equality):
            whole = len(rows) == constraint.expr.size
            equations.append((constraint.expr if whole else constraint.expr[rows]) == 0)
    start = 0
    for variable, columns in _parts(subproblem.variables, fixed, lambda v: v.size):
        if len(columns):
            part = variable if not variable.shape else variable[columns]
            equations.append(part == bounds[start + columns])
        start += variable.size
    met = tight | (np.repeat(_are_equations(subproblem), _sizes(subproblem)))
    return OptimalFace(tuple(equations), _leaves_one_point(matrix[np.flatnonzero(met)], ~fixed))


def _leaves_one_point(rows: sp.csr_array, free: NDArray[np.bool_]) -> bool:
    """Whether the equations determine all columns that are not fixed."""
    columns = np.flatnonzero(free)
    if len(columns) > min(rows.shape[0], LARGEST):
        return False
    table = rows[:, columns].toarray()
    sizes = np.abs(table).max(axis=1, keepdims=True, initial=0.0)
    table = table / np.where(sizes > 0, sizes, 1.0)
    return bool(np.linalg.matrix_rank(table, tol=1e-7) == len(columns))


def _parts(
    owners: Sequence[Any], chosen: NDArray[np.bool_], size: Callable[[Any], int]
) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """Each owner of some positions, with those of its own positions that are chosen."""
    start = 0
    for owner in owners:
        yield owner, np.flatnonzero(chosen[start : start + size(owner)])
        start += size(owner)


def _sizes(subproblem: lx.Subproblem) -> list[int]:
    return [constraint.expr.size for constraint in subproblem.constraints]


def _are_equations(subproblem: lx.Subproblem) -> list[bool]:
    return [isinstance(c, cp.constraints.Equality) for c in subproblem.constraints]


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


def _tight(
    matrix: sp.csr_array, multipliers: Floats, slacks: Floats, terms: Floats
) -> NDArray[np.bool_]:
    scale = np.divide(1.0, terms, out=np.zeros_like(terms), where=terms > 0)
    heights = abs(matrix) @ sp.diags_array(scale)
    shares = np.abs(multipliers) * heights.max(axis=1).toarray().reshape(-1)
    # An interior point leaves both a little above zero: the larger of the two is the real one.
    return (shares > NOISE) & (np.abs(multipliers) > slacks) & (np.abs(multipliers) > FLOOR)


def _bounds(variables: Sequence[Any], lower: NDArray[np.bool_]) -> Floats:
    """The bound that each column leans on: the lower one where `lower`."""
    pairs = [
        [np.broadcast_to(bound, v.shape).ravel(order="F") for bound in v.get_bounds()]
        for v in variables
    ]
    low, high = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return np.where(lower, low, high)
