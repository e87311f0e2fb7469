"""Quick answers for advice: whether demands can be met, on what a proof rests, and in what time."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_fallbacks
from lexiprog.compile.answer import Answer
from lexiprog.deadline import Deadline
from lexiprog.infeasibility import conflict as feasibility
from lexiprog.infeasibility.conflict import Feasibility, quick_answer
from lexiprog.infeasibility.demands import Demand, asked_by
from lexiprog.status import Status


def demands(*constraints):
    return [Demand(constraint, str(constraint)) for constraint in constraints]


def test_demands_are_possible_impossible_or_out_of_time():
    x = cp.Variable(2, name="x")
    oracle = Feasibility([x], gp=False, deadline=Deadline(60.0))
    assert oracle.possible(demands(x >= 1, cp.sum(x) <= 3)) is True
    assert oracle.possible(demands(x >= 1, cp.sum(x) <= 1)) is False
    assert oracle.possible([]) is True
    assert oracle.about([x]).possible(demands(cp.norm(x) <= 1, x >= 1)) is False
    assert Feasibility([x], gp=False, deadline=Deadline(0.0)).possible(demands(x >= 1)) is None
    assert (
        Feasibility([x], gp=False, deadline=Deadline(0.0)).about([x]).possible(demands(x >= 1))
        is None
    )


def test_a_proof_rests_on_the_entries_that_contradict_each_other():
    x = cp.Variable(3, name="x")
    oracle = Feasibility([x], gp=False, deadline=Deadline(60.0))
    soft, hard = demands(x >= np.array([1.0, 2.0, 0.0])), demands(x <= np.array([5.0, 1.0, 5.0]))
    found = oracle.support(soft, hard)
    assert [entries.tolist() for entries in found] == [[False, True, False]] * 2
    assert oracle.support(demands(x >= 1), demands(x <= 5)) is None  # nothing is missed
    assert oracle.support([], demands(x <= 5)) is None


def test_what_cannot_be_softened_has_no_support():
    n = cp.Variable(name="n")
    oracle = Feasibility([n], gp=False, deadline=Deadline(60.0))
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
    answer = quick_answer(cp.Problem(cp.Minimize(goal), [x >= 1]), deadline=Deadline(7.0))
    assert answer.value == pytest.approx(2.0)
    assert [options["time_limit"] for options in given] == pytest.approx([7.0], abs=1.0)
    given.clear()
    assert Feasibility([x], gp=False, deadline=Deadline(5.0)).possible(demands(x >= 1)) is True
    assert all(0.0 < options["time_limit"] <= 5.0 for options in given)
    assert given


def test_parameters_are_read_at_their_values_whatever_they_multiply():
    p, x = cp.Parameter(value=2.0, name="p"), cp.Variable(name="x")
    problem = cp.Problem(cp.Minimize(x), [p * p * x >= 8.0])  # not affine in p
    assert quick_answer(problem).value == pytest.approx(2.0)


def test_booleans_are_whole_numbers_between_bounds_and_others_are_not():
    b, x = cp.Variable(2, boolean=True, name="b"), cp.Variable(2, nonneg=True, name="x")
    asked = asked_by(lx.Subproblem("p", cp.Minimize(cp.sum(b) + cp.sum(x)), [b[0] + x[0] >= 1]))
    assert [v.name() for v in asked.integers] == ["b"]
    assert sorted(bound.text for bound in asked.bounds) == ["b <= 1", "b >= 0", "x >= 0"]


def test_advice_is_asked_of_two_solvers_at_most(monkeypatch):
    asked = []

    def broken(*_, **__):
        asked.append(1)
        raise ArithmeticError("broken for a test")

    monkeypatch.setattr("lexiprog.cvxpy_adapter.run", broken)
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x >= 1])
    assert len(default_fallbacks("LP")) > 2
    assert quick_answer(problem).status is Status.FAILED
    assert len(asked) == 2


def answering(monkeypatch, *answers):
    """Quick answers are these, one after the other; what was asked is kept."""
    asked, coming = [], iter(answers)

    def answer(problem, **terms):
        asked.append(problem)
        return next(coming)

    monkeypatch.setattr(feasibility, "quick_answer", answer)
    return asked


@pytest.mark.parametrize(
    ("status", "possible"),
    [(Status.OPTIMAL, True), (Status.UNBOUNDED, True), (Status.INFEASIBLE, False),
     (Status.EITHER, False)],
)  # fmt: skip
def test_a_status_that_says_something_is_believed(monkeypatch, status, possible):
    asked = answering(monkeypatch, Answer(status))
    x = cp.Variable(name="x")
    assert Feasibility([x], gp=False, deadline=Deadline(9.0)).possible(demands(x >= 1)) is possible
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("miss", "possible"), [(0.0, True), (9e-7, True), (2e-6, None), (9e-6, None), (2e-5, False),
                           (np.nan, None)],
)  # fmt: skip
def test_where_statuses_fail_a_small_miss_is_none_and_a_large_one_is_one(
    monkeypatch, miss, possible
):
    x = cp.Variable(name="x")
    answering(monkeypatch, Answer(Status.FAILED), Answer(Status.OPTIMAL, value=miss))
    assert Feasibility([x], gp=False, deadline=Deadline(9.0)).possible(demands(x >= 1)) is possible


def test_the_miss_of_whole_numbers_and_of_posynomials_is_not_asked_for(monkeypatch):
    n, w = cp.Variable(name="n", integer=True), cp.Variable(name="w", pos=True)
    failed = Answer(Status.FAILED), Answer(Status.OPTIMAL, value=0.0)
    asked = answering(monkeypatch, *failed)
    assert Feasibility([n], gp=False, deadline=Deadline(9.0)).possible(demands(n >= 1)) is None
    assert len(asked) == 1
    answering(monkeypatch, *failed)
    assert Feasibility([w], gp=True, deadline=Deadline(9.0)).possible(demands(w >= 1)) is None


def test_the_least_miss_of_all_soft_demands_together_is_what_is_asked_for(monkeypatch):
    """1 <= x <= -1 are missed by one each at 0, and hard ones by nothing."""
    kept = []
    plain = feasibility.quick_answer
    monkeypatch.setattr(
        feasibility, "quick_answer", lambda *a, **k: kept.append(plain(*a, **k)) or kept[-1]
    )
    x = cp.Variable(name="x")
    oracle = Feasibility([x], gp=False, deadline=Deadline(9.0))
    both = oracle.support(demands(x >= 1, x <= -1), [])
    assert [found.tolist() for found in both] == [[True], [True]]
    assert kept[-1].value == pytest.approx(1.0)
    with_hard = oracle.support(demands(x >= 1), demands(x <= -1, x >= -7))
    assert [found.tolist() for found in with_hard] == [[True], [True], [False]]
    assert kept[-1].value == pytest.approx(2.0)


def test_entries_of_a_matrix_are_known_by_their_places():
    x = cp.Variable((2, 3), name="x")
    least = np.zeros((2, 3))
    least[0, 2] = 2.0
    oracle = Feasibility([x], gp=False, deadline=Deadline(9.0))
    found = oracle.support(demands(x >= least), demands(x <= 1))
    wanted = (least == 2.0).reshape(-1).tolist()
    assert [entries.tolist() for entries in found] == [wanted, wanted]


def test_complex_variables_may_be_asked_about():
    z = cp.Variable(name="z", complex=True)
    oracle = Feasibility([z], gp=False, deadline=Deadline(9.0))
    assert oracle.possible(demands(cp.abs(z) <= 1)) is True
    assert oracle.possible(demands(cp.abs(z) <= 1, cp.real(z) >= 2)) is False


def test_infeasible_is_asked_again_in_the_users_units_and_others_are_not(monkeypatch):
    runs = []
    door = feasibility.cvxpy_adapter
    run = door.run
    monkeypatch.setattr(
        door, "run", lambda c, options: runs.append(c.scaling.identity) or run(c, options)
    )
    x = cp.Variable(2, name="x")

    def ask(*rows):
        runs.clear()
        return quick_answer(cp.Problem(cp.Minimize(cp.sum(x)), [*rows])).status

    assert ask(1e6 * x >= 1, x <= -1e-3) is Status.INFEASIBLE
    assert runs == [False, True]
    assert ask(1e6 * x >= 1) is Status.OPTIMAL
    assert runs == [False]


def test_the_second_solver_is_asked_where_the_first_breaks_down(monkeypatch):
    names = []
    door = feasibility.cvxpy_adapter
    run = door.run

    def breaking(compiled, options):
        names.append(len(names))
        if len(names) == 1:
            raise ArithmeticError("broken for a test")
        return run(compiled, options)

    monkeypatch.setattr(door, "run", breaking)
    x = cp.Variable(name="x")
    answer = quick_answer(cp.Problem(cp.Minimize(x), [x >= 3]))
    assert (answer.status, answer.value) == (Status.OPTIMAL, pytest.approx(3.0))
    assert len(names) == 2
