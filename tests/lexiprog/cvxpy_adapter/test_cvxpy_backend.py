"""The backend that compiles our problems keeps every coefficient of an expression of parameters."""

import cvxpy as cp
import numpy as np
import pytest

from lexiprog.cvxpy_adapter.prepare import BACKEND

W = np.array([[1.0, 2.0], [-3.0, 4.0], [0.5, -1.0]])
C = np.array([7.0, -2.0, 1.0])
PRICES = np.array([10.0, 100.0])

# References to earlier solutions enter later problems in just these forms. CVXPY 1.9.2 kept one
# coefficient for each parameter entry: the numbers were wrong, and no certificate computed from
# them could notice.
COSTS = {
    "(c + W @ p) @ x": lambda p, x: (C + W @ p) @ x,
    "c @ x + (W @ p) @ x": lambda p, x: C @ x + (W @ p) @ x,
    "p @ (W.T @ x)": lambda p, x: C @ x + p @ (W.T @ x),
    "(c + W @ p) @ hstack(x)": lambda p, x: (C + W @ p) @ cp.hstack([x]),
}


@pytest.mark.parametrize("form", COSTS)
def test_a_cost_made_of_parameters_is_compiled_to_its_value(form):
    x, p = cp.Variable(3, bounds=[0, 1]), cp.Parameter(2, value=PRICES)
    problem = cp.Problem(cp.Minimize(COSTS[form](p, x)), [cp.sum(x) == 1])
    data, _, _ = problem.get_problem_data("HIGHS", canon_backend=BACKEND, solver_opts={})
    np.testing.assert_allclose(data["c"], C + W @ PRICES)


@pytest.mark.parametrize("form", COSTS)
def test_a_row_made_of_parameters_is_compiled_to_its_value(form):
    x, p = cp.Variable(3), cp.Parameter(2, value=PRICES)
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [COSTS[form](p, x) == 1])
    data, _, _ = problem.get_problem_data("HIGHS", canon_backend=BACKEND, solver_opts={})
    np.testing.assert_allclose(np.abs(data["A"].toarray().ravel()), np.abs(C + W @ PRICES))
