"""The same program solved again after its parameters changed."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.fixture
def diet():
    """Buy enough protein, then as much of the first food as a premium on the least cost allows."""
    price = cp.Parameter(2, nonneg=True, name="price")
    protein = cp.Parameter(nonneg=True, name="protein")
    food = cp.Variable(2, nonneg=True, name="food")
    enough = [[1, 2] @ food >= protein, food[1] <= 3]
    cheap = lx.Subproblem("cheap", cp.Minimize(price @ food), enough)
    premium = cp.Parameter(nonneg=True, name="premium", value=2)
    variety = lx.Subproblem(
        "variety", cp.Maximize(food[0]), [*enough, price @ food <= cheap.optimum + premium]
    )
    program = lx.Program(lx.Stage("cost", cheap), lx.Stage("taste", variety))
    return program, price, protein, premium


# Protein costs price[0] a unit from the first food and price[1] / 2 from the second, at most 6
# units of it; the most of the first food then spends the whole budget: 3 f + max(0, need - f).
WORKED = [
    # price, protein, premium: least cost, most of the first food
    ([3, 2], 10, 2, 18, 5),
    ([3, 2], 4, 2, 4, 1),
    ([1, 5], 10, 0, 10, 10),
    ([3, 2], 10, 7, 18, 7.5),
    ([3, 2], 4, 20, 4, 8),
]


@pytest.mark.parametrize("solver", [None, "CLARABEL"])
def test_each_solve_answers_for_the_parameters_of_its_moment(diet, solver):
    program, price, protein, premium = diet
    for prices, need, extra, cost, most in WORKED:
        price.value, protein.value, premium.value = np.array(prices, float), need, extra
        result = program.solve(solver)
        assert [s.value for s in result.values()] == pytest.approx([cost, most], rel=1e-6)


def test_an_earlier_result_is_untouched_by_a_later_solve(diet):
    program, price, protein, _ = diet
    price.value, protein.value = np.array([3.0, 2.0]), 10
    first = program.solve()
    kept = first.final["food"].copy()
    protein.value = 4
    second = program.solve()
    np.testing.assert_array_equal(first.final["food"], kept)
    assert first["cheap"].value == pytest.approx(18)
    assert second["cheap"].value == pytest.approx(4)


def test_a_parameter_may_feed_several_stages_and_change_between_solves():
    # v1 = t, v2 = 2 t + t, v3 = v1 * 10 - v2 = 7 t.
    t = cp.Parameter(name="t")
    x = cp.Variable(name="x")
    one = lx.Subproblem("one", cp.Minimize(x), [x >= t])
    two = lx.Subproblem("two", cp.Minimize(x), [x >= 2 * one.optimum + t])
    three = lx.Subproblem("three", cp.Minimize(x), [x == 10 * one.optimum - two.optimum])
    program = lx.Program(lx.Stage("a", one), lx.Stage("b", two), lx.Stage("c", three))
    for number in (1.0, -2.0, 0.0, 5.5):
        t.value = number
        values = [solution.value for solution in program.solve().values()]
        assert values == pytest.approx([number, 3 * number, 7 * number], abs=1e-7)
