"""Gurobi's hierarchical objectives on plain arrays: one JSON line in, the last point out.

Run by trust.py with the Python that LEXIPROG_RIVALS names, which needs gurobipy and numpy.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import gurobipy as gp
import numpy as np


def last_point(env: Any, data: dict[str, Any]) -> list[float] | None:
    """What Gurobi calls optimal after the last level, or None."""
    A, b, zero = np.array(data["A"]), np.array(data["b"]), data["zero"]
    lower, upper = np.array(data["lower"]), np.array(data["upper"])
    kinds = np.where(data["whole"], "I", "C")
    with gp.Model(env=env) as model:
        x = model.addMVar(lower.size, lb=lower, ub=upper, vtype=kinds)
        if zero:
            model.addConstr(A[:zero] @ x == b[:zero])
        if zero < b.size:
            model.addConstr(A[zero:] @ x <= b[zero:])
        columns, costs = x.tolist(), data["costs"]
        for k, cost in enumerate(costs):
            objective = gp.LinExpr(cost, columns)
            model.setObjectiveN(objective, k, priority=len(costs) - k, abstol=0.0, reltol=0.0)
        # Otherwise every level may give up a ten-thousandth of the ones before.
        model.Params.MIPGap = model.Params.MIPGapAbs = 0.0
        model.Params.TimeLimit = data["seconds"]
        model.optimize()
        return x.X.tolist() if model.Status == gp.GRB.OPTIMAL else None


def main() -> int:
    with gp.Env(params={"OutputFlag": 0, "Threads": 1}) as env:
        for line in sys.stdin:
            if line.strip() == "version":
                print(".".join(map(str, gp.gurobi.version())), flush=True)
            else:
                print(json.dumps({"x": last_point(env, json.loads(line))}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
