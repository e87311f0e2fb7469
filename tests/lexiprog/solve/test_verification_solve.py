"""Points without multipliers: measured as declared, and against the bound of a solve of our own."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.solve.certify import relative_violation
from lexiprog.solve.direct import verification_solve


class Says:
    """A solver that gives the same numbers whatever it is asked."""

    def __init__(self, *values):
        self.values = values

    def solve(self, problem):
        for variable, value in zip(problem.variables(), self.values, strict=True):
            variable.save_value(np.asarray(value, dtype=float))


def answer(problem, *values):
    return lx.Program(lx.Stage("only", problem)).solve(Says(*values)).final


def refused(problem, *values):
    with pytest.raises(lx.StageError) as caught:
        answer(problem, *values)
    (attempt,) = caught.value.attempts
    return attempt.reason


def test_a_point_outside_its_variables_own_bounds_is_refused():
    x = cp.Variable(name="x", bounds=[0, 1])
    most = lx.Subproblem("most", cp.Maximize(x))
    assert answer(most, 1.0).value == 1.0
    assert "rows" in refused(most, 2.0)
    n = cp.Variable(name="n", integer=True, bounds=[0, 3])
    assert "integrality" in refused(lx.Subproblem("n", cp.Maximize(n), [2 * n <= 3]), 1.5)


def test_a_point_is_as_good_as_its_distance_to_the_bound_says():
    """The least of x + y over x + 2y >= 2 is 1; errors are shares of the point's value."""
    x, y = cp.Variable(name="x", nonneg=True), cp.Variable(name="y", nonneg=True)
    least = lx.Subproblem("least", cp.Minimize(x + y), [x + 2 * y >= 2])
    found = answer(least, 0.0, 1.0)
    assert found.certificate.gap == pytest.approx(0.0, abs=1e-9)
    assert found.certificate.basis == "bound"
    assert found.bound == pytest.approx(1.0)
    assert "gap 5.0e-01" in refused(least, 2.0, 0.0)
    most = lx.Subproblem("most", cp.Maximize(-x - y), [x + 2 * y >= 2])
    assert "gap 5.0e-01" in refused(most, 2.0, 0.0)
    assert answer(most, 0.0, 1.0).bound == pytest.approx(-1.0)
    wide = lx.Solver(Says(2.0, 0.0), accept=0.6)
    found = lx.Program(lx.Stage("only", least)).solve(wide).final
    assert found.certificate.gap == pytest.approx(1 / 2)
    assert (found.certificate.tolerance, found.certificate.gap_tolerance) == (0.6, 0.6)
    assert (
        lx.Program(lx.Stage("only", least)).solve(lx.Solver(Says(2.0, 0.0), gap=0.55)).final.value
        == 2
    )


def test_whole_numbers_are_measured_by_their_distance_to_the_next():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 9])
    most = lx.Subproblem("most", cp.Maximize(cp.sum(n)), [2 * cp.sum(n) <= 11])
    found = answer(most, np.array([2.0, 3.0]))
    assert (found.value, found.certificate.integrality) == (5.0, 0.0)
    assert "integrality 2.5e-01" in refused(most, np.array([2.25, 3.0]))


def test_a_value_that_is_not_the_points_is_refused():
    x = cp.Variable(name="x", bounds=[0, 9])

    class Boasts(Says):
        def solve(self, problem):
            problem.solve(solver="HIGHS")
            problem._value = problem.value + 4.0

    # Four beside the point's value of nine.
    with pytest.raises(lx.StageError, match=r"claim 4\.4e-01"):
        lx.Program(lx.Stage("only", lx.Subproblem("most", cp.Maximize(x)))).solve(Boasts())


def test_outside_its_domain_a_function_is_no_number_to_believe():
    """Below zero 1/x is small, but no value of the convex function that was meant."""
    x = cp.Variable(name="x", bounds=[-3, 3])
    least = lx.Subproblem("least", cp.Minimize(cp.inv_pos(x)))
    assert answer(least, 3.0).value == pytest.approx(1 / 3)
    assert "rows" in refused(least, -3.0)
    y = cp.Variable(name="y", pos=True)
    root = lx.Subproblem("root", cp.Minimize(y + 1 / y), gp=True)
    assert answer(root, 1.0).value == 2.0


def test_a_violation_is_a_share_of_its_own_rows_size():
    """Half a unit is nothing in a row of 1e8, though the other rows are of size one."""
    x, y = cp.Variable(name="x"), cp.Variable(3, name="y")
    rows = [x >= 1e8, y[0] >= 1, y[1] >= 1, y[2] >= 1]
    least = lx.Subproblem("least", cp.Minimize(x + cp.sum(y)), rows)
    found = answer(least, 1e8 - 0.5, np.ones(3))
    assert found.certificate.rows == pytest.approx(0.5e-8)
    assert "rows" in refused(least, 1e8, np.array([0.5, 1.0, 1.0]))


def test_a_violation_between_small_sides_is_a_share_of_their_variables():
    """The sides are 1e-7 and zero, and the variables in them one."""
    x = cp.Variable(2, name="x")
    same = lx.Subproblem("same", cp.Minimize(cp.sum(x)), [x[0] - x[1] == 0, x >= 1])
    found = answer(same, np.array([1.0 + 1e-7, 1.0]))
    assert found.certificate.rows == pytest.approx(1e-7, rel=1e-3)
    assert "rows" in refused(same, np.array([1.01, 1.0]))


def test_a_constraint_without_entries_asks_for_nothing():
    x = cp.Variable(2, name="x")
    least = lx.Subproblem("least", cp.Minimize(cp.sum(x)), [x >= 1, x[0:0] >= 5])
    assert answer(least, np.ones(2)).value == 2.0


def test_no_size_counts_as_one():
    x = cp.Variable(name="x")
    for value, share in [(1e-9, 1.0), (0.5, 1.0), (4.0, 1.0), (-1.0, 0.0)]:
        x.value = value
        assert relative_violation(x <= 0) == pytest.approx(share)
    x.value = 4.5
    assert relative_violation(x <= 3) == pytest.approx(1.5 / 4.5)


@pytest.mark.parametrize("kind", ["integer", "boolean"])
def test_entries_that_need_not_be_whole_are_not_asked_to_be(kind):
    """The first entry is whole; the most of the second is a half."""
    x = cp.Variable(2, name="x", bounds=[0, 1], **{kind: [(0,)]})
    most = lx.Subproblem("most", cp.Maximize(cp.sum(x)), [2 * x[1] <= 1])
    found = answer(most, np.array([1.0, 0.5]))
    assert (found.value, found.certificate.integrality) == (1.5, 0.0)
    assert "integrality 5.0e-01" in refused(most, np.array([0.5, 0.5]))


def test_a_geometric_point_outside_its_variables_own_bounds_is_refused():
    """The least of 1 / w up to 2 is a half; 3 has less, but is not allowed."""
    w = cp.Variable(name="w", pos=True, bounds=[1, 2])
    least = lx.Subproblem("least", cp.Minimize(1 / w), gp=True)
    assert answer(least, 2.0).value == 0.5
    assert "rows" in refused(least, 3.0)


def third():
    """Least x over 3x >= p."""
    x, p = cp.Variable(name="x", bounds=[0, 9]), cp.Parameter(name="p", value=1.0)
    return lx.Subproblem("third", cp.Minimize(x), [3 * x >= p]), p


def test_it_is_that_of_the_numbers_which_were_given_at_the_start():
    problem, p = third()
    given = Given.to([problem])
    p.value = 6.0
    assert verification_solve(
        problem, NO_SLACK, {}, given, Deadline()
    ).answer.value == pytest.approx(1 / 3)
    assert p.value == 6.0
    now = verification_solve(problem, NO_SLACK, {}, Given.to([problem]), Deadline())
    assert (now.answer.value, now.bound) == pytest.approx((2.0, 2.0))


def test_it_is_as_exact_as_is_asked_for():
    problem, _ = third()
    found = verification_solve(problem, NO_SLACK, {}, Given.to([problem]), Deadline(), refined=True)
    assert found.measured.certificate.worst <= 1e-12
    assert found.task.strategy.refined


def test_slack_is_given_to_what_it_holds():
    x = cp.Variable(2, name="x", bounds=[0, 4])
    program = lx.preemptive({"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [cp.sum(x) <= 6])
    solved, b = program.solve(), program["b"]
    for slack, value in ((NO_SLACK, 2.0), (Slack({"a": 1.5}), 3.5)):
        found = verification_solve(b, slack, solved, Given.to([b]), Deadline())
        assert found.answer.value == pytest.approx(value)


def test_out_of_time_there_is_none_and_on_the_same_watch():
    problem, _ = third()
    given, late = Given.to([problem]), Deadline()
    late.cancel()
    assert verification_solve(problem, NO_SLACK, {}, given, late) is None
    deadline = Deadline()
    assert verification_solve(problem, NO_SLACK, {}, given, deadline).task.deadline is deadline


def test_solvers_that_break_or_prove_nothing_are_passed_over():
    problem, _ = third()
    given = Given.to([problem])
    ladder = (lx.Solver("NOBODY"), lx.Solver("EXACT"), lx.Solver("HIGHS"))
    found = verification_solve(problem, NO_SLACK, {}, given, Deadline(), ladder)
    assert found.task.solver.name == "HIGHS"
    assert verification_solve(problem, NO_SLACK, {}, given, Deadline(), ladder[:2]) is None
    x = cp.Variable(name="x")
    never = lx.Subproblem("never", cp.Minimize(x), [x >= 2, x <= 1])
    assert verification_solve(never, NO_SLACK, {}, Given.to([never]), Deadline()) is None


@pytest.mark.parametrize("maximise", [False, True])
def test_its_bound_for_another_form_is_in_the_units_of_that(maximise):
    x = cp.Variable(name="x", bounds=[1, 9])
    goal = cp.Maximize(-1e4 * x + 5) if maximise else cp.Minimize(1e4 * x + 5)
    problem = lx.Subproblem("x", goal)
    found = verification_solve(problem, NO_SLACK, {}, Given.to([problem]), Deadline())
    native = found.task.native
    assert found.unit == pytest.approx(1.0 / native.scaling.cost)
    scaled = found.bound_in(native.scaled, native.scaling.cost)
    assert scaled == pytest.approx(native.scaled.objective(found.answer.x))
    assert found.bound == pytest.approx(9995.0 if maximise else 10005.0)  # as a minimum
