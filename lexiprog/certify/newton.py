"""The last digits of a curved optimum, by Newton's method on its own equations.

An interior point with a gap of 1e-12 is about 1e-6 from the optimal one: where the objective is
flat, the root of the gap is left. Which rows, bounds and cones are tight is clear by then. With
these as equations the conditions of optimality are smooth ones in point and multipliers, and a few
steps lead to all digits that floats have, to the nearest solution where there are many. All of it
is done in the answer's own units: columns of their own size, rows beside their terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.feasible import equilibrium
from lexiprog.certify.terms import most, worth
from lexiprog.tolerances import CONE_NONZERO, FEW_ROUNDINGS, LEAST_SQUARES_RANK, SUM_ROUNDING
from lexiprog.typing import Array

# Beyond that many equations the linear algebra, which is dense, would take too long.
LARGEST = 250
STEPS = 8
# So often rows and bounds that turn out to be wrong are taken for others.
SETS = 6
# What such a step crosses before this share of it, it crosses at first.
EARLY = 0.01


@dataclass(frozen=True)
class _Surface:
    """A second-order, exponential or power cone on whose boundary the slack lies."""

    kind: str
    rows: NDArray[np.intp]
    powers: Array | None = None

    def at(self, s: Array) -> tuple[float, Array, Array]:
        """The convex function that is zero on the boundary, its gradient and its curvature."""
        if self.kind == "soc":
            length = float(np.linalg.norm(s[1:]))
            along = s[1:] / length
            bent = np.zeros((s.size, s.size))
            bent[1:, 1:] = (np.eye(s.size - 1) - np.outer(along, along)) / length
            return length - float(s[0]), np.append(-1.0, along), bent
        if self.powers is not None:
            product = float(np.prod(s[:-1] ** self.powers))
            rates = self.powers / s[:-1]
            bent = np.zeros((s.size, s.size))
            bent[:-1, :-1] = product * (np.diag(rates / s[:-1]) - np.outer(rates, rates))
            slope = np.append(-product * rates, np.sign(s[-1]))
            return abs(float(s[-1])) - product, slope, bent
        rate = s[0] / s[1]
        rise = np.exp(rate)
        tangent = np.array([1.0, -rate, 0.0])
        slope = np.array([rise, (1.0 - rate) * rise, -1.0])
        return float(s[1] * rise - s[2]), slope, np.outer(tangent, tangent) * (rise / s[1])


@dataclass(frozen=True)
class _Tight:
    """What holds with equality at the optimum.

    Attributes
    ----------
    rows : ndarray
        That are zero.
    surfaces : list of _Surface
        With a multiplier for each in ``weights``.
    squares : list of ndarray
        Rows of semidefinite cones, whose slack times multiplier is zero.
    free, x : ndarray
        Columns between their bounds, and the point with the others at theirs.
    """

    rows: NDArray[np.intp]
    surfaces: list[_Surface]
    squares: list[tuple[NDArray[np.intp], int]]
    free: NDArray[np.intp]
    x: Array
    weights: Array


@np.errstate(all="ignore")
def sharpened(form: StandardForm, x: Array, z: Array) -> tuple[Array, Array] | None:
    """A point and multipliers with more digits; None if there are none, or none were found.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]]))
    >>> disk = StandardForm(np.array([-1.0, 0.0]), 0.0, A, np.array([1.0, 0, 0]), Cones(soc=(3,)))
    >>> x, z = sharpened(disk, np.array([0.999999, 1e-4]), np.array([1.0, -0.999, 1e-3]))
    >>> bool(np.abs(x - [1, 0]).max() < 1e-14), bool(np.abs(z - [1, -1, 0]).max() < 1e-14)
    (True, True)
    """
    if form.c.size + form.b.size > LARGEST:
        return None
    units = own_units(form, x, z)
    own = units.of(form)
    x, z = units.scaled_point(x), units.scaled_multipliers(z)
    tight = _tight(own, x, z)
    if tight is None:
        return None
    found = None
    for _ in range(SETS):
        latest, tried = _solved(own, tight, z)
        if latest is None:
            break
        found = latest
        other = _corrected(own, tight, *found)
        if other is None and tried is not None:
            other = _stopped(own, tight, found[0], tried)
        if other is None:
            break
        tight = other
    if found is None:
        return None
    x, z = found
    lower, upper = own.ranges()
    x = np.clip(np.where(np.abs(x) <= FEW_ROUNDINGS, 0.0, x), lower, upper)
    return units.point(x), units.multipliers(z)


def own_units(form: StandardForm, x: Array, z: Array) -> Scaling:
    """Units in which columns, rows and objective of an answer are about one; powers of two."""
    A = np.abs(form.A.toarray())
    sizes = A @ np.abs(x) + np.abs(form.b)
    for _, part, _ in _cones(form):
        sizes[part] = np.max(sizes[part])
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    with np.errstate(all="ignore"):
        room = np.min(sizes[:, None] / A, axis=0, initial=np.inf)
    columns = np.where(x != 0.0, np.abs(x), np.where(np.isfinite(room), room, 1.0))
    cost = float(_power_of_two(1.0 / (worth(form, x, z) or 1.0)))
    return Scaling(_power_of_two(1.0 / sizes), _power_of_two(columns), cost)


def _power_of_two(numbers: Array | float) -> Array:
    return np.asarray(2.0 ** np.clip(np.round(np.log2(numbers)), -500, 500))


def _tight(form: StandardForm, x: Array, z: Array) -> _Tight | None:
    """Whatever has a multiplier that is larger than its slack."""
    slack, cones = form.slack(x), form.cones
    rows = [np.arange(cones.zero)]
    linear = np.arange(cones.zero, cones.linear)
    rows.append(linear[z[linear] > slack[linear]])
    surfaces, weights, squares = [], [], []
    for kind, part, powers in _cones(form):
        s, u = slack[part], z[part]
        if kind == "psd":
            squares.append((part, int(cast("int", powers))))
            continue
        place = _place(kind, s, u, powers)
        if place == "inside":
            continue
        if place == "tip":
            rows.append(part)
        elif place == "surface":
            surfaces.append(_Surface(kind, part, powers))
            weights.append(abs(u[{"soc": 0, "exp": 2, "power": -1}[kind]]))
        else:
            return None
    lower, upper = form.ranges()
    reduced = form.c + form.transpose_product(z) + (0.0 if form.P is None else form.P @ x)
    low, high = reduced > x - lower, -reduced > upper - x
    point = np.where(low, lower, np.where(high, upper, x))
    free = np.flatnonzero(~low & ~high)
    return _Tight(np.concatenate(rows), surfaces, squares, free, point, np.array(weights))


def _corrected(form: StandardForm, tight: _Tight, x: Array, z: Array) -> _Tight | None:
    """The same with what was left taken in, and without what is pressed on from inside.

    None if it was right.
    """
    lower, upper = form.ranges()
    reduced = form.c + form.transpose_product(z) + (0.0 if form.P is None else form.P @ x)
    held = np.ones(x.size, dtype=bool)
    held[tight.free] = False
    fixed = lower == upper
    low = np.where(held, (x == lower) & ~(reduced < -SUM_ROUNDING), x < lower - SUM_ROUNDING)
    high = np.where(held, (x == upper) & ~(reduced > SUM_ROUNDING), x > upper + SUM_ROUNDING)
    free = np.flatnonzero(~(low | high | fixed))
    rows, slack = np.arange(form.b.size), form.slack(x)
    signed = (rows >= form.cones.zero) & (rows < form.cones.linear)
    within = np.isin(rows, tight.rows)
    kept = np.where(within, ~signed | (z >= -SUM_ROUNDING), signed & (slack < -SUM_ROUNDING))
    chosen = np.flatnonzero(kept)
    if np.array_equal(free, tight.free) and np.array_equal(chosen, np.sort(tight.rows)):
        return None
    point = np.where(low | fixed, lower, np.where(high, upper, x))
    return replace(tight, rows=chosen, free=free, x=point)


def _stopped(form: StandardForm, tight: _Tight, x: Array, tried: Array) -> _Tight | None:
    """The same with the bounds and rows that a step which led astray would have crossed first."""
    lower, upper = form.ranges()
    signed = np.arange(form.b.size) >= form.cones.zero
    signed &= np.arange(form.b.size) < form.cones.linear
    signed[tight.rows] = False
    slack = np.where(signed, form.slack(x), np.inf)
    room = np.concatenate([x - lower, upper - x, slack])
    left = np.concatenate([tried - lower, upper - tried, form.slack(tried)])
    shares = np.where((left < 0.0) & np.isfinite(room), room / (room - left), np.inf)
    first = shares <= max(float(shares.min(initial=np.inf)), EARLY)
    low, high, rows = np.split(first & (shares < 1.0), [x.size, 2 * x.size])
    if not (low.any() or high.any() or rows.any()):
        return None
    point = np.where(low, lower, np.where(high, upper, tight.x))
    free = np.setdiff1d(tight.free, np.flatnonzero(low | high))
    return replace(tight, rows=np.union1d(tight.rows, np.flatnonzero(rows)), free=free, x=point)


def _place(kind: str, s: Array, u: Array, powers: Array | None) -> str:
    """Where in its cone a slack with such multipliers belongs."""
    if kind == "soc":
        inside, pressed = s[0] - np.linalg.norm(s[1:]), u[0] - np.linalg.norm(u[1:])
        if inside > most(np.abs(u)):
            return "inside"
        if pressed > max(CONE_NONZERO, most(np.abs(s))):
            return "tip"
        return "surface" if u[0] > 0.0 and most(np.abs(s)) >= CONE_NONZERO else "nowhere"
    if kind == "exp":
        if not s[1] > 0.0:
            return "nowhere"  # the flat part of the boundary
        if s[2] - s[1] * np.exp(s[0] / s[1]) > most(np.abs(u)):
            return "inside"
        return "surface" if u[2] > 0.0 else "nowhere"
    if not (s[:-1] > 0.0).all() or powers is None:
        return "nowhere"
    if np.prod(s[:-1] ** powers) - abs(s[-1]) > most(np.abs(u)):
        return "inside"
    return "surface" if u[-1] != 0.0 and s[-1] != 0.0 else "nowhere"


def _cones(form: StandardForm) -> Iterator[tuple[str, NDArray[np.intp], Array | None]]:
    for kind, rows, parameter in blocks(form.cones):
        start = rows.start
        if kind in ("psd", "power"):
            yield kind, np.arange(rows.start, rows.stop), parameter
            continue
        for size in parameter if kind == "soc" else [3] * ((rows.stop - rows.start) // 3):
            yield kind, np.arange(start, start + int(size)), None
            start += int(size)


@dataclass(frozen=True)
class _Equations:
    """What is left of the conditions of optimality, their slopes, and the multipliers meant."""

    misses: Array
    slopes: Array
    z: Array


def _solved(
    form: StandardForm, tight: _Tight, z: Array
) -> tuple[tuple[Array, Array] | None, Array | None]:
    """Newton's steps, the shortest ones, until rounding is all that is left.

    Beside the best point that was found, with its multipliers, one to which a step led astray.
    """
    A = form.A.toarray()
    P = np.zeros((form.c.size, form.c.size)) if form.P is None else form.P.toarray()
    inner = [rows for rows, _ in tight.squares]
    plain = np.concatenate([tight.rows, *inner]).astype(np.intp)
    x, y, weights = tight.x.copy(), z[plain].copy(), tight.weights.copy()
    best, least = None, np.inf
    for _ in range(STEPS):
        now = _equations(form, A, P, tight, plain, x, y, weights)
        size = most(np.abs(now.misses))
        if not size < least:
            return best, x
        best, least = (x.copy(), now.z), size
        if size <= FEW_ROUNDINGS:
            break
        rows, columns = equilibrium(now.slopes)
        scaled = now.slopes * rows[:, None] * columns
        step = columns * np.linalg.lstsq(scaled, -now.misses * rows, rcond=LEAST_SQUARES_RANK)[0]
        count = tight.free.size
        x[tight.free] += step[:count]
        y += step[count : count + plain.size]
        weights += step[count + plain.size :]
    return best, None


def _equations(
    form: StandardForm, A: Array, P: Array, tight: _Tight, plain: NDArray[np.intp], x: Array,
    y: Array, weights: Array,
) -> _Equations:  # fmt: skip
    """The conditions at a point, with multipliers of plain rows and weights of surfaces."""
    free, count = tight.free, tight.rows.size
    z, hessian = np.zeros(form.b.size), P.copy()
    z[plain] = y
    values, slopes = [], []
    for surface, weight in zip(tight.surfaces, weights, strict=True):
        part = A[surface.rows]
        value, slope, bent = surface.at(form.b[surface.rows] - part @ x)
        values.append(value)
        slopes.append(-slope @ part)
        z[surface.rows] = -weight * slope
        hessian += weight * (part.T @ bent @ part)
    stationary = (form.c + P @ x + A.T @ z)[free]
    turned = np.vstack([A[plain], *slopes])[:, free].T
    rows = np.hstack([-A[tight.rows][:, free], np.zeros((count, plain.size + weights.size))])
    products, conditions = [], []
    start = count
    for inner, order in tight.squares:
        product, by_slack, by_z = _product(form, A, inner, order, x, z)
        products.append(product)
        line = np.zeros((product.size, free.size + plain.size + weights.size))
        line[:, : free.size] = by_slack[:, free]
        line[:, free.size + start : free.size + start + product.size] = by_z
        conditions.append(line)
        start += product.size
    bent_rows = np.vstack([np.zeros((0, x.size)), *slopes])[:, free]
    bent_rows = np.hstack([bent_rows, np.zeros((weights.size, plain.size + weights.size))])
    top = np.hstack([hessian[np.ix_(free, free)], turned])
    zeros = form.b[tight.rows] - A[tight.rows] @ x
    misses = np.concatenate([stationary, zeros, *products, np.array(values)])
    return _Equations(misses, np.vstack([top, rows, *conditions, bent_rows]), z)


def _product(
    form: StandardForm, A: Array, part: NDArray[np.intp], order: int, x: Array, z: Array
) -> tuple[Array, Array, Array]:
    """Slack times multiplier of a semidefinite cone, made symmetric, with its derivatives."""
    layout = form.cones.psd_layout
    slack = matrix(form.b[part] - A[part] @ x, order, layout)
    square = matrix(z[part], order, layout)

    def symmetric(left: Array, right: Array) -> Array:
        return triangle(0.5 * (left @ right + right @ left), layout)

    units = [matrix(unit, order, layout) for unit in np.eye(part.size)]
    by_slack = np.column_stack([symmetric(unit, square) for unit in units]) @ -A[part]
    by_z = np.column_stack([symmetric(slack, unit) for unit in units])
    return symmetric(slack, square), by_slack, by_z
