"""Constraints and objectives that use an earlier dual as prices."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

HOURS = np.array([4.0, 12.0, 18.0])
USAGE = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]])


def test_a_constraint_may_value_hours_at_the_shadow_prices_of_an_earlier_stage():
    # Hillier and Lieberman's Wyndor Glass: 36 at (2, 6) with shadow prices (0, 3/2, 1). Hours worth
    # 30 are had from fewest hours by all 12 of plant 2 (worth 18) and 12 of plant 3.
    batches = cp.Variable(2, nonneg=True, name="batches")
    capacity = USAGE @ batches <= HOURS
    produce = lx.Subproblem("produce", cp.Maximize(3 * batches[0] + 5 * batches[1]), [capacity])
    rented = cp.Variable(3, nonneg=True, name="rented")
    rent = lx.Subproblem(
        "rent",
        cp.Minimize(cp.sum(rented)),
        [produce.dual(capacity) @ rented >= 30, rented <= HOURS],
    )
    result = lx.Program(lx.Stage("factory", produce), lx.Stage("market", rent)).solve()
    assert result["produce"].value == pytest.approx(36)
    np.testing.assert_allclose(result["produce"].dual(capacity), [0, 1.5, 1], atol=1e-7)
    assert result["rent"].value == pytest.approx(24)
    np.testing.assert_allclose(result["rent"][rented], [0, 12, 12], atol=1e-6)


def test_an_objective_may_price_a_new_column_with_earlier_duals():
    # Rolls of width 11 cut into pieces of 3 and 5 by the patterns (3, 0) and (0, 2): a piece costs
    # 1/3 and 1/2 of a roll. The best new pattern is (2, 1), worth 2/3 + 1/2 = 7/6 > 1.
    rolls = cp.Variable(2, nonneg=True, name="rolls")
    enough = [3 * rolls[0] >= 20, 2 * rolls[1] >= 10]
    master = lx.Subproblem("master", cp.Minimize(cp.sum(rolls)), enough)
    pattern = cp.Variable(2, integer=True, bounds=[0, 11], name="pattern")
    worth = master.dual(enough[0]) * pattern[0] + master.dual(enough[1]) * pattern[1]
    pricing = lx.Subproblem("pricing", cp.Maximize(worth), [3 * pattern[0] + 5 * pattern[1] <= 11])
    result = lx.Program(lx.Stage("cut", master), lx.Stage("improve", pricing)).solve()
    assert result["master"].value == pytest.approx(20 / 3 + 5)
    assert result["pricing"].value == pytest.approx(7 / 6)
    np.testing.assert_array_equal(result["pricing"][pattern], [2, 1])


def test_the_price_of_an_equality_has_the_sign_of_the_lagrangian():
    # L = f + nu (lhs - rhs): min 2 a + 3 b, a + b == 5, a <= 3 has nu = -3. With that price the
    # buyer minimises -nu q + ... = 3 q - 2 min(q, 4), least at q = 0.
    supply = cp.Variable(2, nonneg=True, name="supply")
    balance = cp.sum(supply) == 5
    market = lx.Subproblem("market", cp.Minimize([2, 3] @ supply), [balance, supply[0] <= 3])
    quantity = cp.Variable(name="quantity", bounds=[0, 4])
    buyer = lx.Subproblem("buyer", cp.Maximize(5 * quantity + market.dual(balance) * quantity))
    result = lx.Program(lx.Stage("clear", market), lx.Stage("buy", buyer)).solve()
    assert float(result["market"].dual(balance)) == pytest.approx(-3)
    assert result["buyer"].value == pytest.approx(4 * (5 - 3))
