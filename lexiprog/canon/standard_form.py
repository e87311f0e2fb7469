"""The standard form every convex problem is judged in, and distances to its cones.

    minimise   1/2 x'Px + c'x + offset
    subject to b - Ax in K,   lower <= x <= upper,   x[integer] whole

``K`` is a product, in this order, of zeros, a non-negative orthant, second-order cones,
semidefinite cones (as scaled triangles), exponential cones and power cones.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.typing import Array, Matrix, cached_property

# Up to so many entries a transposed view takes longer to make than the product itself.
_FEW = 20_000

# Which part of a symmetric matrix a cone's rows are.
TriangleLayout: TypeAlias = Literal["upper", "lower", "full"]


@dataclass(frozen=True)
class Cones:
    """How the rows of a standard form divide into cones, in the order of the fields."""

    zero: int = 0
    nonneg: int = 0
    soc: tuple[int, ...] = ()
    psd: tuple[int, ...] = ()
    exp: int = 0
    power: tuple[tuple[float, ...], ...] = ()
    psd_layout: TriangleLayout = "upper"

    def psd_rows(self, order: int) -> int:
        """Rows taken by one semidefinite cone of ``order`` x ``order`` matrices."""
        return order * order if self.psd_layout == "full" else order * (order + 1) // 2

    @property
    def linear(self) -> int:
        """Rows that are equations or inequalities."""
        return self.zero + self.nonneg


@dataclass(frozen=True)
class StandardForm:
    """A problem's own numbers, as its solver received them."""

    c: Array
    offset: float
    A: Matrix
    b: Array
    cones: Cones
    P: Matrix | None = None
    lower: Array | None = None
    upper: Array | None = None
    integer: NDArray[np.intp] | None = None

    @property
    def is_linear(self) -> bool:
        """Whether nothing is curved."""
        return self.P is None and self.cones.linear == self.b.size

    def objective(self, x: Array) -> float:
        """Value of the objective at ``x``."""
        quadratic = 0.5 * float(x @ (self.P @ x)) if self.P is not None else 0.0
        return quadratic + float(self.c @ x) + self.offset

    def transpose_product(self, z: Array) -> Array:
        """``A'z``, what multipliers of the rows add to the costs."""
        return transpose_product(self.A, z) if z.size else np.zeros(self.c.size)

    def ranges(self) -> tuple[Array, Array]:
        """Lower and upper bounds of all columns, infinite where there is none."""
        lower = np.full(self.c.size, -np.inf) if self.lower is None else self.lower
        upper = np.full(self.c.size, np.inf) if self.upper is None else self.upper
        return lower, upper

    def within_bounds(self, x: Array) -> Array:
        """``x`` with every column moved into its bounds, which solvers keep up to a tolerance."""
        if self.lower is not None:
            x = np.maximum(x, self.lower)
        return x if self.upper is None else np.minimum(x, self.upper)

    def slack(self, x: Array) -> Array:
        """``b - Ax``, which should lie in the cones."""
        return self.b - self.A @ x if self.b.size else np.zeros(0)


@dataclass(frozen=True)
class Bounds:
    """Limits of the columns and rows of a linear program."""

    lower: Array
    upper: Array
    row_lower: Array
    row_upper: Array

    @classmethod
    def of(cls, form: StandardForm) -> Bounds:
        """The limits a linear standard form states, in arrays of their own."""
        lower, upper = form.ranges()
        below = np.full(form.b.size, -np.inf)
        below[: form.cones.zero] = form.b[: form.cones.zero]
        return cls(lower.copy(), upper.copy(), below, form.b)


def same_columns(matrix: Matrix, rows: NDArray[np.integer]) -> Matrix:
    """A matrix stored by columns, with its entries in other rows, which are known to be right.

    SciPy's own way checks them, which takes longer than all else that is done to a small matrix.
    """
    out = copy(matrix)
    out.indices, out.has_sorted_indices = rows, False
    return out


def by_columns(matrix: Matrix) -> sp.csc_array:
    """A sparse matrix column by column: itself if it is one already."""
    return matrix if getattr(matrix, "format", "") == "csc" else sp.csc_array(matrix)


Made = TypeVar("Made")
Floats = TypeVar("Floats", Array, NDArray[np.longdouble])


class Columns:
    """A sparse matrix column by column, and what is made of it, once for as long as it stays.

    Use :func:`columns_of` to have it.

    Attributes
    ----------
    matrix : sparse array
        The same numbers, which nobody may change.
    rows, entries, starts : ndarray
        Its arrays.
    counts, filled, heads : ndarray
        Entries of each column, whether there are any, and where they begin if so.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = by_columns(matrix)
        self.rows, self.entries = self.matrix.indices, self.matrix.data
        self.starts = self.matrix.indptr
        self.counts: NDArray[np.intp] = self.starts[1:] - self.starts[:-1]
        self.filled = self.counts > 0
        self.heads = self.starts[:-1][self.filled]  # reduceat has no answer for empty columns
        self.longest = int(self.counts.max(initial=0))
        self._made: dict[str, tuple[object, Any]] = {}

    def once(self, name: str, key: object, make: Callable[[], Made]) -> Made:
        """What was made for the same key the last time, or is made now."""
        known = self._made.get(name)
        if known is None or known[0] != key:
            known = self._made[name] = key, make()
        made: Made = known[1]
        return made

    def is_of(self, matrix: Matrix) -> bool:
        """Whether a matrix by columns that it was made of is still the same."""
        pairs = (self.entries, matrix.data), (self.rows, matrix.indices)
        return all(a.size == b.size and not np.count_nonzero(a != b) for a, b in pairs)

    @cached_property
    def sizes(self) -> Array:
        """Of the entries."""
        sizes: Array = np.abs(self.entries)
        return sizes

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The column of each entry."""
        return np.arange(self.counts.size).repeat(self.counts)

    @cached_property
    def alone(self) -> NDArray[np.intp]:
        """The entries beside which their rows have nothing but zeros."""
        counts = np.bincount(self.rows, self.entries != 0.0, self.matrix.shape[0])
        return np.flatnonzero((counts[self.rows] == 1) & (self.entries != 0.0))

    @cached_property
    def nonzero(self) -> sp.csc_array:
        """The matrix without entries that are zero."""
        if self.entries.all():
            return self.matrix
        out = self.matrix.copy()
        out.eliminate_zeros()
        return out

    @cached_property
    def turned(self) -> sp.csc_array:
        """The transposed matrix, by columns: the rows."""
        return by_columns(self.matrix.T)

    def sums(self, terms: Floats) -> Floats:
        """Of terms, one for each entry along the last axis, the sums over the columns."""
        if self.heads.size == self.counts.size:
            whole: Floats = np.add.reduceat(terms, self.heads, axis=-1)
            return whole
        out: Floats = np.zeros((*terms.shape[:-1], self.counts.size), dtype=terms.dtype)
        if self.heads.size:
            out[..., self.filled] = np.add.reduceat(terms, self.heads, axis=-1)
        return out


# Of larger matrices what is made of them takes less than it takes to solve anything with them.
_KEPT = 200_000
_known: dict[int, tuple[weakref.ref[Matrix], Columns]] = {}


def columns_of(matrix: Matrix) -> Columns:
    """A matrix by columns; the same object again while the matrix lives and nobody changes it."""
    if getattr(matrix, "format", "") != "csc" or matrix.data.size > _KEPT:
        return Columns(matrix)
    key = id(matrix)
    known = _known.get(key)
    if known is not None and known[0]() is matrix and known[1].is_of(matrix):
        return known[1]
    copied: Matrix = copy(by_columns(matrix))  # others may write into theirs
    copied.data, copied.indices = matrix.data.copy(), matrix.indices.copy()
    copied.indptr = matrix.indptr.copy()
    columns, forget = Columns(copied), _known.pop  # at Python's end there is no `_known` any more
    _known[key] = weakref.ref(matrix, lambda _: forget(key, None)), columns
    return columns


def transpose_product(matrix: Matrix, z: Array) -> Array:
    """``matrix.T @ z``, without a transposed view if it is small and stored by columns."""
    if getattr(matrix, "format", "") != "csc" or not 0 < matrix.data.size <= _FEW:
        out: Array = matrix.T @ z
        return out
    columns = columns_of(matrix)
    return columns.sums(columns.entries * z.take(columns.rows))


# How large a linear objective can become at all, whatever units its columns are measured in.


def most_of_terms(form: StandardForm) -> float:
    """All that the terms of a linear objective can come to; infinite if a column has no limit.

    A column whose only coefficient is tiny is measured in a large unit, which its bounds may be far
    within. What counts as one in the objective should then be no more than this.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1e-11, 0.0], [0.0, 2.0]]))
    >>> form = StandardForm(np.array([0.0, 3.0]), 0.0, A, np.ones(2), Cones(nonneg=2))
    >>> most_of_terms(form)
    inf
    >>> from dataclasses import replace
    >>> most_of_terms(replace(form, lower=np.zeros(2)))
    1.5
    """
    priced = np.flatnonzero(form.c)
    if form.P is not None:
        return np.inf
    return float(np.abs(form.c[priced]) @ _furthest(form)[priced])


def _furthest(form: StandardForm) -> Array:
    """How far each column may be from zero, by its bounds and by rows that are bounds."""
    lower, upper = (ends.copy() for ends in form.ranges())
    A = sp.coo_array(form.A)
    alone = np.bincount(A.row, minlength=form.b.size)[A.row] == 1
    alone &= (A.row < form.cones.linear) & (A.data != 0.0)
    rows, columns, numbers = A.row[alone], A.col[alone], A.data[alone]
    limits, equal = form.b[rows] / numbers, rows < form.cones.zero
    above, below = (numbers > 0.0) | equal, (numbers < 0.0) | equal
    np.minimum.at(upper, columns[above], limits[above])
    np.maximum.at(lower, columns[below], limits[below])
    furthest: Array = np.maximum(np.abs(lower), np.abs(upper))
    return furthest
