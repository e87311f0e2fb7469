"""Sparse matrices column by column, and what is made of them once."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon import standard_form
from lexiprog.canon.standard_form import columns_of


def some_matrix(seed=0, shape=(7, 5)):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random(shape) < 0.5, rng.normal(size=shape), 0.0)
    dense[:, 2] = 0.0
    dense[1] = [0.0, 3.0, 0.0, 0.0, 0.0]
    return dense, sp.csc_array(dense)


@pytest.mark.parametrize("made", [sp.csc_array, sp.csr_array, sp.coo_array])
def test_columns_say_of_a_matrix_what_its_entries_say(made):
    dense, _ = some_matrix()
    columns, filled = columns_of(made(dense)), dense != 0.0
    np.testing.assert_array_equal(columns.counts, filled.sum(axis=0))
    np.testing.assert_array_equal(columns.turned.toarray(), dense.T)
    np.testing.assert_allclose(columns.sums(columns.sizes), np.abs(dense).sum(axis=0))
    pairs = columns.sums(np.array([columns.entries, 2.0 * columns.entries]))
    np.testing.assert_allclose(pairs, [dense.sum(axis=0), 2.0 * dense.sum(axis=0)])
    alone = {(int(columns.rows[k]), int(columns.places[k])) for k in columns.alone}
    assert alone == {(r, int(np.argmax(filled[r]))) for r in range(7) if filled[r].sum() == 1}


def test_columns_are_made_once_while_nobody_changes_the_matrix():
    dense, matrix = some_matrix()
    columns = columns_of(matrix)
    assert columns_of(matrix) is columns
    assert columns_of(matrix.copy()) is not columns
    calls = []
    for key in (1, 1, 2, 1):
        columns.once("thing", key, lambda: calls.append(0))
    assert len(calls) == 3  # the last key's thing alone is kept
    matrix.data[0] *= 2.0
    np.testing.assert_array_equal(columns.matrix.toarray(), dense)
    np.testing.assert_array_equal(columns_of(matrix).matrix.toarray(), matrix.toarray())


def test_columns_of_equal_entries_in_another_order_are_others():
    """SciPy sorts the rows of a matrix in place when it likes."""
    matrix = sp.csc_array((np.ones(3), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(3, 2))
    before = columns_of(matrix)
    matrix.sort_indices()
    np.testing.assert_array_equal(columns_of(matrix).rows, [0, 2, 1])
    np.testing.assert_array_equal(before.rows, [2, 0, 1])


def test_columns_of_a_matrix_that_is_gone_are_forgotten():
    _, matrix = some_matrix()
    gone = weakref.ref(columns_of(matrix))
    del matrix
    gc.collect()
    assert gone() is None


def test_a_matrix_that_outlives_its_module_is_forgotten_in_silence(monkeypatch):
    """When Python ends, the names of modules are None; what it says then would be shown."""
    matrix = sp.csc_array(np.eye(3))
    assert columns_of(matrix) is columns_of(matrix)
    with monkeypatch.context() as ending:
        ending.setattr(standard_form, "_known", None)
        del matrix
        gc.collect()
