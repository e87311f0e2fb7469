"""What a user would write by hand: highspy with starts, PuLP, Gurobi within its free size."""

from __future__ import annotations

import time
from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp
from _integer_families import Instance

__all__ = ["Loop", "gurobi_loop", "highspy_loop", "pulp_loop"]

# Variables and constraints that Gurobi takes without a licence.
FREE = 2000


@dataclass(frozen=True)
class Loop:
    """Values of the levels reached, and the seconds in all."""

    values: list[float]
    seconds: float


def highspy_loop(instance: Instance, limit: float | None) -> Loop:
    """One model; each level is a new cost, each held value a row, each search has a start.

    Under a limit a level gets 2 / (n + 1) of what is left for n levels, as ours does.
    """
    begun = time.perf_counter()
    n = instance.columns + instance.reals
    highs, lp, A = highspy.Highs(), highspy.HighsLp(), sp.csc_array(instance.A)
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    lp.num_row_, lp.num_col_ = A.shape
    lp.col_cost_, lp.col_lower_ = instance.costs[0], np.zeros(n)
    lp.col_upper_ = np.where(np.arange(n) < instance.columns, instance.upper, np.inf)
    lp.row_lower_, lp.row_upper_ = np.full(A.shape[0], -np.inf), instance.b
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger] * instance.columns + [kinds.kContinuous] * instance.reals
    highs.passModel(lp)
    values, x = [], None
    every = np.arange(n, dtype=np.int32)
    for k, cost in enumerate(instance.costs):
        highs.changeColsCost(n, every, cost)
        if x is not None:
            start = highspy.HighsSolution()
            start.col_value = x
            highs.setSolution(start)
        if limit is not None:
            left = max(limit - (time.perf_counter() - begun), 0.0)
            highs.setOptionValue("time_limit", left * 2 / (len(instance.costs) - k + 1))
        highs.run()
        if highs.getInfo().primal_solution_status != 2:
            break
        x = np.array(highs.getSolution().col_value)
        x[: instance.columns] = np.round(x[: instance.columns])
        values.append(float(cost @ x))
        places = np.flatnonzero(cost).astype(np.int32)
        highs.addRow(-np.inf, values[-1] + 1e-9, places.size, places, cost[places])
    return Loop(values, time.perf_counter() - begun)


def pulp_loop(instance: Instance, limit: float) -> str:
    """Seconds of PuLP with CBC, or why there are none."""
    try:
        import pulp
    except ImportError:
        return "not installed"
    begun = time.perf_counter()
    whole = [
        pulp.LpVariable(f"x{j}", 0, instance.upper, "Integer") for j in range(instance.columns)
    ]
    both = whole + [pulp.LpVariable(f"y{j}", 0) for j in range(instance.reals)]
    problem = pulp.LpProblem("p", pulp.LpMinimize)
    for row, most in zip(instance.A, instance.b, strict=True):
        problem += pulp.LpAffineExpression([(both[j], row[j]) for j in np.flatnonzero(row)]) <= most
    for cost in instance.costs:
        aim = pulp.LpAffineExpression([(both[j], cost[j]) for j in np.flatnonzero(cost)])
        problem.setObjective(aim)
        left = limit - (time.perf_counter() - begun)
        if left <= 0:
            return f"> {limit:g}"
        try:
            problem.solve(pulp.PULP_CBC_CMD(msg=False, timeLimit=left, gapRel=0.0))
        except pulp.PulpSolverError:
            return "no CBC"
        if pulp.value(aim) is None:
            return "no point"
        problem += aim <= pulp.value(aim) + 1e-6
    return f"{time.perf_counter() - begun:.2f}"


def gurobi_loop(instance: Instance) -> str:
    """Seconds of Gurobi's own hierarchical objectives, or why there are none."""
    try:
        import gurobipy
    except ImportError:
        return "not installed"
    if max(instance.A.shape) > FREE:
        return "too large"
    begun = time.perf_counter()
    model = gurobipy.Model()
    model.setParam("OutputFlag", 0)
    model.setParam("MIPGap", 0.0)
    model.setParam("TimeLimit", 60)
    kinds = ["I"] * instance.columns + ["C"] * instance.reals
    upper = [instance.upper] * instance.columns + [gurobipy.GRB.INFINITY] * instance.reals
    x = model.addMVar(len(kinds), ub=upper, vtype=kinds)
    model.addMConstr(sp.csr_array(instance.A), x, "<", instance.b)
    for k, cost in enumerate(instance.costs):
        model.setObjectiveN((cost @ x).item(), k, priority=len(instance.costs) - k)
    model.optimize()
    return f"{time.perf_counter() - begun:.2f}"
