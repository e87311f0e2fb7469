"""Long linear programs stop at a limit and at Ctrl-C, too, alone and in a chain."""

import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline
from tests.lexiprog.solve.test_stopping import interrupted_after


def long_program(*, chain):
    """Mean hinge losses of many points, which take the simplex method long."""
    rng = np.random.default_rng(0)
    points, columns = 12_000, 12
    margins = rng.normal(size=(points, columns))
    weights = cp.Variable(columns, nonneg=True, name="weights")
    losses = cp.Variable(points, nonneg=True, name="losses")
    limits = [losses >= 1 - margins @ weights, cp.sum(weights) <= 3]
    first = {"loss": cp.Minimize(cp.sum(losses))}
    if chain:
        return lx.preemptive({**first, "weight": cp.Minimize(cp.sum(weights))}, limits)
    return lx.Program(lx.Stage("only", lx.Subproblem("loss", first["loss"], limits)))


@pytest.mark.parametrize("chain", [False, True])
def test_ctrl_c_stops_a_linear_program(chain):
    begun = time.perf_counter()
    program = long_program(chain=chain)
    ready = time.perf_counter() - begun
    error, late = interrupted_after(0.6 + ready, program)
    assert error is not None
    assert late < 2.0  # a half in peace; other tests run at the same time


@pytest.mark.parametrize("chain", [False, True])
def test_a_limit_stops_a_linear_program(chain):
    program = long_program(chain=chain)
    begun = time.perf_counter()
    with pytest.raises(lx.StageError) as caught:
        program.solve("HIGHS", time_limit=1.0)
    assert time.perf_counter() - begun < 4.0
    assert caught.value.status == "no_point_at_limit"


def test_a_model_that_was_stopped_runs_again():
    rng = np.random.default_rng(0)
    matrix, costs = rng.uniform(0.5, 1.0, (400, 400)), -rng.uniform(0.5, 1.0, 400)
    bounds = Bounds(np.zeros(400), np.full(400, 9.0), np.full(400, -np.inf), np.full(400, 100.0))
    model = HighsModel(matrix, {"presolve": "off"})
    deadline = Deadline()
    deadline.cancel()
    deadline.cancel()  # as often as anybody likes
    assert model.run(costs, bounds, deadline=deadline).status == "kInterrupt"
    assert model.run(costs, bounds, deadline=Deadline()).optimal
