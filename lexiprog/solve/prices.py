"""What one more unit of slack on a held optimum would buy, exactly, for linear programs.

With slack d the optimum is v(d), convex and falling. Its right derivative is the least multiplier
of the lock among all optimal ones, which need not be the one a solver happens to return. It is
also the best rate of improvement over the directions that stay feasible: one more linear program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel, Vertex
from lexiprog.backends.solver import Solver
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.compile.task import compile_for
from lexiprog.model.expressions import CVXPY_LOCK, holding
from lexiprog.model.lock import Lock
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.typing import Array, Value

ACTIVE = 1e-7
# A step that is small beside the right-hand sides, and multipliers that are one and the same.
STEP, SAME = 1e-6, 1e-6


def right_derivative(form: StandardForm, row: int) -> float | None:
    """Fall of the optimum of ``form`` per unit added to ``b[row]``; None if HiGHS can't tell."""
    direction = np.zeros(form.b.size)
    direction[row] = 1.0
    return derivative_along(form, direction)


def derivative_along(form: StandardForm, direction: Array) -> float | None:
    """Fall of the optimum per unit of ``direction``, which is not negative, added to ``b``."""
    vertex = _optimum(form)
    if vertex is None:
        return None
    most = -float(vertex.row_dual @ direction)
    least = _multiplier_beyond(form, direction)
    if least is not None and least >= most * (1.0 - SAME):
        return max(least, 0.0)
    slope = _best_rate(form, vertex.x, direction)
    if slope is None:
        return None
    return slope if least is None else max(min(slope, max(most, least)), least, 0.0)


def _multiplier_beyond(form: StandardForm, direction: Array) -> float | None:
    """The multiplier a little further on, which is never more than the derivative here.

    As the optimum is convex, that is all there is to know where the one here is no larger. What
    touches its limit need not be told from what is near it.
    """
    size = 1.0 + float(np.max(np.abs(form.b[direction > 0])))
    vertex = _optimum(replace(form, b=form.b + STEP * size * direction))
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
    for tolerance in (1e-9, 1e-7):  # a lock without slack may be too much to ask at first
        session = HighsModel(form.A, {"primal_feasibility_tolerance": tolerance})
        vertex = session.run(form.c, Bounds.of(form))
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
        own = compiled.form.b.copy()
        with holding([(limit, constants[limit.id] + step)]):
            moved = compile_for(subproblem, highs, {}).form
    scaling = compiled.scaling
    change = np.abs(moved.b - own) * scaling.rows
    if not lock.fair:  # the rest is rounding
        change = np.where(np.arange(change.size) == np.argmax(change), change, 0.0)
    unit = float(np.max(change, initial=0.0))
    slope = derivative_along(compiled.scaled, change / unit) if unit > 0.0 else None
    return None if slope is None else slope * (unit / scaling.cost)


# How far the optimal multipliers of a linear or quadratic problem may differ among themselves.
#
# All multipliers that satisfy the conditions of optimality together with one optimal point are
# optimal, and there are no others: a polyhedron, whose extent in a direction is a linear program.

# In equilibrated units: what counts as reached, and the noise that a multiplier may have.
ACTIVE, NOISE = 1e-7, 1e-9


def dual_range(form: StandardForm, x: Array, weights: Array) -> tuple[float, float] | None:
    """Least and largest ``weights @ z`` over the optimal multipliers z; None if HiGHS can't tell.

    Parameters
    ----------
    form : StandardForm
        Without cones other than zeros and half-lines.
    x : ndarray
        An optimal point.
    weights : ndarray
        One a row.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[-1.0], [-2.0]]))  # min x over x >= 1 and 2x >= 2
    >>> form = StandardForm(np.array([1.0]), 0.0, A, np.array([-1.0, -2.0]), Cones(nonneg=2))
    >>> [round(end, 6) for end in dual_range(form, np.array([1.0]), np.array([1.0, 0.0]))]
    [0.0, 1.0]
    """
    if form.cones.linear != form.b.size:
        return None
    slope = form.c if form.P is None else form.c + form.P @ x
    below, above = _reduced_costs(form, x)
    least = np.zeros(form.b.size)
    least[: form.cones.zero] = -np.inf
    tight = form.slack(x) <= ACTIVE * (1.0 + np.abs(form.b))
    tight[: form.cones.zero] = True
    bounds = Bounds(least, np.where(tight, np.inf, 0.0), below - slope, above - slope)
    session = HighsModel(sp.csc_array(form.A.T), {})
    ends = []
    for sign in (1.0, -1.0):
        vertex = session.run(sign * weights, bounds)
        if vertex.status in ("kUnbounded", "kUnboundedOrInfeasible"):
            ends.append(-sign * np.inf)
        elif vertex.optimal:
            ends.append(float(weights @ vertex.x))
        else:
            return None
    return ends[0], ends[1]


def _reduced_costs(form: StandardForm, x: Array) -> tuple[Array, Array]:
    """What the reduced cost of each column may be: none between its bounds, else of one sign."""
    lower, upper = form.ranges()
    size = ACTIVE * (1.0 + np.abs(x))
    low, high = x <= lower + size, x >= upper - size
    return np.where(high, -np.inf, -NOISE), np.where(low, np.inf, NOISE)
