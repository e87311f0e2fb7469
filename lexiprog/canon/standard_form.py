"""The standard form every convex problem is judged in, and distances to its cones.

    minimise   1/2 x'Px + c'x + offset
    subject to b - Ax in K,   lower <= x <= upper,   x[integer] whole

``K`` is a product, in this order, of zeros, a non-negative orthant, second-order cones,
semidefinite cones (as scaled triangles), exponential cones and power cones.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.typing import Array, Matrix

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


def transpose_product(matrix: Matrix, z: Array) -> Array:
    """``matrix.T @ z``, without a transposed view if it is small and stored by columns."""
    if getattr(matrix, "format", "") != "csc" or not 0 < matrix.data.size <= _FEW:
        out: Array = matrix.T @ z
        return out
    starts, entries = matrix.indptr[:-1], matrix.data * z.take(matrix.indices)
    filled = starts < matrix.indptr[1:]  # reduceat has no answer for empty columns
    if np.count_nonzero(filled) == starts.size:
        return np.add.reduceat(entries, starts)
    out = np.zeros(starts.size)
    out[filled] = np.add.reduceat(entries, starts[filled])
    return out


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
