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

from lexiprog.canon.compensated import by_columns
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.standard_form import StandardForm
from lexiprog.tolerances import EPS, FEW_ROUNDINGS
from lexiprog.typing import Array, Mask, cached_property

# Measures of cones are found by bisection, from e**-40 to this, to a hundredth of themselves.
_MOST, _STEPS = 4.0, 13
# How far inside their cones multipliers are put, as a share of themselves: some roundings.
_SAFE = 8.0 * EPS


def ratio(part: Array, whole: Array) -> Array:
    """``part / whole``; nothing over nothing is nothing, anything else over it infinite."""
    out = np.divide(part, whole, out=np.where(part > 0.0, np.inf, 0.0), where=whole > 0.0)
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
            size[starts] = -1.0
            most = np.maximum.reduceat(size, starts).repeat(self.sizes)
            score += np.where(most > 0.0, size / np.where(most > 0.0, most, 1.0), 0.0)
        score[starts] = -np.inf
        owner = np.arange(self.sizes.size).repeat(self.sizes)
        order = np.lexsort((-np.arange(score.size), score, owner))
        best = order[np.cumsum(self.sizes) - 1] + first
        chosen: NDArray[np.intp] = best[self.sizes > 1]
        return chosen

    def _paired(self) -> StandardForm:
        rows, ones = self.form.b.size, np.ones(self.tops.size)
        turn = sp.csr_array(
            (
                np.concatenate([np.ones(rows), ones, ones, -2.0 * ones]),
                (
                    np.concatenate([np.arange(rows), self.tops, self.mates, self.mates]),
                    np.concatenate([np.arange(rows), self.mates, self.tops, self.mates]),
                ),
            ),
            shape=(rows, rows),
        )
        turn.sum_duplicates()
        A = sp.csc_array(turn @ sp.csr_array(self.form.A))
        A.eliminate_zeros()
        return replace(self.form, A=A, b=turn @ self.form.b)

    def enter(self, z: Array) -> Array:
        """Multipliers of the rows as those of the pairs."""
        if not self.tops.size:
            return z
        out = z.copy()
        first, last = z[self.tops], z[self.mates]
        p, q = 0.5 * (first + last), 0.5 * (first - last)
        # What cancelled is rounding: the half that was lost is the one the cone's surface asks for.
        noise = 4.0 * FEW_ROUNDINGS * (np.abs(first) + np.abs(last))
        rest = 0.25 * self.rest(z) ** 2
        with np.errstate(all="ignore"):
            least_p, least_q = np.where(q > 0, rest / q, np.inf), np.where(p > 0, rest / p, np.inf)
        out[self.tops] = np.where((q > p) & (np.abs(p - least_p) <= noise), least_p, p)
        out[self.mates] = np.where((p > q) & (np.abs(q - least_q) <= noise), least_q, q)
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


def root_of_squares(parts: Array, starts: NDArray[np.intp]) -> Array:
    """Norms of pieces of a vector, without overflow or underflow."""
    if not starts.size:
        return np.zeros(0)
    counts = np.diff(np.append(starts, parts.size))
    most = np.maximum.reduceat(parts, starts)
    safe = np.where(most > 0.0, most, 1.0)
    return np.asarray(
        most * np.sqrt(np.add.reduceat((parts / safe.repeat(counts)) ** 2, starts)), dtype=float
    )


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
        self.A = by_columns(self.form.A)
        self._counts = np.diff(self.A.indptr)
        self._sizes = np.abs(self.A.data)
        self.lower, self.upper = form.ranges()

    def row_sizes(self, x: Array) -> Array:
        """``|A||x| + |b|``."""
        weights = self._sizes * np.abs(x).repeat(self._counts)
        return np.abs(self.form.b) + np.bincount(self.A.indices, weights, self.form.b.size)

    def column_sizes(self, x: Array, z: Array) -> Array:
        """``|c| + |P||x| + |A|'|z|``, multipliers as large as their cones let them be."""
        out = np.abs(self.form.c) + self.curvature_sizes(x)
        if self.A.data.size:
            entries = self._sizes * self.natural(z)[self.A.indices]
            filled = self._counts > 0
            out[filled] += np.add.reduceat(entries, self.A.indptr[:-1][filled])
        return out

    def curvature_sizes(self, x: Array) -> Array | float:
        """``|P||x|``."""
        return 0.0 if self.form.P is None else np.asarray(abs(self.form.P.copy()) @ np.abs(x))

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
        rows = max(most(ratio(outside, sizes[:linear])), self._beyond(x))
        in_cones = outside_cones(self, slack, sizes) if linear < form.b.size else 0.0
        z = into_dual(self, self.frame.enter(z), sizes)
        curve = 0.0 if form.P is None else form.P @ x
        reduced = form.c + curve + form.transpose_product(z)
        around = self.column_sizes(x, z)
        ends = np.where(reduced > 0.0, self.lower, self.upper)
        held, shares = np.isfinite(ends), ratio(np.abs(reduced), around)
        away = np.where(held & (shares > FEW_ROUNDINGS), x - np.where(held, ends, x), 0.0)
        charges = float(np.abs(reduced * away).sum()) + float(np.abs(z * slack)[:linear].sum())
        charges += float(np.abs(_by_block(self, z * slack)).sum())
        value = form.objective(x)
        size = float(np.abs(form.c) @ np.abs(x) + np.abs(form.b) @ np.abs(z)) + abs(form.offset)
        size += float(np.sum(np.abs(x) * self.curvature_sizes(x)))
        return Nearness(
            rows=rows,
            cones=in_cones,
            columns=most(shares[~held]),
            slackness=float(ratio(np.array(charges), np.array(size))),
            value=value,
            size=size,
            effect=float(np.abs(z[:linear]) @ outside),
            z=z,
        )

    def _beyond(self, x: Array) -> float:
        """How far a column is beyond a bound, over the sizes of both."""
        out = 0.0
        for past, ends in ((self.lower - x, self.lower), (x - self.upper, self.upper)):
            beyond = past > 0.0
            if np.count_nonzero(beyond):
                sizes = np.abs(x[beyond]) + np.abs(ends[beyond])
                out = max(out, most(ratio(past[beyond], sizes)))
        return out if not np.isnan(x).any() else np.inf


def most(values: Array) -> float:
    """The largest entry; what is no number counts as infinite."""
    largest = float(np.max(values, initial=0.0))
    return np.inf if np.isnan(largest) else largest


def _by_block(terms: TermSizes, products: Array) -> Array:
    """Sums over each cone that is no half-line."""
    starts = _starts(terms)
    linear = terms.form.cones.linear
    return np.add.reduceat(products[linear:], starts) if starts.size else np.zeros(0)


def _starts(terms: TermSizes) -> NDArray[np.intp]:
    """Where each cone beyond the linear rows begins, counted from there."""
    starts: list[int] = []
    for kind, rows, parameter in blocks(terms.form.cones):
        if kind == "soc":
            starts += (rows.start + np.cumsum(parameter) - parameter).tolist()
        elif kind == "exp":
            starts += range(rows.start, rows.stop, 3)
        else:
            starts.append(rows.start)
    return np.array(starts, dtype=np.intp) - terms.form.cones.linear


# Points: the least d for which slacks within d of their terms are in the cones.


def least(inside: Callable[[Array], Mask], count: int) -> Array:
    """The least ``d`` for which ``inside(d)`` holds, of each of so many; infinite if there is none.

    Where ``inside(0)`` holds it is 0.
    """
    low, high = np.full(count, -40.0), np.full(count, np.log(_MOST))
    never, at_once = ~inside(np.full(count, _MOST)), inside(np.zeros(count))
    if at_once.all():
        return np.zeros(count)
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        enough = inside(np.exp(middle))
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return np.where(at_once, 0.0, np.where(never, np.inf, np.exp(high)))


def outside_cones(terms: TermSizes, slack: Array, sizes: Array) -> float:
    """The largest measure of a cone."""
    worst, cones = 0.0, terms.form.cones
    for kind, rows, parameter in blocks(cones):
        s, t = slack[rows], sizes[rows]
        if not np.isfinite(s).all():
            return np.inf
        if kind == "soc":
            worst = max(worst, most(_outside_pairs(terms.frame, s, t)))
        elif kind == "psd":
            worst = max(worst, _outside_semidefinite(s, t, parameter, cones.psd_layout))
        elif kind == "exp":
            worst = max(worst, most(_outside_exponential(s.reshape(-1, 3).T, t.reshape(-1, 3).T)))
        else:
            worst = max(worst, most(_outside_power(s, t, parameter)))
    return worst


def _outside_pairs(frame: Frame, s: Array, t: Array) -> Array:
    first = frame.form.cones.linear
    heads, sizes = frame.heads - first, frame.sizes
    mates = heads.copy()  # of a cone with one row: that row once more
    mates[sizes > 1] = frame.mates - first

    def inside(d: Array) -> Mask:
        rest = np.maximum(np.abs(s) - d.repeat(sizes) * t, 0.0)
        rest = root_of_squares(np.where(frame.paired, 0.0, rest), heads)
        p, q = s[heads] + d * t[heads], s[mates] + d * t[mates]
        mean = np.sqrt(np.maximum(p, 0.0)) * np.sqrt(np.maximum(q, 0.0))
        return np.asarray((p >= 0.0) & (q >= 0.0) & (mean >= rest))

    return least(inside, sizes.size)


def _outside_semidefinite(s: Array, t: Array, order: int, layout: str) -> float:
    square, sizes = matrix(s, order, layout), np.abs(matrix(t, order, layout))
    diagonal = np.diag(sizes)
    if np.abs(square)[diagonal == 0.0].any():
        return np.inf
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(square * scale[:, None] * scale)
    if values[0] >= 0.0:
        return 0.0
    along = np.abs(vectors[:, 0])
    return float(-values[0] / max(1.0, along @ (sizes * scale[:, None] * scale) @ along))


def _outside_exponential(s: Array, t: Array) -> Array:
    def inside(d: Array) -> Mask:
        x, low, high = s[0] - d * t[0], np.maximum(s[1] - d * t[1], 0.0), s[1] + d * t[1]
        z, y = s[2] + d * t[2], np.clip(x, low, np.maximum(high, low))
        positive = y > 0.0
        curve = y * np.exp(x / np.where(positive, y, 1.0))
        curve = np.where(positive, curve, np.where(x <= 0.0, 0.0, np.inf))
        return np.asarray((high >= 0.0) & (z >= 0.0) & (curve <= z))

    return least(inside, s.shape[1])


def _outside_power(s: Array, t: Array, powers: Array) -> Array:
    def inside(d: Array) -> Mask:
        base = s[:-1] + d[0] * t[:-1]
        if (base < 0.0).any():
            return np.array([False])
        product = np.exp(powers @ np.log(np.maximum(base, 1e-300)))
        return np.array([product >= abs(s[-1]) - d[0] * t[-1]])

    return least(inside, 1)


# Multipliers: moved into the dual cones by the repair that costs the objective least.


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
    bad = 2.0 * np.sqrt(p) * np.sqrt(q) < rest
    need = 0.25 * rest**2 * (1.0 + _SAFE)
    with np.errstate(all="ignore"):
        raised_p, raised_q = np.where(q > 0, need / q, np.inf), np.where(p > 0, need / p, np.inf)
    shrink = np.where(bad, 2.0 * np.sqrt(p) * np.sqrt(q) / np.where(rest > 0.0, rest, 1.0), 1.0)
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
    safe = 4.0 * (order + 2) * EPS * float(np.abs(np.diag(square)).sum())
    if values[0] >= safe:
        return z if layout != "full" else triangle(matrix(z, order, layout), layout)
    square = (vectors * np.maximum(values, 2.0 * safe)) @ vectors.T
    return triangle(0.5 * (square + square.T) / root[:, None] / root, layout)


def _into_dual_exponential(z: Array, sizes: Array) -> Array:
    """-u exp(v / u - 1) <= w, u < 0, or its closure u = 0, v >= 0, w >= 0."""
    u, v, w = np.minimum(z[0], 0.0), z[1], np.maximum(z[2], 0.0)
    flat = u == 0.0
    safe = np.where(flat, -1.0, u)
    rate = v / safe - 1.0
    lost = (np.abs(rate) + 16.0) * 2.0 * EPS
    least_w = np.where(flat, np.where(v < 0.0, np.inf, 0.0), -safe * np.exp(rate) * (1.0 + lost))
    logs = np.log(np.where(w > 0.0, w, 1.0) / -safe)
    least_v = safe * (1.0 + logs) - safe * (np.abs(logs) + 16.0) * 4.0 * EPS
    least_v = np.where(flat, 0.0, np.where(w > 0.0, least_v, np.inf))
    bad = w < least_w
    costs = [
        (least_w - w) * sizes[2],
        (least_v - v) * sizes[1],
        -u * sizes[0] + np.maximum(-v, 0.0) * sizes[1],
    ]
    cheapest = np.argmin([np.where(np.isnan(cost), np.inf, cost) for cost in costs], axis=0)
    to_zero = bad & (cheapest == 2)
    return np.array(
        [
            np.where(to_zero, 0.0, u),
            np.where(to_zero, np.maximum(v, 0.0), np.where(bad & (cheapest == 1), least_v, v)),
            np.where(bad & (cheapest == 0), least_w, w),
        ]
    )


def _into_dual_power(z: Array, powers: Array) -> Array:
    base = np.maximum(z[:-1], 0.0)
    logs = np.log(np.maximum(base / powers, 1e-300))
    lost = (8.0 * powers.size + 16.0 + float(np.abs(logs).sum())) * EPS
    reach = float(np.exp(powers @ logs)) * (1.0 - lost) if (base > 0.0).all() else 0.0
    return np.append(base, np.clip(z[-1], -reach, reach))
