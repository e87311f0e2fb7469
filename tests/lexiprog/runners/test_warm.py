"""Warm re-solves give the same certified optima as cold ones."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.runners.warm import LATEST, WarmHighs


def plant(rows=200, columns=60):
    rng = np.random.default_rng(3)
    A = rng.uniform(0, 1, (rows, columns)) * (rng.uniform(size=(rows, columns)) < 0.2)
    x = cp.Variable(columns, bounds=[0, 5], name="x")
    capacity = cp.Parameter(rows, nonneg=True, name="capacity", value=np.full(rows, 4.0))
    room = A @ x <= capacity
    most = lx.Subproblem("most", cp.Maximize(rng.uniform(1, 2, columns) @ x), [room])
    least = cp.Variable(name="least")
    even = lx.Subproblem(
        "even", cp.Maximize(least), [room, x >= least, cp.sum(x) >= 0.01 * most.optimum]
    )
    return lx.Program(lx.Stage("first", most), lx.Stage("second", even)), capacity


def test_warm_solves_agree_with_cold_ones_along_a_path_of_parameters():
    program, capacity = plant()
    for step in range(5):
        capacity.value = np.full(capacity.size, 4.0 + 0.1 * step)
        warm, cold = program.solve("HIGHS", warm=True), program.solve("HIGHS")
        for name in warm:
            assert warm[name].value == pytest.approx(cold[name].value, rel=1e-9)
            assert warm[name].certificate.passed


def test_a_warm_start_takes_fewer_iterations():
    program, capacity = plant()
    first = program.solve("HIGHS", warm=True)
    capacity.value = capacity.value * 1.001
    again = program.solve("HIGHS", warm=True)
    assert again["most"].iterations < first["most"].iterations / 2


def test_a_cold_solve_does_not_depend_on_warm_ones_before_it():
    program, capacity = plant()
    before = program.solve("HIGHS")["most"]["x"]
    capacity.value = capacity.value + 1.0
    program.solve("HIGHS", warm=True)
    capacity.value = capacity.value - 1.0
    assert np.array_equal(program.solve("HIGHS")["most"]["x"], before)


def test_the_latest_bases_are_kept_and_only_such_as_were_near():
    warm = WarmHighs()
    near = SimpleNamespace(warm=True, iterations=1, row_dual=np.zeros(0))
    for k in range(LATEST + 3):
        warm._keep("p", k, near)
    assert warm.kept["p"] == [LATEST + 2 - k for k in range(LATEST)]
    far = SimpleNamespace(warm=True, iterations=2, row_dual=np.zeros(0))
    cold = SimpleNamespace(warm=False, iterations=1, row_dual=np.zeros(0))
    for other in (far, cold):
        warm._keep("q", 0, other)
    assert "q" not in warm.kept
