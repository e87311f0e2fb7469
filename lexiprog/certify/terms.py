"""How near a point and multipliers are to an optimum, each quantity beside the terms it is made of.

A row is compared with the sizes of its own terms, ``|A||x| + |b|``, a reduced cost with
``|c| + |P||x| + |A|'|z|``, what multipliers charge for slack with the terms of the objective and of
its dual, ``|c|'|x| + |b|'|z| + |x|'|P||x|``. Whoever multiplies a row, a column or the objective by
any number multiplies both sides: nothing changes, and there is no unit to choose. Measures below
``delta`` mean that the point is optimal for data each number of which differs from the given one by
about ``delta`` of itself (Oettli and Prager, 1964).

The rows of a cone are compared with their terms together: by the least ``d`` for which the box of
slacks ``s + d [-T, T]`` meets the cone. A second-order cone is looked at as ``p q >= |rest|**2``
with ``p = t + u`` and ``q = t - u``, ``u`` its largest other entry: the rows are added, not the
numbers, so that columns in different units do not meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.compensated import Pair, Sums, reduced_costs, times, transposed_times
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Columns, Cones, StandardForm, columns_of
from lexiprog.certify.ranges import left_at_zero
from lexiprog.tolerances import EPS, FEW_ROUNDINGS
from lexiprog.typing import Array, Mask, cached_property

# Measures of cones are found by bisection, from e**-40 to this, to a hundredth of themselves.
_MOST, _STEPS = 4.0, 13
# So many halves are taken at once of cones with so few rows, which takes a quarter of the time.
_HALVES = ((7, 100), (5, 400))
# How far inside their cones multipliers are put, as a share of themselves: some roundings.
_SAFE = 8.0 * EPS


def ratio(part: Array, whole: Array) -> Array:
    """``part / whole``; nothing over nothing is nothing, anything else over it infinite."""
    out = np.divide(part, whole, out=np.where(part == 0.0, 0.0, np.inf), where=whole > 0.0)
    return np.where(np.isnan(out), np.inf, out)


@dataclass(frozen=True)
class Nearness:
    """The measures of a point and multipliers, and what they are made of.

    Attributes
    ----------
    rows, cones, columns, slackness : float
        Largest violation of a linear row or bound, of a cone or its dual, of a reduced cost that
        no bound holds, and all that multipliers charge for slack, each over its terms.
    value, size : float
        The objective, and the sizes of all terms of the primal and the dual one.
    effect : float
        What the violations of rows are worth by their multipliers.
    z : ndarray
        The multipliers that were measured, inside the dual cones.
    """

    rows: float
    cones: float
    columns: float
    slackness: float
    value: float
    size: float
    effect: float
    z: Array

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(self.rows, self.cones, self.columns, self.slackness)


class Frame:
    """A form whose second-order cones are written as ``p q >= |rest|**2`` with ``p, q >= 0``.

    Parameters
    ----------
    form : StandardForm
    x, z : ndarray
        The point and multipliers that say which entry of each cone is the largest.
    """

    def __init__(self, form: StandardForm, x: Array, z: Array) -> None:
        self.form = form
        self.sizes = np.asarray(form.cones.soc, dtype=np.intp)
        self.heads = form.cones.linear + np.cumsum(self.sizes) - self.sizes
        self.tops = self.heads[self.sizes > 1]
        self.mates = np.zeros(0, dtype=np.intp)
        if self.tops.size:
            self.mates = self._largest(x, z)
            self.form = self._paired()

    def _largest(self, x: Array, z: Array) -> NDArray[np.intp]:
        """The largest entry of each cone beside its first, the first of equals."""
        form, first = self.form, self.form.cones.linear
        stop = first + int(self.sizes.sum())
        starts = self.heads - first
        score = np.zeros(stop - first)
        for vector in (form.slack(x)[first:stop], z[first:stop]):
            size = np.abs(vector)
            size[starts] = 0.0
            score += ratio(size, np.maximum.reduceat(size, starts).repeat(self.sizes))
        score[starts] = -np.inf
        highest = np.maximum.reduceat(score, starts).repeat(self.sizes)
        places = np.where(score == highest, np.arange(first, stop), stop)
        best = np.minimum.reduceat(places, starts)
        chosen: NDArray[np.intp] = best[self.sizes > 1]
        return chosen

    def _paired(self) -> StandardForm:
        """The first and the largest row of each cone added, and taken from each other."""
        b, tops, mates, columns = self.form.b.copy(), self.tops, self.mates, columns_of(self.form.A)
        b[tops], b[mates] = b[tops] + b[mates], b[tops] - b[mates]
        key = tops.tobytes(), mates.tobytes()
        A = columns.once("paired", key, lambda: _paired(columns, tops, mates))
        return replace(self.form, A=A, b=b)

    @np.errstate(all="ignore")
    def enter(self, z: Array) -> Array:
        """Multipliers of the rows as those of the pairs."""
        if not self.tops.size:
            return z
        out = z.copy()
        first, last = z[self.tops], z[self.mates]
        p, q = 0.5 * (first + last), 0.5 * (first - last)
        # What cancelled is rounding: the half that was lost is the one the cone's surface asks for.
        noise = 4.0 * FEW_ROUNDINGS * (np.abs(first) + np.abs(last))
        least = 0.25 * self.rest(z) ** 2 / np.maximum(p, q)
        noisy = np.abs(np.minimum(p, q) - least) <= noise
        out[self.tops] = np.where(noisy & (p < q), least, p)
        out[self.mates] = np.where(noisy & (q < p), least, q)
        return out

    def leave(self, z: Array) -> Array:
        """Multipliers of the pairs as those of the rows."""
        if not self.tops.size:
            return z
        out = z.copy()
        out[self.tops] = z[self.tops] + z[self.mates]
        out[self.mates] = z[self.tops] - z[self.mates]
        return out

    @cached_property
    def paired(self) -> Mask:
        """Which rows of second-order cones are first or largest, or alone."""
        first = self.form.cones.linear
        out = np.zeros(int(self.sizes.sum()), dtype=bool)
        out[self.heads - first] = True
        out[self.mates - first] = True
        return out

    def rest(self, vector: Array) -> Array:
        """The norm of each second-order cone's other entries; of cones with two rows or more."""
        first = self.form.cones.linear
        part = np.where(self.paired, 0.0, np.abs(vector[first : first + self.paired.size]))
        return root_of_squares(part, self.heads - first)[self.sizes > 1]


def _paired(A: Columns, tops: NDArray[np.intp], mates: NDArray[np.intp]) -> sp.csc_array:
    """Some rows of a matrix added, and taken from each other."""
    rows, width = A.matrix.shape
    partner, sign = np.full(rows, -1), np.ones(rows)
    partner[tops], partner[mates], sign[mates] = mates, tops, -1.0
    both = partner[A.rows] >= 0
    more = A.places[both] * rows + partner[A.rows[both]]
    places, at = np.unique(np.concatenate([A.places * rows + A.rows, more]), return_inverse=True)
    data = np.concatenate([A.entries * sign[A.rows], A.entries[both]])
    data = np.bincount(at, data, places.size).astype(float)  # of none: int
    kept = data != 0.0  # without what cancels
    columns, indices = np.divmod(places[kept], rows)
    starts = np.searchsorted(columns, np.arange(width + 1))
    return sp.csc_array((data[kept], indices, starts), shape=(rows, width))


def root_of_squares(parts: Array, starts: NDArray[np.intp]) -> Array:
    """Norms of pieces of vectors, without overflow or underflow."""
    if not starts.size:
        return np.zeros(0)
    counts = np.diff(np.append(starts, parts.shape[-1]))
    most = np.maximum.reduceat(parts, starts, axis=-1)
    shares = ratio(parts, most.repeat(counts, axis=-1)) ** 2
    out: Array = most * np.sqrt(np.add.reduceat(shares, starts, axis=-1))
    return out


class TermSizes:
    """The sizes of all terms of a form: what its points and multipliers are measured by.

    Parameters
    ----------
    form : StandardForm
    x, z : ndarray
        A point and multipliers near those to be measured: they choose the frame.
    """

    def __init__(self, form: StandardForm, x: Array, z: Array) -> None:
        self.given, self.frame = form, Frame(form, x, z)
        self.form = self.frame.form
        self.A = columns_of(self.form.A)
        self.lower, self.upper = form.ranges()
        zero = left_at_zero(form)
        if zero.any():
            self.lower = np.where(zero, np.maximum(self.lower, 0.0), self.lower)
            self.upper = np.where(zero, np.minimum(self.upper, 0.0), self.upper)

    def row_sizes(self, x: Array) -> Array:
        """``|A||x| + |b|``."""
        weights = self.A.sizes * np.abs(x)[self.A.places]
        return np.abs(self.form.b) + np.bincount(self.A.rows, weights, self.form.b.size)

    def column_sizes(self, x: Array, z: Array) -> Array:
        """``|c| + |P||x| + |A|'|z|``, multipliers as large as their cones let them be."""
        out = np.abs(self.form.c) + self.curvature_sizes(x)
        out += self.A.sums(self.A.sizes * self.natural(z)[self.A.rows])
        return out

    def curvature_sizes(self, x: Array) -> Array | float:
        """``|P||x|``."""
        if self.form.P is None:
            return 0.0
        P = columns_of(self.form.P)
        sizes = np.bincount(P.rows, P.sizes * np.abs(x)[P.places], x.size)
        return np.asarray(sizes, dtype=float)  # of none: int

    def natural(self, z: Array) -> Array:
        """Sizes of multipliers, each raised to what its cone allows beside the others."""
        out, frame, cones = np.abs(z), self.frame, self.form.cones
        if frame.tops.size:
            most = 2.0 * np.sqrt(out[frame.tops]) * np.sqrt(out[frame.mates])
            every = np.zeros(frame.sizes.size)
            every[frame.sizes > 1] = most
            rows = slice(cones.linear, cones.linear + frame.paired.size)
            raised = np.maximum(out[rows], every.repeat(frame.sizes))
            out[rows] = np.where(frame.paired, out[rows], raised)
        for kind, rows, parameter in blocks(cones):
            if kind == "psd":
                root = np.sqrt(np.abs(np.diag(matrix(z[rows], parameter, cones.psd_layout))))
                most = np.abs(triangle(np.outer(root, root), cones.psd_layout))
                out[rows] = np.maximum(out[rows], most)
        return out

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def measure(self, x: Array, z: Array) -> Nearness:
        """The measures of a point, and of multipliers of the form's own rows."""
        form, cones = self.form, self.form.cones
        slack, sizes = form.slack(x), self.row_sizes(x)
        linear = cones.linear
        outside = np.maximum(-slack[:linear], 0.0)
        outside[: cones.zero] = np.abs(slack[: cones.zero])
        rows = max(most(ratio(outside, sizes[:linear])) if outside.any() else 0.0, self._beyond(x))
        in_cones = outside_cones(self, slack, sizes)
        z = into_dual(self, self.frame.enter(z), sizes)
        curve = 0.0 if form.P is None else form.P @ x
        reduced = form.c + curve + form.transpose_product(z)
        around = self.column_sizes(x, z)
        ends = np.where(reduced > 0.0, self.lower, self.upper)
        held, shares = np.isfinite(ends), ratio(np.abs(reduced), around)
        away = np.where(held & (shares > FEW_ROUNDINGS), x - ends, 0.0)
        charges = float(np.abs(reduced * away).sum()) + float(np.abs(z * slack)[:linear].sum())
        charges += float(np.abs(_by_block(self, z * slack)).sum())
        value = form.objective(x)
        size = worth(form, x, z) + abs(form.offset)
        size += float(np.sum(np.abs(x) * self.curvature_sizes(x)))
        return Nearness(
            rows=rows,
            cones=most(in_cones),
            columns=most(shares[~held]),
            slackness=float(ratio(np.array(charges), np.array(size))),
            value=value,
            size=size,
            effect=float(np.abs(z[:linear]) @ outside),
            z=z,
        )

    def _beyond(self, x: Array) -> float:
        """How far a column is beyond a bound, over the sizes of both."""
        below, above = self.lower - x, x - self.upper
        if np.maximum(below, above).max(initial=-np.inf) <= 0.0:
            return 0.0
        past = np.maximum(np.concatenate([below, above]), 0.0)
        ends = np.abs(np.concatenate([self.lower, self.upper]))
        return most(ratio(past, ends + np.abs(np.tile(x, 2))))


def exact_slack(form: StandardForm, x: Pair, decimals: DecimalResiduals | None = None) -> Sums:
    """``b - Ax`` in twice the digits, of floats or of the decimals that they stand for."""
    activity = times(form.A, x.high)
    if x.low.any():
        activity = activity.plus(times(form.A, x.low))
    slack = Sums(-activity.high, -activity.low, activity.error).plus_floats(form.b)
    return slack if decimals is None else slack.plus_floats(decimals.of_slack(x.high))


def exact_reduced(
    form: StandardForm, x: Pair, z: Pair, decimals: DecimalResiduals | None = None
) -> tuple[Sums, Sums | None]:
    """``c + Px + A'z`` in twice the digits, and ``Px`` alone."""
    reduced = reduced_costs(form.c, form.A, z.high)
    if decimals is not None:
        reduced = reduced.plus_floats(decimals.of_reduced_costs(z.high))
    if z.low.any():
        reduced = reduced.plus(transposed_times(form.A, z.low))
    if form.P is None:
        return reduced, None
    curvature = transposed_times(form.P, x.high)
    if x.low.any():
        curvature = curvature.plus(transposed_times(form.P, x.low))
    return reduced.plus(curvature), curvature


@np.errstate(all="ignore")
def misses(terms: TermSizes, x: Array) -> bool:
    """Whether a point misses some linear row by whatever little."""
    slack, cones = exact_slack(terms.form, Pair.of(x)), terms.form.cones
    return bool(
        (slack.lower[: cones.linear] < 0.0).any() or (slack.upper[: cones.zero] > 0.0).any()
    )


def touched_rows(terms: TermSizes, x: Array, share: float) -> Mask:
    """Equations, and inequalities whose slack is at most this share of their terms."""
    rows, cones = np.arange(terms.form.b.size), terms.form.cones
    close = terms.form.slack(x) <= share * terms.row_sizes(x)
    return np.asarray((rows < cones.zero) | (close & (rows < cones.linear)))


def worth(form: StandardForm, x: Array, z: Array) -> float:
    """``|c|'|x| + |b|'|z|``, the sizes of the objective's linear terms and of its dual's."""
    return float(np.abs(form.c) @ np.abs(x) + np.abs(form.b) @ np.abs(z))


def most(values: Array) -> float:
    """The largest entry; what is no number counts as infinite."""
    largest = float(np.max(values, initial=0.0))
    return np.inf if np.isnan(largest) else largest


def _by_block(terms: TermSizes, products: Array) -> Array:
    """Sums over each cone that is no half-line."""
    starts, linear = starts_of_cones(terms.form.cones), terms.form.cones.linear
    return np.add.reduceat(products[linear:], starts) if starts.size else np.zeros(0)


def starts_of_cones(cones: Cones) -> NDArray[np.intp]:
    """Where each cone beyond the linear rows begins, counted from there."""
    starts: list[int] = []
    for kind, rows, parameter in blocks(cones):
        if kind == "soc":
            starts += (rows.start + np.cumsum(parameter) - parameter).tolist()
        elif kind == "exp":
            starts += range(rows.start, rows.stop, 3)
        else:
            starts.append(rows.start)
    return np.array(starts, dtype=np.intp) - cones.linear


# Points: the least d for which slacks within d of their terms are in the cones.


def least(inside: Callable[[Array], Mask], count: int, rows: int) -> Array:
    """The least ``d`` for which ``inside(d)`` holds, of each of so many; infinite if there is none.

    Where ``inside(0)`` holds it is 0. It may be asked for a row of them, or for many such rows:
    of cones with few ``rows`` several halves are taken at once.
    """
    at_once, enough = inside(np.array([[0.0], [_MOST]]) * np.ones(count))
    if at_once.all():
        return np.zeros(count)
    low, width = np.full(count, -40.0), np.full(count, np.log(_MOST) + 40.0)
    never, left = ~enough, _STEPS
    most_halves = next((k for k, most in _HALVES if rows <= most), 1)
    while left:
        halves = min(left, most_halves)
        left, pieces = left - halves, 2**halves
        width = width / pieces
        enough = inside(np.exp(low + np.arange(1, pieces)[:, None] * width))
        low = low + np.where(enough.any(axis=0), enough.argmax(axis=0), pieces - 1) * width
    return np.where(at_once, 0.0, np.where(never, np.inf, np.exp(low + width)))


def outside_cones(terms: TermSizes, slack: Array, sizes: Array) -> Array:
    """The measure of each row's cone; zero for linear rows."""
    out, cones = np.zeros(slack.size), terms.form.cones
    for kind, rows, parameter in blocks(cones):
        s, t = slack[rows], sizes[rows]
        if not np.isfinite(s).all():
            out[rows] = np.inf
        elif kind == "soc":
            out[rows] = _outside_pairs(terms.frame, s, t).repeat(terms.frame.sizes)
        elif kind == "psd":
            out[rows] = _outside_semidefinite(s, t, parameter, cones.psd_layout)
        elif kind == "exp":
            out[rows] = _outside_exponential(s.reshape(-1, 3).T, t.reshape(-1, 3).T).repeat(3)
        else:
            out[rows] = _outside_power(s, t, parameter)
    return out


def _outside_pairs(frame: Frame, s: Array, t: Array) -> Array:
    first = frame.form.cones.linear
    heads, sizes = frame.heads - first, frame.sizes
    mates = heads.copy()  # of a cone with one row: that row once more
    mates[sizes > 1] = frame.mates - first

    def inside(d: Array) -> Mask:
        rest = np.maximum(np.abs(s) - d.repeat(sizes, axis=-1) * t, 0.0)
        rest = root_of_squares(np.where(frame.paired, 0.0, rest), heads)
        p, q = s[heads] + d * t[heads], s[mates] + d * t[mates]
        mean = np.sqrt(np.maximum(p, 0.0)) * np.sqrt(np.maximum(q, 0.0))
        return np.asarray((p >= 0.0) & (q >= 0.0) & (mean >= rest))

    return least(inside, sizes.size, s.size)


def _outside_semidefinite(s: Array, t: Array, order: int, layout: str) -> float:
    square, sizes = matrix(s, order, layout), np.abs(matrix(t, order, layout))
    diagonal = np.diag(sizes)
    if np.abs(square)[diagonal == 0.0].any():
        return np.inf
    scale = np.divide(1.0, np.sqrt(diagonal), out=np.zeros(order), where=diagonal > 0.0)
    values, vectors = np.linalg.eigh(square * scale[:, None] * scale)
    along = np.abs(vectors[:, 0])
    terms = along @ (sizes * scale[:, None] * scale) @ along
    return float(ratio(np.maximum(-values[0], 0.0), terms))


def _outside_exponential(s: Array, t: Array) -> Array:
    def inside(d: Array) -> Mask:
        x, low, high = s[0] - d * t[0], np.maximum(s[1] - d * t[1], 0.0), s[1] + d * t[1]
        y = np.clip(x, low, high)
        curve = np.where(y > 0.0, y * np.exp(x / y), np.where(x <= 0.0, 0.0, np.inf))
        return np.asarray((high >= 0.0) & (curve <= s[2] + d * t[2]))

    return least(inside, s.shape[1], s.size)


def _outside_power(s: Array, t: Array, powers: Array) -> Array:
    def inside(d: Array) -> Mask:
        factors = (s[:-1] + d * t[:-1]) ** powers  # none where one is negative
        product = np.prod(factors, axis=-1, keepdims=True)
        return np.asarray(product >= abs(s[-1]) - d * t[-1])

    return least(inside, 1, s.size)


# Multipliers: moved into the dual cones by the repair that costs the objective least.


@np.errstate(all="ignore")
def into_dual(terms: TermSizes, z: Array, sizes: Array) -> Array:
    """Multipliers of the frame inside the dual cones, ``|change|' sizes`` as small as may be."""
    cones = terms.form.cones
    z = z.copy()
    z[cones.zero : cones.linear] = np.maximum(z[cones.zero : cones.linear], 0.0)
    for kind, rows, parameter in blocks(cones):
        if not np.isfinite(z[rows]).all():
            continue
        if kind == "soc":
            _pairs_into_dual(terms.frame, z, sizes)
        elif kind == "psd":
            z[rows] = _into_semidefinite(z[rows], sizes[rows], parameter, cones.psd_layout)
        elif kind == "exp":
            parts = z[rows].reshape(-1, 3).T, sizes[rows].reshape(-1, 3).T
            z[rows] = _into_dual_exponential(*parts).T.reshape(-1)
        else:
            z[rows] = _into_dual_power(z[rows], parameter)
    return z


def _pairs_into_dual(frame: Frame, z: Array, sizes: Array) -> None:
    single = frame.heads[frame.sizes == 1]
    z[single] = np.maximum(z[single], 0.0)
    if not frame.tops.size:
        return
    p, q = np.maximum(z[frame.tops], 0.0), np.maximum(z[frame.mates], 0.0)
    rest = frame.rest(z) * (1.0 + _SAFE)  # inside in spite of rounding
    reach = 2.0 * np.sqrt(p) * np.sqrt(q)
    bad = reach < rest
    raised_p, raised_q, shrink = 0.25 * rest**2 / q, 0.25 * rest**2 / p, reach / rest
    first = frame.form.cones.linear
    rows = slice(first, first + frame.paired.size)
    others = np.where(frame.paired, 0.0, np.abs(z[rows]) * sizes[rows])
    others = np.add.reduceat(others, frame.heads - first)[frame.sizes > 1]
    costs = [
        (raised_p - p) * sizes[frame.tops],
        (raised_q - q) * sizes[frame.mates],
        (1.0 - shrink) * others,
    ]
    cheapest = np.argmin([np.where(np.isnan(cost), np.inf, cost) for cost in costs], axis=0)
    z[frame.tops] = np.where(bad & (cheapest == 0), raised_p, p)
    z[frame.mates] = np.where(bad & (cheapest == 1), raised_q, q)
    every = np.ones(frame.sizes.size)
    every[frame.sizes > 1] = np.where(bad & (cheapest == 2), shrink * (1.0 - _SAFE), 1.0)
    z[rows] = np.where(frame.paired, z[rows], z[rows] * every.repeat(frame.sizes))


def _into_semidefinite(z: Array, sizes: Array, order: int, layout: str) -> Array:
    root = np.sqrt(np.abs(np.diag(matrix(sizes, order, layout))))
    least = float(np.min(root, where=root > 0.0, initial=np.inf))
    root = np.where(root > 0.0, root, 1e-3 * least if np.isfinite(least) else 1.0)
    square = matrix(z, order, layout) * root[:, None] * root
    values, vectors = np.linalg.eigh(square)
    safe = 4.0 * (order + 2) * EPS * float(np.abs(values).sum())
    if values[0] >= safe:
        return z if layout != "full" else triangle(matrix(z, order, layout), layout)
    square = (vectors * np.maximum(values, 2.0 * safe)) @ vectors.T
    return triangle(0.5 * (square + square.T) / root[:, None] / root, layout)


def _into_dual_exponential(z: Array, sizes: Array) -> Array:
    """-u exp(v / u - 1) <= w, u < 0, or its closure u = 0, v >= 0, w >= 0."""
    u, v, w = np.minimum(z[0], 0.0), z[1], np.maximum(z[2], 0.0)
    rate, logs = v / u - 1.0, np.log(w / -u)
    least_w = -u * np.exp(rate) * (1.0 + (np.abs(rate) + 16.0) * 2.0 * EPS)
    least_v = u * (1.0 + logs) - u * (np.abs(logs) + 16.0) * 4.0 * EPS
    bad = w < least_w  # where u is zero, nothing is: least_w is no number
    costs = [
        (least_w - w) * sizes[2],
        (least_v - v) * sizes[1],
        -u * sizes[0] + np.maximum(-v, 0.0) * sizes[1],
    ]
    cheapest = np.argmin([np.where(np.isnan(cost), np.inf, cost) for cost in costs], axis=0)
    to_zero = (u == 0.0) | (bad & (cheapest == 2))
    return np.array(
        [
            np.where(to_zero, 0.0, u),
            np.where(to_zero, np.maximum(v, 0.0), np.where(bad & (cheapest == 1), least_v, v)),
            np.where(bad & (cheapest == 0), least_w, w),
        ]
    )


def _into_dual_power(z: Array, powers: Array) -> Array:
    base = np.maximum(z[:-1], 0.0)
    lost = (8.0 * powers.size + 16.0) * EPS
    reach = float(np.prod((base / powers) ** powers)) * (1.0 - lost)
    return np.append(base, np.clip(z[-1], -reach, reach))
