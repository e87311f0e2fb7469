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


def test_a_session_that_was_stopped_runs_again():
    costs, matrix = np.array([-1.0, -1.0]), np.array([[1.0, 2.0], [2.0, 1.0]])
    bounds = Bounds(np.zeros(2), np.full(2, 9.0), np.full(2, -np.inf), np.full(2, 3.0))
    session = HighsModel(matrix, {"presolve": "off"})
    deadline = Deadline()
    callbacks = session._highs.cbSimplexInterrupt, session._highs.cbIpmInterrupt
    with deadline.interrupting(*callbacks):
        deadline.cancel()
        deadline.cancel()  # as often as anybody likes
        assert session.run(costs, bounds).status == "kInterrupt"
    found = session.run(costs, bounds)
    assert found.optimal
    np.testing.assert_allclose(found.x, [1.0, 1.0])
