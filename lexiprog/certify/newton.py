"""The last digits of a curved optimum, by Newton's method on its own equations.

An interior point with a gap of 1e-12 is about 1e-6 from the optimal one: where the objective is
flat, the root of the gap is left. Which rows, bounds and cones are tight is clear by then. With
these as equations the conditions of optimality are smooth ones in point and multipliers, and a few
steps lead to all digits that floats have, to the nearest solution where there are many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.cones import blocks, distances
from lexiprog.canon.standard_form import StandardForm
from lexiprog.tolerances import CONE_NONZERO, FEW_ROUNDINGS, LEAST_SQUARES_RANK, POINT_FEASIBILITY
from lexiprog.typing import Array

# Beyond that many equations the linear algebra, which is dense, would take too long.
LARGEST = 250
STEPS = 8


@dataclass(frozen=True)
class _Surface:
    """A second-order or exponential cone on whose boundary the slack lies."""

    kind: str
    rows: NDArray[np.intp]

    def at(self, s: Array) -> tuple[float, Array, Array]:
        """The convex function that is zero on the boundary, its gradient and its curvature."""
        if self.kind == "soc":
            length = float(np.linalg.norm(s[1:]))
            along = s[1:] / length
            bent = np.zeros((s.size, s.size))
            bent[1:, 1:] = (np.eye(s.size - 1) - np.outer(along, along)) / length
            return length - float(s[0]), np.append(-1.0, along), bent
        rate = s[0] / s[1]
        rise = np.exp(rate)
        tangent = np.array([1.0, -rate, 0.0])
        slope = np.array([rise, (1.0 - rate) * rise, -1.0])
        return float(s[1] * rise - s[2]), slope, np.outer(tangent, tangent) * (rise / s[1])


@dataclass(frozen=True)
class _Tight:
    """What holds with equality at the optimum."""

    rows: NDArray[np.intp]  # that are zero
    surfaces: list[_Surface]
    free: NDArray[np.intp]  # columns between their bounds
    x: Array  # the point, with the other columns at their bounds
    weights: Array  # a multiplier for each surface


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
    cones = form.cones
    if cones.psd or cones.power or form.c.size + form.b.size > LARGEST:
        return None
    tight = _tight(form, x, z)
    if tight is None:
        return None
    found = _solved(form, tight, z)
    if found is None:
        return None
    x, z = found
    lower, upper = form.ranges()
    x = np.clip(np.where(np.abs(x) <= FEW_ROUNDINGS * max(1.0, _most(x)), 0.0, x), lower, upper)
    beside = max(_most(distances(cones, form.slack(x))), _most(distances(cones, z, dual=True)))
    return (x, z) if beside <= POINT_FEASIBILITY else None


def _tight(form: StandardForm, x: Array, z: Array) -> _Tight | None:
    """Whatever has a multiplier that is larger than its slack."""
    slack, cones = form.slack(x), form.cones
    rows = [np.arange(cones.zero)]
    linear = np.arange(cones.zero, cones.linear)
    rows.append(linear[z[linear] > slack[linear]])
    surfaces, weights = [], []
    for kind, part in _cones(form):
        s, u = slack[part], z[part]
        if kind == "soc":
            inside, pressed = s[0] - np.linalg.norm(s[1:]), u[0] - np.linalg.norm(u[1:])
            if inside > _most(u):
                continue
            if pressed > max(CONE_NONZERO, _most(s)):
                rows.append(part)
                continue
            weight = u[0]
        else:
            if not s[1] > CONE_NONZERO:
                return None  # the flat part of the boundary
            if s[2] - s[1] * np.exp(s[0] / s[1]) > _most(u):
                continue
            weight = u[2]
        if not weight > 0.0 or (kind == "soc" and _most(s) < CONE_NONZERO):
            return None
        surfaces.append(_Surface(kind, part))
        weights.append(weight)
    lower, upper = form.ranges()
    reduced = form.c + form.transpose_product(z) + (0.0 if form.P is None else form.P @ x)
    low, high = reduced > x - lower, -reduced > upper - x
    point = np.where(low, lower, np.where(high, upper, x))
    free = np.flatnonzero(~low & ~high)
    return _Tight(np.concatenate(rows), surfaces, free, point, np.array(weights))


def _cones(form: StandardForm) -> Iterator[tuple[str, NDArray[np.intp]]]:
    for kind, rows, sizes in blocks(form.cones):
        count = rows.stop - rows.start
        start = rows.start
        for size in sizes if kind == "soc" else [3] * (count // 3):
            yield kind, np.arange(start, start + int(size))
            start += int(size)


def _solved(form: StandardForm, tight: _Tight, z: Array) -> tuple[Array, Array] | None:
    """Newton's steps, the shortest ones, until rounding is all that is left."""
    A = form.A.toarray()
    P = np.zeros((form.c.size, form.c.size)) if form.P is None else form.P.toarray()
    free, rows = tight.free, tight.rows
    x, y, weights = tight.x.copy(), z[rows].copy(), tight.weights.copy()
    best, least = None, np.inf
    for _ in range(STEPS):
        values, slopes, hessian = [], [], P.copy()
        full = np.zeros(z.size)
        full[rows] = y
        for surface, weight in zip(tight.surfaces, weights, strict=True):
            part = A[surface.rows]
            value, slope, bent = surface.at(form.b[surface.rows] - part @ x)
            values.append(value)
            slopes.append(-slope @ part)
            full[surface.rows] = -weight * slope
            hessian += weight * (part.T @ bent @ part)
        stationary = (form.c + P @ x + A.T @ full)[free]
        equations = np.vstack([-A[rows], *slopes])[:, free]
        misses = np.concatenate([stationary, form.b[rows] - A[rows] @ x, values])
        size = _most(misses)
        if not size < least:
            break
        best, least = (x.copy(), full), size
        if size <= FEW_ROUNDINGS:
            break
        corner = np.zeros((equations.shape[0],) * 2)
        turned = np.vstack([-equations[: rows.size], equations[rows.size :]])
        matrix = np.block([[hessian[np.ix_(free, free)], turned.T], [equations, corner]])
        step = np.linalg.lstsq(matrix, -misses, rcond=LEAST_SQUARES_RANK)[0]
        if not np.isfinite(step).all():
            break
        x[free] += step[: free.size]
        y += step[free.size : free.size + rows.size]
        weights += step[free.size + rows.size :]
    return best


def _most(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
