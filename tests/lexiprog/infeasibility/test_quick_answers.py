"""Advice where solvers fail: by how much is missed, in other units, by somebody else."""

import cvxpy as cp
import numpy as np
import pytest

from lexiprog.compile.answer import Answer
from lexiprog.infeasibility import conflict as feasibility
from lexiprog.infeasibility.conflict import Feasibility, quick_answer
from lexiprog.infeasibility.demands import Demand
from lexiprog.status import Status


def demands(*constraints):
    return [Demand(constraint, str(constraint)) for constraint in constraints]


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
    assert Feasibility([x], gp=False, seconds=9.0).possible(demands(x >= 1)) is possible
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
    assert Feasibility([x], gp=False, seconds=9.0).possible(demands(x >= 1)) is possible


def test_the_miss_of_whole_numbers_and_of_posynomials_is_not_asked_for(monkeypatch):
    n, w = cp.Variable(name="n", integer=True), cp.Variable(name="w", pos=True)
    failed = Answer(Status.FAILED), Answer(Status.OPTIMAL, value=0.0)
    asked = answering(monkeypatch, *failed)
    assert Feasibility([n], gp=False, seconds=9.0).possible(demands(n >= 1)) is None
    assert len(asked) == 1
    answering(monkeypatch, *failed)
    assert Feasibility([w], gp=True, seconds=9.0).possible(demands(w >= 1)) is None


def test_the_least_miss_of_all_soft_demands_together_is_what_is_asked_for(monkeypatch):
    """1 <= x <= -1 are missed by one each at 0, and hard ones by nothing."""
    kept = []
    plain = feasibility.quick_answer
    monkeypatch.setattr(
        feasibility, "quick_answer", lambda *a, **k: kept.append(plain(*a, **k)) or kept[-1]
    )
    x = cp.Variable(name="x")
    oracle = Feasibility([x], gp=False, seconds=9.0)
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
    oracle = Feasibility([x], gp=False, seconds=9.0)
    found = oracle.support(demands(x >= least), demands(x <= 1))
    wanted = (least == 2.0).reshape(-1).tolist()
    assert [entries.tolist() for entries in found] == [wanted, wanted]


def test_complex_variables_may_be_asked_about():
    z = cp.Variable(name="z", complex=True)
    oracle = Feasibility([z], gp=False, seconds=9.0)
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
