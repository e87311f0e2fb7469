"""Where an objective improves without limit: a direction that never leaves the feasible set."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.infeasibility.diagnosis import proved_ray


def direction(objective, constraints=(), gp=False):
    problem = lx.Subproblem("p", objective, constraints, gp=gp)
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("only", problem)).solve()
    assert caught.value.status == "unbounded"
    return caught.value


def test_the_direction_is_named_by_variable_and_said():
    z, y = cp.Variable(3, name="z"), cp.Variable(name="y", bounds=[0, 1])
    error = direction(cp.Maximize(z[0] + y), [z[1] >= z[0], z[2] >= 3])
    np.testing.assert_allclose(error.direction["z"], [1, 1, 0])
    assert error.direction["y"] == 0
    assert "in the direction z = [1., 1., 0.]" in str(error)
    assert "y = " not in str(error)


@pytest.mark.parametrize("seed", range(6))
def test_random_linear_directions_gain_and_stay(seed):
    random = np.random.default_rng(seed)
    A, ray = random.integers(-3, 4, (6, 4)).astype(float), random.integers(0, 3, 4) + 0.0
    ray[0] += 1
    A -= np.outer(np.maximum(A @ ray, 0), ray) / (ray @ ray)  # now A ray <= 0
    x = cp.Variable(4, name="x", nonneg=True)
    error = direction(cp.Maximize(ray @ x), [A @ x <= 5])
    found = error.direction["x"]
    assert ray @ found > 0
    assert (found >= 0).all()
    assert (A @ found <= 1e-6 * (ray @ found)).all()


@pytest.mark.parametrize(
    ("objective", "constraints", "expected"),
    [
        (lambda x: cp.Maximize(x[0]), lambda x: [cp.norm(x[1:]) <= x[0]], [1, 0, 0]),
        (lambda x: cp.Minimize(x[0] + cp.square(x[1])), lambda x: [x[2] >= 1], [-1, 0, 0]),
        (lambda x: cp.Minimize(-x[0]), lambda x: [cp.exp(-x[0]) <= 1 + x[1], x <= x[0]], None),
    ],
)
def test_curved_problems_have_straight_directions_too(objective, constraints, expected):
    x = cp.Variable(3, name="x")
    error = direction(objective(x), constraints(x))
    if expected is not None:
        np.testing.assert_allclose(error.direction["x"], expected, atol=1e-6)
    else:
        step = error.direction["x"]
        assert step[0] > 0
        assert step.max() <= step[0] + 1e-6
        assert step[1] >= -1e-6


def test_a_whole_variable_goes_in_its_direction():
    n = cp.Variable(2, name="n", integer=True)
    found = direction(cp.Minimize(n[0]), [n[1] >= n[0]]).direction["n"]
    assert found[0] < 0
    assert found[1] >= found[0]


def test_geometric_programs_go_by_factors():
    w = cp.Variable(pos=True, name="w")
    error = direction(cp.Minimize(w), gp=True)
    assert 0 < error.direction["w"] < 1
    assert "factors" in str(error)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_unit_of_the_objective_does_not_hide_the_direction(unit):
    x = cp.Variable(2, name="x")
    error = direction(cp.Maximize(unit * (x[0] + x[1])), [x[0] <= 3])
    np.testing.assert_allclose(error.direction["x"] / error.direction["x"][1], [0, 1], atol=1e-9)
    assert error.direction["x"][1] > 0


def test_a_later_problem_that_reads_an_earlier_optimum_has_its_direction_named():
    x, y = cp.Variable(name="x"), cp.Variable(2, name="y")
    low = lx.Subproblem("low", cp.Minimize(x), [x >= 3])
    endless = lx.Subproblem("endless", cp.Maximize(y[0]), [y[0] <= low.optimum * y[1]])
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("1", low), lx.Stage("2", endless)).solve()
    found = caught.value.direction["y"]
    assert found[0] > 0
    assert found[0] <= 3 * found[1] + 1e-9


@pytest.mark.parametrize("length", [1e-7, 1e-3, 1.0, 1e5])
def test_a_ray_is_one_whatever_its_length(length):
    """Along (1, 2) the objective -x - y falls without end, and 2x - y stays where it is."""
    form = StandardForm(np.array([-1.0, -1.0]), 0.0, sp.csc_array(np.array([[2.0, -1.0]])),
                        np.zeros(1), Cones(zero=1), lower=np.zeros(2))  # fmt: skip
    ray = proved_ray(form, length * np.array([1.0, 2.0 + 1e-12]))
    assert ray[1] / ray[0] == 2.0
    assert proved_ray(form, length * np.array([1.0, 1.0])) is None
    assert proved_ray(form, np.zeros(2)) is None


def test_a_square_in_the_objective_does_not_bend_along_the_direction():
    """Only along (2, 1) does (x - 2y)^2 stay where it is while -x falls."""
    x = cp.Variable(2, name="x")
    found = direction(cp.Minimize(cp.square(x[0] - 2 * x[1]) - x[0])).direction["x"]
    assert found[0] > 0
    assert found[1] / found[0] == pytest.approx(0.5, rel=1e-6)
