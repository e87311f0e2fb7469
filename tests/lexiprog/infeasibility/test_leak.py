"""A refusal for a big M names the constraint and its M."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.infeasibility.demands import about_leak


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


def leak(M=1e6, flow=5.0, switch=5e-6, more=()):
    """What is said of a flow behind a switch that is nearly closed."""
    y, z = cp.Variable(name="y"), cp.Variable(name="z", boolean=True)
    rows = [y <= 9, y <= M * z, *more]
    problem = lx.Subproblem("p", cp.Maximize(y - z), rows)
    return about_leak(problem, [(y, np.array(flow)), (z, np.array(switch))], [])


def test_a_leak_is_large_beside_what_is_missing_to_a_whole_number_and_large_enough():
    assert "y <= 1000000 * z lets 5 through while z is 5e-06 away" in leak()
    assert "its M of about 1e+06" in leak()
    assert leak(switch=0.0) == ""  # whole
    assert leak(switch=2e-4, M=1e6) == ""  # nobody takes it for whole
    assert leak(switch=9e-5, M=1e6) != ""
    assert leak(switch=5e-6, M=1e3, flow=5e-3) == ""  # no more than a factor of a thousand
    assert leak(switch=1e-13, M=1e6, flow=9e-8) == ""  # next to nothing
    assert leak(switch=1e-13, M=2e6, flow=2e-7) != ""
    assert leak(switch=1.0 - 5e-6, flow=5.0) == ""  # open: nothing is missing once it is whole


def test_problems_without_constraints_or_whole_numbers_have_no_leak():
    y, z = cp.Variable(name="y"), cp.Variable(name="z", boolean=True)
    point = [(y, np.array(0.3)), (z, np.array(1e-6))]
    assert about_leak(lx.Subproblem("p", cp.Minimize(z)), point[1:], []) == ""
    real = lx.Subproblem("p", cp.Maximize(y), [y <= 0.2])
    assert about_leak(real, point[:1], []) == ""


def test_the_constraint_that_lets_most_through_is_named_with_the_number_in_it():
    """w leaks more of its whole number than z, but not through the row that lets most through."""
    y = cp.Variable(name="y")
    z, w = cp.Variable(name="z", boolean=True), cp.Variable(name="w", integer=True)
    p = cp.Parameter(name="p", value=1e6)
    rows = [y <= 1e5 * w + 4, y <= p * z, w >= 0]
    problem = lx.Subproblem("p", cp.Maximize(y - z - w), rows)
    point = [(y, np.array(5.0)), (z, np.array(5e-6)), (w, np.array(1e-5))]
    assert about_leak(problem, point, [(p, 1e6)]).startswith("y <= p * z lets 5 through while z")
