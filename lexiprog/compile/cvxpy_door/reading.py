"""Read plain affine expressions without CVXPY's linear operators.

Most linear programs are written with constants times variables, sums, entries, and parameters on
the right. Their matrices are the constants themselves. Whatever else there is, CVXPY reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cvxpy as cp
import numpy as np
from cvxpy.atoms.affine.add_expr import AddExpression
from cvxpy.atoms.affine.binary_operators import DivExpression, MulExpression, multiply
from cvxpy.atoms.affine.index import index
from cvxpy.atoms.affine.promote import Promote
from cvxpy.atoms.affine.sum import Sum
from cvxpy.atoms.affine.unary_operators import NegExpression
from cvxpy.cvxcore.python.canonInterface import get_problem_matrix
from cvxpy.lin_ops.lin_op import CONSTANT_ID
from cvxpy.utilities import scopes

from lexiprog.aliases import Array, Leaf
from lexiprog.compile.cvxpy_door.affine import Coordinates, Unfolded
from lexiprog.declare.leaves import dense
from lexiprog.forms.precision import by_columns

__all__ = ["Offsets", "read_by_cvxpy", "read_plainly"]

# How many entries all have together, and where each one's begin, by CVXPY's ids.
Offsets = tuple[int, Mapping[int, int]]
# Small problems are compiled fastest in C++, which is slow on parameters and on large data.
_SMALL, _FEW = 5_000, 20


class _OtherError(Exception):
    """Something that CVXPY had better read."""


@dataclass(frozen=True)
class _Affine:
    """An expression's entries, one below the other: a constant, and parts that leaves add to it."""

    constant: Array | float
    parts: tuple[tuple[Leaf, Coordinates], ...] = ()

    def times(self, factors: Array | float, how: np.ufunc = np.multiply) -> _Affine:
        """Each entry times a number, or over it."""

        def scaled(entries: Coordinates) -> Coordinates:
            rows, columns, values = entries
            own = factors[rows] if isinstance(factors, np.ndarray) else factors
            return rows, columns, how(values, own)

        return self.moved(how(self.constant, factors), scaled)

    def moved(self, constant: Array | float, move: Callable[[Coordinates], Coordinates]) -> _Affine:
        """Another constant, and the entries of each leaf elsewhere."""
        return _Affine(constant, tuple((leaf, move(entries)) for leaf, entries in self.parts))


def read_plainly(
    expressions: Sequence[cp.Expression], columns: Offsets, parameters: Offsets
) -> Unfolded | None:
    """The entries of expressions, one below the other; None if one of them is not plain.

    ``columns`` are those of the variables, ``parameters`` the places of their values.
    """
    try:
        read = [_read(expression) for expression in expressions]
    except _OtherError:
        return None
    starts = np.cumsum([0, *(expression.size for expression in expressions)]).tolist()
    constant = np.zeros(starts[-1])
    fixed: list[Coordinates] = []
    moving: list[Coordinates] = []
    for affine, start, end in zip(read, starts, starts[1:], strict=False):
        constant[start:end] = affine.constant
        for leaf, (rows, inner, values) in affine.parts:
            known, first = (fixed, columns) if leaf.id in columns[1] else (moving, parameters)
            known.append((rows + start, inner + first[1][leaf.id], values))
    return Unfolded.stacked(fixed, moving, constant, columns[0], parameters[0])


def read_by_cvxpy(
    expressions: Sequence[cp.Expression], columns: Offsets, parameters: Offsets
) -> Unfolded | None:
    """The same of all affine expressions, by CVXPY's own backend."""
    with scopes.dpp_scope():  # a product of parameters is no affine map
        if not all(e.is_affine() for e in expressions):
            return None
    (width, first), (sizes, places) = columns, parameters
    every = sum(e.size for e in expressions)
    small = sizes <= _FEW and every + width <= _SMALL and _in_cpp(expressions)
    starts = {**places, CONSTANT_ID: sizes}
    ends = [*list(starts.values())[1:], sizes + 1]  # one parameter after the other
    try:
        forms = [e.canonical_form[0] for e in expressions]
    except NotImplementedError:  # nothing times a curve is affine, but no map CVXPY could read
        return None
    lengths = {key: end - starts[key] for key, end in zip(starts, ends, strict=True)}
    backend = "CPP" if small else "COO"
    tensor = get_problem_matrix(forms, width, dict(first), lengths, starts, every, backend)
    return Unfolded.of(tensor, width + 1)


def _in_cpp(expressions: Sequence[cp.Expression]) -> bool:
    return all(e._all_support_cpp() and e._max_ndim() <= 2 for e in expressions)  # noqa: SLF001


def _read(expression: cp.Expression) -> _Affine:
    reader = _READERS.get(type(expression))
    if reader is None or expression.ndim > 2:
        raise _OtherError
    return reader(expression)


def _leaf(leaf: Leaf) -> _Affine:
    each = np.arange(leaf.size)
    return _Affine(0.0, ((leaf, (each, each, np.ones(leaf.size))),))


def _constant(constant: cp.Constant) -> _Affine:
    value = np.asarray(dense(constant.value))
    if value.dtype.kind not in "fiub":
        raise _OtherError
    return _Affine(value.astype(float).ravel(order="F"))


def _sum_of(expression: AddExpression) -> _Affine:
    parts = [_read(part) for part in expression.args]
    if any(part.size != expression.size for part in expression.args):
        raise _OtherError
    return _Affine(
        sum((part.constant for part in parts), 0.0),
        tuple(entry for part in parts for entry in part.parts),
    )


def _number(expression: cp.Expression) -> Array | float:
    """A constant that is written in an expression, as one entry after the other."""
    found = _read(expression)
    if found.parts:
        raise _OtherError
    return found.constant


def _times(expression: multiply) -> _Affine:
    left, right = expression.args
    if not left.size == right.size == expression.size:
        raise _OtherError
    if left.is_constant():
        return _read(right).times(_number(left))
    return _read(left).times(_number(right))


def _over(expression: DivExpression) -> _Affine:
    left, right = expression.args
    factors = _number(right)
    if not left.size == right.size == expression.size or not np.all(factors):
        raise _OtherError
    return _read(left).times(factors, np.divide)


def _product(expression: MulExpression) -> _Affine:
    """A constant matrix times a vector, or the inner product of two."""
    left, right = expression.args
    if left.ndim == right.ndim == 1 and type(right) is cp.Constant:
        left, right = right, left
    if type(left) is not cp.Constant or right.ndim != 1:
        raise _OtherError
    value, inner = left.value, _read(right)
    if np.any(inner.constant):
        raise _OtherError
    if hasattr(value, "tocsc"):
        matrix = by_columns(value)
        rows, values = matrix.indices.astype(np.intp), matrix.data
        columns = np.arange(matrix.shape[1]).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    else:
        rows, columns = np.nonzero(full := np.atleast_2d(np.asarray(value)))
        values = full[rows, columns]
    if values.dtype.kind not in "fiub":
        raise _OtherError

    def multiplied(entries: Coordinates) -> Coordinates:
        # Each entry of the vector must be one entry of the leaf, lest there be sums to take.
        of, at, factors = entries
        place = np.full(right.size, -1)
        place[of] = np.arange(of.size)
        if not np.array_equal(place[of], np.arange(of.size)):
            raise _OtherError
        found = place[columns]
        there = found >= 0
        which = found[there]
        return rows[there], at[which], values[there] * factors[which]

    return inner.moved(0.0, multiplied)


def _total(expression: Sum) -> _Affine:
    if expression.axis is not None:
        raise _OtherError
    inner = _read(expression.args[0])
    every = np.broadcast_to(inner.constant, (expression.args[0].size,))
    return inner.moved(float(every.sum()), lambda e: (np.zeros_like(e[0]), e[1], e[2]))


def _chosen(expression: index) -> _Affine:
    whole = expression.args[0]
    inner, size = _read(whole), whole.size
    every = np.arange(size).reshape(whole.shape, order="F")
    kept = every[expression.key].ravel(order="F")
    if kept.size != expression.size:
        raise _OtherError
    place = np.full(size, -1)
    place[kept] = np.arange(kept.size)

    def picked(entries: Coordinates) -> Coordinates:
        rows = place[entries[0]]
        there = rows >= 0
        return rows[there], entries[1][there], entries[2][there]

    return inner.moved(np.broadcast_to(inner.constant, (size,))[kept], picked)


def _spread(expression: Promote) -> _Affine:
    inner, size = _read(expression.args[0]), expression.size

    def repeated(entries: Coordinates) -> Coordinates:
        rows, columns, values = entries
        return np.arange(size).repeat(rows.size), np.tile(columns, size), np.tile(values, size)

    return inner.moved(float(np.sum(inner.constant)), repeated)


_READERS: dict[type, Callable[[cp.Expression], _Affine]] = {
    cp.Variable: _leaf,
    cp.Parameter: _leaf,
    cp.Constant: _constant,
    AddExpression: _sum_of,
    NegExpression: lambda expression: _read(expression.args[0]).times(-1.0),
    multiply: _times,
    DivExpression: _over,
    MulExpression: _product,
    Sum: _total,
    index: _chosen,
    Promote: _spread,
}
