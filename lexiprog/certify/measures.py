"""Judge a claimed optimum from the problem's own numbers, never by the solver's word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiprog.canon.compensated import by_columns
from lexiprog.canon.cones import distances
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.rounding_bound import Boxed, measured, plain_bound
from lexiprog.tolerances import CERTIFIED
from lexiprog.typing import Array

# Where nothing bounds a variable, the proof speaks of points this many times as far away as the
# point itself is from the origin.
REACH = 10.0


@dataclass(frozen=True)
class Checked:
    """A certificate with the bound that it rests on, in the form's minimising sense."""

    certificate: Certificate
    bound: float | None


def certified(quick: Boxed, claimed: float, tolerance: float, accepted: float) -> Checked:
    """What quick measures make of a claim."""
    size = 1.0 + abs(quick.value)
    gap = max(quick.value - quick.bound, quick.effect, 0.0) / size
    claim = abs(claimed - quick.value) / size
    return Checked(
        Certificate(
            primal=quick.primal, dual=quick.dual, gap=gap, claim=claim, tolerance=tolerance,
            gap_tolerance=accepted,
        ),
        quick.bound,
    )  # fmt: skip


@np.errstate(over="ignore", invalid="ignore")  # a measure that overflows has failed
def check_answer(
    form: StandardForm,
    x: Array,
    z: Array | None,
    *,
    claimed: float,
    tolerance: float = CERTIFIED,
    gap_tolerance: float | None = None,
    bound: float | None = None,
) -> Checked:
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
    accepted = tolerance if gap_tolerance is None else max(tolerance, gap_tolerance)
    quick = None if z is None else measured(form, x, z)
    if quick is not None:
        return certified(quick, claimed, tolerance, accepted)
    value = form.objective(x)
    linear = form.cones.linear
    outside = distances(form.cones, form.slack(x))
    beyond = _beyond_bounds(form, x)
    sizes = _row_sizes(form, x)
    integer = form.integer is not None and bool(form.integer.size)
    integrality = _largest(x[form.integer] - np.round(x[form.integer])) if integer else 0.0
    cone = _largest(outside[linear:] / sizes[linear:])
    dual, radius, basis = 0.0, None, "incumbent" if integer else "bound"
    if z is not None:
        basis = "duals"
        dual, dual_cone, effect = _dual_side(form, x, z, outside, beyond)
        cone = max(cone, dual_cone)
        bound = plain_bound(form, x, z, value)
        if bound is None:
            proved = lower_bound(form, x, z, radius=REACH * max(1.0, _largest(x)))
            bound, radius = proved.value, proved.radius
        gap = max(value - bound, effect, 0.0)
    elif bound is None:
        gap, basis = np.nan, "point" if integer else basis
    else:
        gap = max(value - bound, 0.0)
    certificate = Certificate(
        primal=max(_largest(outside[:linear] / sizes[:linear]), _largest(beyond)),
        dual=dual,
        gap=gap / (1.0 + abs(value)),
        cone=cone,
        claim=abs(claimed - value) / (1.0 + abs(value)),
        integrality=integrality,
        tolerance=tolerance,
        gap_tolerance=accepted,
        basis=basis,
        radius=radius,
    )
    return Checked(certificate, None if bound is None or not np.isfinite(bound) else float(bound))


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
    lower = np.full(x.size, -np.inf) if form.lower is None else form.lower
    upper = np.full(x.size, np.inf) if form.upper is None else form.upper
    # A bound carries the multiplier that the rows leave over, on the side it pushes to.
    held = np.isfinite(np.where(reduced > 0, lower, upper))
    norm_c = 1.0 + _largest(form.c)
    linear = form.cones.linear
    wrong = distances(form.cones, z, dual=True)
    dual = max(_largest(reduced[~held]), _largest(wrong[:linear])) / norm_c
    dual_cone = _largest(wrong[linear:]) / norm_c
    # Violated rows make the point look too good: their multipliers say by how much.
    effect = float(np.abs(z) @ outside) + float(np.abs(reduced) @ beyond)
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
