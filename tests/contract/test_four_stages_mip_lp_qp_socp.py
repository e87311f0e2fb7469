"""A hierarchy of four stages: a MIP, an LP, a QP and an SOCP, each using the one before."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.fixture
def logistics():
    """Which depots to open, what to ship from them, how to staff them, where to cut staff."""
    capacity, demand = np.array([10, 8, 5]), 12
    opened = cp.Variable(3, boolean=True, name="opened")
    locate = lx.Subproblem("locate", cp.Minimize([5, 4, 3] @ opened), [capacity @ opened >= demand])
    shipped = cp.Variable(3, nonneg=True, name="shipped")
    allowed = cp.multiply(capacity, locate.at(opened))
    ship = lx.Subproblem(
        "ship", cp.Minimize([1, 2, 3] @ shipped), [shipped <= allowed, cp.sum(shipped) == demand]
    )
    staff = cp.Variable(3, name="staff")
    roster = lx.Subproblem(
        "roster", cp.Minimize(cp.sum_squares(staff - ship.at(shipped))), [cp.sum(staff) == 15]
    )
    kept = cp.Variable(3, name="kept")
    trim = lx.Subproblem(
        "trim",
        cp.Minimize([1, 2, 2] @ kept),
        [cp.norm(kept - roster.at(staff)) <= roster.optimum],
    )
    return lx.Program(
        lx.Stage("where", locate),
        lx.Stage("what", ship),
        lx.Stage("who", roster),
        lx.Stage("less", trim),
    )


def test_four_problem_classes_in_one_program_give_the_answers_worked_by_hand(logistics):
    # Depots 2 and 3 hold 13 >= 12 for 7, the cheapest pair. All 8 of depot 2 and 4 of depot 3 cost
    # 28. The roster adds 1 to each to reach 15: squares 3. The ball of radius 3 around (1, 9, 5)
    # is least in direction (1, 2, 2) / 3 at (0, 7, 3): 29 - 3 * 3 = 20.
    result = logistics.solve()
    values = {name: solution.value for name, solution in result.items()}
    assert values == pytest.approx({"locate": 7, "ship": 28, "roster": 3, "trim": 20}, rel=1e-6)
    np.testing.assert_array_equal(result["locate"]["opened"], [0, 1, 1])
    np.testing.assert_allclose(result["ship"]["shipped"], [0, 8, 4], atol=1e-6)
    np.testing.assert_allclose(result["roster"]["staff"], [1, 9, 5], atol=1e-5)
    np.testing.assert_allclose(result["trim"]["kept"], [0, 7, 3], atol=1e-4)


def test_the_engine_picks_a_solver_that_fits_each_class(logistics):
    result = logistics.solve()
    assert {name: solution.solver for name, solution in result.items()} == {
        "locate": "HIGHS",
        "ship": "HIGHS",
        "roster": "CLARABEL",
        "trim": "CLARABEL",
    }
