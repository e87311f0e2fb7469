"""Rows are taken alike from everything that scikit-learn accepts."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lexiprog_boost.checks.points import take_rows

TABLE = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    "kind", [np.asarray, pd.DataFrame, sparse.csr_array, sparse.coo_matrix, list]
)
@pytest.mark.parametrize("rows", [slice(1, 3), np.array([3, 0, 0])])
def test_the_same_rows_from_every_kind(kind, rows):
    taken = take_rows(kind(TABLE), rows)
    dense = taken.toarray() if sparse.issparse(taken) else np.asarray(taken)
    np.testing.assert_array_equal(dense, TABLE[rows])


def test_a_data_frame_keeps_its_column_names():
    frame = pd.DataFrame(TABLE, columns=["a", "b", "c"])
    assert list(take_rows(frame, np.array([2])).columns) == ["a", "b", "c"]
