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
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.compensated import Pair, Sums, products, total, up
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.feasible import ROUNDS, least_steps, unit_factors
from lexiprog.certify.ranges import implied_ranges, stated_ranges
from lexiprog.certify.rounding_bound import lone_squares
from lexiprog.certify.terms import TermSizes, exact_reduced, into_dual, most, ratio, worth
from lexiprog.deadline import proof_must_end
from lexiprog.tolerances import EPS, REDUCED_TO_ZERO, REGULAR
from lexiprog.typing import Array, Mask, Matrix

# How far multipliers are pushed into their cones, as shares of themselves, to be corrected there.
_INWARDS = (128.0 * EPS, 1e-12, 1e-10, 1e-8, 1e-6)
# How often columns are added that need to be balanced, too; and how often multipliers that would
# become negative are taken away from a linear problem.
_GROWN, _DROPPED = 8, 3


@np.errstate(all="ignore")
def lower_bound(
    terms: TermSizes,
    x: Array,
    z: Array,
    *,
    enough: float = np.inf,
    zero: float = REDUCED_TO_ZERO,
    decimals: DecimalResiduals | None = None,
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
    decimals : DecimalResiduals, optional
        What the decimals that a linear problem's numbers stand for differ from these. Ties of
        decimals are ties.

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
    bound = charged_bound(terms, Pair.of(x), Pair.of(z), ranges, zero, decimals)
    if bound >= enough:
        return bound
    for point, multipliers, doubt in balanced(terms, x, z, ranges, zero, decimals):
        found = charged_bound(terms, point, multipliers, ranges, zero, decimals)
        bound = max(bound, found - doubt)
        if bound >= enough:
            break
    return bound


def charged_bound(
    terms: TermSizes,
    x: Pair,
    z: Pair,
    ranges: tuple[Array, Array],
    zero: float = REDUCED_TO_ZERO,
    decimals: DecimalResiduals | None = None,
) -> float:
    """The bound of multipliers and of a point of linearisation as they are."""
    form = terms.form
    reduced, curvature = exact_reduced(form, x, z, decimals)
    constant = [Sums.of(np.array([form.offset]))]
    constant += [products(-form.b, part) for part in z if part.any()]
    if curvature is not None:
        constant += [curvature.times(-0.5 * part) for part in x if part.any()]
    charges, unknown = charge_columns(reduced, *ranges)
    if not unknown.any():
        return _lower(*constant, charges)
    left = np.maximum(np.abs(reduced.lower), np.abs(reduced.upper))
    unknown &= ~(left <= zero * terms.column_sizes(x.high, z.high))
    if form.P is not None and unknown.any():
        bent, strong = _bend(form.P, x.high, reduced, unknown)
        charges, unknown = _where(strong, bent, charges), unknown & ~strong
    ceiling = np.inf
    if unknown.any():
        ends, ceiling = _implied(terms.given, x.high, ranges)
        more, still = charge_columns(reduced, *ends)
        charges, unknown = _where(unknown & ~still, more, charges), unknown & still
    return -np.inf if unknown.any() else min(_lower(*constant, charges), ceiling)


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


def _bend(P: Matrix, x: Array, reduced: Sums, unknown: Mask) -> tuple[Sums, Mask]:
    """Charges of columns whose own square in the objective holds them near ``x``.

    With 1/2 p (y - x)**2 beside r (y - x) no column gains more than r**2 / 2p.
    """
    at_x, squares = reduced.times(x), lone_squares(P)
    strong = unknown & (squares > 0.0)
    largest = np.maximum(np.abs(reduced.lower), np.abs(reduced.upper))
    gains = np.divide(largest**2, 2.0 * squares, out=np.zeros(squares.size), where=strong)
    return Sums(at_x.high, at_x.low, up(at_x.error + gains)), strong


def _implied(
    form: StandardForm, x: Array, stated: tuple[Array, Array]
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
    return implied_ranges(form, start=stated, cut=cut), ceiling


# Multipliers whose reduced costs vanish where nothing bounds a column.


def balanced(
    terms: TermSizes, x: Array, z: Array, ranges: tuple[Array, Array], zero: float,
    decimals: DecimalResiduals | None = None,
) -> Iterator[tuple[Pair, Pair, float]]:  # fmt: skip
    """Points of linearisation and multipliers with reduced cost zero in free columns.

    ``z + D A w`` with ``D`` the local metric of the dual cones at ``z``: a correction that is small
    in it stays inside. Where it does not, ``z`` is first pushed inwards by a little of itself,
    which the bound pays for. A quadratic objective may be linearised anywhere. The only right
    multipliers may lie on the surface of a cone, where rounding decides: what that may be worth is
    the third number. First all columns between their bounds are balanced, as at an optimum, and
    what else then needs it; then only those without a bound where they need one.
    """
    lower, upper = ranges

    def wrong(multipliers: Pair) -> Mask:
        reduced = exact_reduced(terms.form, Pair.of(x), multipliers, decimals)[0].nearest
        side = np.isinf(np.where(reduced > 0.0, lower, upper)) & (reduced != 0.0)
        return side if np.isfinite(reduced).all() else np.zeros(x.size, dtype=bool)

    unbalanced = wrong(Pair.of(z))
    tried: set[bytes] = set()
    for first in (unbalanced | ((lower < x) & (x < upper)), unbalanced):
        chosen = first
        for _ in range(_GROWN):
            if chosen.tobytes() in tried:
                break
            tried.add(chosen.tobytes())
            found = _balanced(terms, x, z, np.flatnonzero(chosen), zero, decimals)
            if found is None:
                break
            yield found
            chosen = chosen | wrong(found[1])


def _balanced(
    terms: TermSizes, x: Array, z: Array, free: NDArray[np.intp], zero: float,
    decimals: DecimalResiduals | None,
) -> tuple[Pair, Pair, float] | None:  # fmt: skip
    """The same for given columns; None if they cannot be balanced."""
    if not free.size:
        return None
    sizes, form = terms.row_sizes(x), terms.form
    if form.is_linear:
        signed = np.arange(z.size) >= form.cones.zero
        for _ in range(_DROPPED):
            pairs = None
            for used in (z != 0.0, ~signed | (z != 0.0)):  # of zeros the noise would be all
                system = _equations(terms, used, free, x, z)
                pairs = _vanishing(terms, Pair.of(x), Pair.of(z), free, system, zero, decimals)
                if pairs is not None:
                    break
            if pairs is None:
                return None
            away = signed & (pairs[1].high < 0.0)
            if not away.any():
                return *pairs, 0.0
            z = np.where(away, 0.0, z)
        return None
    for share in _INWARDS if form.b.size > form.cones.linear else _INWARDS[:1]:
        inside = inwards(terms, z, share)
        system = _in_metric(terms, x, inside, free, sizes)
        found = _vanishing(terms, Pair.of(x), Pair.of(inside), free, system, zero, decimals)
        if found is None:
            return None
        z_found = found[1].high
        away = np.abs(into_dual(terms, z_found, sizes) - z_found)
        if (away <= 256.0 * EPS * terms.natural(z_found)).all():
            return *found, 2.0 * float(away @ sizes)
    return None


@dataclass(frozen=True)
class _System:
    """How multipliers and a point of linearisation may move, and what that does to some columns.

    ``effects`` over ``scale`` are the reduced costs' changes by unit steps; ``metric`` and
    ``reach`` are these steps, of multipliers and of the point.
    """

    effects: Matrix
    scale: Array
    metric: Matrix
    reach: Array


def _equations(terms: TermSizes, used: Mask, free: NDArray[np.intp], x: Array, z: Array) -> _System:
    """Of a linear problem: the multipliers of some rows, which are brought to the size one."""
    part = sp.diags_array(used.astype(float)) @ sp.csr_array(terms.form.A)[:, free]
    rows, columns = unit_factors(part, terms.column_sizes(x, z)[free])
    effects = sp.csc_array(sp.diags_array(rows) @ part @ sp.diags_array(columns))
    return _System(effects, 1.0 / columns, sp.diags_array(rows), np.zeros(x.size))


def _in_metric(
    terms: TermSizes, x: Array, z: Array, free: NDArray[np.intp], sizes: Array
) -> _System:
    """Steps that are of length one in the local metric."""
    form = terms.form
    metric, reach = _metric(terms, x, z, sizes), np.zeros(x.size)
    scale = terms.column_sizes(x, z)[free]
    scale = np.where(scale > 0.0, scale, 1.0)
    sides = [metric.T @ sp.csc_array(form.A)[:, free]] if form.b.size else []
    if form.P is not None:
        squares = np.maximum(form.P.diagonal(), 0.0)
        size = max(abs(form.objective(x)), worth(form, x, z))
        reach = np.sqrt(size / np.where(squares > 0.0, squares, 1.0))
        sides.append(sp.diags_array(reach) @ sp.csc_array(form.P)[:, free])
    effects = sp.csc_array(sp.vstack(sides)) @ sp.diags_array(1.0 / scale)
    return _System(effects, scale, metric, reach)


def _vanishing(
    terms: TermSizes, x: Pair, z: Pair, free: NDArray[np.intp], system: _System, zero: float,
    decimals: DecimalResiduals | None,
) -> tuple[Pair, Pair] | None:  # fmt: skip
    """Steps of the least weight until the reduced costs vanish; None if they do not."""
    form = terms.form
    for regular in REGULAR:
        steps = None if proof_must_end() else least_steps(system.effects, regular)
        if steps is None:
            continue
        point, multipliers, last = x, z, np.inf
        for turn in range(ROUNDS):
            if proof_must_end():
                return None
            left = exact_reduced(form, point, multipliers, decimals)[0].nearest[free]
            sizes = terms.column_sizes(point.high, multipliers.high)[free]
            size = most(ratio(np.abs(left), sizes))
            if size <= REDUCED_TO_ZERO:
                return point, multipliers
            if not size < 0.5 * last and turn > 1:  # the first one makes multipliers of zeros
                if size <= zero:
                    return point, multipliers
                break
            last = size
            step = steps(-left / system.scale)
            if form.b.size:
                multipliers = multipliers.plus(system.metric @ step[: form.b.size])
            if form.P is not None:
                point = point.plus(system.reach * step[form.b.size :])
    return None


def _metric(terms: TermSizes, x: Array, z: Array, sizes: Array) -> sp.csc_array:
    """A root of the local metric of the dual cones at ``z``, cone by cone."""
    form, cones = terms.form, terms.form.cones
    weights = terms.natural(z)
    equal = slice(0, cones.zero)
    filled = sizes[equal] > 0.0
    usual = np.where(filled, worth(form, x, z) / np.where(filled, sizes[equal], 1.0), 0.0)
    weights[equal] = np.maximum(weights[equal], usual)
    linear = [sp.diags_array(weights[: cones.linear])] if cones.linear else []
    parts = [*linear, *map(sp.coo_array, _roots(terms, inwards(terms, z, 1e-2)))]
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
    z, frame, cones = z.copy(), terms.frame, terms.form.cones
    z[frame.tops] *= 1.0 + share
    z[frame.mates] *= 1.0 + share
    for kind, rows, parameter in blocks(cones):
        if kind == "psd":
            square = matrix(z[rows], parameter, cones.psd_layout)
            z[rows] = triangle(square + share * np.diag(np.diag(square)), cones.psd_layout)
        elif kind == "exp":
            parts = z[rows].reshape(-1, 3)
            parts[:, 1] += share * np.abs(parts[:, 0])
            parts[:, 2] *= 1.0 + share
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
