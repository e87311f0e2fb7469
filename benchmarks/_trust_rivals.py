"""Lexicographic programs as others solve them: what they call optimal, as values of all levels."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import highspy
import numpy as np
from _families import silent_highs

import lexiprog as lx


class Unfit(Exception):
    """The rival does not take such problems, or is not installed."""


def _levels(program: lx.Program) -> tuple[list[Any], list[Any]]:
    """The objectives in order, and the constraints that are no locks."""
    subproblems = [p for stage in program.stages for p in stage.subproblems]
    locks = {position for position, _ in subproblems[0].locks}
    rows = [c for k, c in enumerate(subproblems[0].constraints) if k not in locks]
    for other in subproblems[1:]:
        extra = other.references if len(other.references) > len(other.locks) else ()
        if extra or other.gp or any(lock.atol or lock.rtol for _, lock in other.locks):
            raise Unfit
        known = {c.id for c in rows}
        held = {position for position, _ in other.locks}
        rows += [c for k, c in enumerate(other.constraints) if k not in held and c.id not in known]
    if subproblems[0].gp:
        raise Unfit
    return [p.objective for p in subproblems], rows


def cvxpy_loop(program: lx.Program) -> list[float] | None:
    """What one writes by hand, with CVXPY's own choice of solver for what is curved."""
    objectives, rows = _levels(program)
    rows = list(rows)
    for objective in objectives:
        problem = cp.Problem(objective, rows)
        linear = problem.is_lp()
        problem.solve(solver=cp.HIGHS if linear else None)
        if problem.status != cp.OPTIMAL:
            return None
        best, expression = float(problem.value), objective.expr
        rows.append(
            expression >= best if isinstance(objective, cp.Maximize) else expression <= best
        )
    return [float(np.ravel(objective.expr.value)[0]) for objective in objectives]


def _arrays(program: lx.Program) -> tuple[dict[str, Any], list[Any], list[tuple[float, float]]]:
    """The rows as CVXPY hands them to HiGHS; each level's cost, sign and offset."""
    objectives, rows = _levels(program)
    costs, signs, data = [], [], {}
    for objective in objectives:
        # A weight of zero on the other levels keeps every column in its place.
        others = sum(0.0 * other.expr for other in objectives)
        sign = -1.0 if isinstance(objective, cp.Maximize) else 1.0
        problem = cp.Problem(cp.Minimize(sign * objective.expr + others), rows)
        if not problem.is_lp():
            raise Unfit
        data, _, inverse = problem.get_problem_data(cp.HIGHS)
        costs.append(np.array(data["c"]))
        signs.append((sign, float(inverse[-1][cp.settings.OFFSET])))
    if len({cost.size for cost in costs}) > 1:
        raise Unfit
    return data, costs, signs


def _values(x: np.ndarray, costs: list[Any], signs: list[tuple[float, float]]) -> list[float]:
    """The objectives as they were declared."""
    pairs = zip(costs, signs, strict=True)
    return [sign * (float(cost @ x) + offset) for cost, (sign, offset) in pairs]


def _bounds(data: dict[str, Any], columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lower, upper = data.get("lower_bounds"), data.get("upper_bounds")
    lower = np.full(columns, -np.inf) if lower is None else np.array(lower, float)
    upper = np.full(columns, np.inf) if upper is None else np.array(upper, float)
    whole = np.zeros(columns, bool)
    program = data[cp.settings.PARAM_PROB]
    for index in program.x.boolean_idx:
        lower[index[0]], upper[index[0]] = max(lower[index[0]], 0), min(upper[index[0]], 1)
        whole[index[0]] = True
    for index in program.x.integer_idx:
        whole[index[0]] = True
    return lower, upper, whole


def highs_own(program: lx.Program) -> list[float] | None:
    """HiGHS's lexicographic mode, called with arrays."""
    data, costs, signs = _arrays(program)
    A, b = data["A"].tocsc(), np.array(data["b"])
    lower, upper, whole = _bounds(data, A.shape[1])
    below = np.full(b.size, -np.inf)
    zero = data[cp.settings.DIMS].zero
    below[:zero] = b[:zero]
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = A.shape
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = costs[0], lower, upper
    lp.row_lower_, lp.row_upper_ = below, b
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = A.indptr, A.indices
    lp.a_matrix_.value_ = A.data
    if whole.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(w)] for w in whole]
    highs = silent_highs()
    highs.setOptionValue("blend_multi_objectives", False)
    highs.passModel(lp)
    if len(costs) > 1:
        for k, cost in enumerate(costs):
            objective = highspy.HighsLinearObjective()
            objective.coefficients, objective.weight, objective.offset = cost, 1.0, 0.0
            objective.abs_tolerance = objective.rel_tolerance = 0.0
            objective.priority = len(costs) - k
            highs.addLinearObjective(objective)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return _values(np.array(highs.getSolution().col_value), costs, signs)


def gurobi_hierarchical(program: lx.Program) -> list[float] | None:
    """Gurobi's hierarchical objectives, within its free size."""
    try:
        import gurobipy as gp
    except ImportError as error:
        raise Unfit from error
    data, costs, signs = _arrays(program)
    A, b = data["A"].tocsr(), np.array(data["b"])
    lower, upper, whole = _bounds(data, A.shape[1])
    zero = data[cp.settings.DIMS].zero
    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as model:
        kinds = np.where(whole, "I", "C")
        x = model.addMVar(A.shape[1], lb=lower, ub=upper, vtype=kinds)
        if zero:
            model.addConstr(A[:zero] @ x == b[:zero])
        if zero < b.size:
            model.addConstr(A[zero:] @ x <= b[zero:])
        columns = x.tolist()
        for k, cost in enumerate(costs):
            objective = gp.LinExpr(cost.tolist(), columns)
            priority = len(costs) - k
            model.setObjectiveN(objective, k, priority=priority, abstol=0.0, reltol=0.0)
        model.optimize()
        if model.Status != gp.GRB.OPTIMAL:
            return None
        return _values(np.array(x.X), costs, signs)
