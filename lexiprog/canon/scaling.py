"""A change of units: rows, columns and objective of a standard form times powers of two."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.standard_form import StandardForm, columns_of
from lexiprog.typing import Array, Matrix, cached_property


@dataclass(frozen=True)
class Scaling:
    """Units in which a problem is solved or judged; powers of two, so that nothing is rounded.

    A point ``y`` of the scaled form stands for ``x = columns * y``. Row i of ``A`` and ``b`` is
    multiplied by ``rows[i]`` and the objective by ``cost``. The rows of a cone that is no product
    of half-lines share one factor, and integer columns keep the unit one.

    Attributes
    ----------
    rows, columns : ndarray
        A factor for each row and each column.
    cost : float
        The factor of the objective.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, 3.0]]))
    >>> form = StandardForm(np.array([1.0, 1.0]), 0.0, A, np.array([6.0]), Cones(nonneg=1))
    >>> scaling = Scaling(np.array([0.5]), np.array([4.0, 1.0]), 2.0)
    >>> scaled = scaling.of(form)
    >>> scaled.A.toarray(), scaled.b, scaled.c
    (array([[2. , 1.5]]), array([3.]), array([8., 2.]))
    >>> scaling.point(np.array([1.0, 1.0]))
    array([4., 1.])
    """

    rows: Array
    columns: Array
    cost: float

    @classmethod
    def none(cls, form: StandardForm) -> Scaling:
        """The units that ``form`` is written in."""
        return cls(np.ones(form.b.size), np.ones(form.c.size), 1.0)

    @cached_property
    def identity(self) -> bool:
        """Whether nothing changes."""
        return self.cost == 1.0 and bool((self.rows == 1.0).all() and (self.columns == 1.0).all())

    def is_near(self, other: Scaling, factor: float = 16.0) -> bool:
        """Whether no unit of the other differs from this one's by more than ``factor``."""
        pairs = ((self.rows, other.rows), (self.columns, other.columns))
        return all(
            mine.shape == theirs.shape
            and bool(((mine <= factor * theirs) & (theirs <= factor * mine)).all())
            for mine, theirs in (*pairs, (np.array(self.cost), np.array(other.cost)))
        )

    def equals(self, other: Scaling) -> bool:
        """Whether the other has the same units."""
        pairs = ((self.rows, other.rows), (self.columns, other.columns))
        return self.cost == other.cost and all(np.array_equal(*pair) for pair in pairs)

    def of_matrix(self, A: Matrix) -> Matrix:
        """A matrix of rows and columns in these units; itself if nothing changes."""
        same = (self.rows == 1.0).all() and (self.columns == 1.0).all()
        return A if same else multiplied(A, self.rows, self.columns)

    def of(self, form: StandardForm, matrix: Matrix | None = None) -> StandardForm:
        """The form in these units, its arrays its own; itself if nothing changes.

        ``matrix`` is its matrix in these units, where that is known.
        """
        if self.identity:
            return form
        costs = self.cost * self.columns
        return replace(
            form,
            c=form.c * costs,
            offset=form.offset * self.cost,
            A=multiplied(form.A, self.rows, self.columns) if matrix is None else matrix,
            b=form.b * self.rows,
            P=None if form.P is None else self._curvature(form.P, costs),
            lower=None if form.lower is None else form.lower / self.columns,
            upper=None if form.upper is None else form.upper / self.columns,
        )

    def _curvature(self, P: Matrix, costs: Array) -> Matrix:
        """Squares in these units: mostly those of the last time, as is what is known of them."""
        key = self.columns.tobytes(), costs.tobytes()
        return columns_of(P).once("in units", key, lambda: multiplied(P, self.columns, costs))

    def point(self, scaled: Array) -> Array:
        """A point of the scaled form in the units of the form itself."""
        return scaled * self.columns

    def scaled_point(self, x: Array) -> Array:
        """A point of the form itself in these units."""
        return x / self.columns

    def multipliers(self, scaled: Array) -> Array:
        """Multipliers of the scaled rows as those of the rows themselves."""
        return scaled * (self.rows / self.cost)

    def scaled_multipliers(self, z: Array) -> Array:
        """Multipliers of the rows as those of the scaled rows."""
        return z / (self.rows / self.cost)

    def reduced_costs(self, scaled: Array) -> Array:
        """Reduced costs, the multipliers of bounds, in the units of the form itself."""
        return scaled / (self.columns * self.cost)

    def value(self, scaled: float) -> float:
        """An objective value, offset included, in the units of the form itself."""
        return scaled / self.cost

    def scaled_value(self, value: float) -> float:
        """An objective value, offset included, in these units."""
        return value * self.cost


def multiplied(matrix: Matrix, rows: Array, columns: Array) -> Matrix:
    """A sparse matrix with its rows and columns multiplied, in its own format if compressed."""
    if matrix.format not in ("csc", "csr"):
        matrix = sp.csc_array(matrix)
    along, across = (columns, rows) if matrix.format == "csc" else (rows, columns)
    starts, places = matrix.indptr, matrix.indices
    out = copy(matrix)  # SciPy's own checks what it copies, which takes longer than all else here
    out.indptr, out.indices = starts.copy(), places.copy()
    out.data = matrix.data * (across[places] * along.repeat(starts[1:] - starts[:-1]))
    return out
