"""A solver that fails, lies or times out at its k-th call: never a wrong result, always a partial.

Statuses of honest solvers are in test_statuses.py, Ctrl-C in test_interrupt.py.
"""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import (
    FAILURES,
    LIES,
    NAMES,
    POINTS,
    PROBLEMS,
    VALUES,
    Mischief,
    five_by_three,
)

EVERY_CALL = range(1, len(NAMES) + 1)


@pytest.fixture(scope="module")
def program():
    return five_by_three()


def assert_right(result, names):
    assert list(result) == names
    for name, solution in result.items():
        assert solution.value == pytest.approx(VALUES[name], rel=1e-5), name
        np.testing.assert_allclose(solution[f"x{name[1:]}"], POINTS[name], atol=1e-4)


def test_the_undisturbed_program_has_the_answers_worked_by_hand(program):
    assert_right(program.solve(), NAMES)
    assert_right(program.solve(Mischief(None, at=100)), NAMES)


@pytest.mark.parametrize("k", EVERY_CALL)
@pytest.mark.parametrize("deed", [*FAILURES, *LIES])
def test_a_bad_kth_call_is_a_stage_error_with_exactly_the_good_solutions(program, deed, k):
    solver = Mischief((FAILURES | LIES)[deed], at=k)
    with pytest.raises(lx.StageError) as caught:
        program.solve(solver)
    error, name = caught.value, NAMES[k - 1]
    assert error.stage == f"stage {name[1]}"
    assert error.subproblem == name
    assert error.solver == "MISCHIEF"
    assert_right(error.partial, NAMES[: k - 1])
    for word in (error.stage, name, "MISCHIEF", error.status):
        assert word in str(error)
    assert all(v.value is None for v in cp_variables(program))


def cp_variables(program):
    return [v for s in program.stages for p in s.subproblems for v in p.objective.variables()]


@pytest.mark.parametrize("k", EVERY_CALL)
def test_resuming_with_a_good_solver_completes_the_undisturbed_result(program, k):
    deed = [*FAILURES.values(), *LIES.values()][k % (len(FAILURES) + len(LIES))]
    with pytest.raises(lx.StageError) as caught:
        program.solve(Mischief(deed, at=k))
    counted = Mischief(None, at=100)
    result = program.solve(counted, resume=caught.value.partial)
    assert_right(result, NAMES)
    assert counted.calls == len(NAMES) - (k - 1)
    assert [s.solver for s in result.values()] == ["MISCHIEF"] * len(NAMES)
    assert result.complete


@pytest.mark.parametrize("k", [1, 5, 15])
def test_the_good_problems_after_the_bad_one_in_its_stage_are_kept_too(program, k):
    with pytest.raises(lx.StageError) as caught:
        program.solve(Mischief(FAILURES["solver error"], at=k, once=True))
    last = -(-k // PROBLEMS) * PROBLEMS
    assert caught.value.subproblem == NAMES[k - 1]
    assert_right(caught.value.partial, [n for n in NAMES[:last] if n != NAMES[k - 1]])


@pytest.mark.parametrize("k", [1, 8, 15])
@pytest.mark.parametrize("deed", ["crash", "time limit", "slightly dear"])
def test_the_next_solver_of_a_ladder_takes_over_from_a_bad_one(program, deed, k):
    bad = Mischief((FAILURES | LIES)[deed], at=k)
    result = program.solve([bad, "HIGHS"])
    assert_right(result, NAMES)
    expected = ["MISCHIEF"] * (k - 1) + ["HIGHS"] * (len(NAMES) - k + 1)
    assert [solution.solver for solution in result.values()] == expected


def test_every_attempt_of_a_ladder_is_on_record_in_order(program):
    bad = Mischief(FAILURES["any exception"], at=1)
    hurried = lx.Solver("CLARABEL", max_iter=1)
    with pytest.raises(lx.StageError) as caught:
        program.solve([bad, hurried])
    attempts = caught.value.attempts
    assert [attempt.solver for attempt in attempts] == ["MISCHIEF", "CLARABEL"]
    assert "ZeroDivisionError" in str(attempts[0])
    assert "never expected" in str(attempts[0])
    assert caught.value.solver == "CLARABEL"


@pytest.mark.parametrize("deed", ["feasible but dear", "infeasible and cheap"])
def test_a_lie_about_a_curved_or_an_integer_problem_is_not_believed_either(deed):
    x = cp.Variable(2, bounds=[0, 100], name="x")
    n = cp.Variable(2, bounds=[0, 100], integer=True, name="n")
    curved = lx.Subproblem("curved", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 4])
    whole = lx.Subproblem("whole", cp.Minimize(n[0] + 2 * n[1]), [cp.sum(n) >= 3.5, n[0] <= 3])

    class Liar:
        def solve(self, problem):
            problem.solve(solver="HIGHS" if problem.is_mixed_integer() else "CLARABEL")
            variable = problem.variables()[0]
            shift = [0, 1] if deed == "feasible but dear" else -variable.value
            variable.value = variable.value + shift

    for problem in (curved, whole):
        with pytest.raises(lx.StageError) as caught:
            lx.Program(lx.Stage("only", problem)).solve(Liar())
        assert len(caught.value.partial) == 0


def test_an_honest_custom_solver_is_believed_because_its_certificate_holds():
    class Honest:
        def solve(self, problem):
            problem.solve(solver="CLARABEL")

    x = cp.Variable(2, name="x")
    problem = lx.Subproblem("near", cp.Minimize(cp.norm(x - [3, 4])), [cp.norm(x) <= 1])
    solution = lx.Program(lx.Stage("only", problem)).solve(Honest()).final
    assert solution.value == pytest.approx(4, rel=1e-5)
    assert solution.certificate.passed


def test_a_custom_solver_runs_alone_whatever_the_number_of_workers(program):
    class Alone(Mischief):
        busy = overlapped = 0

        def solve(self, problem):
            self.busy += 1
            self.overlapped |= self.busy > 1
            super().solve(problem)
            self.busy -= 1

    alone = Alone(None, at=100)
    assert_right(program.solve(alone, workers=3), NAMES)
    assert not alone.overlapped
    assert alone.calls == len(NAMES)


def test_an_object_that_is_no_solver_is_refused_before_anything_is_solved(program):
    counted = Mischief(None, at=100)
    with pytest.raises(lx.LexiprogError, match=r"stage 5|p50"):
        program.solve({"stage 1": counted, "stage 5": object()})
    assert counted.calls == 0


def test_advice_that_fails_does_not_replace_the_error_it_explains(monkeypatch):
    def explain(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("lexiprog.infeasibility.diagnosis.explain", explain)
    x = cp.Variable(name="x")
    problem = lx.Subproblem("none", cp.Minimize(x), [x >= 2, x <= 1])
    with pytest.raises(lx.StageError, match="could not be found: ZeroDivisionError") as caught:
        lx.Program(lx.Stage("only", problem)).solve()
    assert caught.value.status == "infeasible"
