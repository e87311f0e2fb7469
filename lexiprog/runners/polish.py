"""Make the whole numbers of an integer answer whole, and solve the rest of it once more.

An integer solver may stop with 3.9999997 for a 4 and let the other columns profit from the
difference. What is then called the optimum cannot be had, and no later problem can hold it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from lexiprog.compile.task import Task
from lexiprog.solvers.highs import Bounds, Session


def polished(task: Task, raw: Any) -> Any:
    """HiGHS's answer at a vertex of the problem with its integers fixed, if there is one."""
    if task.solver.target != "HIGHS" or not task.integer:
        return raw
    form = task.form
    point = np.array(raw["solution"].col_value)
    if form.integer is None or point.size != form.c.size:
        return raw
    bounds = Bounds.of(form)
    whole = np.round(point[form.integer])
    bounds.lower[form.integer] = bounds.upper[form.integer] = whole
    for tolerance in (1e-9, 1e-7):  # a lock without slack may be too much to ask at first
        session = Session(form.A, {"primal_feasibility_tolerance": tolerance})
        vertex = session.run(form.c, bounds)
        if vertex.optimal:
            raw["info"].objective_function_value = float(form.c @ vertex.x)
            return raw | {"solution": SimpleNamespace(col_value=vertex.x, row_dual=None)}
    return raw
