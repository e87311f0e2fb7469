"""The front of a bi-objective knapsack by pyaugmecon on Gurobi: JSON in, points and times out.

A grid point for each whole value that the second objective may have on the front: none is missed.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pyomo.environ as pyo
from pyaugmecon import PyAugmecon


def cpu() -> float:
    used = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def front(known: dict) -> list[tuple[float, ...]]:
    count = range(len(known["weights"]))
    model = pyo.ConcreteModel()
    model.x = pyo.Var(count, within=pyo.Binary)
    used = sum(known["weights"][i] * model.x[i] for i in count)
    model.room = pyo.Constraint(expr=used <= known["capacity"])
    model.obj_list = pyo.ObjectiveList()
    for gains in known["values"]:
        model.obj_list.add(expr=sum(gains[i] * model.x[i] for i in count), sense=pyo.maximize)
    for k in (1, 2):
        model.obj_list[k].deactivate()
    heights = [point[1] for point in known["points"]]
    options = {
        "name": "front", "grid_points": max(max(heights) - min(heights) + 1, 2), "cpu_count": 1,
        "output_excel": False, "solver_name": "gurobi", "solver_io": "python",
    }  # fmt: skip
    search = PyAugmecon(model, options)
    search.solve()
    return sorted(tuple(map(float, point)) for point in search.unique_pareto_sols)


if __name__ == "__main__":
    instance = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:  # it leaves logs and models behind
        os.chdir(folder)
        wall, before = time.perf_counter(), cpu()
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            points = front(instance)
        took = {"wall": time.perf_counter() - wall, "cpu": cpu() - before}
        os.chdir("/")
    print("\n" + json.dumps(took | {"points": points}))
