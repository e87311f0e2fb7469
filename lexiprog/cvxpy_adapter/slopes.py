"""How a compiled problem's numbers change with its parameters, read from CVXPY's own tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.cvxpy_adapter.numbers import Compiled
from lexiprog.typing import Array, Matrix


@dataclass(frozen=True)
class Entries:
    """Entries of matrices, one matrix an input: where, of which input, and how much."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    which: NDArray[np.intp]
    value: Array

    @classmethod
    def none(cls) -> Entries:
        """No matrix changes."""
        empty = np.zeros(0, dtype=np.intp)
        return cls(empty, empty, empty, np.zeros(0))

    def times(self, x: Array, rows: int, inputs: int) -> Matrix:
        """Each matrix times ``x``, as the columns of a sparse array."""
        parts = (self.value * x[self.column], (self.row, self.which))
        return sp.csc_array(sp.coo_array(parts, shape=(rows, inputs)))

    def transposed_times(self, z: Array, columns: int, inputs: int) -> Matrix:
        """The transpose of each matrix times ``z``, as the columns of a sparse array."""
        parts = (self.value * z[self.row], (self.column, self.which))
        return sp.csc_array(sp.coo_array(parts, shape=(columns, inputs)))


@dataclass(frozen=True)
class FormSlopes:
    """Derivatives of a standard form by some inputs: columns of sparse arrays, one an input."""

    c: Matrix
    offset: Array
    A: Entries
    b: Matrix
    P: Entries
    lower: Matrix
    upper: Matrix

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return self.offset.size


def tensor_slopes(compiled: Compiled, ids: Iterable[int]) -> FormSlopes | None:
    """Slopes by the entries of these parameters; None if CVXPY keeps no such tensors.

    They are only believed if they add up to the numbers that were compiled.
    """
    if not compiled.data:
        return None
    program, form = compiled.data[s.PARAM_PROB], compiled.form
    ids = list(ids)
    known = getattr(program, "param_id_to_col", {})
    if any(i not in known or i not in program.param_id_to_size for i in ids):
        return None
    chosen = np.concatenate(
        [known[i] + np.arange(program.param_id_to_size[i]) for i in ids]
        or [np.zeros(0, dtype=np.intp)]
    ).astype(np.intp)
    rows, columns = form.A.shape
    values = np.zeros(program.total_param_size + 1)
    for i, start in known.items():
        if i in program.id_to_param:
            value = program.id_to_param[i].value
            flat = np.ravel(value.toarray() if sp.issparse(value) else value, order="F")
            values[start : start + flat.size] = flat
    values[-1] = 1.0
    tensors = (program.q, program.A, program.P, program.lb_tensor, program.ub_tensor)
    if any(t is not None and t.shape[1] != values.size for t in tensors):
        return None
    costs, matrix, curve, low, high = (None if t is None else sp.csc_array(t) for t in tensors)
    if costs is None or matrix is None or costs.shape[0] != columns + 1:
        return None
    if matrix.shape[0] != rows * (columns + 1) or not _adds_up(compiled, matrix @ values):
        return None
    entries = sp.coo_array(matrix[:, chosen])
    row, column = entries.row % rows if rows else entries.row, entries.row // max(rows, 1)
    right = column == columns
    limits = [
        sp.csc_array((columns, chosen.size)) if part is None else part[:, chosen]
        for part in (low, high)
    ]
    return FormSlopes(
        c=costs[:columns, chosen],
        offset=np.ravel(costs[[columns]][:, chosen].toarray()),
        A=Entries(row[~right], column[~right], entries.col[~right], -entries.data[~right]),
        b=sp.csc_array(
            sp.coo_array(
                (entries.data[right], (row[right], entries.col[right])), shape=(rows, chosen.size)
            )
        ),
        P=_curvature(curve, chosen, columns),
        lower=limits[0],
        upper=limits[1],
    )


def _curvature(curve: Matrix, chosen: NDArray[np.intp], columns: int) -> Entries:
    if curve is None:
        return Entries.none()
    entries = sp.coo_array(curve[:, chosen])
    return Entries(entries.row % columns, entries.row // columns, entries.col, entries.data)


def _adds_up(compiled: Compiled, numbers: Array) -> bool:
    """Whether the tensor at the parameters' values is the matrix and the right-hand side."""
    form = compiled.form
    rows, columns = form.A.shape
    square = np.reshape(numbers, (rows, columns + 1), order="F") if rows * columns < 10**7 else None
    if square is None:  # too large to write out: the right-hand side must do
        return bool(np.allclose(numbers[rows * columns :], form.b))
    return bool(
        np.allclose(square[:, -1], form.b) and np.allclose(-square[:, :-1], form.A.toarray())
    )
