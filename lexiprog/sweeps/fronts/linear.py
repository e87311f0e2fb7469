"""The exact front of two linear objectives: every extreme point, with its weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.compile.task import Task
from lexiprog.curves.front_linear import LinearFront, linear_front
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.result.solution import Solution
from lexiprog.sweeps.fronts.record import Frontier, Gap
from lexiprog.sweeps.fronts.statement import Statement
from lexiprog.sweeps.slack.rates import rate_of

__all__ = ["TwoCosts", "extreme_points"]

PIECES = 1000
# Which share of the time the front is followed for; the rest is for its certificates.
FOLLOWING = 0.5


@dataclass(frozen=True)
class TwoCosts:
    """The numbers of a statement: two costs over rows without the limit on the first.

    ``first``, in the row that the limit makes, is ``unit`` times the objective plus a constant.
    """

    task: Task
    form: StandardForm
    row: int
    first: Array
    unit: float
    shift: float

    @classmethod
    def of(cls, statement: Statement, *, scaled: bool) -> TwoCosts:
        """The numbers, in equilibrated units or in the user's own."""
        task = statement.task([0.0])
        limit = statement.limits[0]
        rate = rate_of(task, limit, str(limit.name()))
        row = int(np.flatnonzero(rate)[0])
        form, unit = task.form, float(rate[row])
        if scaled:
            form, unit = task.native.scaled, unit * float(task.native.scaling.rows[row])
        keep = np.arange(form.b.size) != row
        A = sp.csr_array(form.A)
        free = replace(
            form,
            A=sp.csc_array(A[keep]),
            b=form.b[keep],
            cones=Cones(zero=form.cones.zero, nonneg=form.cones.nonneg - 1),
        )
        first = np.asarray(A[[row]].toarray()).ravel()
        return cls(task, free, row, first, unit, float(form.b[row]))

    def limit(self, value: float) -> float:
        """The limit, in the user's sense, at which the row is met by ``value``."""
        return (value - self.shift) / self.unit

    def multipliers(self, y: Array) -> Array:
        """Multipliers of all rows from those of the rows without the limit and then the limit."""
        return np.insert(y[:-1], self.row, y[-1])


@dataclass(frozen=True)
class _Known:
    """A front as far as it was followed, and the optima certified so far by their first cost."""

    front: LinearFront | None
    solutions: dict[float, Solution]


def extreme_points(
    statement: Statement,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of two linear objectives; CurveError if there is none.

    Following it takes half of the time at most, so that some is left to certify its points.
    """
    costs, pace = TwoCosts.of(statement, scaled=True), statement.pace
    before = _Known(None, {}) if resume is None else resume.state
    known = [before.front]
    solutions = {t: statement.connected(found) for t, found in before.solutions.items()}
    with pace.within(FOLLOWING), pace.kept():
        known.append(
            pace.follow(
                linear_front, costs.form, costs.first, costs.form.c, limit=(limit or PIECES) + 1,
                resume=known[0],
            )
        )  # fmt: skip
    front = known[-1]
    if front is None or not front.points.size:
        return _frontier(statement, [], note=pace.note, state=_Known(front, solutions))
    order = range(len(front.points))[:: -1 if front.backwards else 1][:limit]
    places = [float(value) for value in front.solutions @ costs.first]
    done: list[int] = []
    with pace.kept():
        for k in order:
            if places[k] not in solutions:
                pace.check()
                solutions[places[k]] = _solution(statement, costs, front, k)
            done.append(k)
            tick(", ".join(f"{v:g}" for v in statement.values(solutions[places[k]])))
    complete = front.complete and len(done) == len(front.points)
    asked = f"{limit} points were asked for." if len(done) == limit else ""
    note = "" if complete else pace.note or asked or front.note
    done.sort()
    ray = None
    if front.ray is not None and complete:
        scale = np.array([abs(costs.unit), costs.task.native.scaling.cost])
        ray = front.ray / scale * statement.signs
        ray = ray / np.max(np.abs(ray))
    return _frontier(
        statement,
        [solutions[places[k]] for k in done],
        weights=_in_users_units(
            front.weights[done], abs(costs.unit), costs.task.native.scaling.cost
        ),
        ray=ray,
        note=note,
        missing=() if complete else (_gap(statement, costs, front, done),),
        state=_Known(front, solutions),
    )


def _frontier(
    statement: Statement, solutions: list[Solution], *, note: str, **others: Any
) -> Frontier:
    points = np.array([statement.values(solution) for solution in solutions])
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=points.reshape(-1, 2),
        solutions=tuple(solutions),
        kind="extreme points" if note else "every extreme point",
        complete=not note,
        note=note,
        **others,
    )


def _gap(statement: Statement, costs: TwoCosts, front: LinearFront, done: list[int]) -> Gap:
    """Between which ends points are missing: the last one known and the end of the front."""
    other = statement.signs[1] * costs.task.native.scaling.value(1.0)

    def values(k: int) -> tuple[float, float]:
        x = front.solutions[k]
        second = float(other * (costs.form.c @ x + costs.form.offset))
        return costs.limit(float(costs.first @ x)), second

    far = 0 if front.backwards else len(front.points) - 1
    sign = -1.0 if front.backwards else 1.0
    first, second = sign * np.inf * statement.signs * [1.0, -1.0]
    end = values(far) if front.complete else (float(first), float(second))
    near = len(front.points) - 1 - far
    known = values((done[0] if front.backwards else done[-1]) if done else near)
    return (end, known) if front.backwards else (known, end)


def _solution(statement: Statement, costs: TwoCosts, front: LinearFront, k: int) -> Solution:
    """The certified optimum behind one point, from the curve's own multipliers if they serve."""
    scaling = costs.task.native.scaling
    x = front.solutions[k]
    limits = [costs.limit(float(costs.first @ x))]
    if front.turned:
        return statement.solve(limits)
    y = front.curve.multipliers[min(front.pieces[k], front.curve.slopes.size - 1)]
    z = costs.multipliers(np.append(y[:-1], y[-1] / front.size))
    return statement.certified(limits, scaling.point(x), scaling.multipliers(z))


def _in_users_units(weights: Array, first: float, second: float) -> Array:
    """Shares of the costs in the form's units as shares of the objectives themselves."""
    one, other = weights * first, (1.0 - weights) * second
    return np.asarray(one / (one + other))
