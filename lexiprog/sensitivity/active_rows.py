"""What holds at an optimum of a standard form, to first order: the rows that count, and curvature.

Bounds become rows, so that ``s = h - Gx`` lies in the cones and ``Px + c + G'z = 0``. A block of a
second-order or exponential cone whose slack lies on its smooth boundary, ``f(s) = 0``, has
multipliers ``z = -t grad f(s)``: one row ``-grad f' G`` with multiplier ``t``, and the curvature
``t G' hess f G`` beside ``P``. So every such optimum looks like that of a quadratic program.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.cones import ConeData, blocks, matrix, triangle
from lexiprog.canon.standard_form import StandardForm
from lexiprog.tolerances import CONE_ACTIVE, SLACK_OR_MULTIPLIER
from lexiprog.typing import Array, Mask, Matrix

# Positions, weights, free.
Placed = tuple[NDArray[np.intp], Array, bool]


@dataclass(frozen=True)
class Rows:
    """Rows with bounds among them: ``G``, ``h``, multipliers, and where each comes from.

    ``lower`` and ``upper`` are the columns whose bounds are rows, after those of the form.
    """

    G: Matrix
    h: Array
    z: Array
    lower: NDArray[np.intp]
    upper: NDArray[np.intp]


@dataclass(frozen=True)
class TightRows:
    """The rows that count at an optimum: ``E = weights @ G``, with multipliers.

    Attributes
    ----------
    weights : sparse array
        Which combination of all rows each row that counts is.
    E : sparse array
    multipliers : ndarray
    least : ndarray
        What a multiplier must exceed to be one for certain, by its row's slack.
    free : ndarray of bool
        Rows whose multiplier may have either sign.
    curvature : sparse array
        Of the Lagrangian, in the columns.
    bend : sparse array
        ``bend @ ds`` is what changed slacks of curved blocks do to their multipliers.
    unsure : str
        Why some block is not settled to first order; empty if all can.
    """

    weights: Matrix
    E: Matrix
    multipliers: Array
    least: Array
    free: Mask
    curvature: Matrix
    bend: Matrix
    unsure: str = ""


def all_rows(form: StandardForm, x: Array, z: Array) -> Rows:
    """The form's rows, and its finite bounds with what the rows leave of the costs."""
    size = x.size
    reduced = form.c + form.A.T @ z + (0.0 if form.P is None else form.P @ x)
    sides, limits, multipliers, kept = [sp.csr_array(form.A)], [form.b], [z], []
    for bound, sign in ((form.lower, -1.0), (form.upper, 1.0)):
        finite = np.flatnonzero(np.isfinite(bound)) if bound is not None else np.zeros(0, int)
        entries = (np.full(finite.size, sign), (np.arange(finite.size), finite))
        sides.append(sp.csr_array(sp.coo_array(entries, shape=(finite.size, size))))
        limits.append(np.zeros(0) if bound is None else sign * bound[finite])
        # At two bounds at once, the one that the cost pushes to carries all of it.
        multipliers.append(np.maximum(-sign * reduced[finite], 0.0))
        kept.append(finite)
    return Rows(
        sp.csr_array(sp.vstack(sides)), np.concatenate(limits), np.concatenate(multipliers), *kept
    )


def tight_at(form: StandardForm, rows: Rows, x: Array) -> TightRows:
    """The rows that count at ``x``, in equilibrated units."""
    count, linear = rows.h.size, form.cones.linear
    slack = rows.h - rows.G @ x
    place: list[Placed] = []  # positions, weights, free
    multipliers: list[float] = []
    straight = np.ones(count, dtype=bool)
    straight[linear : form.b.size] = False
    equations = np.zeros(count, dtype=bool)
    equations[: form.cones.zero] = True
    reached = (slack <= CONE_ACTIVE * 0.1) | (SLACK_OR_MULTIPLIER * rows.z > slack)
    tight = straight & ~equations & reached
    least = [SLACK_OR_MULTIPLIER * abs(float(slack[k])) for k in np.flatnonzero(equations | tight)]
    for k in np.flatnonzero(equations | tight):
        place.append((np.array([k]), np.ones(1), bool(equations[k])))
        multipliers.append(float(rows.z[k]))
    bends, unsure = [], ""
    for kind, span, parameter in blocks(form.cones):
        for part in _parts(kind, span, parameter):
            s, z = slack[part], rows.z[part]
            where = np.arange(part.start, part.stop)
            if kind in ("soc", "exp"):
                found = _smooth(kind, s, z)
            elif kind == "psd":
                found = _null_rows(s, z, parameter, form.cones.psd_layout)
            else:
                found = "a power cone"
            if isinstance(found, str):
                unsure, found = found, [(np.eye(s.size)[k], z[k], None) for k in range(s.size)]
            for weights, t, bend in found:
                place.append((where, weights, len(found) > 1))
                multipliers.append(float(t))
                least.append(0.0)
                if bend is not None:
                    bends.append((where, bend))
    weights = _stacked(place, count)
    bend = sp.csr_array((count, count))
    for where, block in bends:
        lines, across = np.meshgrid(where, where, indexing="ij")
        part = sp.coo_array((block.ravel(), (lines.ravel(), across.ravel())), shape=(count, count))
        bend = bend + sp.csr_array(part)
    own = sp.csr_array((x.size, x.size)) if form.P is None else sp.csr_array(form.P)
    curvature = sp.csr_array(own + rows.G.T @ bend @ rows.G)
    free = np.array([part[2] for part in place], dtype=bool)
    E = sp.csr_array(weights @ rows.G)
    bounds = np.array(least), free
    return TightRows(weights, E, np.array(multipliers), *bounds, curvature, bend, unsure)


def _parts(kind: str, span: slice, parameter: ConeData) -> list[slice]:
    if kind == "soc":
        ends = span.start + np.cumsum(parameter)
        return [slice(int(e - n), int(e)) for e, n in zip(ends, parameter, strict=True)]
    if kind == "exp":
        return [slice(k, k + 3) for k in range(span.start, span.stop, 3)]
    return [span]


# An inward normal, its multiplier, and the curvature there, if there is any.
_Piece = tuple[Array, float, Array | None]


def _smooth(kind: str, s: Array, z: Array) -> list[_Piece] | str:
    """(inward normal, multiplier, curvature) where the boundary is smooth; nothing inside."""
    size = float(np.max(np.abs(z), initial=0.0))
    if kind == "soc":
        norm, free = float(np.linalg.norm(s[1:])), s[0] - float(np.linalg.norm(s[1:]))
        if free > CONE_ACTIVE and z[0] <= free:
            return []
        if s[0] <= CONE_ACTIVE:  # the tip
            inside = z[0] - float(np.linalg.norm(z[1:]))
            if inside <= CONE_ACTIVE * max(1.0, size):
                return "a norm of zero whose multiplier is at its limit"
            return [(row, z[k], None) for k, row in enumerate(np.eye(s.size))]
        unit = s[1:] / norm
        hessian = np.zeros((s.size, s.size))
        hessian[1:, 1:] = (np.eye(s.size - 1) - np.outer(unit, unit)) / norm
        return [(np.append(1.0, -unit), z[0], z[0] * hessian)]
    x, y, top = s
    if y <= CONE_ACTIVE * 1e-3:
        return "an exponential cone at its edge" if size > CONE_ACTIVE else []
    power = np.exp(x / y)
    if top - y * power > CONE_ACTIVE and z[2] <= top - y * power:
        return []
    hessian = np.zeros((3, 3))
    hessian[:2, :2] = power * np.array([[1 / y, -x / y**2], [-x / y**2, x**2 / y**3]])
    return [(np.array([-power, -power * (1.0 - x / y), 1.0]), z[2], z[2] * hessian)]


def _null_rows(s: Array, z: Array, order: int, layout: str) -> list[_Piece]:
    """The rows of a semidefinite block that its slack's null space spans, and its curvature."""
    values, vectors = np.linalg.eigh(matrix(s, order, layout))
    zero = values <= CONE_ACTIVE * max(1.0, float(values[-1]))
    null, rest = vectors[:, zero], vectors[:, ~zero]
    square = matrix(z, order, layout)
    prices, axes = np.linalg.eigh(null.T @ square @ null)
    null = null @ axes
    out: list[_Piece] = []
    for i in range(null.shape[1]):
        for j in range(i, null.shape[1]):
            row = _pair(null[:, i], null[:, j], layout)
            out.append((row, prices[i] if i == j else 0.0, None))
    bend = np.zeros((s.size, s.size))
    for price, one in zip(prices, null.T, strict=True):
        for size, other in zip(values[~zero], rest.T, strict=True):
            row = np.sqrt(2.0) * _pair(one, other, layout)
            bend += price / size * np.outer(row, row)
    return [(*out[0][:2], bend), *out[1:]] if out else []


def _pair(one: Array, other: Array, layout: str) -> Array:
    both = np.outer(one, other)
    return triangle(0.5 * (both + both.T), layout)


def _stacked(place: list[Placed], count: int) -> Matrix:
    if not place:
        return sp.csr_array((0, count))
    lines = np.concatenate([np.full(w.size, k) for k, (_, w, _) in enumerate(place)])
    across = np.concatenate([where for where, _, _ in place])
    entries = np.concatenate([w for _, w, _ in place])
    return sp.csr_array(sp.coo_array((entries, (lines, across)), shape=(len(place), count)))
