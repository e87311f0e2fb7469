"""A refusal for a big M names the constraint and its M."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


class Leaky:
    """Ships through closed arcs, by what it takes for zero."""

    def __init__(self, point):
        self.point = point

    def solve(self, problem):
        for variable in problem.variables():
            variable.save_value(np.array(self.point[variable.name()]))


def shipping(M, point):
    flow = cp.Variable(2, nonneg=True, name="flow")
    is_open = cp.Variable(2, boolean=True, name="open")
    limits = [cp.sum(flow) == 5, flow <= M * is_open]
    ship = lx.Subproblem("ship", cp.Minimize(flow @ [1.0, 2.0] + 30 * cp.sum(is_open)), limits)
    return lx.Program(lx.Stage("only", ship)), Leaky(point)


def test_the_constraint_and_its_m_are_named():
    program, solver = shipping(1e9, {"flow": [5.0, 0.0], "open": [5e-9, 0.0]})
    with pytest.raises(lx.StageError) as error:
        program.solve(solver)
    said = str(error.value)
    through = "lets 5 through while open is 5e-09 away from a whole number"
    assert f"flow <= 1000000000 * open {through}" in said
    assert "its M of about 1e+09 is too large" in said


def test_a_point_that_is_wrong_for_another_reason_has_no_m():
    program, solver = shipping(10.0, {"flow": [4.0, 0.0], "open": [1.0, 0.0]})
    with pytest.raises(lx.StageError) as error:
        program.solve(solver)
    assert " through while " not in str(error.value)
