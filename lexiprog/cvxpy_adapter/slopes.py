"""How a compiled problem's numbers change with its parameters, read from CVXPY's own tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.cvxpy_adapter.numbers import Compiled
from lexiprog.model.expressions import dense
from lexiprog.typing import Array, Matrix

if TYPE_CHECKING:
    from cvxpy.reductions.dcp2cone.cone_matrix_stuffing import ParamConeProg


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

    They are only used if they add up to the numbers that were compiled.
    """
    if not compiled.data:
        return None
    program, (rows, columns) = compiled.data[s.PARAM_PROB], compiled.form.A.shape
    chosen = _parameter_columns(program, list(ids))
    tensors = _tensors(compiled)
    if chosen is None or tensors is None:
        return None
    costs, matrix, *rest = tensors
    curve, lower, upper = (None if t is None else t[:, chosen] for t in rest)
    nothing = sp.csc_array((columns, chosen.size))
    entries = _entries(matrix[:, chosen], max(rows, 1))
    right = entries.column == columns
    b = sp.coo_array(
        (entries.value[right], (entries.row[right], entries.which[right])),
        shape=(rows, chosen.size),
    )
    return FormSlopes(
        c=costs[:columns, chosen],
        offset=np.ravel(costs[[columns]][:, chosen].toarray()),
        A=Entries(
            entries.row[~right], entries.column[~right], entries.which[~right],
            -entries.value[~right],
        ),
        b=sp.csc_array(b),
        P=Entries.none() if curve is None else _entries(curve, columns),
        lower=nothing if lower is None else lower,
        upper=nothing if upper is None else upper,
    )  # fmt: skip


def _tensors(compiled: Compiled) -> list[Matrix] | None:
    """CVXPY's tensors of costs, rows, squares and bounds; None if they are not as expected."""
    program, (rows, columns) = compiled.data[s.PARAM_PROB], compiled.form.A.shape
    given = [program.q, program.A, program.P, program.lb_tensor, program.ub_tensor]
    tensors: list[Matrix] = [None if t is None else sp.csc_array(t) for t in given]
    values, (costs, matrix, *_) = _parameter_values(program), tensors
    if any(t is not None and t.shape[1] != values.size for t in tensors):
        return None
    if costs is None or matrix is None or costs.shape[0] != columns + 1:
        return None
    fits = matrix.shape[0] == rows * (columns + 1) and _adds_up(compiled, matrix @ values)
    return tensors if fits else None


def _parameter_columns(program: ParamConeProg, ids: list[int]) -> NDArray[np.intp] | None:
    """The columns of some parameters' entries in the tensors; None if one has none."""
    starts, sizes = getattr(program, "param_id_to_col", {}), program.param_id_to_size
    if any(i not in starts or i not in sizes for i in ids):
        return None
    columns = [starts[i] + np.arange(sizes[i]) for i in ids]
    return np.concatenate([np.zeros(0), *columns]).astype(np.intp)


def _parameter_values(program: ParamConeProg) -> Array:
    """All parameters' values of the moment, with a one at the end."""
    values = np.zeros(program.total_param_size + 1)
    for i, start in program.param_id_to_col.items():
        if i in program.id_to_param:
            flat = np.ravel(dense(program.id_to_param[i].value), order="F")
            values[start : start + flat.size] = flat
    values[-1] = 1.0
    return values


def _entries(tensor: Matrix, rows: int) -> Entries:
    """The entries of a matrix with so many rows, from a tensor that lists its columns."""
    entries = sp.coo_array(tensor)
    return Entries(entries.row % rows, entries.row // rows, entries.col, entries.data)


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
