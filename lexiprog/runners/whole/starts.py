"""Start integer searches from earlier points, and never end worse than they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, columns_of
from lexiprog.compile.task import Task
from lexiprog.forms.standard_form import StandardForm
from lexiprog.runners.whole.polish import best_with, whole_answer
from lexiprog.status import Status

__all__ = ["best_start", "no_worse_than"]

# Differences of values that are rounding, over their size.
ROUNDING = 1e-9


def best_start(task: Task, form: StandardForm) -> Array | None:
    """The best point of ``form`` whose integers are those of an earlier point; None without one."""
    if not task.starts or form.integer is None:
        return None
    columns = columns_of(task.native)
    best: Array | None = None
    seen: set[bytes] = set()
    for leaves in task.starts:
        values = np.full(form.c.size, np.nan)
        for key in columns.keys() & leaves.keys():
            values[columns[key]] = leaves[key]
        whole = np.round(values[form.integer])
        if np.isnan(whole).any() or whole.tobytes() in seen:
            continue
        seen.add(whole.tobytes())
        x = best_with(form, whole)
        if x is not None and (best is None or form.objective(x) < form.objective(best)):
            best = x
        if task.watch.should_stop and best is not None:
            break
    return best


def no_worse_than(
    start: Array | None, compiled: Compiled, form: StandardForm, answer: Answer
) -> Answer:
    """The answer, or the start where that is better than what was found."""
    if start is None:
        return answer
    if answer.x is None:
        if not answer.status.is_limit:
            said = f"{answer.said or answer.status}, though a feasible point is known"
            return replace(answer, status=Status.FAILED, said=said)
        return whole_answer(compiled, form, start, replace(answer, status=Status.LIMIT), None)
    known, found = form.objective(start), form.objective(answer.x)
    if known < found - ROUNDING * (1.0 + abs(found)):
        return whole_answer(compiled, form, start, answer, answer.bound)
    return answer
