"""Distances to the cones of a standard form, and to their duals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.standard_form import Cones
from lexiprog.tolerances import EPS, SMALLEST_NORMAL
from lexiprog.typing import Array

# Sizes of second-order cones, the order of a matrix, powers, or None.
ConeData: TypeAlias = Any


def blocks(cones: Cones) -> Iterator[tuple[str, slice, ConeData]]:
    """Every non-linear block as (kind, rows, parameter); equal cones come together."""
    start = cones.linear
    if cones.soc:
        stop = start + sum(cones.soc)
        yield "soc", slice(start, stop), np.asarray(cones.soc)
        start = stop
    for order in cones.psd:
        stop = start + cones.psd_rows(order)
        yield "psd", slice(start, stop), order
        start = stop
    if cones.exp:
        yield "exp", slice(start, start + 3 * cones.exp), None
        start += 3 * cones.exp
    for powers in cones.power:
        stop = start + len(powers) + 1
        yield "power", slice(start, stop), np.asarray(powers)
        start = stop


def distances(cones: Cones, point: Array, *, dual: bool = False) -> Array:
    """How far each row group of ``point`` is outside its cone (or its dual cone).

    Linear rows get an entry each; every other cone puts its distance, an upper bound that
    vanishes exactly on the cone, into its first row.
    """
    out = np.zeros(point.size)
    zero, linear = cones.zero, cones.linear
    if not dual:  # the dual of {0} is everything
        out[:zero] = np.abs(point[:zero])
    out[zero:linear] = np.maximum(-point[zero:linear], 0.0)
    for kind, rows, parameter in blocks(cones):
        part = point[rows]
        if kind == "soc":
            heads = np.concatenate([[0], np.cumsum(parameter)[:-1]])
            tops = part[heads]
            norms = np.sqrt(np.maximum(np.add.reduceat(part**2, heads) - tops**2, 0.0))
            out[rows.start + heads] = np.maximum(norms - tops, 0.0)
        elif kind == "psd":
            smallest = np.linalg.eigvalsh(matrix(part, parameter, cones.psd_layout))[0]
            out[rows.start] = max(-float(smallest), 0.0)
        elif kind == "exp":
            triples = part.reshape(-1, 3)
            out[rows.start : rows.stop : 3] = (
                _dual_exponential(triples) if dual else _exponential(triples)
            )
        else:
            out[rows.start] = _power(part, parameter, dual=dual)
    return out


def matrix(triangle: Array, order: int, layout: str) -> Array:
    """The symmetric matrix stored as a triangle whose off-diagonal is scaled by sqrt 2."""
    if layout == "full":
        square = triangle.reshape(order, order)
        return 0.5 * (square + square.T)
    full = np.zeros((order, order))
    # Column-major upper triangles and row-major lower triangles list the same entries.
    rows, columns = np.tril_indices(order) if layout == "upper" else np.triu_indices(order)
    full[rows, columns] = triangle / np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.where(full == 0.0, full.T, full)


def triangle(square: Array, layout: str) -> Array:
    """The inverse of ``matrix``: a symmetric matrix as the rows of its cone."""
    if layout == "full":
        return square.reshape(-1)
    order = square.shape[0]
    rows, columns = np.tril_indices(order) if layout == "upper" else np.triu_indices(order)
    return square[rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0))


def _exponential(triples: Array) -> Array:
    """Distance to closure{y exp(x/y) <= z, y > 0}: the cheapest of three repairs."""
    x, y, z = triples.T
    flat = np.maximum.reduce([np.abs(y), np.maximum(x, 0.0), np.maximum(-z, 0.0)])
    with np.errstate(all="ignore"):
        raise_z = np.where(y > 0, y * np.exp(x / y) - z, np.inf)
        lower_x = np.where((y > 0) & (z > 0), x - y * np.log(z / y), np.inf)
    return np.maximum(np.fmin(np.fmin(raise_z, lower_x), flat), 0.0)


def _dual_exponential(triples: Array) -> Array:
    """Distance to closure{-u exp(v/u - 1) <= w, u < 0}: the cheapest of three repairs."""
    u, v, w = triples.T
    flat = np.maximum.reduce([np.abs(u), np.maximum(-v, 0.0), np.maximum(-w, 0.0)])
    with np.errstate(all="ignore"):
        raise_w = np.where(u < 0, -u * np.exp(v / u - 1.0) - w, np.inf)
        raise_v = np.where((u < 0) & (w > 0), u * (1.0 + np.log(-w / u)) - v, np.inf)
    return np.maximum(np.fmin(np.fmin(raise_w, raise_v), flat), 0.0)


def _power(part: Array, powers: Array, *, dual: bool) -> float:
    """Distance to prod(w**powers) >= abs(z), or to its dual prod((w/powers)**powers) >= abs(z)."""
    base, tip = part[:-1], abs(float(part[-1]))
    scaled = base / powers if dual else base
    product = float(np.prod(np.maximum(scaled, 0.0) ** powers))
    return max(float(np.max(-base)), tip - product, 0.0)


# Bring a point into the cones of a standard form or into their duals, certainly and nearly.
#
# The nearest point is not needed, but a near one that lies inside in spite of rounding: every
# result is moved inwards by a few units in the last place.


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def project(cones: Cones, point: Array, *, dual: bool = False) -> Array:
    """A point near ``point`` inside the cones, or inside their duals.

    Orthants, second-order and semidefinite cones get their nearest point, exponential and power
    cones the cheaper of two repairs. What is no number stays none.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog.canon.standard_form import Cones
    >>> project(Cones(zero=1, nonneg=2), np.array([3.0, -1.0, 2.0]), dual=True)
    array([3., 0., 2.])
    >>> project(Cones(soc=(3,)), np.array([0.0, 6.0, 8.0])).round(6)
    array([5., 3., 4.])
    """
    out = np.array(point, dtype=float)
    if not dual:
        out[: cones.zero] = 0.0
    linear = slice(cones.zero, cones.linear)
    out[linear] = np.maximum(out[linear], 0.0)
    for kind, rows, parameter in blocks(cones):
        part = out[rows]
        if kind == "soc":
            out[rows] = _second_order(part, parameter)
        elif kind == "psd":
            out[rows] = _semidefinite(part, parameter, cones.psd_layout)
        elif kind == "exp":
            triples = part.reshape(-1, 3)
            near = _into_dual_exponential(triples) if dual else _into_exponential(triples)
            out[rows] = near.reshape(-1)
        else:
            out[rows] = _into_power(part, parameter, dual=dual)
    return out


def _second_order(part: Array, sizes: NDArray[np.intp]) -> Array:
    """Into norm(tail) <= head, which is its own dual."""
    heads = np.cumsum(sizes) - sizes
    tail = part.copy()
    tail[heads] = 0.0
    # Dividing by the largest entry keeps the squares from overflow and underflow.
    largest = np.maximum.reduceat(np.abs(tail), heads)
    unit = np.where(largest > 0.0, largest, 1.0)
    norms = unit * np.sqrt(np.add.reduceat((tail / np.repeat(unit, sizes)) ** 2, heads))
    norms = norms * (1.0 + (sizes + 4) * EPS)
    tops = part[heads]
    middle = 0.5 * (tops + norms)
    # Inside: as it is. Opposite: the origin. Between: onto the boundary.
    keep, origin = tops >= norms, tops <= -norms
    shrink = np.where(keep, 1.0, np.where(origin, 0.0, middle / np.where(norms > 0, norms, 1.0)))
    out: Array = tail * np.repeat(shrink, sizes)
    out[heads] = np.where(keep, tops, np.where(origin, 0.0, middle * (1.0 + 4.0 * EPS)))
    return out


def _semidefinite(part: Array, order: int, layout: str) -> Array:
    """Into the symmetric matrices without negative eigenvalues, their own dual."""
    square = matrix(part, order, layout)
    if not np.isfinite(square).all():
        return np.full(part.size, np.nan)
    values, vectors = np.linalg.eigh(square)
    if values[0] < 0.0:
        positive = np.maximum(values, 0.0)
        square = (vectors * positive) @ vectors.T
        square = 0.5 * (square + square.T)
    # A computed Cholesky factor of a matrix with so much less on its diagonal proves that the
    # matrix itself is semidefinite (Rump, 2006). The diagonal grows until that succeeds.
    less = 4.0 * (order + 2) * EPS * float(np.abs(np.diag(square)).sum())
    push, identity = 0.0, np.eye(order)
    while square.any() and not _is_definite(square + (push - less) * identity):
        push = max(2.0 * push, 2.0 * less, SMALLEST_NORMAL)
    return triangle(square + push * identity, layout)


def _is_definite(square: Array) -> bool:
    try:
        np.linalg.cholesky(square)
    except np.linalg.LinAlgError:
        return False
    return True


def _into_exponential(triples: Array) -> Array:
    """Into y exp(x/y) <= z, y > 0, or its closure x <= 0, y = 0, z >= 0."""
    x, y, z = triples.T
    safe = np.where(y > 0.0, y, 1.0)
    ratio = x / safe
    needed = safe * np.exp(ratio) * (1.0 + (np.abs(ratio) + 8.0) * 2.0 * EPS) + SMALLEST_NORMAL
    held = np.where(z > 0.0, z, 1.0) / safe
    logs = np.log(held)
    allowed = safe * (logs - (np.abs(logs) + 8.0) * 2.0 * EPS)
    flat = np.column_stack([np.minimum(x, 0.0), np.zeros_like(y), np.maximum(z, 0.0)])
    raised = np.column_stack([x, y, np.maximum(z, needed)])
    lowered = np.column_stack([np.minimum(x, allowed), y, z])
    return _cheapest(triples, [flat, raised, lowered], [y > -np.inf, y > 0.0, (y > 0) & (z > 0)])


def _into_dual_exponential(triples: Array) -> Array:
    """Into -u exp(v/u - 1) <= w, u < 0, or its closure u = 0, v >= 0, w >= 0."""
    u, v, w = triples.T
    safe = np.where(u < 0.0, -u, 1.0)
    power = -v / safe - 1.0
    slack = (np.abs(v / safe) + np.abs(power) + 8.0) * 2.0 * EPS
    needed = safe * np.exp(power) * (1.0 + slack) + SMALLEST_NORMAL
    logs = np.log(np.where(w > 0.0, w, 1.0) / safe)
    allowed = -safe * (1.0 + logs) + safe * (np.abs(logs) + 8.0) * 2.0 * EPS
    flat = np.column_stack([np.zeros_like(u), np.maximum(v, 0.0), np.maximum(w, 0.0)])
    raised = np.column_stack([u, v, np.maximum(w, needed)])
    lifted = np.column_stack([u, np.maximum(v, allowed), w])
    return _cheapest(triples, [flat, raised, lifted], [u > -np.inf, u < 0.0, (u < 0) & (w > 0)])


def _cheapest(triples: Array, repairs: list[Array], possible: list[NDArray[np.bool_]]) -> Array:
    """For each triple the possible repair that moves it least."""
    moved = np.array(
        [
            np.where(
                may & np.isfinite(repair).all(axis=1), np.abs(repair - triples).sum(axis=1), np.inf
            )
            for repair, may in zip(repairs, possible, strict=True)
        ]
    )
    chosen = np.argmin(moved, axis=0)
    out = np.array(repairs)[chosen, np.arange(len(triples))]
    missing = np.isnan(triples).any(axis=1, keepdims=True)
    return np.where(missing, np.nan, out)


def _into_power(part: Array, powers: Array, *, dual: bool) -> Array:
    """Into prod(w**powers) >= abs(tip), or into its dual prod((w/powers)**powers) >= abs(tip)."""
    base, tip = np.maximum(part[:-1], 0.0), float(part[-1])
    weights = powers if dual else np.ones(powers.size)

    def reach(raised: Array) -> float:
        terms = (raised / weights) ** powers
        logs = np.log(terms, out=np.zeros(powers.size), where=terms > 0.0) / powers
        lost = (8.0 * powers.size + 16.0 + float(np.abs(logs).sum())) * EPS
        return float(np.prod(terms)) * (1.0 - lost)

    if not np.isfinite(part).all() or reach(base) >= abs(tip):
        return np.append(base, tip)
    # Either the tip gives way, or all of the base is raised by the same amount.
    least, most = 0.0, abs(tip)
    while reach(base + most * weights) < abs(tip):
        most *= 2.0
    for _ in range(60):
        middle = 0.5 * (least + most)
        least, most = (
            (least, middle) if reach(base + middle * weights) >= abs(tip) else (middle, most)
        )
    if most * float(weights.sum()) < abs(tip) - reach(base):
        return np.append(base + most * weights, tip)
    return np.append(base, np.copysign(reach(base), tip))
