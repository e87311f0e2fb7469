"""Quick answers for advice: whether demands can be met, on what a proof rests, and in what time."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_ladder
from lexiprog.infeasibility import conflict as feasibility
from lexiprog.infeasibility import diagnosis as contradiction
from lexiprog.infeasibility.conflict import Feasibility, quick_answer
from lexiprog.infeasibility.demands import Demand, asked_by
from lexiprog.infeasibility.diagnosis import explain
from lexiprog.model.lock import NO_SLACK
from lexiprog.status import Status


def demands(*constraints):
    return [Demand(constraint, str(constraint)) for constraint in constraints]


def test_demands_are_possible_impossible_or_out_of_time():
    x = cp.Variable(2, name="x")
    oracle = Feasibility([x], gp=False, seconds=60.0)
    assert oracle.possible(demands(x >= 1, cp.sum(x) <= 3)) is True
    assert oracle.possible(demands(x >= 1, cp.sum(x) <= 1)) is False
    assert oracle.possible([]) is True
    assert oracle.about([x]).possible(demands(cp.norm(x) <= 1, x >= 1)) is False
    assert Feasibility([x], gp=False, seconds=0.0).possible(demands(x >= 1)) is None
    assert Feasibility([x], gp=False, seconds=0.0).about([x]).possible(demands(x >= 1)) is None


def test_a_proof_rests_on_the_entries_that_contradict_each_other():
    x = cp.Variable(3, name="x")
    oracle = Feasibility([x], gp=False, seconds=60.0)
    soft, hard = demands(x >= np.array([1.0, 2.0, 0.0])), demands(x <= np.array([5.0, 1.0, 5.0]))
    found = oracle.support(soft, hard)
    assert [entries.tolist() for entries in found] == [[False, True, False]] * 2
    assert oracle.support(demands(x >= 1), demands(x <= 5)) is None  # nothing is missed
    assert oracle.support([], demands(x <= 5)) is None


def test_what_cannot_be_softened_has_no_support():
    n = cp.Variable(name="n")
    oracle = Feasibility([n], gp=False, seconds=60.0)
    square = demands(cp.square(n) == 2)
    assert oracle.support(square, demands(n >= 3)) is None


@pytest.mark.parametrize("kind", ["linear", "curved"])
def test_quick_answers_keep_to_the_time_that_is_left(kind, monkeypatch):
    given = []
    door = feasibility.cvxpy_adapter
    run = door.run
    monkeypatch.setattr(
        door, "run", lambda c, options: given.append(dict(options)) or run(c, options)
    )
    x = cp.Variable(2, name="x")
    goal = cp.sum(x) if kind == "linear" else cp.sum_squares(x)
    answer = quick_answer(cp.Problem(cp.Minimize(goal), [x >= 1]), seconds=7.0)
    assert answer.value == pytest.approx(2.0)
    assert [options["time_limit"] for options in given] == [7.0]
    given.clear()
    assert Feasibility([x], gp=False, seconds=5.0).possible(demands(x >= 1)) is True
    assert all(0.0 < options["time_limit"] <= 5.0 for options in given)
    assert given


def test_parameters_are_read_at_their_values_whatever_they_multiply():
    p, x = cp.Parameter(value=2.0, name="p"), cp.Variable(name="x")
    problem = cp.Problem(cp.Minimize(x), [p * p * x >= 8.0])  # not affine in p
    assert quick_answer(problem).value == pytest.approx(2.0)


def test_the_relaxation_is_sought_in_the_time_that_is_left(monkeypatch):
    asked = []
    least = contradiction.least_relaxation
    monkeypatch.setattr(
        contradiction, "least_relaxation", lambda *a: asked.append(a[2]) or least(*a)
    )
    x = cp.Variable(2, name="x", bounds=[0, 9])
    a = lx.Subproblem("a", cp.Minimize(x[0]), [cp.sum(x) >= 3])
    b = lx.Subproblem("b", cp.Minimize(x[1]), [cp.sum(x) >= 3])
    c = lx.Subproblem("c", cp.Minimize(x[0]), [cp.sum(x) >= 3, a.held(), b.held()])
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("1", a, b), lx.Stage("2", c)).solve()
    assert "relaxed by 3" in str(caught.value)
    assert asked
    assert all(0.0 < seconds <= 60.0 for seconds in asked)


def test_booleans_are_whole_numbers_between_bounds_and_others_are_not():
    b, x = cp.Variable(2, boolean=True, name="b"), cp.Variable(2, nonneg=True, name="x")
    asked = asked_by(lx.Subproblem("p", cp.Minimize(cp.sum(b) + cp.sum(x)), [b[0] + x[0] >= 1]))
    assert [v.name() for v in asked.integers] == ["b"]
    assert sorted(bound.text for bound in asked.bounds) == ["b <= 1", "b >= 0", "x >= 0"]


def test_all_that_explains_a_contradiction_keeps_to_the_time_that_is_left(monkeypatch):
    """Neither of the two optima helps alone, so that three relaxations are sought."""
    asked = []

    def relaxation(subproblem, positions, seconds):
        asked.append(seconds)

    monkeypatch.setattr("lexiprog.infeasibility.diagnosis.least_relaxation", relaxation)
    x, y = cp.Variable(name="x", bounds=[0, 9]), cp.Variable(name="y", bounds=[0, 9])
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= 1])
    last = lx.Subproblem("last", cp.Minimize(x), [x <= a.optimum, y <= b.optimum, x + y >= 3])
    solved = lx.Program(lx.Stage("1", a, b)).solve()
    explain(last, solved, NO_SLACK, 7.0)
    assert len(asked) == 3
    assert all(0.0 < seconds <= 7.0 for seconds in asked)


def test_advice_is_asked_of_two_solvers_at_most(monkeypatch):
    asked = []

    def broken(*_, **__):
        asked.append(1)
        raise ArithmeticError("broken for a test")

    monkeypatch.setattr("lexiprog.cvxpy_adapter.run", broken)
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x >= 1])
    assert len(default_ladder("LP")) > 2
    assert quick_answer(problem).status is Status.FAILED
    assert len(asked) == 2
