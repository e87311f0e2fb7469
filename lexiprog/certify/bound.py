"""A proved lower bound of an optimum, from any point and any multipliers.

Every ``z`` in the dual cones and every ``x`` give, by weak duality and convexity, for feasible y

    objective(y) >= offset - 1/2 x'Px - b'z + r'y   with the reduced costs   r = c + Px + A'z.

What is left is ``r'y``: each reduced cost is charged over the range of its column (Neumaier and
Shcherbina, 2004; Jansson, 2004). All sums are taken in twice the working precision and rounded
down, so that the bound holds for the numbers of the form as they stand. That ``P`` has no negative
eigenvalue is the declaration's word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.compensated import Sums, products, reduced_costs, total, transposed_times, up
from lexiprog.canon.cones import project
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.ranges import implied_ranges, stated_ranges
from lexiprog.typing import Array, Mask


@dataclass(frozen=True)
class LowerBound:
    """What is proved about an optimum.

    Attributes
    ----------
    everywhere : float
        No feasible point has a smaller objective; minus infinity if nothing is proved.
    value : float
        No feasible point within the ball has a smaller objective; the same if there is no ball.
    radius : float or None
        The ball's radius around the point, over the columns without a range that is known; None
        if no ball was needed or none was allowed.

    Notes
    -----
    A ball is less of a restriction than it seems. Since the problem is convex, a feasible point
    at ``d`` times the radius is better than a feasible ``x`` by at most ``d`` times the gap within
    the ball.
    """

    everywhere: float
    value: float
    radius: float | None = None


@np.errstate(over="ignore", invalid="ignore")
def lower_bound(
    form: StandardForm, x: Array, z: Array, *, radius: float | None = None
) -> LowerBound:
    """What the multipliers ``z`` prove about the optimum of ``form``.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers; integers are taken as continuous, which can only lower the bound.
    x : ndarray
        The point at which a quadratic objective is linearised and around which the ball lies.
    z : ndarray
        Multipliers of the rows, right or wrong: they are first brought into the dual cones.
    radius : float, optional
        How far from ``x`` the ball reaches. Without it, a column that has no finite range and
        whose reduced cost is not exactly zero leaves nothing proved.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b, rows = sp.csc_array(np.array([[-1.0, -2.0]])), np.array([-4.0]), Cones(nonneg=1)
    >>> form = StandardForm(np.array([1.0, 3.0]), 0.0, A, b, rows, lower=np.zeros(2))
    >>> x = np.array([4.0, 0.0])  # min x + 3y over x + 2y >= 4 is 4, the multiplier 1
    >>> lower_bound(form, x, np.array([1.0])).everywhere
    4.0
    >>> lower_bound(form, x, np.array([0.75])).everywhere
    3.0
    """
    z = project(form.cones, z, dual=True)
    reduced = reduced_costs(form.c, form.A, z)
    constant = [Sums.of(np.array([form.offset])), products(-form.b, z)]
    if form.P is not None:
        curvature = transposed_times(form.P, x)
        reduced = reduced.plus(curvature)
        constant.append(curvature.times(-0.5 * x))
    if form.lower is None and form.upper is None:
        open_ends = (reduced.high != 0.0) | (reduced.low != 0.0) | (reduced.error != 0.0)
        charges = Sums.of(np.zeros(x.size))
    else:
        charges, open_ends = charge_columns(reduced, *form.ranges())
    if not open_ends.any():
        value = _lower(*constant, charges)
        return LowerBound(value, value)
    at_x = reduced.times(x)
    charges, unknown, ceiling = _charge_open(form, x, reduced, at_x, charges, open_ends)
    everywhere = -np.inf if unknown.any() else min(_lower(*constant, charges), ceiling)
    if radius is None:
        return LowerBound(everywhere, everywhere)
    # Within the ball a column may vary less than its implied range says.
    slopes = np.maximum(np.abs(reduced.lower), np.abs(reduced.upper))
    losses = at_x.nearest - charges.lower
    around = unknown | (open_ends & (losses > slopes * radius))
    if not around.any():
        return LowerBound(everywhere, everywhere)
    slope = float(np.linalg.norm(up(slopes[around])))
    ball = Sums(np.zeros(1), np.zeros(1), up(np.array([slope * radius])))
    within = _lower(*constant, _where(around, at_x, charges), ball)
    return LowerBound(everywhere, min(within, ceiling), radius)


def _charge_open(
    form: StandardForm, x: Array, reduced: Sums, at_x: Sums, charges: Sums, unknown: Mask
) -> tuple[Sums, Mask, float]:
    """Charges of columns without bounds of their own, by what else is known of their ranges.

    Returns them with the columns of which nothing is known, and the ceiling that all need.
    """
    ceiling = np.inf
    stated = stated_ranges(form)
    more, still = charge_columns(reduced, *stated)
    charges, unknown = _where(unknown & ~still, more, charges), unknown & still
    if unknown.any():
        bent, strong = _bend(form, reduced, at_x, unknown)
        charges, unknown = _where(strong, bent, charges), unknown & ~strong
    if unknown.any():
        ends, ceiling = _implied(form, x, reduced, unknown, stated)
        more, still = charge_columns(reduced, *ends)
        charges, unknown = _where(unknown & ~still, more, charges), unknown & still
    return charges, unknown, ceiling


def charge_columns(reduced: Sums, lower: Array, upper: Array) -> tuple[Sums, Mask]:
    """The least of reduced cost times column, and the columns where there is none."""
    low, high = reduced.lower, reduced.upper
    falls, rises = high > 0.0, low < 0.0  # as the column goes to its lower or upper end
    unknown = (falls & np.isneginf(lower)) | (rises & np.isposinf(upper))
    unknown |= np.isnan(low) | np.isnan(lower) | np.isnan(upper)
    # If even the sign is open, so is the end; the product is then all error.
    doubtful = falls & rises & ~unknown
    ends = np.where(falls, lower, np.where(rises, upper, 0.0))
    charges = reduced.times(np.where(unknown | doubtful, 0.0, ends))
    farthest = np.where(doubtful, np.maximum(np.abs(lower), np.abs(upper)), 0.0)
    error = up(np.where(doubtful, np.maximum(-low, high), 0.0) * farthest)
    return Sums(charges.high, charges.low, np.where(doubtful, error, charges.error)), unknown


def _bend(form: StandardForm, reduced: Sums, at_x: Sums, unknown: Mask) -> tuple[Sums, Mask]:
    """Charges of columns whose own square in the objective holds them near ``x``.

    With 1/2 p (y - x)**2 beside r (y - x) no column gains more than r**2 / 2p.
    """
    if form.P is None:
        return at_x, np.zeros(unknown.size, dtype=bool)
    P = sp.csc_array(form.P)
    squares = P.diagonal()
    columns = np.repeat(np.arange(squares.size), np.diff(P.indptr))
    entries = np.bincount(columns, P.data != 0.0, minlength=squares.size)
    strong = unknown & (squares > 0.0) & (entries == 1)
    largest = np.maximum(np.abs(reduced.lower), np.abs(reduced.upper))
    gains = np.divide(largest**2, 2.0 * squares, out=np.zeros(squares.size), where=strong)
    return Sums(at_x.high, at_x.low, up(at_x.error + gains)), strong


def _implied(
    form: StandardForm, x: Array, reduced: Sums, unknown: Mask, stated: tuple[Array, Array]
) -> tuple[tuple[Array, Array], float]:
    """Ranges of the columns by rows, cones and objective, and the ceiling that the latter needs.

    Points whose objective exceeds a ceiling cannot spoil a bound below it. It is set above the
    objective at ``x``, so that a bound which shows ``x`` to be too good remains visible.
    """
    cut, ceiling = None, np.inf
    if form.P is None and form.c.any():
        height = form.objective(x) + 0.5 * float(np.abs(form.c) @ np.abs(x))
        limit = total(Sums.of(np.array([height, -form.offset]))).upper[0]
        if np.isfinite(limit):
            cut, ceiling = (form.c, float(limit)), height
    wanted = unknown & (reduced.upper > 0.0), unknown & (reduced.lower < 0.0)
    return implied_ranges(form, start=stated, cut=cut, wanted=wanted), ceiling


def _where(chosen: Mask, yes: Sums, no: Sums) -> Sums:
    return Sums(
        np.where(chosen, yes.high, no.high),
        np.where(chosen, yes.low, no.low),
        np.where(chosen, yes.error, no.error),
    )


def _lower(*parts: Sums) -> float:
    """The sum of all parts, rounded down; minus infinity if it is no number."""
    bound = float(total(*parts).lower[0])
    return -np.inf if np.isnan(bound) else bound
