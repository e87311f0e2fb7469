"""What becomes of an answer: rounded integers, limits, statuses, multipliers."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.certify.certificate import Certificate
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Strategy, prepare
from lexiprog.infeasibility.diagnosis import tell_apart
from lexiprog.solve.certify import certify_answer, has_useless_multipliers, status_if_stopped
from lexiprog.solve.direct import Direct
from lexiprog.solve.options import warn_of_limit
from lexiprog.status import Fault, Status


def test_whole_numbers_lose_their_noise_and_other_numbers_keep_theirs():
    n, x = cp.Variable(name="n", integer=True), cp.Variable(name="x")
    most = 2.0 + 3e-7
    problem = lx.Subproblem("p", cp.Maximize(n + x), [n <= 3, x <= most])

    class Nearly:
        def solve(self, problem):
            n.save_value(np.array(3.0 - 1e-8))
            x.save_value(np.array(most))

    found = lx.Program(lx.Stage("only", problem)).solve(Nearly()).final
    assert found["n"] == 3.0
    assert found["x"] == most
    assert found.value == 3.0 + most


GAP = Certificate(gap=0.1, gap_tolerance=1e-6)


@pytest.mark.parametrize(
    ("stopped", "deadline", "more"),
    [
        (None, {}, {}),
        (Status.WITHIN_GAP, {"over": True}, {}),
        (Status.WITHIN_GAP, {"enough": True}, {}),
        (Status.UNFINISHED, {"cancelled": True}, {}),
        (Status.WITHIN_GAP, {"cancelled": True, "enough": True}, {}),
        (Status.UNFINISHED, {"over": True}, {"gap": 0.05}),
        (Status.WITHIN_GAP, {}, {"status": Status.LIMIT}),
        (None, {"over": True}, {"integer": False}),
        (None, {"over": True}, {"certificate": Certificate(gap=1e-9, gap_tolerance=1e-6)}),
        (None, {"over": True}, {"certificate": Certificate(gap=0.1, rows=0.1)}),
    ],
)
def test_a_point_that_a_limit_left_is_within_a_gap_or_unfinished(stopped, deadline, more):
    given = {"integer": True, "gap": None, "status": Status.OPTIMAL, "certificate": GAP} | more
    deadline = SimpleNamespace(**{"cancelled": False, "enough": False, "over": False} | deadline)
    task = SimpleNamespace(
        integer=given["integer"], deadline=deadline, solver=SimpleNamespace(gap=given["gap"])
    )
    assert status_if_stopped(task, Answer(given["status"]), given["certificate"]) is stopped


@pytest.mark.parametrize(
    ("status", "over", "enough", "tolerance", "warned"),
    [
        (Status.WITHIN_GAP, True, False, 1e-6, True),
        (Status.WITHIN_GAP, False, False, 0.1, True),
        (Status.WITHIN_GAP, False, False, 1e-6, False),
        (Status.WITHIN_GAP, True, True, 1e-6, False),
        (Status.OPTIMAL, True, False, 1e-6, False),
    ],
)
def test_a_value_that_a_limit_left_is_warned_of_unless_somebody_was_content(
    status, over, enough, tolerance, warned
):
    summary = SimpleNamespace(text=lambda: "7")
    found = SimpleNamespace(status=status, name="p", summary=summary,
                            certificate=SimpleNamespace(gap_tolerance=tolerance))  # fmt: skip
    task = SimpleNamespace(solver=SimpleNamespace(accept=1e-6, gap=None),
                           deadline=SimpleNamespace(over=over, enough=enough))  # fmt: skip
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_of_limit(task, found)
    assert len(seen) == warned


def test_infeasible_and_unbounded_are_told_apart():
    x, y = cp.Variable(name="x"), cp.Variable(name="y", pos=True)
    never = lx.Subproblem("never", cp.Minimize(x), [x >= 2, x <= 1])
    endless = lx.Subproblem("endless", cp.Minimize(x), [x <= 1])
    assert tell_apart(never, {}) is Status.INFEASIBLE
    assert tell_apart(endless, {}) is Status.UNBOUNDED
    geometric = lx.Subproblem("geometric", cp.Minimize(y), [y >= 2, y <= 1], gp=True)
    assert tell_apart(geometric, {}) is Status.INFEASIBLE
    assert tell_apart(lx.Subproblem("g", cp.Minimize(y), [y <= 1], gp=True), {}) is Status.UNBOUNDED


@pytest.mark.parametrize(
    ("failed", "mode", "integer", "useless"),
    [
        ({"columns": 1.0}, "value", False, True),
        ({"columns": 1.0, "gap": 1.0}, "value", False, True),
        ({"gap": 1.0}, "value", False, False),
        ({"columns": 1.0, "rows": 1.0}, "value", False, False),
        ({}, "value", False, False),
        ({"columns": 1.0}, "face", False, False),
        ({"columns": 1.0}, "argument", False, False),
        ({"columns": 1.0}, "value", True, False),
    ],
)
def test_multipliers_that_alone_prove_nothing_are_found_anew(failed, mode, integer, useless):
    task = SimpleNamespace(strategy=SimpleNamespace(mode=mode), integer=integer)
    assert has_useless_multipliers(task, Certificate(**failed)) is useless


@pytest.mark.parametrize(
    ("said", "told"),
    [("", ""), ("optimal", ""), ("kOptimal, but slowly", "it said kOptimal, but slowly")],
)
def test_what_a_solver_says_is_repeated_where_its_status_says_something_else(said, told):
    task = SimpleNamespace(solver=SimpleNamespace(name="S"))
    assert certify_answer(task, "only", Answer(Status.OPTIMAL, said=said), {}).reason == told


def test_an_answer_without_a_point_or_with_holes_is_an_attempt():
    x = cp.Variable(2, name="x")
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), [x >= 1])
    task = prepare(problem, Strategy(lx.Solver("SCS")), {})
    for primal in ({}, {x.id: np.array([1.0, np.nan])}, {x.id: np.array([np.inf, 1.0])},
                   {x.id: None}):  # fmt: skip
        found = certify_answer(task, "only", Answer(Status.FAILED, said="no", primal=primal), {})
        assert (found.solver, found.status) == ("SCS", Status.FAILED)
        assert (found.fault is Fault.NO_NUMBERS) is bool(primal)
        assert ("it said no" in found.reason) is not primal


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("off", [0.0, 1e-3])
def test_a_claim_is_compared_with_the_problem_as_it_is_written(sense, off):
    """The least of x + y where x + 2y >= 2 is 1, or the most of -x - y: each claim is off."""
    x = cp.Variable(2, name="x", nonneg=True)
    goal = cp.Minimize(cp.sum(x)) if sense > 0 else cp.Maximize(-cp.sum(x))
    problem = lx.Subproblem("p", goal, [x[0] + 2 * x[1] >= 2])
    task = prepare(problem, Strategy(lx.Solver("HIGHS")), {})
    answer = Direct().run(task)
    found = certify_answer(task, "only", replace(answer, value=answer.value + off), {})
    if off:
        assert found.fault is Fault.UNPROVED
        assert "claim 1.0e-03" in found.reason  # of the value, which is one
    else:
        assert (found.value, found.bound) == (pytest.approx(sense), pytest.approx(sense))
        assert (found.stage, found.solver, found.status) == ("only", "HIGHS", Status.OPTIMAL)
        assert found.certificate.claim <= 1e-9
        assert found.iterations == answer.iterations
        assert found.timings == {"compile": task.compile_seconds, "solve": answer.seconds}


def test_multipliers_have_the_shapes_of_their_constraints():
    x = cp.Variable(2, name="x", nonneg=True)
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), [x[0] + 2 * x[1] >= 2, x <= 5])
    task = prepare(problem, Strategy(lx.Solver("HIGHS")), {})
    found = certify_answer(task, "only", Direct().run(task), {})
    assert found.duals[0] == pytest.approx(0.5)
    assert found.duals[1] == pytest.approx([0.0, 0.0])
    assert np.shape(found.duals[0]) == ()


@pytest.mark.parametrize(("gap", "fault"), [(None, Fault.GAP), (0.05, Fault.GAP), (0.2, None)])
def test_a_gap_is_accepted_as_far_as_the_user_says(gap, fault):
    """The most of n up to 4.5 is 4; a search that knows no better bound than 4.5 is off by 0.1."""
    n = cp.Variable(name="n", integer=True)
    problem = lx.Subproblem("p", cp.Maximize(n), [2 * n <= 9])
    task = prepare(problem, Strategy(lx.Solver("HIGHS", gap=gap)), {})
    answer = Direct().run(task)
    unit = abs(answer.claimed) / 4.0
    found = certify_answer(task, "only", replace(answer, bound=-4.5 * unit), {})
    if fault is None:
        assert (found.value, found.status) == (4.0, Status.WITHIN_GAP)
        assert found.certificate.gap_tolerance == gap
        assert found.bound == pytest.approx(4.5)
    else:
        assert found.fault is fault
