"""Whether demands can be met together, and which of them a proof that they cannot rests on."""

from __future__ import annotations

import time
from collections.abc import Sequence

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Constraint, Value
from lexiprog.compile import cvxpy_door
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Prepared
from lexiprog.forms.scaling import Scaling
from lexiprog.kinds import kind_of
from lexiprog.solve.reasons.demands import Demand, elastic
from lexiprog.solvers.solver import default_ladder
from lexiprog.status import Status

__all__ = ["Feasibility", "quick_answer"]

# Multipliers below this part of the largest are taken for rounding errors.
_NOISE = 1e-7
# A miss of less than this, or more than ten times as much, is worth a word where statuses fail.
_MISS = 1e-6


class Feasibility:
    """Answers questions about demands for as long as there is time."""

    def __init__(self, variables: Sequence[cp.Variable], *, gp: bool, seconds: float) -> None:
        self._variables = list(variables)
        self._gp = gp
        self._until = time.monotonic() + seconds

    def about(self, variables: Sequence[cp.Variable]) -> Feasibility:
        """The same for other variables, with the time that is left."""
        return Feasibility(variables, gp=self._gp, seconds=self._until - time.monotonic())

    def possible(self, demands: Sequence[Demand]) -> bool | None:
        """Whether some point meets all of them; None if nobody can say."""
        left = self._until - time.monotonic()
        if left <= 0:
            return None
        problem = cp.Problem(cp.Minimize(self._nothing()), [d.stated() for d in demands])
        if not problem.variables():  # nothing is asked
            return True
        status = quick_answer(problem, gp=self._gp, seconds=left).status
        if status in (Status.OPTIMAL, Status.UNBOUNDED):
            return True
        if status in (Status.INFEASIBLE, Status.EITHER):  # nothing improves without limit here
            return False
        if problem.is_mixed_integer() or self._gp:
            return None
        slack = cp.Variable(nonneg=True)
        miss = self._softened(demands, (), slack)[0].value
        if miss < _MISS:
            return True
        return False if miss > 10 * _MISS else None  # None also if it is not a number

    def support(
        self, soft: Sequence[Demand], hard: Sequence[Demand]
    ) -> list[NDArray[np.bool_]] | None:
        """Entries of all demands, soft then hard, on which the least miss of the soft ones rests.

        With one slack for all, the multipliers of the least are a proof in the manner of Farkas,
        and at a vertex of a linear program one of which nothing can be left out.
        """
        slack = cp.Variable(nonneg=True)
        answer, stated = self._softened(soft, hard, slack)
        if answer.status is not Status.OPTIMAL or not answer.value > 0:
            return None
        weights = []
        for demand, parts in zip([*soft, *hard], stated, strict=True):
            found = [answer.dual[part.id] for part in parts if part.id in answer.dual]
            if len(found) < len(parts):
                return None
            size = len(demand.all_entries) if demand.entrywise else 1
            weights.append(np.maximum.reduce([_sizes(value, demand, size) for value in found]))
        largest = max((float(w.max(initial=0.0)) for w in weights), default=0.0)
        return [weight > _NOISE * largest for weight in weights] if largest > 0 else None

    def _softened(
        self, soft: Sequence[Demand], hard: Sequence[Demand], slack: cp.Variable
    ) -> tuple[Answer, list[list[Constraint]]]:
        stated = [elastic(demand, slack) for demand in soft]
        stated += [[demand.stated()] for demand in hard]
        everything = [part for parts in stated for part in parts]
        problem = cp.Problem(cp.Minimize(slack + self._nothing()), everything)
        if not all(stated) or not problem.is_dcp():
            return Answer(Status.FAILED), stated
        left = max(self._until - time.monotonic(), 0.1)
        return quick_answer(problem, gp=self._gp, seconds=left), stated

    def _nothing(self) -> cp.Expression:
        """Zero, written with every variable, so that what they are declared with counts."""
        if self._gp:
            return cp.Constant(1.0)
        return sum(0 * cp.sum(cp.real(v) if v.is_complex() else v) for v in self._variables)


def quick_answer(problem: cp.Problem, *, gp: bool = False, seconds: float = 60.0) -> Answer:
    """What a solver says, uncertified: good enough for advice."""
    last = Answer(Status.FAILED)
    for solver in default_ladder(kind_of(problem, gp=gp))[:2]:
        options = solver.options_for(integer=problem.is_mixed_integer())
        if solver.name in ("HIGHS", "CLARABEL"):
            options["time_limit"] = float(seconds)
        try:
            compiled = Prepared(problem, gp=gp, dpp=False).compile(solver.target, options)
            last = cvxpy_door.interpret(compiled, cvxpy_door.run(compiled, options))
            if last.status.is_infeasible and not compiled.scaling.identity:
                # Believed only where it does not hang on the units.
                written = compiled.in_units(Scaling.none(compiled.form))
                last = cvxpy_door.interpret(written, cvxpy_door.run(written, options))
        except Exception:  # noqa: BLE001 - advice must not replace the error it explains
            continue
        if last.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.EITHER, Status.UNBOUNDED):
            return last
    return last


def _sizes(value: Value, demand: Demand, size: int) -> Array:
    """How large the multipliers are, by entry; the largest of cones that have no entries."""
    array: Array = np.abs(np.asarray(value, dtype=float))
    if size == 1:
        return np.atleast_1d(array.max(initial=0.0))
    if demand.entries is None:  # CVXPY lists columns first
        array = np.reshape(array, demand.constraint.shape, order="F")
    return array.reshape(-1)
