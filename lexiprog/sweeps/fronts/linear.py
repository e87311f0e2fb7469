"""The exact front of two linear objectives: every extreme point, with its weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.compile.task import Task
from lexiprog.curves.front_linear import LinearFront, linear_front
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.result.solution import Solution
from lexiprog.sweeps.fronts.record import Frontier
from lexiprog.sweeps.fronts.statement import Statement
from lexiprog.sweeps.slack.rates import rate_of

__all__ = ["TwoCosts", "extreme_points"]

PIECES = 1000


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


def extreme_points(statement: Statement, limit: int | None) -> Frontier:
    """The front of two linear objectives; CurveError if there is none."""
    costs = TwoCosts.of(statement, scaled=True)
    front = statement.followed(
        linear_front, costs.form, costs.first, costs.form.c, limit=limit or PIECES
    )
    count = len(front.points) if limit is None else min(limit, len(front.points))
    solutions = [_solution(statement, costs, front, k) for k in range(count)]
    complete = front.complete and count == len(front.points)
    kind = "every extreme point" if complete else "extreme points"
    ray = None
    if front.ray is not None and complete:
        scale = np.array([abs(costs.unit), costs.task.native.scaling.cost])
        ray = front.ray / scale * statement.signs
        ray = ray / np.max(np.abs(ray))
    return Frontier(
        names=statement.names,
        maximised=statement.maximised,
        points=np.array([statement.values(solution) for solution in solutions]),
        solutions=tuple(solutions),
        kind=kind,
        complete=complete,
        weights=_in_users_units(
            front.weights[:count], abs(costs.unit), costs.task.native.scaling.cost
        ),
        ray=ray,
        note=front.note or ("" if complete else f"{limit} points were asked for."),
    )


def _solution(statement: Statement, costs: TwoCosts, front: LinearFront, k: int) -> Solution:
    """The certified optimum behind one point, from the curve's own multipliers if they serve."""
    scaling = costs.task.native.scaling
    x = front.solutions[k]
    limits = [costs.limit(float(costs.first @ x))]
    if front.turned:
        return statement.solve(limits)
    y = front.curve.multipliers[min(k, front.curve.slopes.size - 1)]
    z = costs.multipliers(np.append(y[:-1], y[-1] / front.size))
    return statement.certified(limits, scaling.point(x), scaling.multipliers(z))


def _in_users_units(weights: Array, first: float, second: float) -> Array:
    """Shares of the costs in the form's units as shares of the objectives themselves."""
    one, other = weights * first, (1.0 - weights) * second
    return np.asarray(one / (one + other))
