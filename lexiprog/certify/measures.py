"""The one entry to what a certificate measures: ``measure`` for a point and its multipliers.

Everything that judges an optimum calls ``measure``, or ``measure_batch`` for linear programs over
the same rows; how a bound is proved (``bound``, ``rounding_bound``, ``ranges``) is known here only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexiprog.canon.compensated import by_columns
from lexiprog.canon.cones import distances
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.rounding_bound import LinearBatch as LinearBatch
from lexiprog.certify.rounding_bound import bound_with_rounding
from lexiprog.tolerances import CERTIFIED
from lexiprog.typing import Array, Mask

# Where nothing bounds a variable, the proof speaks of points this many times as far away as the
# point itself is from the origin.
REACH = 10.0
# Linear programs up to so many entries are worth measuring in a batch.
SMALL = 20_000


@dataclass(frozen=True)
class Measures:
    """A certificate with the bound that it rests on, in the form's minimising sense."""

    certificate: Certificate
    bound: float | None


@np.errstate(over="ignore", invalid="ignore")  # a measure that overflows has failed
def measure(
    form: StandardForm,
    x: Array,
    z: Array | None,
    *,
    claimed: float,
    tolerance: float = CERTIFIED,
    gap_tolerance: float | None = None,
    bound: float | None = None,
) -> Measures:
    """Measure primal point ``x`` and multipliers ``z`` of ``form`` against optimality.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers, in equilibrated units.
    x, z : ndarray
        Primal point and multipliers of the conic rows (None for integer problems).
    claimed : float
        The optimum the solver claims, in the form's own (minimising) sense.
    bound : float, optional
        A lower bound on the optimum, used where there are no multipliers.
    """
    value = form.objective(x)
    linear = form.cones.linear
    outside = distances(form.cones, form.slack(x))
    beyond = _beyond_bounds(form, x)
    relative = outside / _row_sizes(form, x)
    integer = form.integer is not None and bool(form.integer.size)
    integrality = _largest(x[form.integer] - np.round(x[form.integer])) if integer else 0.0
    cone = _largest(relative[linear:])
    dual, radius, basis = 0.0, None, "incumbent" if integer else "bound"
    if z is not None:
        basis = "duals"
        dual, dual_cone, effect = _dual_side(form, x, z, outside, beyond)
        cone = max(cone, dual_cone)
        bound = bound_with_rounding(form, x, z, value)
        if bound is None:
            proved = lower_bound(form, x, z, radius=REACH * max(1.0, _largest(x)))
            bound, radius = proved.value, proved.radius
        gap = max(value - bound, effect, 0.0)
    elif bound is None:
        gap, basis = np.nan, "point" if integer else basis
    else:
        gap = max(value - bound, 0.0)
    certificate = Certificate(
        primal=max(_largest(relative[:linear]), _largest(beyond)),
        dual=dual,
        gap=gap / (1.0 + abs(value)),
        cone=cone,
        claim=abs(claimed - value) / (1.0 + abs(value)),
        integrality=integrality,
        tolerance=tolerance,
        gap_tolerance=tolerance if gap_tolerance is None else max(tolerance, gap_tolerance),
        basis=basis,
        radius=radius,
    )
    return Measures(certificate, None if bound is None or not np.isfinite(bound) else float(bound))


def can_batch(form: StandardForm) -> bool:
    """Whether a form is small and linear, with two bounds on every column."""
    return (
        form.P is None
        and form.cones.linear == form.b.size
        and (form.integer is None or not form.integer.size)
        and form.lower is not None
        and form.upper is not None
        and form.A.format == "csc"
        and 0 < form.A.data.size <= SMALL
    )


def measure_batch(
    batch: LinearBatch,
    equations: Mask,
    x: Array,
    z: Array,
    claims: Sequence[float],
    *,
    tolerance: float,
    rows_at: tuple[Array, Array] | None = None,
) -> list[Measures | None]:
    """The same of linear programs over one matrix, all at once; None if one needs more to know.

    Parameters
    ----------
    batch : LinearBatch
        Their numbers, with two finite bounds on every column.
    equations : ndarray of bool
        Which rows of each are equations.
    x, z : ndarray
        A point and multipliers for each.
    claims : sequence of float
        What is claimed to be the optimum of each.
    rows_at : tuple of ndarray, optional
        ``batch.rows_at(x)``, where that is known.
    """
    b, c, lower, upper = batch.b, batch.c, batch.lower, batch.upper
    values = np.array([cost @ point for cost, point in zip(c, x, strict=True)]) + batch.offset
    terms, activity = batch.rows_at(x) if rows_at is None else rows_at
    slack = b - activity
    sizes = np.maximum(np.maximum(batch.row_sums(np.abs(terms)), np.abs(b)), 1.0)
    outside = np.where(equations, np.abs(slack), np.maximum(-slack, 0.0))
    primal = (outside / sizes).max(axis=1)
    effect = (np.abs(z) * outside).sum(axis=1)
    negative = np.where(equations, 0.0, np.minimum(z, 0.0))
    inside = z - negative
    beyond = np.maximum(lower - x, x - upper)
    past = beyond > 0.0
    if np.count_nonzero(past):
        far = np.maximum(1.0, np.where(lower > x, np.abs(lower), np.abs(upper)))
        beyond = np.where(past, beyond, 0.0) / far
        primal = np.maximum(primal, beyond.max(axis=1))
        effect = effect + (np.abs(c + batch.pulled(inside)) * beyond).sum(axis=1)
    bounds = batch.bounds(x, inside, values)
    finite = np.all(np.isfinite(upper - lower), axis=1).tolist()
    dual = np.abs(negative).max(axis=1) / (1.0 + np.abs(c).max(axis=1))
    numbers = zip(*(part.tolist() for part in (values, primal, dual, effect)), strict=True)
    return [
        _batched(bound, claim, tolerance, *row) if bound is not None and boxed else None
        for bound, claim, boxed, row in zip(bounds, claims, finite, numbers, strict=True)
    ]


def _batched(
    bound: float, claim: float, tolerance: float, value: float, primal: float, dual: float,
    effect: float,
) -> Measures:  # fmt: skip
    size = 1.0 + abs(value)
    gap = max(value - bound, effect, 0.0) / size
    certificate = Certificate(
        primal=primal, dual=dual, gap=gap, claim=abs(claim - value) / size, tolerance=tolerance,
        gap_tolerance=tolerance,
    )  # fmt: skip
    return Measures(certificate, bound)


@np.errstate(over="ignore", invalid="ignore")
def least_multipliers(form: StandardForm, ray: Array) -> float:
    """How large multipliers must be, in sum, to prove any bound against an improving ``ray``.

    A ray along which the objective falls and that leaves all rows and bounds satisfied excludes
    every multiplier: the answer is infinite. One that violates them a little excludes those whose
    sizes, together with the coordinates of a point where a quadratic objective is linearised, add
    up to less. Zero if the ray improves nothing.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, -1.0]]))  # min -x over x <= y
    >>> form = StandardForm(np.array([-1.0, 0.0]), 0.0, A, np.zeros(1), Cones(nonneg=1))
    >>> least_multipliers(form, np.array([1.0, 1.0]))
    inf
    """
    lower, upper = form.ranges()
    leaves = np.concatenate([-ray[np.isfinite(lower)], ray[np.isfinite(upper)]])
    moves = [np.maximum(leaves, 0.0)]
    if form.b.size:
        moves.append(distances(form.cones, -(form.A @ ray)))
    if form.P is not None:
        moves.append(np.abs(form.P @ ray))
    defect = float(np.max(np.concatenate(moves), initial=0.0))
    fall = -float(form.c @ ray)
    if not fall > 0.0 or np.isnan(defect):
        return 0.0
    return np.inf if defect == 0.0 else fall / defect


def _row_sizes(form: StandardForm, x: Array) -> Array:
    """What a violation of each row is compared with: its right-hand side, its terms, or one."""
    if not form.b.size:
        return np.ones(0)
    A = by_columns(form.A)
    weights = np.abs(A.data) * np.repeat(np.abs(x), np.diff(A.indptr))
    terms = np.bincount(A.indices, weights, minlength=form.b.size)
    sizes: Array = np.maximum(1.0, np.maximum(np.abs(form.b), terms))
    return sizes


def _dual_side(
    form: StandardForm, x: Array, z: Array, outside: Array, beyond: Array
) -> tuple[float, float, float]:
    """Dual residual, distance of z to the dual cones, and the effect of primal violations."""
    reduced = form.c + form.transpose_product(z)
    if form.P is not None:
        reduced = reduced + form.P @ x
    lower, upper = form.ranges()
    # A bound carries the multiplier that the rows leave over, on the side it pushes to.
    held = np.isfinite(np.where(reduced > 0, lower, upper))
    norm_c = 1.0 + _largest(form.c)
    linear = form.cones.linear
    wrong = distances(form.cones, z, dual=True)
    dual = max(_largest(reduced[~held]), _largest(wrong[:linear])) / norm_c
    dual_cone = _largest(wrong[linear:]) / norm_c
    # Violated rows make the point look too good: their multipliers say by how much.
    effect = float((np.abs(z) * outside).sum()) + float((np.abs(reduced) * beyond).sum())
    return dual, dual_cone, effect


def _beyond_bounds(form: StandardForm, x: Array) -> Array:
    """How far each column is beyond its bounds, over the size of the bound if that is large."""
    beyond = np.zeros(x.size)
    if form.lower is None and form.upper is None:
        return beyond
    if form.lower is not None:
        beyond = np.maximum(beyond, (form.lower - x) / np.maximum(1.0, np.abs(form.lower)))
    if form.upper is not None:
        beyond = np.maximum(beyond, (x - form.upper) / np.maximum(1.0, np.abs(form.upper)))
    return np.where(np.isnan(beyond), 0.0, beyond)  # an infinite bound cannot be passed


def _largest(values: Array) -> float:
    """Largest absolute entry; not-a-number stays not-a-number."""
    return float(np.abs(values).max()) if values.size else 0.0
