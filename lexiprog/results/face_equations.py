"""The optimal face of a solved linear subproblem, as equations for a later stage.

Written as equations, optimality needs no slack: a quadratic stage that holds them is accurate
where one that bounds the objective by its optimum is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.multipliers import Sizes, binding
from lexiprog.errors import DeclarationError
from lexiprog.model.expressions import holding
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.solution import Solution
from lexiprog.tolerances import FACE_RANK
from lexiprog.typing import Array, Constraint, Mask, Matrix

Owner = TypeVar("Owner")  # of rows or columns

# Beyond this many columns it is quicker to look for another optimum than for uniqueness.
LARGEST = 1000


@dataclass(frozen=True)
class OptimalFace:
    """The optima of a linear subproblem among its feasible points.

    Use it to state "among all optima" in a model of another tool.

    Attributes
    ----------
    equations : tuple of cvxpy constraints
        All optima meet them, and no other feasible point; to be added to the constraints.
    is_point : bool
        Whether they are known to leave one point: the optimum is then unique.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, bounds=[0, 1], name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x[0] + 2 * x[1]), [cp.sum(x) == 1])
    >>> lx.optimal_face(low, lx.Program(lx.Stage("only", low)).solve()["low"]).is_point
    True
    """

    equations: tuple[Constraint, ...]
    is_point: bool


def optimal_face(subproblem: Subproblem, solution: Solution) -> OptimalFace:
    """Find the equations that tell the optima of a linear subproblem from other feasible points.

    Use it to choose among the optima of a linear program by a curved objective: a stage with the
    subproblem's constraints and these equations needs no lock.

    Parameters
    ----------
    subproblem : Subproblem
        Linear, without integers.
    solution : Solution
        Its optimum with multipliers, from a simplex or an interior-point solver.

    Returns
    -------
    OptimalFace
        Constraints for a later stage, and whether they leave one point only.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(3, bounds=[0, 1], name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x[0] + x[1] + 2 * x[2]), [cp.sum(x) == 1])
    >>> face = lx.optimal_face(low, lx.Program(lx.Stage("only", low)).solve()["low"])
    >>> [str(equation) for equation in face.equations], face.is_point
    (['x[2] == [0.]'], False)
    """
    if subproblem.kind != "LP":
        raise DeclarationError(
            f"optimal_face: subproblem {subproblem.name!r} is of class {subproblem.kind}; only "
            "linear programs without integers have an optimal face given by equations."
        )
    matrix, multipliers, slacks = _rows(subproblem, solution)
    costs = _jacobian(subproblem.objective.expr, subproblem.variables, solution)
    costs = costs.toarray().reshape(-1) * (-1.0 if subproblem.maximise else 1.0)
    found = binding(costs, matrix, multipliers, Sizes(matrix))
    bounds = _bounds(subproblem.variables, found.reduced > 0)
    point = np.concatenate([np.ravel(solution[v], order="F") for v in subproblem.variables])
    # An interior point leaves both the slack of a row and its multiplier a little above zero: the
    # larger of the two is the real one. So it is with reduced cost and distance to the bound.
    rows = found.rows & (np.abs(found.y) > slacks)
    fixed = found.columns & np.isfinite(bounds) & (np.abs(found.reduced) > np.abs(point - bounds))
    equations = [*_tight(subproblem, rows), *_fixed(subproblem, fixed, bounds)]
    sizes = [constraint.expr.size for constraint in subproblem.constraints]
    equal = [isinstance(c, cp.constraints.Equality) for c in subproblem.constraints]
    met = np.flatnonzero(found.rows | np.repeat(np.array(equal, dtype=bool), sizes))
    return OptimalFace(tuple(equations), _leaves_one_point(matrix[met], ~fixed))


def _tight(subproblem: Subproblem, tight: Mask) -> Iterator[Constraint]:
    for constraint, rows in _parts(subproblem.constraints, tight, lambda c: int(c.expr.size)):
        if len(rows) and not isinstance(constraint, cp.constraints.Equality):
            whole = len(rows) == constraint.expr.size
            yield (constraint.expr if whole else constraint.expr[rows]) == 0


def _fixed(subproblem: Subproblem, fixed: Mask, bounds: Array) -> Iterator[Constraint]:
    start = 0
    for variable, columns in _parts(subproblem.variables, fixed, lambda v: int(v.size)):
        if len(columns):
            part = variable if not variable.shape else variable[columns]
            yield part == bounds[start + columns]
        start += variable.size


def _leaves_one_point(rows: Matrix, free: Mask) -> bool:
    """Whether the equations determine all columns that are not fixed."""
    columns = np.flatnonzero(free)
    if len(columns) > min(rows.shape[0], LARGEST):
        return False
    table = rows[:, columns].toarray()
    sizes = np.abs(table).max(axis=1, keepdims=True, initial=0.0)
    table = table / np.where(sizes > 0, sizes, 1.0)
    return bool(np.linalg.matrix_rank(table, tol=FACE_RANK) == len(columns))


def _parts(
    owners: Sequence[Owner], chosen: Mask, size: Callable[[Owner], int]
) -> Iterator[tuple[Owner, NDArray[np.intp]]]:
    """Each owner of some positions, with those of its own positions that are chosen."""
    start = 0
    for owner in owners:
        yield owner, np.flatnonzero(chosen[start : start + size(owner)])
        start += size(owner)


def _rows(subproblem: Subproblem, solution: Solution) -> tuple[Matrix, Array, Array]:
    """All constraints as one matrix over all variables, with multiplier and slack of each row."""
    blocks: list[Matrix] = [sp.csr_array((0, sum(v.size for v in subproblem.variables)))]
    multipliers, slacks = [np.zeros(0)], [np.zeros(0)]
    for position, constraint in enumerate(subproblem.constraints):
        blocks.append(_jacobian(constraint.expr, subproblem.variables, solution))
        multipliers.append(np.ravel(solution.dual(position), order="F"))
        slacks.append(np.abs(np.ravel(solution.at(constraint.expr), order="F")))
    return sp.vstack(blocks, format="csr"), np.concatenate(multipliers), np.concatenate(slacks)


def _jacobian(
    expression: cp.Expression, variables: Sequence[cp.Variable], solution: Solution
) -> Matrix:
    with holding(solution.recorded(expression)):  # CVXPY has no slopes without values
        slopes = expression.grad
    parts = [
        sp.csr_array(np.atleast_2d(slopes[v]) if np.isscalar(slopes[v]) else slopes[v]).T
        if v in slopes
        else sp.csr_array((expression.size, v.size))
        for v in variables
    ]
    return sp.hstack(parts, format="csr")


def _bounds(variables: Sequence[cp.Variable], lower: Mask) -> Array:
    """The bound that each column leans on: the lower one where ``lower``."""
    pairs = [
        [np.broadcast_to(bound, v.shape).ravel(order="F") for bound in v.get_bounds()]
        for v in variables
    ]
    low, high = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return np.where(lower, low, high)
