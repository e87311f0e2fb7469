"""What solutions of levels that are not convex have in common: how they are put on record."""

from __future__ import annotations

import numpy as np

from lexiprog.certify.certificate import Certificate
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Solutions, Task
from lexiprog.errors import Attempt
from lexiprog.model.expressions import as_float, read_only_copies
from lexiprog.results.evidence import LockRecord
from lexiprog.results.solution import Solution, fields_by_id
from lexiprog.status import Fault, Status


def locks_kept(task: Task, point: Solution, solved: Solutions) -> tuple[LockRecord, ...] | Attempt:
    """How each earlier optimum was held, or which one was missed."""
    out = []
    for _, lock in task.subproblem.locks:
        held, owner = solved[lock.owner_name], lock.owner()
        if owner is None:
            continue
        tolerance = float(np.max(task.slack.tolerance(lock, held.value)))
        guard = float(task.slack.guard_for(held.value, held.unit))
        value = as_float(point.at(owner.objective.expr))
        drift = max(held.value - value if lock.maximise else value - held.value, 0.0)
        if not drift - tolerance - guard <= task.solver.accept * held.size:
            reason = f"not certified: the held optimum {lock.owner_name!r} is missed by {drift:.1e}"
            return Attempt(task.solver.name, Status.OPTIMAL, reason, Fault.LOCK_MISSED)
        limit = float(lock.limit(held.value, tolerance + guard))
        out.append(LockRecord(lock.owner_name, "value", limit, tolerance, guard, drift))
    return tuple(out)


def solution_of(
    task: Task,
    stage: str,
    answer: Answer,
    certificate: Certificate,
    *,
    solver: str,
    status: Status,
    bound: float | None,
    locks: tuple[LockRecord, ...],
) -> Solution:
    """The record of a point that was measured by whoever found it."""
    subproblem = task.subproblem
    named = zip(subproblem.keys, subproblem.variables, strict=True)
    variables = read_only_copies({key: answer.primal[v.id] for key, v in named})
    return Solution(
        name=subproblem.name,
        stage=stage,
        value=answer.value,
        status=status,
        solver=solver,
        certificate=certificate,
        variables=variables,
        bound=bound,
        duals=tuple(None for _ in subproblem.constraints),
        options=task.solver.options,
        timings={"compile": 0.0, "solve": answer.seconds},
        iterations=answer.iterations,
        parameters=task.parameters,
        references=task.references,
        locks=locks,
        **fields_by_id(variables, subproblem, task.constants),
    )
