"""A linear program as HiGHS takes it."""

from __future__ import annotations

import highspy

from lexiprog.aliases import Array, Matrix
from lexiprog.forms.precision import by_columns
from lexiprog.forms.standard_form import Bounds

__all__ = ["as_model"]


def as_model(A: Matrix, cost: Array, bounds: Bounds) -> highspy.HighsLp:
    """A linear program as HiGHS takes it."""
    A = by_columns(A)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = A.shape
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = bounds.lower, bounds.upper
    model.row_lower_, model.row_upper_ = bounds.row_lower, bounds.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = A.indptr
    model.a_matrix_.index_ = A.indices
    model.a_matrix_.value_ = A.data
    return model
