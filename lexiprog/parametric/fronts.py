"""Fronts of two linear objectives: the least second one for each limit on the first.

The breakpoints of that value function, as long as it falls, are the extreme points
of the front, and its slopes the weights at which the best point changes; a proof of the function is
a proof of the front.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.basis_path import MovingProgram
from lexiprog.parametric.path import parametric_curve, trace
from lexiprog.parametric.value_function import CurveEnd, CurveError, ValueFunction
from lexiprog.tolerances import PRECISE_HIGHS
from lexiprog.typing import Array


def linear_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    limit: int = 1000,
    resume: ValueFunction | None = None,
    deadline: Deadline | None = None,
) -> ValueFunction:
    """Every extreme non-dominated point of two costs over the feasible set of a linear form.

    The breakpoints are the values of the first cost. The ends are lexicographic optima: no point
    is dominated, not even weakly. The last row of the multipliers is that of the limit.

    Parameters
    ----------
    form : StandardForm
        Linear rows only; its own cost is not looked at.
    first, second : ndarray of shape (n,)
        The costs, both minimised.
    limit : int
        Most points; a front with more says that it is not complete.
    resume : ValueFunction, optional
        An unfinished front of the same numbers to go on from.
    deadline : Deadline, optional
        How long it may take, and what stopped it; what was found by then is kept.

    Raises
    ------
    CurveError
        If nothing is feasible, or neither objective has a lowest value.
    OutOfTime
        If there was no time for a single point.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.zeros(2), offset=0.0, b=np.array([-8.0, -8.0]),
    ...                     A=sp.csc_array([[-1.0, -2.0], [-2.0, -1.0]]),
    ...                     cones=Cones(nonneg=2), lower=np.zeros(2))
    >>> front = linear_front(form, np.array([3.0, 1.0]), np.array([1.0, 4.0]))
    >>> front.pairs.round(6).tolist()
    [[8.0, 32.0], [10.666667, 13.333333], [24.0, 8.0]]
    >>> front.weights.round(6).tolist()
    [[0.875, 1.0], [0.285714, 0.875], [0.0, 0.285714]]
    """
    _check_costs(form, first, second)
    if resume is not None:
        return _longer(form, first, second, limit, resume, deadline)
    bounded, direction = _with_bound(form, first, second)
    unlimited = replace(Bounds.of(bounded), row_upper=np.append(form.b, np.inf))
    model = HighsModel(bounded.A, PRECISE_HIGHS, second, unlimited, deadline=deadline)
    vertex = model.optimum()
    if vertex is None or not _has_least(model, first, second):
        return _unbounded_front(form, first, second, limit, deadline)
    # From the second objective's end, where the bound does not matter yet, to where it leaves no
    # point: that is the first objective's end, met from inside.
    origin = float(first @ vertex.values[: form.c.size])
    curve = trace(
        bounded, direction, model, vertex, origin, start=-np.inf, stop=np.inf, limit=limit
    )
    return _front(curve, first, second)


def _with_bound(form: StandardForm, bound: Array, cost: Array) -> tuple[StandardForm, Array]:
    """Minimise ``cost`` with ``bound @ x <= t`` as last row, and how that moves with ``t``."""
    size = _size(bound)
    row = sp.csr_array(bound[None, :] / size)
    direction = np.append(np.zeros(form.b.size), 1.0 / size)
    cones = replace(form.cones, nonneg=form.cones.nonneg + 1)
    A = sp.csc_array(sp.vstack([form.A, row]))
    b = np.append(form.b, 0.0)
    return replace(form, c=cost, offset=0.0, A=A, b=b, cones=cones), direction


def _has_least(model: HighsModel, cost: Array, afterwards: Array) -> bool:
    model.set_cost(cost)
    bounded = model.optimum(warm=True) is not None
    model.set_cost(afterwards)
    return bounded


def _longer(
    form: StandardForm,
    first: Array,
    second: Array,
    limit: int,
    resume: ValueFunction,
    deadline: Deadline | None,
) -> ValueFunction:
    """The front from where an unfinished one ends."""
    bound, cost = (second, first) if resume.inverted else (first, second)
    bounded, direction = _with_bound(form, bound, cost)
    program = MovingProgram.of(bounded, direction)
    forward, *rest = resume.paths
    model = HighsModel(bounded.A, PRECISE_HIGHS, cost, Bounds.of(bounded), deadline=deadline)
    begin = forward.segments[0]
    curve = trace(
        bounded, direction, model, begin.vertex(program), begin.start,
        start=-np.inf if rest else begin.start, stop=np.inf, limit=limit,
        known=(forward, rest[0] if rest else None),
    )  # fmt: skip
    return _front(curve, first, second, inverted=resume.inverted)


def _unbounded_front(
    form: StandardForm, first: Array, second: Array, limit: int, deadline: Deadline | None
) -> ValueFunction:
    """The front if one objective alone has a lowest value: from there on without end."""
    for bound, cost in ((first, second), (second, first)):
        model = HighsModel(form.A, PRECISE_HIGHS, bound, Bounds.of(form), deadline=deadline)
        vertex = model.optimum()
        if vertex is not None:
            lowest = float(bound @ vertex.values[: form.c.size])
            bounded, direction = _with_bound(form, bound, cost)
            curve = parametric_curve(
                bounded, direction, start=lowest, limit=limit, deadline=deadline
            )
            return _front(curve, first, second, inverted=bound is second)
    status = model.status
    raise CurveError(
        f"there is no front (HiGHS: {status}): nothing is feasible, or both objectives fall "
        "without limit. Bound one of them."
    )


def _front(
    curve: ValueFunction, first: Array, second: Array, *, inverted: bool = False
) -> ValueFunction:
    """The falling part of a curve; ``inverted`` if it limits the second objective."""
    count, falling = len(curve.multipliers), int(np.sum(curve.slopes < 0.0))
    slopes, before, end = np.append(curve.slopes[:falling], 0.0), -np.inf, CurveEnd.FLAT
    if falling == count and curve.end.is_open:
        slopes, end = slopes[:-1], CurveEnd.STRAIGHT
    keep = np.arange(slopes.size)
    if curve.note:  # where a walk was stopped there need not be a vertex
        end, forwards = CurveEnd.UNFINISHED, curve.paths[0].segments[0].slope < 0.0
        before = before if forwards else float(slopes[0])
        keep = keep[:-1] if forwards else keep[1:]
    limited, least = (second, first) if inverted else (first, second)
    points, multipliers = curve.points[keep], curve.multipliers[np.minimum(keep, count - 1)]
    multipliers[:, -1] /= _size(limited)
    front = replace(
        curve,
        breakpoints=points @ limited,
        values=points @ least,
        slopes=slopes[keep],
        slope_before=before,
        end=end,
        stop=np.inf,
        points=points,
        multipliers=multipliers,
    )
    return front.inverse() if inverted else front


def _size(bound: Array) -> float:
    return float(np.max(np.abs(bound), initial=0.0)) or 1.0


def _check_costs(form: StandardForm, first: Array, second: Array) -> None:
    for cost in (first, second):
        if cost.shape != form.c.shape or not np.all(np.isfinite(cost)):
            raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")
