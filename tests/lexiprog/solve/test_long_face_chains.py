"""Chains of linear objectives longer than two stay on the optimal face to their end."""

import time

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds
from tests.lexiprog.solve.weak_duality import check_every_level


def covering(seed, rows=30, levels=6):
    """Demands that many plans meet, and costs that each look at a third of the plan."""
    rng = np.random.default_rng(seed)
    A = rng.integers(1, 4, (rows, 2 * rows)) * (rng.random((rows, 2 * rows)) < 0.15)
    A[:, 0] = 1  # no empty demand
    costs = rng.integers(1, 6, (levels, 2 * rows)) * (rng.random((levels, 2 * rows)) < 0.3)
    return A.astype(float), rng.integers(5, 10, rows).astype(float), costs.astype(float)


def solved_covering(seed):
    A, demand, costs = covering(seed)
    x = cp.Variable(A.shape[1], bounds=[0, 10], name="x")
    objectives = {f"cost {k}": cp.Minimize(cost @ x) for k, cost in enumerate(costs)}
    result = lx.preemptive(objectives, [A @ x >= demand]).solve()
    return (A, demand, costs), result


@pytest.mark.parametrize("seed", range(5))
def test_every_level_of_a_linear_chain_is_held_by_its_face_and_is_optimal(seed):
    (A, demand, costs), result = solved_covering(seed)
    kinds = {lock.kind for solution in result.values() for lock in solution.locks}
    assert kinds == {"face"}
    rows, limits = -A, -demand
    for solution, cost in zip(result.values(), costs, strict=True):
        alone = linprog(cost, A_ub=rows, b_ub=limits, bounds=(0, 10))
        assert solution.value == pytest.approx(alone.fun, rel=1e-7, abs=1e-7)
        # The lock row gets room for linprog's own tolerance, far below what is compared.
        rows = np.vstack([rows, cost])
        limits = np.append(limits, alone.fun + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_multipliers_of_rows_and_locks_prove_each_level_by_weak_duality(seed):
    (A, demand, costs), result = solved_covering(seed)
    check_every_level(A, demand, costs, 10, result)


def test_a_time_limit_is_for_each_run_and_not_for_all_runs_of_a_chain():
    A, demand, costs = covering(0)
    session = HighsModel(-A, {"time_limit": 0.5})
    size = A.shape[1]
    free = np.full(demand.size, -np.inf)
    bounds = Bounds(np.zeros(size), np.full(size, 10.0), free, -demand)
    started = time.perf_counter()
    while time.perf_counter() - started < 1.0:
        for cost in costs:
            assert session.run(cost, bounds).optimal
