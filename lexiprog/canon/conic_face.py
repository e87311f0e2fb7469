"""What all optimal points of a conic problem have in common, identified by its multipliers.

A feasible point is optimal exactly if the product of its slack ``b - Ax`` and the multipliers ``z``
is zero. On a half-line with a positive multiplier that leaves zero; on a second-order, exponential
or power cone one ray; on a semidefinite cone the matrices on the kernel of ``z``. All of these are
cones again, and linear where the optimum is a point: nothing remains of the square root that a
bound on the objective brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.cones import ConeData, blocks, matrix, triangle
from lexiprog.canon.multipliers import classified
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.tolerances import CONE_NONZERO, CONE_ZERO
from lexiprog.typing import Array

# Beyond that many cones, or such matrices, the value is held.
MANY, LARGE = 2_000, 30


class _Ambiguous(Exception):
    """The multipliers do not say clearly which face is meant."""


@dataclass(frozen=True)
class Exposed:
    """A problem on the optimal face of another one over the same columns.

    Attributes
    ----------
    form : StandardForm
        The constraints that are left; rows that became equations stand last among its equations.
    misses : ndarray
        How far the optimal point itself is from each new equation: how exactly the face is known.
    """

    form: StandardForm
    misses: Array


@dataclass(frozen=True)
class _Piece:
    """Combinations of some rows' slacks that lie in a cone."""

    kind: str
    rows: slice | NDArray[np.intp]
    combinations: Array | None = None  # one a row of the new cone; None for the rows themselves
    parameter: ConeData = None

    def of(self, values: Any) -> Any:
        """The new rows of a vector or a matrix."""
        part = values[self.rows]
        return part if self.combinations is None else sp.csr_array(self.combinations) @ part


def exposed(form: StandardForm, x: Array, z: Array) -> Exposed | None:
    """The face of optimal points of ``form``; None if rounding could have made it.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]]))
    >>> disk = StandardForm(np.array([-1.0, 0.0]), 0.0, A, np.array([1.0, 0, 0]), Cones(soc=(3,)))
    >>> face = exposed(disk, np.array([1.0, 0.0]), np.array([1.0, -1.0, 0.0]))
    >>> face.form.A.toarray(), face.form.b, face.form.cones.zero
    (array([[-1.,  0.],
           [ 0., -1.],
           [ 0.,  0.]]), array([-1.,  0.,  1.]), 2)
    """
    if len(form.cones.soc) + form.cones.exp + len(form.cones.power) > MANY:
        return None
    slack = form.slack(x)
    try:
        pieces = [*_linear(form, slack, z)]
        for kind, rows, parameter in blocks(form.cones):
            pieces += _curved(kind, rows, parameter, slack, z, form.cones.psd_layout)
        lower, upper = _bounds(form, x, z)
    except _Ambiguous:
        return None
    misses = [np.zeros(0), *(np.abs(piece.of(slack)) for piece in pieces if piece.kind == "tied")]
    left = _assembled(replace(form, lower=lower, upper=upper), pieces)
    return Exposed(left, np.concatenate(misses))


def _is_zero(size: float) -> bool:
    return bool(_are_zero(np.array([size]))[0])


def _are_zero(sizes: Array) -> NDArray[np.bool_]:
    """Which numbers are zero, if that is clear."""
    real, doubt = classified(sizes, CONE_NONZERO)
    if not doubt <= CONE_ZERO:  # not a number neither
        raise _Ambiguous
    return ~real


def _linear(form: StandardForm, slack: Array, z: Array) -> Iterator[_Piece]:
    rows = np.arange(form.cones.zero, form.cones.linear)
    idle = _are_zero(z[rows])
    # Both are nearly zero: it may be tied or not. A multiplier that is none says that it is not.
    if _are_zero(slack[rows[idle & (z[rows] != 0.0)]]).any():
        raise _Ambiguous
    yield _Piece("tied", rows[~idle])
    yield _Piece("nonneg", rows[idle])


def _curved(
    kind: str, rows: slice, parameter: ConeData, slack: Array, z: Array, layout: str
) -> Iterator[_Piece]:
    if kind == "psd":
        yield from _semidefinite(rows, parameter, slack[rows], z[rows], layout)
        return
    count = rows.stop - rows.start
    sizes = {"soc": parameter, "exp": [3] * (count // 3), "power": [count]}[kind]
    start = rows.start
    for size in sizes:
        part = slice(start, start + int(size))
        yield from _block(kind, part, parameter, slack[part], z[part])
        start += int(size)


def _block(kind: str, rows: slice, parameter: ConeData, s: Array, z: Array) -> Iterator[_Piece]:
    """One second-order, exponential or power cone: all of it, a ray, or nothing but zero."""
    if _is_zero(float(np.max(np.abs(z)))):
        if _is_zero(_depth(kind, s, parameter)):
            raise _Ambiguous
        yield _Piece(kind, rows, parameter=parameter)
        return
    if kind == "soc" and not _is_zero(abs(_depth(kind, z, parameter))):
        yield _Piece("tied", rows)
        return
    eye = np.eye(s.size)
    ray = _ray(kind, z, parameter)
    first = int(np.argmax(np.abs(ray)))
    others = np.delete(np.arange(s.size), first)
    along = eye[others] - np.outer(ray[others] / ray[first], eye[first])
    yield _Piece("tied", rows, along)
    yield _Piece("nonneg", rows, np.sign(ray[first]) * eye[first : first + 1])


def _depth(kind: str, s: Array, powers: ConeData) -> float:
    """How far inside the cone a point is, negative outside."""
    if kind == "soc":
        return float(s[0] - np.linalg.norm(s[1:]))
    if kind == "exp":
        return float(s[2] - s[1] * np.exp(s[0] / s[1])) if s[1] > CONE_ZERO else 0.0
    return float(np.prod(np.maximum(s[:-1], 0.0) ** powers) - abs(s[-1]))


def _ray(kind: str, z: Array, powers: ConeData) -> Array:
    """The direction of the only points that a multiplier on the dual cone's boundary leaves."""
    if kind == "soc":
        return np.concatenate([z[:1], -z[1:]])
    if kind == "exp":
        # Flat parts of the boundary expose more.
        if not (z[0] < -CONE_NONZERO and z[2] > CONE_NONZERO):
            raise _Ambiguous
        rate = np.log(-z[0] / z[2])
        return np.array([rate, 1.0, np.exp(rate)])
    if (z[:-1] < CONE_NONZERO).any() or abs(z[-1]) < CONE_NONZERO:
        raise _Ambiguous
    base = powers / z[:-1]
    return np.append(base, -np.sign(z[-1]) * np.prod(base**powers))


def _semidefinite(rows: slice, order: int, s: Array, z: Array, layout: str) -> Iterator[_Piece]:
    if order > LARGE or layout == "full":
        raise _Ambiguous
    roots, axes = np.linalg.eigh(matrix(z, order, layout))
    kernel = np.array([_is_zero(abs(float(root))) for root in roots])
    inside, outside = axes[:, kernel], axes[:, ~kernel]
    left = np.linalg.eigvalsh(inside.T @ matrix(s, order, layout) @ inside)
    if left.size and _is_zero(float(left[0])):
        raise _Ambiguous
    pairs = [(k, j) for k in range(outside.shape[1]) for j in range(order)]
    every = np.hstack([outside, inside])
    tied = [_entry(outside[:, k], every[:, j], layout) for k, j in pairs if j >= k]
    if tied:
        yield _Piece("tied", rows, np.array(tied))
    size = inside.shape[1]
    if not size:
        return
    # The entries of the smaller matrix in the order in which its triangle lists them.
    listed = np.tril_indices(size) if layout == "upper" else np.triu_indices(size)
    entries = [
        _entry(inside[:, i], inside[:, j], layout) * (1.0 if i == j else np.sqrt(2.0))
        for i, j in zip(*listed, strict=True)
    ]
    yield _Piece("psd", rows, np.array(entries), size)


def _entry(left: Array, right: Array, layout: str) -> Array:
    """The coefficients of ``left' S right`` in the triangle of S."""
    product = np.outer(left, right)
    return triangle(0.5 * (product + product.T), layout)


def _bounds(form: StandardForm, x: Array, z: Array) -> tuple[Array | None, Array | None]:
    """Bounds with the columns fixed whose reduced cost is not zero."""
    if form.lower is None and form.upper is None:
        return None, None
    lower = np.full(x.size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(x.size, np.inf) if form.upper is None else form.upper.copy()
    reduced = form.c + (form.A.T @ z if z.size else 0.0)
    ends = (np.isfinite(lower) | np.isfinite(upper)) & (lower < upper)
    free = np.ones(x.size, dtype=bool)
    free[ends] = _are_zero(np.abs(reduced[ends]))
    room = np.maximum(np.minimum(x - lower, upper - x), 0.0)
    if _are_zero(room[ends & free]).any():
        raise _Ambiguous
    return (
        np.where(~free & (reduced < 0.0), upper, lower),
        np.where(~free & (reduced > 0.0), lower, upper),
    )


def _assembled(form: StandardForm, pieces: list[_Piece]) -> StandardForm:
    """The pieces as rows in the order of a standard form's cones."""
    A = sp.csr_array(form.A)
    rows, sides = [A[: form.cones.zero]], [form.b[: form.cones.zero]]
    sizes: dict[str, list[int]] = {}
    parameters: dict[str, list[ConeData]] = {}
    for kind in ("tied", "nonneg", "soc", "psd", "exp", "power"):
        some = [piece for piece in pieces if piece.kind == kind]
        parts = [piece.of(form.b) for piece in some]
        rows += [sp.csr_array(piece.of(A)) for piece in some]
        sides += parts
        sizes[kind] = [part.size for part in parts]
        parameters[kind] = [piece.parameter for piece in some]
    cones = Cones(
        zero=form.cones.zero + sum(sizes["tied"]),
        nonneg=sum(sizes["nonneg"]),
        soc=tuple(sizes["soc"]),
        psd=tuple(parameters["psd"]),
        exp=sum(sizes["exp"]) // 3,
        power=tuple(tuple(map(float, powers)) for powers in parameters["power"]),
        psd_layout=form.cones.psd_layout,
    )
    return replace(form, A=sp.csc_array(sp.vstack(rows)), b=np.concatenate(sides), cones=cones)
