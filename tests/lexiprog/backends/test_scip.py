"""SCIP's answers to curved integer problems, against all points there are."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

SIZE, REACH = 3, 3
POINTS = np.array(list(product(range(-REACH, REACH + 1), repeat=SIZE)))

pytestmark = pytest.mark.skipif(
    "SCIP" not in cp.installed_solvers(), reason="pyscipopt is not installed"
)


def problem(seed, curve):
    """A curved objective over whole points, and its least value."""
    random = np.random.default_rng(seed)
    matrix, goal = np.round(random.normal(size=(SIZE, SIZE)), 2), np.round(random.normal(size=3), 2)
    most = int(random.integers(0, 4))
    x = cp.Variable(SIZE, integer=True, name="x", bounds=[-REACH, REACH])
    distances = np.linalg.norm((POINTS[POINTS.sum(axis=1) <= most] - goal) @ matrix.T, axis=1)
    expression = matrix @ (x - goal)
    if curve == "norm":
        return cp.Minimize(cp.norm(expression)), [cp.sum(x) <= most], distances.min()
    return cp.Minimize(cp.sum_squares(expression)), [cp.sum(x) <= most], (distances**2).min()


@pytest.mark.parametrize("curve", ["square", "norm"])
@pytest.mark.parametrize("seed", range(5))
def test_scip_is_right_and_its_bound_is_used(seed, curve):
    objective, constraints, least = problem(seed, curve)
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", objective, constraints)))
    found = program.solve("SCIP")["p"]
    assert found.value == pytest.approx(least, rel=1e-5, abs=1e-5)
    assert (found.status, found.certificate.basis) == ("optimal", "incumbent")
    assert found.bound <= least + 1e-6
