"""Fair lotteries whose columns an oracle of the user's finds."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from lexiprog.compile.answer import Answer, Shares
from lexiprog.compile.task import Task
from lexiprog.fair.audit import audit_lottery
from lexiprog.fair.failures import NoFairShare
from lexiprog.fair.pricing import price_levels
from lexiprog.proof.certificate import Certificate
from lexiprog.proof.certify import Checked
from lexiprog.result.shares import Lottery
from lexiprog.runners.fair.linear import Note, levels_of, telling, unshared, with_audit
from lexiprog.status import Status

__all__ = ["FairLotteries"]


class FairLotteries:
    """Columns are asked for in the caller's thread, since the oracle is the caller's own."""

    alone = True

    def __init__(self, note: Note = lambda _: None) -> None:
        self._note = note

    def compile(self, *_: object) -> None:
        """There is nothing to compile: the columns are not known."""

    def run(self, task: Task) -> Answer:
        """Raise level after level, and check all of them."""
        fair = task.subproblem.fair
        if fair is None or fair.pricing is None or fair.offsets is None:
            raise TypeError(f"subproblem {task.subproblem.name!r} has no oracle")
        if task.solver.target != "HIGHS":
            return Answer(Status.FAILED, said="that lotteries are solved on HIGHS only")
        start = time.perf_counter()
        try:
            found = price_levels(
                fair.pricing, fair.offsets, task.options, telling(self._note, task, 1.0)
            )
        except NoFairShare as failure:
            return unshared(failure, fair.names)
        levels = levels_of(found.levels, 1.0)
        first = Certificate(tolerance=task.solver.accept, basis="oracle")
        checked = with_audit(Checked(first, None), audit_lottery(fair.offsets, found))
        unit = float(np.max(np.abs(found.columns))) or 1.0
        gap = checked.certificate.gap * (unit + abs(levels[0][0]))
        used = found.weights > 0
        shares = Shares(
            levels,
            replace(checked, bound=levels[0][0] + gap),
            unit,
            duals=(),
            lottery=Lottery(found.columns[used], found.weights[used]),
        )
        variable = task.subproblem.variables[0]
        return Answer(
            Status.OPTIMAL,
            primal={variable.id: found.weights @ found.columns},
            iterations=found.iterations,
            seconds=time.perf_counter() - start,
            shares=shares,
        )

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""
