"""Curved problems with integers are proved by a search of our own, alone and in chains."""

import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def solved(objective, constraints=(), solver=None, **options):
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", objective, list(constraints))))
    return program.solve(solver, **options)["p"]


def distances(size, seed=0):
    """The whole point nearest to another in a skew metric: many nodes."""
    random = np.random.default_rng(seed)
    table, goal = random.standard_normal((size, size)), 5 * random.standard_normal(size)
    x = cp.Variable(size, integer=True, name="x")
    return cp.Minimize(cp.sum_squares(table @ (x - goal))), [x >= -20, x <= 20]


@pytest.mark.parametrize("solver", [None, "CLARABEL", "ECOS_BB"])
def test_the_nearest_whole_point_is_proved_whoever_is_asked(solver):
    x = cp.Variable(2, integer=True, name="x")
    found = solved(cp.Minimize(cp.norm(x - np.array([1.3, 2.6]))), solver=solver)
    assert (found.status, found.certificate.basis) == ("optimal", "bound")
    assert found[x].tolist() == [1.0, 3.0]
    assert found.value == pytest.approx(0.5)
    assert found.bound == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_two_of_three_assets_have_the_least_risk_in_any_unit(unit):
    # Of x**2 + 2 y**2 + 3 z**2 with two of them: x = 2/3, y = 1/3 and a risk of 2/3.
    x, used = cp.Variable(3, nonneg=True, name="x"), cp.Variable(3, boolean=True, name="used")
    limits = [cp.sum(x) == unit, x <= unit * used, cp.sum(used) <= 2]
    found = solved(cp.Minimize(np.array([1, 2, 3]) @ cp.square(x)), limits)
    assert found.status == "optimal"
    assert found.value == pytest.approx(2 / 3 * unit**2, rel=1e-9)
    assert found[used].tolist() == [1.0, 1.0, 0.0]


def test_cones_that_no_installed_solver_of_integers_takes_are_solved():
    x = cp.Variable(2, integer=True, name="x")
    found = solved(cp.Maximize(cp.sum(cp.log(x + 1)) + 0.3 * x[0]), [cp.sum(x) <= 3, x >= 0])
    assert found.status == "optimal"
    assert found[x].tolist() == [2.0, 1.0]  # 6 e**0.6, before 4 e**0.9 and 6 e**0.3
    X = cp.Variable((2, 2), PSD=True, name="X")
    n = cp.Variable(integer=True, name="n")
    found = solved(cp.Minimize(n), [X[0, 1] == 1.2, X[0, 0] == 1, X[1, 1] == n])
    assert (found.status, found.value) == ("optimal", 2.0)  # n >= 1.44


def test_ties_of_a_curved_optimum_are_all_held():
    # Four points are as near to (1/2, 1/2); of these the best is (1, 0), and then y is at most 0.
    x = cp.Variable(2, integer=True, name="x")
    near = cp.Minimize(cp.sum_squares(x - 0.5))
    levels = {"near": near, "best": cp.Maximize(2 * x[0] - x[1]), "last": cp.Maximize(x[1])}
    result = lx.preemptive(levels).solve()
    assert [s.status for s in result.values()] == ["optimal"] * 3
    assert [s.value for s in result.values()] == pytest.approx([0.5, 2.0, 0.0], abs=1e-9)


def test_what_is_not_whole_keeps_to_the_face_of_its_choice():
    # One of two equal assets: all in it, so that the return is that of the better one, exactly.
    x, used = cp.Variable(2, nonneg=True, name="x"), cp.Variable(2, boolean=True, name="used")
    limits = [cp.sum(x) == 1, x <= used, cp.sum(used) <= 1]
    levels = {"risk": cp.Minimize(cp.sum_squares(x)), "return": cp.Maximize(x[0] + 3 * x[1])}
    result = lx.preemptive(levels, limits).solve()
    assert [s.status for s in result.values()] == ["optimal"] * 2
    assert result.final.value == pytest.approx(3.0, rel=1e-9)


def test_no_whole_point_is_said_to_be_infeasible_only_where_that_is_proved():
    x = cp.Variable(2, integer=True, name="x")
    with pytest.raises(lx.StageError) as caught:
        solved(cp.Minimize(cp.sum(x)), [cp.norm(x - 0.5) <= 0.7])
    assert caught.value.status == "infeasible"


def test_an_objective_without_an_end_is_refused():
    x = cp.Variable(integer=True, name="x")
    y = cp.Variable(name="y")
    with pytest.raises(lx.StageError) as caught:
        solved(cp.Minimize(cp.square(y) - x), [x >= 0])
    assert "unbounded" in caught.value.status


def test_a_time_limit_leaves_a_point_within_a_true_interval():
    objective, limits = distances(30)
    begun = time.perf_counter()
    with pytest.warns(lx.LexiprogWarning, match="stopped by a limit"):
        found = solved(objective, limits, time_limit=0.5)
    assert time.perf_counter() - begun < 5.0
    assert found.status == "within_gap"
    assert 0.0 <= found.bound < found.value
    x = objective.variables()[0]
    assert found[x].tolist() == np.round(found[x]).tolist()


def test_a_gap_that_is_wished_for_is_enough():
    objective, limits = distances(8)
    tight = solved(objective, limits)
    loose = solved(objective, limits, lx.Solver("CLARABEL", gap=0.5))
    assert tight.status == "optimal"
    assert loose.status in ("optimal", "within_gap")
    assert loose.bound <= tight.value * (1 + 1e-6)
    assert tight.value <= loose.value * (1 + 1e-6)
    assert loose.iterations <= tight.iterations
