"""Distances to the cones of a standard form, and to their duals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import Cones

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
