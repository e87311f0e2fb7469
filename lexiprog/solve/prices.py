"""What one more unit of slack on a held optimum would buy.

With slack d the optimum is v(d), convex and falling. Its right derivative is the least multiplier
of the lock among all optimal ones, which need not be the one a solver happens to return. For a
linear program it is also the best rate of improvement over the directions that stay feasible: one
more linear program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lexiprog.backends.highs import HighsModel, Vertex
from lexiprog.backends.solver import Solver
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.compile.task import Task, compile_for
from lexiprog.model.expressions import CVXPY_LOCK, holding
from lexiprog.model.lock import Lock
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Price
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import verification_solve
from lexiprog.tolerances import (
    ACTIVE,
    LOCK_FEASIBILITY,
    PRICE_STEP,
    PRICE_STEPS,
    SAME_PRICES,
    SAME_VALUE,
)
from lexiprog.typing import Array, Value


def price_of_lock(
    task: Task,
    position: int,
    lock: Lock,
    kind: str,
    solution: Solution,
    solved: Mapping[str, Solution],
) -> Price:
    """The price of a lock, or how to find it where that costs another solve."""
    subproblem, constants, owner = task.subproblem, task.constants, lock.owner()
    if task.integer or owner is None or owner.integer or kind == "argument":
        return Price()
    if subproblem.kind == "LP" and subproblem.dpp:
        return Price(find=lambda: linear_price(subproblem, constants, position, lock))
    dual = solution.duals[position]
    if kind == "face" and not subproblem.gp:
        before = {name: solved[name] for name in {r.owner_name for _, r in subproblem.references}}
        return Price(find=lambda: _curved_price(task, position, lock, before))
    if dual is None:
        return Price()
    # A geometric program is solved in logarithms, so its multipliers are elasticities.
    limit = task.references[f"{lock.owner_name}.held"]
    unit = solution.value / float(limit) if subproblem.gp else 1.0
    return Price(abs(float(np.sum(dual)) * unit))


def _curved_price(
    task: Task, position: int, lock: Lock, solved: Mapping[str, Solution]
) -> float | None:
    """The multiplier of the lock as a bound with little slack, and less; infinite at a curve."""
    constraint = task.subproblem.constraints[position]
    prices = []
    for share in PRICE_STEPS:
        room = {lock.owner_name: share * solved[lock.owner_name].size}
        slack = replace(task.slack, tolerances=dict(task.slack.tolerances) | room)
        verified = verification_solve(task.subproblem, slack, solved, task.given, task.deadline)
        dual = None if verified is None else verified.answer.dual.get(constraint.id)
        if dual is None:
            return None
        prices.append(abs(float(np.sum(dual))))
    return float("inf") if prices[1] > 2.0 * prices[0] + SAME_VALUE else prices[1]


def derivative_along(form: StandardForm, direction: Array) -> float | None:
    """Fall of the optimum per unit of ``direction``, which is not negative, added to ``b``."""
    vertex = _optimum(form)
    if vertex is None:
        return None
    most = -float(vertex.row_dual @ direction)
    least = multiplier_beyond(form, direction)
    if least is not None and least >= most * (1.0 - SAME_PRICES):
        return max(least, 0.0)
    slope = _best_rate(form, vertex.x, direction)
    if slope is None:
        return None
    return slope if least is None else max(min(slope, max(most, least)), least, 0.0)


def multiplier_beyond(form: StandardForm, direction: Array) -> float | None:
    """The multiplier a little further on, which is never more than the derivative here.

    As the optimum is convex, that is all there is to know where the one here is no larger. What
    touches its limit need not be distinguished from what is near it.
    """
    size = 1.0 + float(np.max(np.abs(form.b[direction > 0])))
    vertex = _optimum(replace(form, b=form.b + PRICE_STEP * size * direction))
    return None if vertex is None else -float(vertex.row_dual @ direction)


def _best_rate(form: StandardForm, x: Array, direction: Array) -> float | None:
    """The best rate of improvement over directions that no row or bound reached forbids."""
    slack = form.slack(x)
    scale = 1.0 + np.abs(form.b)
    zero = form.cones.zero
    active = slack <= ACTIVE * scale
    active[:zero] = True
    if not active[direction > 0].any():
        return 0.0
    upper = np.where(active, direction, np.inf)
    lower = np.full(upper.size, -np.inf)
    lower[:zero] = 0.0
    down, up = _room(form, x)
    directions = HighsModel(form.A, {}).run(form.c, Bounds(down, up, lower, upper))
    if not directions.optimal:
        return None
    return max(-float(form.c @ directions.x), 0.0)


def _optimum(form: StandardForm) -> Vertex | None:
    for tolerance in LOCK_FEASIBILITY:
        model = HighsModel(form.A, {"primal_feasibility_tolerance": tolerance})
        vertex = model.run(form.c, Bounds.of(form))
        if vertex.optimal:
            return vertex
    return None


def _room(form: StandardForm, x: Array) -> tuple[Array, Array]:
    """How far each column may move: not at all beyond a bound it has reached."""
    down, up = np.full(x.size, -np.inf), np.full(x.size, np.inf)
    if form.lower is not None:
        finite = np.isfinite(form.lower)
        down[finite & (x <= form.lower + ACTIVE * (1.0 + np.abs(x)))] = 0.0
    if form.upper is not None:
        finite = np.isfinite(form.upper)
        up[finite & (x >= form.upper - ACTIVE * (1.0 + np.abs(x)))] = 0.0
    return down, up


def linear_price(
    subproblem: Subproblem, constants: Mapping[int, Value], position: int, lock: Lock
) -> float | None:
    """Compile the lock's row twice, with its limit moved by one, to find which row it is."""
    leaves = [(p, constants[p.id]) for p in subproblem.inputs]
    constraint = subproblem.constraints[position]
    limit = limit_of(constraint, lock)
    highs = Solver("HIGHS")
    step = -1.0 if lock.maximise else 1.0
    with CVXPY_LOCK, holding(leaves):
        compiled = compile_for(subproblem, highs, {})
        unmoved = compiled.form.b.copy()
        with holding([(limit, constants[limit.id] + step)]):
            moved = compile_for(subproblem, highs, {}).form
    scaling = compiled.scaling
    change = np.abs(moved.b - unmoved) * scaling.rows
    if not lock.fair:  # the rest is rounding
        change = np.where(np.arange(change.size) == np.argmax(change), change, 0.0)
    unit = float(np.max(change, initial=0.0))
    slope = derivative_along(compiled.scaled, change / unit) if unit > 0.0 else None
    return None if slope is None else slope * (unit / scaling.cost)
