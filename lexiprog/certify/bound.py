"""A proved lower bound of an optimum, from any point and any multipliers.

Every ``z`` in the dual cones and every ``x`` give, by weak duality and convexity, for feasible y

    objective(y) >= offset - 1/2 x'Px - b'z + r'y   with the reduced costs   r = c + Px + A'z.

What is left is ``r'y``: each reduced cost is charged over the range of its column (Neumaier and
Shcherbina, 2004; Jansson, 2004). All sums are taken in twice the working precision and rounded
down. A column without a range must have the reduced cost zero: multipliers are corrected until
that is so, in twice the precision too, or nothing is proved. That ``P`` has no negative eigenvalue
is the declaration's word.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from lexiprog.canon.compensated import (
    Pair,
    Sums,
    products,
    reduced_costs,
    total,
    transposed_times,
    up,
)
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.ranges import implied_ranges, stated_ranges
from lexiprog.certify.terms import TermSizes, into_dual
from lexiprog.tolerances import EPS, REDUCED_TO_ZERO
from lexiprog.typing import Array, Mask, Matrix

# How far multipliers are pushed into their cones, as shares of themselves, to be corrected there.
_INWARDS = (128.0 * EPS, 1e-12, 1e-10, 1e-8, 1e-6)
# What stands for nothing in the equations of a correction, whose numbers are at most about one:
# where columns depend on each other the first is too little.
_REGULAR = (1e-24, 1e-11)
# How often columns are added that need to be balanced, too.
_GROWN = 3
# Rounds of corrections, each of which gains some ten digits.
_ROUNDS = 8


@np.errstate(all="ignore")
def lower_bound(
    terms: TermSizes,
    x: Array,
    z: Array,
    *,
    enough: float = np.inf,
    zero: float = REDUCED_TO_ZERO,
) -> float:
    """What no feasible point's objective is below; minus infinity if nothing is proved.

    Parameters
    ----------
    terms : TermSizes
        The problem's numbers; integers are taken as continuous, which can only lower the bound.
    x : ndarray
        The point at which a quadratic objective is linearised.
    z : ndarray
        Multipliers of the frame's rows, in the dual cones.
    enough : float
        A bound that need not be better.
    zero : float
        Reduced costs up to this share of their terms are nothing: of numbers that were computed,
        some roundings.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> from lexiprog.certify.terms import TermSizes
    >>> A, b, rows = sp.csc_array(np.array([[-1.0, -2.0]])), np.array([-4.0]), Cones(nonneg=1)
    >>> form = StandardForm(np.array([1.0, 3.0]), 0.0, A, b, rows, lower=np.zeros(2))
    >>> x, z = np.array([4.0, 0.0]), np.array([1.0])  # min x + 3y over x + 2y >= 4 is 4
    >>> lower_bound(TermSizes(form, x, z), x, z)
    4.0
    >>> lower_bound(TermSizes(form, x, z), x, np.array([0.75]))  # is corrected to 1
    4.0
    """
    ranges = stated_ranges(terms.given)
    bound = charged_bound(terms, Pair.of(x), Pair.of(z), ranges, zero)
    if bound >= enough:
        return bound
    for corrected in balanced(terms, x, z, ranges, zero):
        point, multipliers, doubt = corrected
        bound = max(bound, charged_bound(terms, point, multipliers, ranges, zero) - doubt)
        if bound >= enough:
            break
    return bound


def charged_bound(
    terms: TermSizes,
    x: Pair,
    z: Pair,
    ranges: tuple[Array, Array],
    zero: float = REDUCED_TO_ZERO,
) -> float:
    """The bound of multipliers and of a point of linearisation as they are."""
    form = terms.form
    reduced, curvature = _reduced(form, x, z)
    constant = [Sums.of(np.array([form.offset]))]
    constant += [products(-form.b, part) for part in z if part.any()]
    if curvature is not None:
        constant += [curvature.times(-0.5 * part) for part in x if part.any()]
    charges, unknown = charge_columns(reduced, *ranges)
    if not unknown.any():
        return _lower(*constant, charges)
    left = np.maximum(np.abs(reduced.lower), np.abs(reduced.upper))
    unknown &= ~(left <= zero * terms.column_sizes(x.high, z.high))
    if unknown.any():
        bent, strong = _bend(form, x.high, reduced, unknown)
        charges, unknown = _where(strong, bent, charges), unknown & ~strong
    ceiling = np.inf
    if unknown.any():
        ends, ceiling = _implied(terms.given, x.high, reduced, unknown, ranges)
        more, still = charge_columns(reduced, *ends)
        charges, unknown = _where(unknown & ~still, more, charges), unknown & still
    return -np.inf if unknown.any() else min(_lower(*constant, charges), ceiling)


def _reduced(form: StandardForm, x: Pair, z: Pair) -> tuple[Sums, Sums | None]:
    reduced = reduced_costs(form.c, form.A, z.high)
    if z.low.any():
        reduced = reduced.plus(transposed_times(form.A, z.low))
    if form.P is None:
        return reduced, None
    curvature = transposed_times(form.P, x.high)
    if x.low.any():
        curvature = curvature.plus(transposed_times(form.P, x.low))
    return reduced.plus(curvature), curvature


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


def _bend(form: StandardForm, x: Array, reduced: Sums, unknown: Mask) -> tuple[Sums, Mask]:
    """Charges of columns whose own square in the objective holds them near ``x``.

    With 1/2 p (y - x)**2 beside r (y - x) no column gains more than r**2 / 2p.
    """
    at_x = reduced.times(x)
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


# Multipliers whose reduced costs vanish where nothing bounds a column.


def balanced(
    terms: TermSizes, x: Array, z: Array, ranges: tuple[Array, Array], zero: float
) -> Iterator[tuple[Pair, Pair, float]]:
    """Points of linearisation and multipliers with reduced cost zero in free columns.

    ``z + D A w`` with ``D`` the local metric of the dual cones at ``z``: a correction that is small
    in it stays inside. Where it does not, ``z`` is first pushed inwards by a little of itself,
    which the bound pays for. A quadratic objective may be linearised anywhere. The only right
    multipliers may lie on the surface of a cone, where rounding decides: what that may be worth is
    the third number. First all columns between their bounds are balanced, as at an optimum, then
    only those without a bound where they need one, and what else then needs it.
    """
    lower, upper = ranges

    def wrong(multipliers: Array) -> Mask:
        reduced = _reduced(terms.form, Pair.of(x), Pair.of(multipliers))[0].nearest
        side = np.isinf(np.where(reduced > 0.0, lower, upper)) & (reduced != 0.0)
        return side if np.isfinite(reduced).all() else np.zeros(x.size, dtype=bool)

    chosen = wrong(z)
    found = _balanced(terms, x, z, np.flatnonzero(chosen | ((lower < x) & (x < upper))), zero)
    if found is not None:
        yield found
    for _ in range(_GROWN):
        found = _balanced(terms, x, z, np.flatnonzero(chosen), zero)
        if found is None:
            return
        yield found
        grown = chosen | wrong(found[1].high)
        if (grown == chosen).all():
            return
        chosen = grown


def _balanced(
    terms: TermSizes, x: Array, z: Array, free: NDArray[np.intp], zero: float
) -> tuple[Pair, Pair, float] | None:
    """The same for given columns; None if they cannot be balanced."""
    if not free.size:
        return None
    sizes = terms.row_sizes(x)
    for share in _INWARDS if terms.form.b.size > terms.form.cones.linear else _INWARDS[:1]:
        found = _corrected(terms, x, inwards(terms, z, share), free, sizes, zero)
        if found is None:
            return None
        z_found = found[1].high
        away = np.abs(into_dual(terms, z_found, sizes) - z_found)
        if (away <= 256.0 * EPS * terms.natural(z_found)).all():
            return *found, 2.0 * float(away @ sizes)
    return None


def _corrected(
    terms: TermSizes, x: Array, z: Array, free: NDArray[np.intp], sizes: Array, zero: float
) -> tuple[Pair, Pair] | None:
    """The smallest correction in the local metric; None if these columns cannot be balanced."""
    form = terms.form
    metric, reach = _metric(terms, x, z, sizes), np.zeros(x.size)
    scale = terms.column_sizes(x, z)[free]
    scale = np.where(scale > 0.0, scale, 1.0)
    sides = [metric.T @ sp.csc_array(form.A)[:, free]] if form.b.size else []
    if form.P is not None:
        squares = np.maximum(form.P.diagonal(), 0.0)
        worth = max(abs(form.objective(x)), _worth(form, x, z))
        reach = np.where(squares > 0.0, np.sqrt(worth / np.where(squares > 0, squares, 1.0)), 0.0)
        sides.append(sp.diags_array(reach) @ sp.csc_array(form.P)[:, free])
    if not sides:
        return None
    B = sp.csc_array(sp.vstack(sides)) @ sp.diags_array(1.0 / scale)
    found = (
        _vanishing(form, Pair.of(x), Pair.of(z), free, scale, B, metric, reach, regular, zero)
        for regular in _REGULAR
    )
    return next((pairs for pairs in found if pairs is not None), None)


def _vanishing(
    form: StandardForm, x: Pair, z: Pair, free: NDArray[np.intp], scale: Array,
    B: Matrix, metric: Matrix, reach: Array, regular: float, zero: float,
) -> tuple[Pair, Pair] | None:  # fmt: skip
    """Steps of the least weight until the reduced costs vanish; None if they do not."""
    rows, count = B.shape
    system = [[sp.eye_array(rows), B], [B.T, -regular * sp.eye_array(count)]]
    try:
        factors = splu(sp.csc_array(sp.block_array(system)))
    except RuntimeError:  # singular
        return None
    last = np.inf
    for _ in range(_ROUNDS):
        left = _reduced(form, x, z)[0].nearest[free] / scale
        size = float(np.max(np.abs(left), initial=0.0))
        if size <= REDUCED_TO_ZERO:
            return x, z
        if not size < 0.5 * last:
            return (x, z) if size <= zero else None
        last = size
        step = factors.solve(np.concatenate([np.zeros(rows), -left]))[:rows]
        if form.b.size:
            z = z.plus(metric @ step[: form.b.size])
        if form.P is not None:
            x = x.plus(reach * step[form.b.size :])
    return None


def _worth(form: StandardForm, x: Array, z: Array) -> float:
    return float(np.abs(form.c) @ np.abs(x) + np.abs(form.b) @ np.abs(z))


def _metric(terms: TermSizes, x: Array, z: Array, sizes: Array) -> sp.csc_array:
    """A root of the local metric of the dual cones at ``z``, cone by cone."""
    form, cones = terms.form, terms.form.cones
    weights = terms.natural(z)
    worth = _worth(form, x, z)
    equal = slice(0, cones.zero)
    filled = sizes[equal] > 0.0
    usual = np.where(filled, worth / np.where(filled, sizes[equal], 1.0), 0.0)
    weights[equal] = np.maximum(weights[equal], usual)
    if not form.b.size:
        return sp.csc_array((0, 0))
    linear = [sp.diags_array(weights[: cones.linear])] if cones.linear else []
    parts = [*linear, *_roots(terms, inwards(terms, z, 1e-2))]
    return sp.csc_array(sp.block_diag(parts)) if parts else sp.csc_array((0, 0))


def _roots(terms: TermSizes, z: Array) -> list[Array]:
    """Roots of the local metrics of all cones beyond the linear rows."""
    out: list[Array] = []
    frame, cones = terms.frame, terms.form.cones
    mates = iter(frame.mates.tolist())
    for kind, rows, parameter in blocks(cones):
        if kind == "soc":
            for head, size in zip(frame.heads.tolist(), parameter.tolist(), strict=True):
                mate = next(mates) if size > 1 else head
                out.append(_root_of_pair(z[head : head + size], mate - head))
        elif kind == "psd":
            out.append(_root_semidefinite(z[rows], parameter, cones.psd_layout))
        elif kind == "exp":
            out += [np.diag(np.abs(part)) for part in z[rows].reshape(-1, 3)]
        else:
            out.append(np.diag(np.abs(z[rows])))
    return out


def _root_of_pair(z: Array, mate: int) -> Array:
    """Of a second-order cone ``4 p q >= |rest|**2`` at z."""
    if z.size == 1:
        return np.abs(z)[:, None]
    order = [0, mate, *(k for k in range(1, z.size) if k != mate)]
    p, q, rest = z[0], z[mate], z[order[2:]]
    dual = np.zeros((z.size, z.size))
    dual[0, mate] = dual[mate, 0] = 0.5
    dual[order[2:], order[2:]] = -1.0
    square = 2.0 * np.outer(z, z) - max(4.0 * p * q - float(rest @ rest), 0.0) * dual
    size = np.sqrt(np.maximum(np.diag(square), 0.0))
    safe = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(square / safe[:, None] / safe)
    return np.asarray(size[:, None] * (vectors * np.sqrt(np.maximum(values, 0.0))))


def _root_semidefinite(z: Array, order: int, layout: str) -> Array:
    values, vectors = np.linalg.eigh(matrix(z, order, layout))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    sides = [triangle(root @ matrix(unit, order, layout) @ root, layout) for unit in np.eye(z.size)]
    return np.column_stack(sides)


def inwards(terms: TermSizes, z: Array, share: float) -> Array:
    """Multipliers moved towards the inside of the dual cones by a share of themselves."""
    if share == 0.0:
        return z
    z, frame, cones = z.copy(), terms.frame, terms.form.cones
    z[frame.tops] *= 1.0 + share
    z[frame.mates] *= 1.0 + share
    for kind, rows, parameter in blocks(cones):
        if kind == "psd":
            square = matrix(z[rows], parameter, cones.psd_layout)
            z[rows] = triangle(square + share * np.diag(np.diag(square)), cones.psd_layout)
        elif kind == "exp":
            parts = z[rows].reshape(-1, 3).copy()
            parts[:, 1] += share * np.abs(parts[:, 0])
            parts[:, 2] *= 1.0 + share
            z[rows] = parts.reshape(-1)
        elif kind == "power":
            z[rows.start : rows.stop - 1] *= 1.0 + share
    return z


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
