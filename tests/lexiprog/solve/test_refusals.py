"""What each runner says where it cannot go on, rather than an answer that is none."""

from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Strategy, prepare
from lexiprog.fairness.any_solver import fairness_of
from lexiprog.fairness.backend import FairHighs, FairLotteries
from lexiprog.solve import conic_face as curved_face
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Custom
from lexiprog.solve.exact import Exact, ExactResolve
from lexiprog.status import Status


@pytest.fixture
def least():
    x = cp.Variable(name="x")
    return lx.Subproblem("least", cp.Minimize(x), [3 * x >= 1])


def exact_task(problem, **options):
    return prepare(problem, Strategy(lx.Solver("EXACT", **options)), {}, compiler=Exact().compile)


def test_an_object_without_solve_is_no_solver(least):
    task = SimpleNamespace(subproblem=least, solver=SimpleNamespace(target="nobody"))
    with pytest.raises(TypeError, match="'nobody' has no method solve"):
        Custom().run(task)


def test_who_has_one_objective_has_no_fair_shares(least):
    task = SimpleNamespace(subproblem=least)
    for run in (FairHighs().run, fairness_of):
        with pytest.raises(TypeError, match="'least' has one objective only"):
            run(task)
    with pytest.raises(TypeError, match="'least' has no oracle"):
        FairLotteries().run(task)
    lottery = lx.leximin([0, 0], pricing=lambda prices: ([[1.0, 1.0]], prices.sum()))["leximin"]
    task = SimpleNamespace(subproblem=lottery, solver=SimpleNamespace(target="SCS"))
    assert "on HIGHS only" in FairLotteries().run(task).reason


def test_numbers_are_read_in_known_ways_only(least):
    answer = Exact().run(exact_task(least))
    assert str(answer.exact.value) == "1/3"
    with pytest.raises(ValueError, match="read_as is one of"):
        Exact().run(exact_task(least, read_as="roman"))


def test_without_time_nothing_is_read(least):
    task = replace(exact_task(least), deadline=SimpleNamespace(over=True))
    answer = Exact().run(task)
    assert (answer.status, answer.said, answer.exact) == (Status.NO_POINT, "time_limit", None)


@pytest.mark.parametrize(
    ("rows", "status"),
    [(lambda x: [x >= 2, x <= 1], Status.INFEASIBLE), (lambda x: [x <= 1], Status.UNBOUNDED)],
)
def test_fractions_say_why_there_is_no_optimum(rows, status):
    x = cp.Variable(name="x")
    problem = lx.Subproblem("p", cp.Minimize(x), rows(x))
    answer = Exact().run(exact_task(problem))
    assert (answer.status, answer.exact, answer.x) == (status, None, None)
    assert answer.seconds > 0.0


def test_a_held_optimum_that_fractions_do_not_find_is_an_error(least, monkeypatch):
    (x,) = least.variables
    second = lx.Subproblem("second", cp.Maximize(x), [x <= 9, least.held()])
    solved = dict(lx.Program(lx.Stage("1", least)).solve("HIGHS"))
    backend, strategy = ExactResolve(), Strategy(lx.Solver("EXACT"))
    task = prepare(second, strategy, solved, compiler=backend.compile)
    answer = backend.run(task)
    assert str(answer.exact.value) == "1/3"
    assert answer.held.effects == {"least": 0.0}
    monkeypatch.setattr(Exact, "run", lambda *_: Answer(Status.NO_POINT))
    assert backend.run(task).held.effects == {}
    with pytest.raises(ArithmeticError, match="'least' has no exact optimum"):
        prepare(second, strategy, solved, compiler=ExactResolve().compile)


@pytest.fixture
def disk():
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [cp.norm(x) <= 1])
    solved = {"right": program.solve()["right"]}
    backend, strategy = ConicFace(), Strategy(lx.Solver("CLARABEL"), "face")
    return backend, prepare(program["up"], strategy, solved, compiler=backend.compile)


@pytest.mark.parametrize(
    ("call", "said"),
    [(1, "no point near the locks"), (2, "no least value of the lock on 'right'"),
     (3, "no optimum on the optimal face")],
)  # fmt: skip
def test_a_curved_face_says_which_solve_failed(disk, call, said, monkeypatch):
    backend, task = disk
    calls, solve = [], curved_face.solve_conic

    def failing(*terms):
        calls.append(terms)
        return None if len(calls) >= call else solve(*terms)

    monkeypatch.setattr(curved_face, "solve_conic", failing)
    answer = backend.run(task)
    assert (answer.status, answer.reason, answer.x) == (Status.FAILED, said, None)
    assert len(calls) == (4 if call == 3 else call)  # the last is tried in two ways


def test_a_curved_face_that_is_not_clear_or_of_several_rows_is_refused(disk, monkeypatch):
    backend, task = disk
    monkeypatch.setattr(curved_face, "exposed", lambda *_: None)
    assert backend.run(task).reason == "the optimal face of 'right' is not clear"
    backend.rows["up"] = None
    assert backend.run(task).reason == "a lock is not one row"


def test_a_point_without_a_claim_is_worth_what_the_objective_says(least):
    (x,) = least.variables

    class Silent:
        def solve(self, problem):
            x.save_value(np.array(2.0))

    task = prepare(least, Strategy(lx.Solver(Silent())), {}, compiler=Custom().compile)
    answer = Custom().run(task)
    assert (answer.value, answer.claimed, answer.status) == (2.0, 2.0, Status.OPTIMAL)
    assert answer.primal[x.id] == 2.0

    class Lost:
        def solve(self, problem):
            """Find nothing."""

    task = prepare(least, Strategy(lx.Solver(Lost())), {}, compiler=Custom().compile)
    x.save_value(np.array(7.0))  # what was there before is no answer
    answer = Custom().run(task)
    assert (answer.status, dict(answer.primal)) == (Status.NO_ANSWER, {})
