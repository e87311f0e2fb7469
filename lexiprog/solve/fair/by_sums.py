"""Levels by ordered sums: the sum of the k worst utilities for k = 1, 2, ..., each sum held.

One problem a utility, but true for integers and fractions too, and for solvers that give no
multipliers.

Reference: Ogryczak and Sliwinski, "On direct methods for lexicographic min-max optimization",
ICCSA 2006.
"""

from __future__ import annotations

import time

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint
from lexiprog.compile.answer import Answer, ExactAnswer
from lexiprog.compile.task import Task
from lexiprog.declare.leaves import key_of
from lexiprog.declare.objectives.fairness import Fairness
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.result.result import Result
from lexiprog.solve.fair.inner import OneByOne, fairness_of, no_answer, primal_of, shares_of
from lexiprog.status import Status

__all__ = ["LevelsBySums"]

# Utilities closer than this share of the unit and the largest are on one level.
SAME = 1e-7


class LevelsBySums(OneByOne):
    """A runner that solves one problem a utility."""

    def run(self, task: Task) -> Answer:
        """Settle every position of the order."""
        start = time.perf_counter()
        fair = fairness_of(task)
        inner = self.inner(task)
        prefix = inner.unused(f"{task.subproblem.name}, sum of")
        stages = task.subproblem.memory.once(
            ("ordered sums", prefix), lambda: _stages(task.subproblem, fair, prefix)
        )
        try:
            result = inner.solve(stages)
        except StageError as error:
            return no_answer(error, error.subproblem)
        return _answer(task, fair, result, time.perf_counter() - start)


def _stages(subproblem: Subproblem, fair: Fairness, prefix: str) -> list[Stage]:
    worst = cp.sum_smallest if fair.maximise else cp.sum_largest
    goal = cp.Maximize if fair.maximise else cp.Minimize
    count = len(fair.names)
    held: list[Constraint] = []
    stages = []
    for k in range(1, count + 1):
        total = fair.objective.expr if k == 1 else worst(fair.stack, k)
        total = cp.sum(fair.stack) if k == count else total
        name = f"{prefix} {k}"
        part = Subproblem(name, goal(total), [*subproblem.constraints, *held])
        held.append(part.held())
        stages.append(Stage(name, part))
    return stages


def _answer(task: Task, fair: Fairness, result: Result, seconds: float) -> Answer:
    found = list(result.values())
    first, last = found[0], found[-1]
    gets = np.asarray(last.at(fair.stack), dtype=float).ravel()
    order = np.argsort(fair.sign * gets, kind="stable")
    slack = SAME * (first.unit + float(np.max(np.abs(gets))))
    groups = np.split(order, np.flatnonzero(np.diff(fair.sign * gets[order]) > slack) + 1)
    levels = tuple((float(gets[group[0]]), tuple(map(int, np.sort(group)))) for group in groups)
    levels = ((first.value, levels[0][1]), *levels[1:])
    doubted = [s.name for s in found if s.status is Status.INACCURATE]
    doubt = f"{doubted[0]!r} is not known well enough" if doubted else ""
    exact = None
    if first.exact is not None and last.exact is not None:
        variables = enumerate(task.subproblem.variables)
        known = {v.id: last.exact_variables.get(key_of(v, k)) for k, v in variables}
        duals = zip(task.subproblem.constraints, first.exact_duals, strict=False)
        exact = ExactAnswer(
            first.exact,
            {key: value for key, value in known.items() if value is not None},
            {c.id: dual for c, dual in duals if dual is not None},
        )
    return Answer(
        last.status,
        value=first.value,
        primal=primal_of(task, last),
        seconds=seconds,
        shares=shares_of(task, found, levels, doubt),
        exact=exact,
    )
