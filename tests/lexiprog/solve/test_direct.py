"""Direct runs that go wrong in one way and right in another."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve import direct as native
from lexiprog.solve.direct import Direct, on_its_rows, solve_stoppable
from lexiprog.status import Status


def third(**strategy):
    """Least x over 3x >= 1."""
    x = cp.Variable(name="x")
    problem = lx.Subproblem("third", cp.Minimize(x), [3 * x >= 1])
    return prepare(problem, Strategy(lx.Solver("HIGHS"), **strategy), {})


def rough(task, off):
    right = Direct().run(task)
    return replace(right, x=right.x + off, inaccurate="")


def test_a_point_that_misses_its_rows_is_found_again_with_more_digits():
    task = third(refined=True)
    found = on_its_rows(task, task.native.scaled, rough(task, -1e-5))
    assert task.native.scaling.point(found.x) == pytest.approx([1 / 3], rel=1e-15)
    assert (found.status, found.inaccurate) == ("optimal", "")
    plain = third()
    found = on_its_rows(plain, plain.native.scaled, rough(plain, -1e-5))
    assert plain.native.scaling.point(found.x) == pytest.approx([1 / 3], rel=1e-15)


def test_a_point_on_its_rows_is_left_as_it_is_unless_more_digits_are_asked_for():
    task = third()
    fine = rough(task, 0.0)
    assert on_its_rows(task, task.native.scaled, fine) is fine
    failed = Answer(Status.FAILED)
    assert on_its_rows(task, task.native.scaled, failed) is failed
    refined = third(refined=True)
    assert on_its_rows(refined, refined.native.scaled, fine) is not fine


def test_where_more_digits_cannot_be_had_the_answer_is_doubted_or_refused(monkeypatch):
    monkeypatch.setattr("lexiprog.solve.direct.refined", lambda *_: None)
    for strategy, off, status, doubted in [
        ({}, -1e-5, "failed", False),
        ({"refined": True}, -1e-5, "optimal", True),
        ({"refined": True}, 0.0, "optimal", False),
        ({"refined": True, "strict": True}, -1e-5, "failed", False),
        ({"refined": True, "strict": True}, 0.0, "optimal", False),
    ]:
        task = third(**strategy)
        found = on_its_rows(task, task.native.scaled, rough(task, off))
        assert str(found.status) in (status, "solver_error")
        assert (found.status is Status.OPTIMAL) == (status == "optimal")
        assert bool(found.inaccurate) is doubted


def test_a_long_linear_problem_is_answered_by_highs_itself():
    task = third()
    found = solve_stoppable(task, task.native.scaled)
    assert found.value == pytest.approx(1 / 3)
    assert found.z == pytest.approx(Direct().run(task).z)
    x = cp.Variable(name="x")
    never = lx.Subproblem("never", cp.Minimize(x), [x >= 2, x <= 1])
    task = prepare(never, Strategy(lx.Solver("HIGHS")), {})
    assert solve_stoppable(task, task.native.scaled).status.is_infeasible


class Again(Direct):
    """Answers the second question, the one in the units of the user, in a given way."""

    def __init__(self, answer):
        self.answer = answer

    def run(self, task):
        assert task.native.scaling.identity
        return self.answer


def test_infeasible_is_believed_only_if_it_is_so_in_the_users_units_too():
    x = cp.Variable(name="x")
    problem = lx.Subproblem("far", cp.Minimize(x), [1e6 * x >= 3e6])
    task = prepare(problem, Strategy(lx.Solver("HIGHS")), {})
    assert not task.native.scaling.identity
    no = Answer(Status.INFEASIBLE)
    assert Again(no)._confirmed(task, no) is no
    yes = Answer(Status.OPTIMAL, x=np.array([3.0]), z=np.array([1e-6]))
    found = Again(yes)._confirmed(task, no)
    assert (found.status, found.value) == ("optimal", pytest.approx(3.0))
    pointless = Again(replace(yes, z=None))._confirmed(task, no)
    assert pointless.status is Status.FAILED
    assert pointless.reason == "no optimum in some units and one in others"


def test_what_highs_says_of_a_long_problem_is_handed_on():
    x = cp.Variable(name="x")
    for goal, rows, said in [(x, [x >= 2, x <= 1], "Infeasible"), (x, [x <= 1], "Unbounded")]:
        task = prepare(
            lx.Subproblem("none", cp.Minimize(goal), rows), Strategy(lx.Solver("HIGHS")), {}
        )
        assert said in solve_stoppable(task, task.native.scaled).said


def test_linear_problems_with_many_numbers_and_no_others_can_be_stopped(monkeypatch):
    asked = []
    stoppable = native.solve_stoppable
    monkeypatch.setattr(
        native, "solve_stoppable", lambda *given: asked.append(1) or stoppable(*given)
    )
    x = cp.Variable(2, name="x", bounds=[0, 9])
    linear = lx.Subproblem("linear", cp.Minimize(cp.sum(x)), [x[0] + x[1] >= 1, x[0] >= 0.5])
    curved = lx.Subproblem("curved", cp.Minimize(cp.sum_squares(x)), [x[0] + x[1] >= 1])
    for problem, solver, long, times in [
        (linear, "HIGHS", 3, 1), (linear, "HIGHS", 4, 0), (linear, "CLARABEL", 0, 0),
        (curved, "HIGHS", 0, 0),
    ]:  # fmt: skip
        monkeypatch.setattr(native, "LONG", long)
        asked.clear()
        task = prepare(problem, Strategy(lx.Solver(solver)), {})
        assert Direct().run(task).value == pytest.approx(1.0 if problem is linear else 0.5)
        assert len(asked) == times


def test_curved_points_get_their_last_digits_where_somebody_refers_to_them(monkeypatch):
    asked = []
    monkeypatch.setattr(native, "sharpened", lambda *_: asked.append(1))
    x = cp.Variable(2, name="x")
    curved = lx.Subproblem("curved", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 1])
    for sharp, solver, times in [
        (True, "CLARABEL", 1), (False, "CLARABEL", 0), (False, "SCS", 0), (True, "SCS", 1),
    ]:  # fmt: skip
        asked.clear()
        task = prepare(curved, Strategy(lx.Solver(solver)), {})
        assert Direct(sharp=sharp).run(task).value == pytest.approx(0.5, abs=1e-4)
        assert len(asked) == times


def beside(solve):
    """The same, off by 1e-8, which HiGHS calls feasible."""

    def off(*given):
        answer = solve(*given)
        return replace(answer, x=answer.x - 1e-8)

    return off


@pytest.mark.parametrize("long", [0, native.LONG])
def test_what_a_linear_solver_returns_beside_its_rows_is_put_on_them(monkeypatch, long):
    """A third is found to the last digit all the same."""
    monkeypatch.setattr(native, "LONG", long)
    for name in ("_through_cvxpy", "solve_stoppable"):
        monkeypatch.setattr(native, name, beside(getattr(native, name)))
    task = third()
    found = Direct().run(task)
    assert task.native.scaling.point(found.x) == pytest.approx([1 / 3], rel=1e-15)
