"""What is left where linear optima are held."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.forms.precision import by_columns
from lexiprog.forms.standard_form import Bounds, Cones, StandardForm, same_columns
from lexiprog.runners.held_face import HeldFace

__all__ = ["LeftFace"]


@dataclass  # not frozen, which takes five times as long to make
class FixedRows:
    """The rows of a form, those that are fixed first, as equations; worked out when asked for.

    Rows that are ``absent`` are left out.
    """

    form: StandardForm
    fixed: Mask
    absent: Mask | None = None

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Where each row stood."""
        order = np.argsort(~self.fixed, kind="stable")
        return order if self.absent is None else order[~self.absent[order]]

    @cached_property
    def cones(self) -> Cones:
        """How many are equations."""
        zero = int(np.count_nonzero(self.fixed))
        return Cones(zero=zero, nonneg=self.order.size - zero)

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix in this order."""
        A = self.form.A
        if self.absent is not None:
            return by_columns(sp.csr_array(A)[self.order])
        return A if self.fixed[: self.cones.zero].all() else _with_rows(A, self.order)

    @cached_property
    def sides(self) -> Array:
        """The right-hand sides in this order."""
        return self.form.b[self.order]


@dataclass
class LeftFace:
    """The points that some held faces leave: limits of the columns, and fixed rows."""

    lower: Array
    upper: Array
    row_lower: Array
    rows: FixedRows
    point: bool = False  # whether it is a single one

    @classmethod
    def within(
        cls,
        form: StandardForm,
        before: LeftFace | None,
        face: HeldFace | None,
        absent: Mask | None = None,
    ) -> LeftFace:
        """What a face leaves of the points that were left before, of all if there was nothing.

        Rows that are ``absent``, whose limits are infinite, belong to others.
        """
        if before is None or face is None:
            size = form.c.size
            lower = np.full(size, -np.inf) if form.lower is None else form.lower
            upper = np.full(size, np.inf) if form.upper is None else form.upper
            fixed = np.zeros(form.b.size, dtype=bool)
            fixed[: form.cones.zero] = True
            if absent is not None:
                fixed &= ~absent
        else:
            if before.point:
                return before
            lower = np.where(face.fixed, face.columns, before.lower)
            upper = np.where(face.fixed, face.columns, before.upper)
            fixed = before.rows.fixed | face.rows
            point = face.basic is not None and _is_point(lower < upper, ~fixed, face.basic)
            if np.count_nonzero(fixed) == np.count_nonzero(before.rows.fixed):
                return cls(lower, upper, before.row_lower, before.rows, point)
            row_lower = np.where(fixed, form.b, -np.inf)
            return cls(lower, upper, row_lower, FixedRows(form, fixed, absent), point)
        return cls(lower, upper, np.where(fixed, form.b, -np.inf), FixedRows(form, fixed, absent))

    def form(self, of: StandardForm) -> StandardForm:
        """A problem on the face."""
        rows = self.rows
        return StandardForm(
            of.c, of.offset, rows.matrix, rows.sides, rows.cones, None, self.lower, self.upper,
            of.integer,
        )  # fmt: skip

    def bounds(self, form: StandardForm) -> Bounds:
        """The limits that are left, rows in the order of the form."""
        return Bounds(self.lower, self.upper, self.row_lower, form.b)


def _with_rows(A: Matrix, order: NDArray[np.intp]) -> Matrix:
    """The matrix with its rows in another order; the entries of a column stay as they are."""
    A = by_columns(A)
    places = np.empty(order.size, dtype=A.indices.dtype)
    places[order] = np.arange(order.size, dtype=places.dtype)
    return same_columns(A, places[A.indices])


def _is_point(columns: Mask, rows: Mask, basic: NDArray[np.integer]) -> bool:
    """Whether all that is left free is basic: the rest, which is fixed, determines it."""
    if int(np.count_nonzero(columns)) + int(np.count_nonzero(rows)) > basic.size:
        return False
    free = np.concatenate([columns, rows[::-1]])  # row k is variable -1 - k
    free[basic] = False
    return not np.count_nonzero(free)
