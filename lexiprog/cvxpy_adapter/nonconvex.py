"""Problems that are not convex, by CVXPY's own rules: level sets, and local searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy.reductions.dcp2cone.dcp2cone import Dcp2Cone
from cvxpy.reductions.dqcp2dcp.dqcp2dcp import Dqcp2Dcp
from cvxpy.reductions.solvers.nlp_solvers.nlp_solver import Oracles
from cvxpy.reductions.solvers.nlp_solving_chain import _build_nlp_chain, _set_nlp_initial_point

from lexiprog.status import Status
from lexiprog.typing import Array, Constraint, Options, ValuesById

# Level sets of quasiconvex expressions.


def convex_form(constraint: Constraint) -> list[Constraint] | None:
    """Convex constraints that say the same; None if no point satisfies it.

    Some level sets can only be written once the level is a number, so that parameters must have
    their values.
    """
    out: list[Constraint] = []
    stated = _without_zero(constraint)
    # CVXPY has no public way to ask for a single level set.
    for part in _settled(Dqcp2Dcp()._canonicalize_constraint(stated)):  # noqa: SLF001
        if part is False:
            return None
        if part is not True:
            out.append(part)
    return out


def _without_zero(constraint: Constraint) -> Constraint:
    """The constraint with a parameter for a side of zero, on which CVXPY never comes to an end."""
    if not isinstance(constraint, cp.constraints.Inequality):
        return constraint
    left, right = constraint.args
    if right.is_zero():
        return left <= _zero(left)
    return _zero(right) <= right if left.is_zero() else constraint


def _zero(other: cp.Expression) -> cp.Parameter:
    sign = {"nonpos": True} if other.is_nonpos() else {"nonneg": True}
    return cp.Parameter(value=0.0, **sign)


def _settled(parts: Iterable[object]) -> Iterable[object]:
    """The parts, those that wait for the level's value made now."""
    for part in parts:
        value = part
        while callable(value) and not hasattr(value, "is_dcp"):
            value = value()
        yield value


# One local search for a smooth problem, with all derivatives at its end.


@dataclass(frozen=True)
class LocalPoint:
    """Where a search has ended, and the problem's derivatives there.

    The smooth problem may have more variables than the user's: ``x`` are all of them, with the
    bounds ``lower`` and ``upper``; the rows lie between ``low`` and ``up``.
    """

    status: Status
    said: str
    primal: ValuesById
    iterations: int | None
    x: Array
    lower: Array
    upper: Array
    objective: float
    gradient: Array
    rows: Array
    jacobian: sp.csr_array
    low: Array
    up: Array


def local_point(problem: cp.Problem, solver: str, options: Options, *, verbose: bool) -> LocalPoint:
    """The end of a search that starts at the values that the variables have now.

    Raises
    ------
    cvxpy.error.SolverError
        The solver is not there, or takes no such problems.
    """
    chain, chosen = _build_nlp_chain(problem, solver, dict(options))
    _set_nlp_initial_point(problem)
    data, inverse = chain.apply(problem)
    raw: Mapping[str, Any] = chain.solver.solve_via_data(data, False, verbose, solver_opts=chosen)
    solution = chain.invert(raw, inverse)
    x = np.array(raw["x"], dtype=float)
    oracles = Oracles(data["_bounds"].new_problem, verbose=False, use_hessian=False)
    objective = float(oracles.objective(x))
    gradient = np.array(oracles.gradient(x), dtype=float)
    low, up = (np.array(data[side], dtype=float) for side in ("cl", "cu"))
    rows, jacobian = np.zeros(0), sp.csr_array((0, x.size))
    if low.size:
        rows = np.array(oracles.constraints(x), dtype=float)
        places = tuple(np.array(part, dtype=int) for part in oracles.jacobianstructure())
        values = np.array(oracles.jacobian(x), dtype=float)
        jacobian = sp.csr_array(sp.coo_array((values, places), (low.size, x.size)))
    said = raw.get("solution_status", raw.get("status_msg", solution.status))
    return LocalPoint(
        Status.of(solution.status), str(said), dict(solution.primal_vars or {}),
        raw.get("iterations"), x, np.array(data["lb"], float), np.array(data["ub"], float),
        objective, gradient, rows, jacobian, low, up,
    )  # fmt: skip


# Piecewise linear expressions as linear ones.


def linear_form(thing: cp.Expression) -> tuple[cp.Expression, list[Constraint]]:
    """An affine expression or constraint that stands for it, and constraints of new variables."""
    found, rows = Dcp2Cone(quad_obj=False).canonicalize_tree(thing, True)
    return found, list(rows)
