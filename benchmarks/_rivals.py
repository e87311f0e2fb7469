"""The same lexicographic linear program, by this library and by its rivals.

Each takes a chain and returns its last point and what it says of it. All get exact locks: no
tolerance of any kind that can be set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
from _arrays_rivals import Again, Unfit
from _families import UPPER, Chain, model, silent_highs

import lexiprog as lx


def lexiprog(chain: Chain) -> dict[str, Any]:
    x = cp.Variable(chain.A.shape[1], bounds=[0, UPPER], name="x")
    objectives = {f"level {k}": cp.Minimize(cost @ x) for k, cost in enumerate(chain.costs)}
    return _of_lexiprog(lx.preemptive(objectives, [chain.A @ x >= chain.demand]).solve())


def _of_lexiprog(result: lx.Result) -> dict[str, Any]:
    return {
        "x": result.final["x"],
        "status": "optimal",
        "locks": sorted({lock.kind for lock in result.final.locks}),
        "multipliers": [(s.duals[0], [float(d) for d in s.duals[1:]]) for s in result.values()],
    }


def cvxpy_loop(chain: Chain) -> dict[str, Any]:
    """What one writes by hand: solve, add the optimum as a row, go on."""
    x = cp.Variable(chain.A.shape[1], bounds=[0, UPPER], name="x")
    constraints = [chain.A @ x >= chain.demand]
    for cost in chain.costs:
        problem = cp.Problem(cp.Minimize(cost @ x), constraints)
        problem.solve(solver=cp.HIGHS)
        if problem.status != cp.OPTIMAL:
            return {"x": x.value, "status": problem.status}
        constraints = [*constraints, cost @ x <= problem.value]
    return {"x": x.value, "status": cp.OPTIMAL}


def highs_own(chain: Chain) -> dict[str, Any]:
    """HiGHS's lexicographic mode, called with arrays."""
    highs = silent_highs()
    highs.setOptionValue("blend_multi_objectives", False)
    above = np.full(chain.demand.size, np.inf)
    highs.passModel(model(chain.A, chain.costs[0], chain.demand, above))
    for k, cost in enumerate(chain.costs):
        objective = highspy.HighsLinearObjective()
        objective.coefficients = cost
        objective.weight, objective.offset = 1.0, 0.0
        objective.abs_tolerance = objective.rel_tolerance = 0.0
        objective.priority = len(chain.costs) - k
        highs.addLinearObjective(objective)
    highs.run()
    status = highs.getModelStatus().name
    status = cp.OPTIMAL if status == "kOptimal" else status
    return {"x": np.array(highs.getSolution().col_value), "status": status}


def pulp_sequential(chain: Chain) -> dict[str, Any]:
    try:
        import pulp
    except ImportError as error:
        raise Unfit("not installed") from error
    rows = chain.A.tocsr()
    problem = pulp.LpProblem("chain", pulp.LpMinimize)
    x = [pulp.LpVariable(f"x{j}", 0, UPPER) for j in range(chain.A.shape[1])]
    for i, demand in enumerate(chain.demand):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        terms = zip(rows.indices[part], rows.data[part], strict=True)
        problem += pulp.LpAffineExpression([(x[j], float(a)) for j, a in terms]) >= demand
    objectives = [
        pulp.LpAffineExpression([(x[j], float(cost[j])) for j in np.flatnonzero(cost)])
        for cost in chain.costs
    ]
    found = problem.sequentialSolve(objectives, solver=pulp.HiGHS(msg=False))
    bad = [pulp.LpStatus[status] for status in found if status != pulp.LpStatusOptimal]
    point = np.array([variable.varValue or 0.0 for variable in x])
    return {"x": point, "status": bad[0] if bad else cp.OPTIMAL}


def lexiprog_again(chain: Chain) -> Again:
    x = cp.Variable(chain.A.shape[1], bounds=[0, UPPER], name="x")
    demand = cp.Parameter(chain.demand.size, name="demand", value=chain.demand)
    objectives = {f"level {k}": cp.Minimize(cost @ x) for k, cost in enumerate(chain.costs)}
    program = lx.preemptive(objectives, [chain.A @ x >= demand])
    program.solve()

    def solve(other: np.ndarray) -> dict[str, Any]:
        demand.value = other
        return _of_lexiprog(program.solve())

    return solve


def highs_again(chain: Chain) -> Again:
    """Its own mode has no warm start: the same call with other arrays."""
    highs_own(chain)
    return lambda demand: highs_own(replace(chain, demand=demand))


RIVALS = {
    "lexiprog": lexiprog,
    "HiGHS's own mode": highs_own,
    "CVXPY loop": cvxpy_loop,
    "PuLP sequentialSolve": pulp_sequential,
}
# Solved once already, then with another demand: what a second call costs.
AGAIN = {
    "lexiprog": lexiprog_again,
    "HiGHS's own mode": highs_again,
}
