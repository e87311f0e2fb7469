"""Two linear objectives: every extreme non-dominated point, and the weights for which it is best.

The least second objective for a bound ``t`` on the first is a curve in ``t`` (see ``parametric``).
Its knots, as long as it falls, are the extreme points of the front, and its slopes the weights at
which the best point changes. That the curve is whole proves that the front is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.basis_path import MovingProgram
from lexiprog.parametric.curve import Curve, CurveError
from lexiprog.parametric.path import parametric_curve, trace
from lexiprog.tolerances import PRECISE_HIGHS
from lexiprog.typing import Array


@dataclass(frozen=True)
class LinearFront:
    """The extreme non-dominated points of two linear objectives, both minimised.

    Attributes
    ----------
    points : ndarray of shape (k, 2)
        Values of both objectives, the first rising and the second falling.
    solutions : ndarray of shape (k, n)
        A solution for each point.
    weights : ndarray of shape (k, 2)
        From which to which share ``w`` of the first objective in ``w f1 + (1 - w) f2`` the point
        is best. The ranges of neighbours touch.
    curve : Curve
        The least of one objective for each bound on the other: its proof is the front's.
    ray : ndarray of shape (2,), optional
        Where the front goes on for ever, from its first or last point: one objective falls without
        limit.
    note : str
        What is missing; empty if the front is complete.
    turned : bool
        Whether the curve bounds the second objective instead of the first.
    size : float
        What the bounded cost is divided by in the last row of the curve's program.
    pieces : ndarray of int
        Which piece of the curve begins at each point, if it is not turned.
    """

    points: Array
    solutions: Array = field(repr=False)
    weights: Array
    curve: Curve = field(repr=False)
    ray: Array | None = None
    note: str = ""
    turned: bool = False
    size: float = 1.0
    pieces: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)

    @property
    def backwards(self) -> bool:
        """Whether the walk began at the last point: what is missing lies before the first."""
        return self.turned or self.curve.trails[0].steps[0].slope == 0.0

    @property
    def complete(self) -> bool:
        """Whether no extreme point is missing."""
        return not self.note


def linear_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    limit: int = 1000,
    resume: LinearFront | None = None,
    deadline: Deadline | None = None,
) -> LinearFront:
    """Every extreme non-dominated point of two costs over the feasible set of a linear form.

    The ends are lexicographic optima: no point is dominated, not even weakly.

    Parameters
    ----------
    form : StandardForm
        Linear rows only; its own cost is not looked at.
    first, second : ndarray of shape (n,)
        The costs, both minimised.
    limit : int
        Most points; a front with more says that it is not complete.
    resume : LinearFront, optional
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
    >>> front.points.round(6).tolist()
    [[8.0, 32.0], [10.666667, 13.333333], [24.0, 8.0]]
    >>> front.weights.round(6).tolist()
    [[0.875, 1.0], [0.285714, 0.875], [0.0, 0.285714]]
    """
    for cost in (first, second):
        if cost.shape != form.c.shape or not np.all(np.isfinite(cost)):
            raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")
    if resume is not None:
        return _longer(form, first, second, limit, resume, deadline)
    bounded, direction = _with_bound(form, first, second)
    limits = Bounds.of(bounded)
    unlimited = replace(limits, row_upper=np.append(form.b, np.inf))
    handle = HighsModel(bounded.A, PRECISE_HIGHS, second, unlimited, deadline=deadline)
    corner = handle.optimum()
    if corner is None or not _has_least(handle, first, second):
        return _unbounded_front(form, first, second, limit, deadline)
    # From the second objective's end, where the bound does not matter yet, to where it leaves no
    # point: that is the first objective's end, met from inside.
    origin = float(first @ corner.values[: form.c.size])
    curve = trace(
        bounded, direction, handle, corner, origin, start=-np.inf, stop=np.inf, limit=limit
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


def _has_least(handle: HighsModel, cost: Array, afterwards: Array) -> bool:
    handle.set_cost(cost)
    found = handle.optimum(warm=True) is not None
    handle.set_cost(afterwards)
    return found


def _longer(
    form: StandardForm,
    first: Array,
    second: Array,
    limit: int,
    resume: LinearFront,
    deadline: Deadline | None,
) -> LinearFront:
    """The front from where an unfinished one ends."""
    bound, cost = (second, first) if resume.turned else (first, second)
    bounded, direction = _with_bound(form, bound, cost)
    program = MovingProgram.of(bounded, direction)
    forward, *rest = resume.curve.trails
    handle = HighsModel(bounded.A, PRECISE_HIGHS, cost, Bounds.of(bounded), deadline=deadline)
    begin = forward.steps[0]
    curve = trace(
        bounded, direction, handle, begin.corner(program), begin.start,
        start=-np.inf if rest else begin.start, stop=np.inf, limit=limit,
        known=(forward, rest[0] if rest else None),
    )  # fmt: skip
    return _front(curve, first, second, turned=resume.turned)


def _unbounded_front(
    form: StandardForm, first: Array, second: Array, limit: int, deadline: Deadline | None
) -> LinearFront:
    """The front if one objective alone has a lowest value: from there on without end."""
    for bound, cost in ((first, second), (second, first)):
        handle = HighsModel(form.A, PRECISE_HIGHS, bound, Bounds.of(form), deadline=deadline)
        corner = handle.optimum()
        if corner is not None:
            lowest = float(bound @ corner.values[: form.c.size])
            bounded, direction = _with_bound(form, bound, cost)
            curve = parametric_curve(
                bounded, direction, start=lowest, limit=limit, deadline=deadline
            )
            return _front(curve, first, second, turned=bound is second)
    said = handle.status
    raise CurveError(
        f"there is no front (HiGHS: {said}): nothing is feasible, or both objectives fall without "
        "limit. Bound one of them."
    )


def _front(curve: Curve, first: Array, second: Array, *, turned: bool = False) -> LinearFront:
    """The falling part of a curve; ``turned`` if it bounds the second objective."""
    falling = int(np.sum(curve.slopes < 0.0))
    open_ended = falling == curve.slopes.size and curve.end.is_open
    count = falling if open_ended else falling + 1
    # How much of the minimised objective a unit of the bounded one is worth, on either side; where
    # that has its least value, nothing is worth more.
    rates = np.append(-curve.slopes[:falling], 0.0)[:count]
    shares = np.stack([_share(rates), _share(np.append(np.inf, rates[:-1]))], axis=1)
    pieces = np.arange(count)
    if curve.note:  # where a walk was stopped there need not be a corner
        forwards = curve.trails[0].steps[0].slope < 0.0
        pieces = pieces[:-1] if forwards else pieces[1:]
    shares, solutions = shares[pieces], curve.points[pieces]
    ray = None
    if open_ended:
        ray = np.array([1.0, curve.slopes[-1]])
    if turned:
        shares, solutions = (1.0 - shares)[::-1, ::-1], solutions[::-1]
        ray = None if ray is None else ray[::-1]
    return LinearFront(
        points=solutions @ np.stack([first, second], axis=1),
        solutions=solutions,
        weights=shares,
        curve=curve,
        ray=ray,
        note=curve.note,
        turned=turned,
        size=_size(second if turned else first),
        pieces=pieces,
    )


def _size(bound: Array) -> float:
    return float(np.max(np.abs(bound), initial=0.0)) or 1.0


def _share(rate: Array) -> Array:
    """``w`` for which ``w f1 + (1 - w) f2`` counts like ``rate f1 + f2``."""
    return np.where(np.isinf(rate), 1.0, rate / (1.0 + np.where(np.isinf(rate), 0.0, rate)))
