"""An optimum of our own: of the numbers that were given, in the time that is left, or none."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.solve.verification import own_optimum


def third():
    """Least x over 3x >= p."""
    x, p = cp.Variable(name="x", bounds=[0, 9]), cp.Parameter(name="p", value=1.0)
    return lx.Subproblem("third", cp.Minimize(x), [3 * x >= p]), p


def test_it_is_that_of_the_numbers_which_were_given_at_the_start():
    problem, p = third()
    given = Given.to([problem])
    p.value = 6.0
    assert own_optimum(problem, NO_SLACK, {}, given, Deadline()).answer.value == pytest.approx(
        1 / 3
    )
    assert p.value == 6.0
    now = own_optimum(problem, NO_SLACK, {}, Given.to([problem]), Deadline())
    assert (now.answer.value, now.bound) == pytest.approx((2.0, 2.0))


def test_it_is_as_exact_as_is_asked_for():
    problem, _ = third()
    found = own_optimum(problem, NO_SLACK, {}, Given.to([problem]), Deadline(), refined=True)
    assert found.checked.certificate.worst <= 1e-12
    assert found.task.strategy.refined


def test_slack_is_given_to_what_it_holds():
    x = cp.Variable(2, name="x", bounds=[0, 4])
    program = lx.preemptive({"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [cp.sum(x) <= 6])
    solved, b = program.solve(), program["b"]
    for slack, value in ((NO_SLACK, 2.0), (Slack({"a": 1.5}), 3.5)):
        found = own_optimum(b, slack, solved, Given.to([b]), Deadline())
        assert found.answer.value == pytest.approx(value)


def test_out_of_time_there_is_none_and_on_the_same_watch():
    problem, _ = third()
    given, late = Given.to([problem]), Deadline()
    late.cancel()
    assert own_optimum(problem, NO_SLACK, {}, given, late) is None
    deadline = Deadline()
    assert own_optimum(problem, NO_SLACK, {}, given, deadline).task.deadline is deadline


def test_solvers_that_break_or_prove_nothing_are_passed_over():
    problem, _ = third()
    given = Given.to([problem])
    ladder = (lx.Solver("NOBODY"), lx.Solver("EXACT"), lx.Solver("CLARABEL"))
    found = own_optimum(problem, NO_SLACK, {}, given, Deadline(), ladder)
    assert found.task.solver.name == "CLARABEL"
    assert own_optimum(problem, NO_SLACK, {}, given, Deadline(), ladder[:2]) is None
    x = cp.Variable(name="x")
    never = lx.Subproblem("never", cp.Minimize(x), [x >= 2, x <= 1])
    assert own_optimum(never, NO_SLACK, {}, Given.to([never]), Deadline()) is None


@pytest.mark.parametrize("maximise", [False, True])
def test_its_bound_for_another_form_is_in_the_units_of_that(maximise):
    x = cp.Variable(name="x", bounds=[1, 9])
    goal = cp.Maximize(-1e4 * x + 5) if maximise else cp.Minimize(1e4 * x + 5)
    problem = lx.Subproblem("x", goal)
    found = own_optimum(problem, NO_SLACK, {}, Given.to([problem]), Deadline())
    native = found.task.native
    assert found.unit == pytest.approx(1.0 / native.scaling.cost)
    scaled = found.bound_in(native.scaled, native.scaling.cost)
    assert scaled == pytest.approx(native.scaled.objective(found.answer.x))
    assert found.bound == pytest.approx(9995.0 if maximise else 10005.0)  # as a minimum
