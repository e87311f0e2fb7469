"""An objective that uses an earlier solution: change the plan as little as possible."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def declare(distance):
    """This week's cheapest plan is (3, 1); next week needs 6 units and may make 5 of the first."""
    make = cp.Variable(2, nonneg=True, name="make")
    this_week = lx.Subproblem(
        "this week", cp.Minimize(make[0] + 2 * make[1]), [cp.sum(make) >= 4, make[0] <= 3]
    )
    change = distance(make - this_week.at(make))
    next_week = lx.Subproblem("next week", cp.Minimize(change), [cp.sum(make) >= 6, make[0] <= 5])
    return lx.Program(lx.Stage("plan", this_week), lx.Stage("replan", next_week)), make


def test_the_nearest_plan_in_the_euclidean_norm_is_the_projection():
    program, make = declare(cp.norm)
    result = program.solve()
    np.testing.assert_allclose(result["this week"][make], [3, 1], atol=1e-6)
    np.testing.assert_allclose(result.final[make], [4, 2], atol=1e-5)
    assert result.final.value == pytest.approx(np.sqrt(2), rel=1e-6)


def test_the_nearest_plan_by_squares_is_the_same_with_the_squared_distance():
    program, make = declare(cp.sum_squares)
    result = program.solve()
    np.testing.assert_allclose(result.final[make], [4, 2], atol=1e-5)
    assert result.final.value == pytest.approx(2, rel=1e-6)


def test_the_nearest_plan_in_the_sum_norm_changes_two_units():
    program, _ = declare(cp.norm1)
    assert program.solve().final.value == pytest.approx(2, rel=1e-6)


def test_an_expression_of_the_earlier_solution_is_as_good_as_the_whole_vector():
    # The earlier total is 4 and the earlier mix 3 - 1 = 2, so twice the total with the old mix
    # is x0 + x1 = 8, x0 - x1 = 2.
    make = cp.Variable(2, nonneg=True, name="make")
    now = lx.Subproblem(
        "now", cp.Minimize(make[0] + 2 * make[1]), [cp.sum(make) >= 4, make[0] <= 3]
    )
    then = lx.Subproblem(
        "then",
        cp.Minimize(make[0] + make[1]),
        [cp.sum(make) >= 2 * now.at(cp.sum(make)), make[0] - make[1] == now.at(make[0] - make[1])],
    )
    result = lx.Program(lx.Stage("first", now), lx.Stage("second", then)).solve()
    np.testing.assert_allclose(result["then"][make], [5, 3], atol=1e-6)
    assert result["now"].at(make[0] - make[1]) == pytest.approx(2)
