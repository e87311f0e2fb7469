"""Where variables stand in a compiled problem: a point written there is read back as it was."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.task import compile_for
from lexiprog.cvxpy_adapter import answer_at, columns_of

SHAPES = [
    {"boolean": True},
    {"boolean": True, "shape": 5},
    {"integer": True, "shape": (2, 3), "bounds": [0, 9]},
    {"shape": 3, "bounds": [-1, 1]},
    {"shape": 3, "boolean": [(0, 2)]},
    {"nonneg": True},
]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_into_the_columns_is_what_the_variables_are(seed):
    random = np.random.default_rng(seed)
    variables = [cp.Variable(**SHAPES[k], name=f"v{k}") for k in random.permutation(len(SHAPES))]
    total = sum(cp.sum(v) for v in variables)
    problem = lx.Subproblem("p", cp.Minimize(total), [total >= 1])
    compiled = compile_for(problem, lx.Solver("HIGHS"), {})
    columns = columns_of(compiled)
    point = np.zeros(compiled.form.c.size)
    written = {v.id: random.integers(0, 2, v.shape) for v in variables}
    for key, value in written.items():
        point[columns[key]] = value
    found = answer_at(compiled, point / compiled.scaling.columns, None, iterations=None).primal
    for key, value in written.items():
        np.testing.assert_array_equal(found[key], value)
    assert sorted(np.concatenate([c.ravel() for c in columns.values()])) == list(range(point.size))


def test_what_is_no_column_as_such_has_none():
    X, b = cp.Variable((2, 2), symmetric=True, name="X"), cp.Variable(boolean=True, name="b")
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(X) + b), [X >= 1])
    columns = columns_of(compile_for(problem, lx.Solver("HIGHS"), {}))
    assert columns[b.id].shape == ()
    assert set(columns) <= {X.id, b.id}


@pytest.mark.parametrize("limits", [{"bounds": [-2, 2]}, {"nonpos": True}, {"neg": True}, {}])
def test_limits_that_are_rows_hide_no_column(limits):
    x, X = cp.Variable(5, **limits, name="x"), cp.Variable((3, 4), **limits, name="X")
    risk = cp.Minimize(cp.sum_squares(x) + cp.sum(cp.square(X)))
    compiled = compile_for(lx.Subproblem("p", risk, [cp.sum(x) <= 1]), lx.Solver("CLARABEL"), {})
    columns = columns_of(compiled)
    point = -np.arange(compiled.form.c.size) / compiled.form.c.size
    found = answer_at(compiled, point / compiled.scaling.columns, None, iterations=None).primal
    for variable in (x, X):
        np.testing.assert_allclose(found[variable.id], point[columns[variable.id]], rtol=1e-15)
