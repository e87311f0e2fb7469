"""An infimum that no point attains is told from an optimum, and nothing is held at it."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

x, y = cp.Variable(name="x"), cp.Variable(name="y")
matrix = cp.Variable((2, 2), symmetric=True, name="matrix")

ENDLESS = {
    "exponential": (cp.exp(-x), [x >= 0]),
    "above one": (cp.exp(-x) + 1, [x >= 0]),
    "beside an optimum": (cp.exp(-x) + cp.square(y - 3), [x >= 0]),
    "reciprocal": (cp.inv_pos(x), [x >= 0]),
    "reciprocal of thousands": (cp.inv_pos(x / 1000), [x >= 0]),
    "square over linear": (cp.quad_over_lin(y, x), [y >= 1]),
    "hyperbola": (cp.norm(cp.hstack([x, 1.0])) - x, [x >= 0]),
    "semidefinite": (x, [matrix >> 0, matrix[0, 1] == 1, matrix[0, 0] <= x]),
}
ENDING = {
    "bounded": (cp.exp(-x), [x <= 30]),
    "bounded beside a free one": (cp.exp(-x), [x <= 30, y >= 1]),
    "two exponentials": (cp.exp(x - 2) + cp.exp(2 - x), []),
    "flat": (cp.power(x - 5, 4), [y >= 1]),
    "far away": (cp.inv_pos(x / 1000), [x <= 9e5]),
    "reciprocal and itself": (cp.inv_pos(x) + x, []),
    "perspective": (cp.quad_over_lin(x - 2, y), [y >= 1]),
}


def held(curve, limits, **tolerance):
    """The curve, and then the least x that keeps it."""
    return lx.preemptive({"curve": cp.Minimize(curve), "then": cp.Minimize(x)}, limits, **tolerance)


@pytest.mark.parametrize("case", ENDLESS)
def test_an_infimum_that_is_not_attained_is_said_by_name(case):
    with pytest.raises(lx.StageError, match=r"its infimum is not attained.*bound the variables"):
        held(*ENDLESS[case]).solve()


def test_its_value_alone_may_be_had_and_used():
    curve, limits = ENDLESS["exponential"]
    # An infimum of zero has no size of its own to be proved within.
    least = lx.Subproblem("least", cp.Minimize(1 + curve), limits)
    z = cp.Variable(name="z")
    more = lx.Subproblem("more", cp.Minimize(z), [z >= least.optimum + 1])
    program = lx.Program(lx.Stage("1", least), lx.Stage("2", more))
    assert program.solve()["more"].value == pytest.approx(2.0, abs=1e-6)


def test_with_a_tolerance_there_are_points_to_hold():
    curve, limits = ENDLESS["exponential"]
    result = held(1 + curve, limits, atol={"curve": 0.01}).solve()
    assert result["then"].value == pytest.approx(-np.log(0.01), rel=1e-4)


@pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
@pytest.mark.parametrize("case", ENDING)
def test_of_an_optimum_nobody_says_that_it_is_not_attained_however_far_it_is(case):
    said = ""
    try:
        held(*ENDING[case]).solve()
    except lx.StageError as error:  # flat or far away: the next level may not be certified
        said = str(error)
    assert "attain" not in said


def test_the_same_curve_with_an_end_is_held():
    """The least exp(-x) up to 3 is at 3, where the next level stays."""
    result = held(cp.exp(-x), [x >= 0, x <= 3]).solve()
    assert result["then"].value == pytest.approx(3.0, rel=1e-6)
