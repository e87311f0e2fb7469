"""The one entry to what a certificate measures: ``measure`` for a point and its multipliers.

Everything that judges an optimum calls ``measure``, ``prove``, which also looks at what lies near
an answer, or ``measure_batch`` for linear programs over the same rows. How terms are compared
(``terms``) and how a bound is proved (``bound``, ``rounding_bound``, ``ranges``) is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from lexiprog.canon.cones import distances
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.feasible import on_touched_rows
from lexiprog.certify.polish import candidates, rooms
from lexiprog.certify.ranges import stated_ranges
from lexiprog.certify.rounding_bound import LinearBatch as LinearBatch
from lexiprog.certify.rounding_bound import bound_with_rounding
from lexiprog.certify.terms import Nearness, TermSizes, ratio
from lexiprog.deadline import proof_should_end
from lexiprog.tolerances import (
    CERTIFIED,
    FEW_ROUNDINGS,
    LEAST_NEAR,
    NEARLY_TOUCHED,
    NEARNESS,
    NO_SIZE,
    REDUCED_TO_ZERO,
    ROW_COMPUTED,
    ROW_HELD,
    ROW_ROUNDING,
    UNDERFLOW_ERRORS,
    VALUE_ROUNDING,
)
from lexiprog.typing import Array, Mask, Matrix

# Where the numbers of rows come from.
RowOrigin: TypeAlias = Literal["written", "computed", "held", "found"]

# What the decimals that a linear problem's numbers stand for differ from these, if that is known.
Decimals: TypeAlias = Callable[[], DecimalResiduals | None]

# Linear programs up to so many entries are worth measuring in a batch.
SMALL = 20_000


@dataclass(frozen=True)
class Measures:
    """A certificate with the bound that it rests on, in the form's minimising sense.

    ``rounding`` is how far values may be apart that differ by rounding alone, and ``effect`` what
    the rows that the point misses are worth by their multipliers.
    """

    certificate: Certificate
    bound: float | None
    rounding: float = 0.0
    effect: float = 0.0


@dataclass(frozen=True)
class Proof:
    """A point with multipliers, and what is measured of them."""

    x: Array
    z: Array
    measures: Measures


def prove(
    form: StandardForm,
    x: Array,
    z: Array,
    *,
    claimed: float,
    tolerance: float = CERTIFIED,
    rows: RowOrigin = "written",
    decimals: Decimals = lambda: None,
) -> Proof:
    """The answer or, where that is not proved, what lies near it and is; else the best of them.

    ``rows`` and ``decimals`` as for ``measure``. When the time is over nothing further is tried.
    """
    options: dict[str, Any] = {"tolerance": tolerance, "rows": rows, "decimals": decimals}
    best: Proof | None = None
    if not _is_beyond(form, x, row_tolerance(form, tolerance, rows)):
        best = Proof(x, z, measure(form, x, z, claimed=claimed, **options))
        if best.measures.certificate.proved:
            return best
    for point, multipliers in chain(_on_touched_rows(form, x, z), candidates(form, x, z)):
        if proof_should_end():
            break
        value = form.objective(point)
        found = measure(
            form, point, multipliers, claimed=value, promising=form.is_linear, **options
        )
        if found.certificate.proved:
            return Proof(point, multipliers, found)
        if best is None or not found.certificate.worst >= best.measures.certificate.worst:
            best = Proof(point, multipliers, found)
    return best or Proof(x, z, measure(form, x, z, claimed=claimed, **options))


def _is_beyond(form: StandardForm, x: Array, tolerance: float) -> bool:
    """Whether a column is beyond an end that is stated for it, so that nothing proves the point."""
    lower, upper = stated_ranges(form, outwards=False)
    past = np.maximum(lower - x, x - upper)
    out = np.flatnonzero(past > 0.0)
    ends = np.where(x < lower, lower, upper)[out]
    return bool((past[out] > tolerance * (np.abs(x[out]) + np.abs(ends))).any())


def _on_touched_rows(form: StandardForm, x: Array, z: Array) -> Iterator[tuple[Array, Array]]:
    """A linear problem's point on the rows that it nearly touches."""
    if form.is_linear and np.isfinite(x).all() and np.isfinite(z).all():
        lower, upper = form.ranges()
        terms, inside = TermSizes(form, x, z), np.clip(x, lower, upper)
        found = on_touched_rows(terms, inside, touched=NEARLY_TOUCHED, pressed=z > 0.0)
        if found is not None:
            yield found.nearest, z


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
    rows: RowOrigin = "written",
    decimals: Decimals = lambda: None,
    promising: bool = False,
) -> Measures:
    """Measure primal point ``x`` and multipliers ``z`` of ``form`` against optimality.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers, in any units: they make no difference.
    x, z : ndarray
        Primal point and multipliers of the conic rows (None for integer problems).
    claimed : float
        The optimum the solver claims, in the form's own (minimising) sense.
    bound : float, optional
        A lower bound on the optimum, used where there are no multipliers.
    rows : {"written", "computed", "held", "found"}
        Where the numbers of linear rows come from. Those that somebody has written are met up to
        rounding, so that every digit counts; those that somebody has computed a little less
        exactly, those that hold earlier optima as solvers do, and those found from other answers
        as exactly as curved ones.
    decimals : callable
        What the decimals differ that the numbers of a linear problem stand for, asked only where
        floats do not prove enough.
    promising : bool
        No bound is looked for where some other measure is too large already.
    """
    multipliers = np.zeros(form.b.size) if z is None else z
    terms = TermSizes(form, x, multipliers)
    near = terms.measure(x, multipliers)
    rounding = VALUE_ROUNDING * near.size + UNDERFLOW_ERRORS
    sized = abs(near.value) > NO_SIZE * near.size
    if not sized:
        rounding += _unsized_rounding(terms, x, near)
    if z is None:
        near = replace(near, columns=0.0, slackness=0.0, effect=0.0)
        basis = "bound" if not _is_integer(form) else "point" if bound is None else "incumbent"
    else:
        basis, bound = "duals", -np.inf
        if not promising or near.worst <= NEARNESS * tolerance:
            allowed = max(0.01 * tolerance * abs(near.value), rounding)
            zero = REDUCED_TO_ZERO if rows == "written" else VALUE_ROUNDING
            bound = _bound(terms, x, near, allowed, zero, decimals)
    certificate = Certificate(
        rows=near.rows,
        columns=near.columns,
        cones=near.cones,
        integrality=_apart_from_whole(form, x),
        tolerance=tolerance,
        gap_tolerance=tolerance if gap_tolerance is None else max(tolerance, gap_tolerance),
        row_tolerance=row_tolerance(form, tolerance, rows),
        basis=basis,
    )
    found = _with_values(certificate, near, claimed, bound, rounding)
    if sized and not form.is_linear and not found.certificate.proved:
        rounding += _unsized_rounding(terms, x, near)
        found = _with_values(certificate, near, claimed, bound, rounding)
    return found


def _with_values(
    certificate: Certificate, near: Nearness, claimed: float, bound: float | None, rounding: float
) -> Measures:
    """The certificate with what it says of values, which are not known better than ``rounding``."""
    certificate = replace(
        certificate,
        slackness=0.0 if near.slackness * near.size <= rounding else near.slackness,
        gap=np.nan if bound is None else share_of_value(near.value, bound, rounding, near.effect),
        claim=share_of_value(near.value, claimed, rounding),
    )
    proved = None if bound is None or not np.isfinite(bound) else float(bound)
    return Measures(certificate, proved, rounding, near.effect)


def _is_integer(form: StandardForm) -> bool:
    return form.integer is not None and form.integer.size > 0


def _apart_from_whole(form: StandardForm, x: Array) -> float:
    """The largest distance of an integer column from a whole number."""
    entries = x[:0] if form.integer is None else x[form.integer]
    return float(np.max(np.abs(entries - np.round(entries)), initial=0.0))


def _unsized_rounding(terms: TermSizes, x: Array, near: Nearness) -> float:
    """By how much rounding may part two values of the objective, beside that of its terms.

    An optimum of zero has no terms: there it is what columns come to that are off by a few
    roundings of the room that their rows leave them.
    """
    # Where the form's own value is zero, the user's may be what the point misses its rows by.
    nothing = near.value == 0.0
    share = max(VALUE_ROUNDING, min(4.0 * near.worst, LEAST_NEAR)) if nothing else VALUE_ROUNDING
    off = share * rooms(terms, x, whole_cones=nothing)
    off = np.where(np.isfinite(off), off, share * np.abs(x))
    curve = terms.curvature_sizes(np.abs(x) + 0.5 * off)
    return float(np.sum(off * (np.abs(terms.form.c) + curve)))


def row_tolerance(form: StandardForm, tolerance: float, rows: RowOrigin = "written") -> float:
    """What rows are compared with."""
    if rows == "found" or _is_integer(form) or not form.is_linear or tolerance > CERTIFIED:
        return NEARNESS * tolerance
    if rows != "written":
        return ROW_COMPUTED if rows == "computed" else ROW_HELD
    return _rounding_of_rows(form.A)


def _rounding_of_rows(A: Matrix) -> float:
    """What sums over rows are rounded by, as a share of their terms."""
    return ROW_ROUNDING * max(1.0, 0.25 * float(np.sqrt(A.nnz / max(A.shape[0], 1))))


def share_of_value(value: float, other: float, rounding: float, effect: float = 0.0) -> float:
    """How far two values are apart, over the size of the first; what rounding explains is zero.

    ``effect`` is what else may part them.
    """
    apart = max(abs(value - other), effect)
    if apart <= rounding:
        return 0.0
    return apart / abs(value) if value else np.inf


def _bound(
    terms: TermSizes, x: Array, near: Nearness, allowed: float, zero: float, decimals: Decimals
) -> float:
    """The lower bound that the multipliers prove; no more is done than is needed."""
    enough = near.value - allowed
    quick = bound_with_rounding(terms.form, x, near.z, terms.given)
    if quick is not None and quick >= enough:
        return quick
    further = partial(lower_bound, terms, x, near.z, enough=enough, zero=zero)
    bound = further()
    if bound < enough and (meant := decimals()) is not None:
        bound = further(decimals=meant)
    return bound


def can_batch(form: StandardForm) -> bool:
    """Whether a form is small and linear, with two bounds on every column."""
    return (
        form.P is None
        and form.cones.linear == form.b.size
        and not _is_integer(form)
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
    written: Callable[[], bool] = lambda: True,
    rows_at: tuple[Array, Array] | None = None,
) -> list[Measures | None]:
    """The same of linear programs over one matrix, all at once; None if one is not proved so.

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
    written : callable
        Whether rows are to be met up to rounding (see ``measure``), asked only if some are not.
    rows_at : tuple of ndarray, optional
        ``batch.rows_at(x)``, where that is known.
    """
    b, c, lower, upper = batch.b, batch.c, batch.lower, batch.upper
    values = np.array([cost @ point for cost, point in zip(c, x, strict=True)]) + batch.offset
    terms, activity = batch.rows_at(x) if rows_at is None else rows_at
    slack = b - activity
    sizes = batch.row_sums(np.abs(terms)) + np.abs(b)
    outside = np.where(equations, np.abs(slack), np.maximum(-slack, 0.0))
    rows = ratio(outside, sizes).max(axis=1)
    inside = np.where(equations, z, np.maximum(z, 0.0))
    out = np.any((x < lower) | (x > upper), axis=1)
    effect = (np.abs(inside) * outside).sum(axis=1)
    charges = (np.abs(inside) * np.abs(slack)).sum(axis=1)
    reduced = c + batch.pulled(inside)
    ends = np.where(reduced > 0.0, lower, upper)
    around = np.abs(c) + batch.matrix.sums(
        np.abs(batch.A.data) * np.abs(inside)[:, batch.A.indices]
    )
    real = ratio(np.abs(reduced), around) > FEW_ROUNDINGS
    charges = charges + np.abs(reduced * np.where(real, x - ends, 0.0)).sum(axis=1)
    total = (np.abs(c) * np.abs(x)).sum(axis=1) + (np.abs(b) * np.abs(inside)).sum(axis=1)
    total = total + np.abs(batch.offset)
    bounds = batch.bounds(x, inside)
    boxed = np.all(np.isfinite(upper - lower) & np.isfinite(x), axis=1) & ~out
    parts = (values, rows, ratio(charges, total), effect, total, boxed)
    limit = _rounding_of_rows(batch.A)
    if float(rows.max()) > limit and not written():
        limit = ROW_COMPUTED
    found = [
        _batched(bound, claim, tolerance, limit, *row) if bound is not None and row[-1] else None
        for bound, claim, row in zip(
            bounds, claims, zip(*(part.tolist() for part in parts), strict=True), strict=True
        )
    ]
    return [one if one is not None and one.certificate.proved else None for one in found]


def _batched(
    bound: float, claim: float, tolerance: float, row_tolerance: float,
    value: float, rows: float, slackness: float, effect: float, size: float, *_: object,
) -> Measures:  # fmt: skip
    rounding = VALUE_ROUNDING * size + UNDERFLOW_ERRORS
    slackness = 0.0 if slackness * size <= rounding else slackness
    certificate = Certificate(
        rows=rows, slackness=slackness, gap=share_of_value(value, bound, rounding, effect),
        claim=share_of_value(value, claim, rounding), tolerance=tolerance, gap_tolerance=tolerance,
        row_tolerance=row_tolerance,
    )  # fmt: skip
    return Measures(certificate, bound, rounding, effect)


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
