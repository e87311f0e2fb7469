"""What is read without CVXPY's linear operators is what they say."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.cvxpy_adapter.canonicalise import read_affine, read_by_cvxpy

x, y = cp.Variable(4, name="x"), cp.Variable((2, 3), name="y")
p, q = cp.Parameter(4, name="p"), cp.Parameter(name="q")
COLUMNS = (10, {x.id: 0, y.id: 4})
PARAMETERS = (5, {p.id: 0, q.id: 4})


def vector(rng, depth):
    """A random plain expression with four entries."""
    kinds = ["leaf", "constant", "parameter"]
    kinds += ["sum", "negative", "product", "matrix", "quotient", "promoted"] if depth else []
    match rng.choice(kinds):
        case "leaf":
            return (x, x[::-1], 2.0 * x - x)[rng.integers(3)]
        case "constant":
            return cp.Constant(np.round(rng.normal(size=4), 2) * (rng.random(4) < 0.7))
        case "parameter":
            return p if rng.random() < 0.7 else np.arange(4.0) - p
        case "sum":
            return vector(rng, depth - 1) + vector(rng, depth - 1)
        case "negative":
            return -vector(rng, depth - 1)
        case "product":
            return cp.multiply(rng.integers(-2, 3, 4), vector(rng, depth - 1))
        case "matrix":
            A = rng.normal(size=(4, 4)) * (rng.random((4, 4)) < 0.6)
            return (sp.csr_array(A) if rng.random() < 0.5 else A) @ x[
                [0, 1, 2, 3][:: rng.choice([-1, 1])]
            ]
        case "quotient":
            return vector(rng, depth - 1) / rng.choice([2.0, 3.0])
        case _:
            return vector(rng, depth - 1) + scalar(rng, depth - 1)


def scalar(rng, depth):
    """The same with one."""
    pick = rng.integers(5)
    if pick == 0 and depth:
        return cp.sum(vector(rng, depth - 1))
    if pick == 1:
        return rng.normal(size=4) @ x
    if pick == 2:
        return 3.0 * y[1, 2] + y[0, 0] - q
    return x[int(rng.integers(4))] if pick == 3 else cp.sum(y[0]) + x @ np.arange(4.0)


def array(unfolded, values):
    """The whole matrix, constants last, where the parameters have these values."""
    out = np.zeros((unfolded.count, COLUMNS[0] + 1))
    out[unfolded.rows, unfolded.columns] = unfolded.entries.at(values)
    return out


@pytest.mark.parametrize("seed", range(60))
def test_random_plain_expressions_are_read_as_cvxpy_reads_them(seed):
    rng = np.random.default_rng(seed)
    expressions = [vector(rng, 3), scalar(rng, 2), vector(rng, 2)]
    ours = read_affine(expressions, COLUMNS, PARAMETERS)
    theirs = read_by_cvxpy(expressions, COLUMNS, PARAMETERS)
    values = np.append(rng.normal(size=5), 1.0)
    for given in (values, np.append(np.zeros(5), 1.0)):
        if ours is not None:
            np.testing.assert_allclose(
                array(ours, given), array(theirs, given), rtol=1e-15, atol=1e-15
            )


@pytest.mark.parametrize("seed", range(20))
def test_some_rows_with_signs_turned_are_those_rows_of_the_whole(seed):
    rng = np.random.default_rng(seed)
    unfolded = read_by_cvxpy([vector(rng, 3), scalar(rng, 2), vector(rng, 2)], COLUMNS, PARAMETERS)
    plainly = read_affine([p - 2.0 * x, cp.sum(y) - q, 3.0 * p + p + x], COLUMNS, PARAMETERS)
    values, signs = np.append(rng.normal(size=5), 1.0), rng.choice([-1.0, 1.0], 9)
    first = int(rng.integers(0, 8))
    rows = slice(first, int(rng.integers(first + 1, 10)))
    assert plainly is not None
    for whole in (plainly, *([] if unfolded is None else [unfolded])):
        turned = signs[rows, None] * array(whole, values)[rows]
        assert whole.matrix(10, rows, signs).at(values).toarray() == pytest.approx(turned[:, :10])
        assert whole.dense(slice(3, 11), rows, signs).at(values) == pytest.approx(turned[:, 3:])
        assert whole.dense(slice(10, 11), rows).at(values) == pytest.approx(
            array(whole, values)[rows, 10:]
        )


def test_most_of_them_are_plain():
    rng = np.random.default_rng(0)
    read = [read_affine([vector(rng, 2)], COLUMNS, PARAMETERS) for _ in range(100)]
    assert sum(one is not None for one in read) > 70


def test_entries_come_column_by_column_and_rows_within_as_those_of_cvxpy():
    A = np.arange(8.0).reshape(2, 4)
    rows = [A @ x - p[:2], y[1] + 1.0, np.ones(4) @ x]
    ours, theirs = (read(rows, COLUMNS, PARAMETERS) for read in (read_affine, read_by_cvxpy))
    assert np.array_equal(ours.columns, theirs.columns)
    assert np.array_equal(ours.rows, theirs.rows)
    assert np.array_equal(ours.entries.start, theirs.entries.start)
    assert np.array_equal(ours.entries.moving, theirs.entries.moving)


@pytest.mark.parametrize(
    "expression",
    [
        cp.multiply(p, x), q * x, p @ x, cp.hstack([x, x]), y.T, y @ np.ones(3), cp.abs(x),
        np.ones((2, 4)) @ (x + 1.0), np.ones(4) @ (np.eye(4) @ x + np.ones((4, 4)) @ x),
        x[[0, 0, 1]], cp.sum(y, axis=0),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_not_plain_is_left_to_cvxpy(expression):
    assert read_affine([expression], COLUMNS, PARAMETERS) is None


def test_nothing_times_a_curve_is_affine_but_is_not_read():
    assert (0 * cp.norm(x)).is_affine()
    assert read_by_cvxpy([0 * cp.norm(x)], COLUMNS, PARAMETERS) is None
    assert read_by_cvxpy([0 * cp.sum(x)], COLUMNS, PARAMETERS) is not None
