"""A later problem that an earlier optimum makes infeasible: who is to blame, and by how much."""

import re

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def numbers(message):
    return [float(n) for n in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:[eE][+-]?\d+)?", message)]


def declare(lock):
    """Least cost 8 at (0, 8); with x1 <= 3/2 the cheapest is (5, 3/2) and costs 33/2."""
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost = 3 * x[0] + x[1]
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    later = lx.Subproblem("later", cp.Minimize(x[0]), [*demand, x[1] <= 1.5, lock(cheap, cost)])
    return lx.Program(lx.Stage("ideal", cheap), lx.Stage("strict", later))


def failure(program, solver=None):
    with pytest.raises(lx.StageError) as caught:
        program.solve(solver)
    assert caught.value.subproblem == "later"
    assert list(caught.value.partial) == ["cheap"]
    return str(caught.value)


@pytest.mark.parametrize("solver", [None, "HIGHS", "CLARABEL"])
def test_the_message_names_the_reference_and_the_smallest_relaxation_that_helps(solver):
    message = failure(declare(lambda cheap, cost: cost <= cheap.optimum), solver)
    assert "cheap" in message
    assert any(number == pytest.approx(8.5, rel=1e-4) for number in numbers(message)), message


def test_the_relaxation_named_is_enough_and_a_little_less_is_not():
    def with_slack(slack):
        return declare(lambda cheap, cost: cost <= cheap.optimum + slack)

    assert with_slack(8.5001).solve().final.value == pytest.approx(5, abs=1e-3)
    message = failure(with_slack(8.25))
    assert any(number == pytest.approx(0.25, rel=1e-4) for number in numbers(message)), message


def test_for_a_held_optimum_the_relaxation_is_the_tolerance_to_give():
    message = failure(declare(lambda cheap, cost: cheap.held()))
    assert "cheap" in message
    assert any(number == pytest.approx(8.5, rel=1e-4) for number in numbers(message)), message
    relaxed = declare(lambda cheap, cost: cheap.held(atol=8.5001)).solve()
    assert relaxed.final.value == pytest.approx(5, abs=1e-3)


def test_the_relaxation_of_a_maximum_is_named_in_its_own_direction():
    # The most of x0 + x1 is 10; with x1 <= 2 and x0 <= 3 only 5 is left.
    x = cp.Variable(2, nonneg=True, name="x")
    most = lx.Subproblem("cheap", cp.Maximize(cp.sum(x)), [cp.sum(x) <= 10])
    later = lx.Subproblem("later", cp.Minimize(x[0]), [cp.sum(x) >= most.optimum, x <= [3, 2.25]])
    message = failure(lx.Program(lx.Stage("a", most), lx.Stage("b", later)))
    assert any(abs(number) == pytest.approx(4.75, rel=1e-4) for number in numbers(message)), message


def test_an_innocent_reference_is_not_blamed():
    x = cp.Variable(name="x", bounds=[0, 10])
    free = lx.Subproblem("free", cp.Minimize(x), [x >= 1])
    cheap = lx.Subproblem("cheap", cp.Maximize(x), [x <= 4])
    later = lx.Subproblem("later", cp.Minimize(x), [x >= free.optimum, x <= cheap.optimum, x >= 7])
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("a", free, cheap), lx.Stage("b", later)).solve()
    way_out = str(caught.value)
    assert "cheap" in way_out
    assert "free" not in way_out
    assert any(number == pytest.approx(3, rel=1e-4) for number in numbers(way_out)), way_out


def test_an_earlier_solution_that_blocks_a_later_problem_is_named():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    plan = lx.Subproblem("plan", cp.Minimize(cp.sum(x)), [x >= [1, 2]])
    later = lx.Subproblem("later", cp.Minimize(x[0]), [cp.norm(x - plan.at(x)) <= 1, x[0] >= 3.5])
    with pytest.raises(lx.StageError, match="plan") as caught:
        lx.Program(lx.Stage("a", plan), lx.Stage("b", later)).solve()
    np.testing.assert_allclose(caught.value.partial["plan"][x], [1, 2], atol=1e-6)


def test_a_problem_infeasible_by_itself_is_not_blamed_on_a_reference():
    x = cp.Variable(name="x", bounds=[0, 10])
    cheap = lx.Subproblem("cheap", cp.Minimize(x), [x >= 1])
    later = lx.Subproblem("later", cp.Minimize(x), [x <= cheap.optimum + 1, x >= 3, x <= 2])
    message = failure(lx.Program(lx.Stage("a", cheap), lx.Stage("b", later)))
    assert "would not help" in message
