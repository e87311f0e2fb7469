"""What the error of a stage says: who failed, who else, why, what is kept, and what to do."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.deadline import Deadline
from lexiprog.errors import Attempt
from lexiprog.infeasibility.diagnosis import stage_error
from lexiprog.model.lock import NO_SLACK
from lexiprog.status import Fault, Status


def problem(name="p", *, whole=False, endless=False):
    x = cp.Variable(2, name="x", integer=whole)
    return lx.Subproblem(name, cp.Minimize(cp.sum(x)), [x[0] >= 1] if endless else [x >= 1])


def attempt(status, fault=Fault.NONE, solver="HIGHS"):
    return Attempt(solver, status, "it is so", fault)


def error(*tries, failed=None, solved=(), **kind):
    failed = [problem(**kind)] if failed is None else failed
    partial = lx.Program(lx.Stage("0", *solved)).solve() if solved else lx.Result({}, {})
    attempts = {p.name: list(tries) for p in failed}
    return stage_error("here", failed, attempts, partial, NO_SLACK, Deadline(5.0))


def test_the_first_that_failed_explains_it_and_the_others_are_named():
    failed = [problem("one"), problem("two"), problem("three")]
    found = error(attempt(Status.FAILED), failed=failed)
    assert (found.stage, found.subproblem, found.solver) == ("here", "one", "HIGHS")
    assert "stage 'here', subproblem 'one' has no certified optimum." in str(found)
    assert "Also without one: 'two', 'three'." in str(found)
    assert "Also without" not in str(error(attempt(Status.FAILED)))


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, ""), (1, "1 solved subproblem is in"), (2, "2 solved subproblems are in")],
)
def test_what_is_kept_is_counted_and_said_to_be_of_use(count, words):
    kept = [problem(f"kept {k}") for k in range(count)]
    said = str(error(attempt(Status.FAILED), solved=kept))
    assert ("resume=error.partial" in said) is (count > 0)
    assert words in said


def test_an_attempt_that_found_a_contradiction_counts_before_the_last_one():
    tries = [
        attempt(Status.FAILED),
        attempt(Status.INFEASIBLE, solver="SCS"),
        attempt(Status.LIMIT),
    ]
    found = error(*tries)
    assert (found.status, found.solver, found.attempts) == (Status.INFEASIBLE, "SCS", tuple(tries))
    found = error(attempt(Status.FAILED), attempt(Status.LIMIT, solver="SCS"))
    assert (found.status, found.solver) == (Status.LIMIT, "SCS")


def test_the_same_words_of_several_attempts_are_said_once():
    said = str(error(attempt(Status.FAILED), attempt(Status.FAILED)))
    assert said.count("it is so") == 1


def test_without_any_attempt_nobody_takes_such_problems():
    found = error(whole=True)
    assert (found.solver, found.status) == ("no solver", Status.NO_ANSWER)
    assert "none that takes problems of class MILP is installed" in str(found)
    assert "Install one that does" in found.reason


@pytest.mark.parametrize(
    ("tried", "whole", "advice"),
    [
        (attempt(Status.OPTIMAL, Fault.GAP), True, "no proof that none is better"),
        (attempt(Status.OPTIMAL, Fault.GAP), False, "does not survive its own check"),
        (attempt(Status.OPTIMAL, Fault.UNPROVED), True, "does not survive its own check"),
        (attempt(Status.OPTIMAL, Fault.LOCK_MISSED), False, "does not survive its own check"),
        (attempt(Status.FAILED, Fault.NOT_TAKEN), False, "HIGHS does not take problems of its"),
        (attempt(Status.NO_ANSWER, Fault.NOT_TAKEN), False, "Install one that does"),
        (attempt(Status.NO_POINT), False, "It ran into a limit"),
        (attempt(Status.FAILED), False, "Try another solver, or a list of them"),
    ],
)
def test_advice_is_for_what_went_wrong(tried, whole, advice):
    found = error(tried, whole=whole)
    assert advice in found.reason
    assert advice in str(found)


def test_an_endless_problem_is_told_where_it_goes_and_not_where_it_stands():
    found = error(attempt(Status.UNBOUNDED), endless=True)
    assert found.direction["x"].tolist() == [0, -1]
    assert "improves without limit in the direction x = [" in found.reason
    assert found.reason.endswith("bound the variables.")
    w, v = cp.Variable(name="w", pos=True), cp.Variable(name="v", pos=True)
    factors = lx.Subproblem("g", cp.Minimize(w * v), [v >= 1], gp=True)
    said = error(attempt(Status.UNBOUNDED), failed=[factors]).reason
    assert "by multiplying with factors w = " in said
    assert "v = " not in said


def test_a_direction_that_nobody_finds_is_left_out(monkeypatch):
    def broken(_):
        raise ArithmeticError("broken for a test")

    monkeypatch.setattr("lexiprog.infeasibility.diagnosis.direction_of", broken)
    found = error(attempt(Status.UNBOUNDED), endless=True)
    assert found.direction is None
    assert found.reason == ("Its objective improves without limit: bound the variables.")
