"""Whoever solves elsewhere takes the watch of the task along, so that it can be stopped there."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.highs import HighsModel
from lexiprog.compile.task import Strategy, prepare
from lexiprog.deadline import Deadline
from lexiprog.fairness.backend import FairHighs
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Direct, on_its_rows, solve_stoppable
from lexiprog.solve.warm_start import WarmHighs


class Recorder:
    """Calls at once, and notes on whose watch."""

    trusted, gave_up = True, ""

    def __init__(self):
        self.watches = []

    def call(self, function, *arguments, deadline=None):
        self.watches.append(deadline)
        return function(*arguments)


def linear():
    x = cp.Variable(2, name="x", nonneg=True)
    return lx.Subproblem("x", cp.Minimize(x[0] + 2 * x[1]), [cp.sum(x) >= 3, x[0] <= 2])


def whole():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 9])
    return lx.Subproblem("n", cp.Maximize(n[0] + n[1]), [2 * n[0] + 2 * n[1] <= 9])


def shares(integer=False):
    x = cp.Variable(2, name="x", integer=integer, bounds=[0, 3])
    return lx.leximin([x[0], x[1]], [cp.sum(x) <= 4])["leximin"]


def refined(task):
    return on_its_rows(task, task.native.scaled, Direct().run(task))


RUNS = {
    "long": (linear, lambda task: solve_stoppable(task, task.native.scaled), 4.0),
    "refined": (linear, lambda task: refined(task), 4.0),
    "warm": (linear, lambda task: WarmHighs().run(task), 4.0),
    "whole": (whole, lambda task: Direct().run(task), 4.0),
    "from the last point": (whole, lambda task: Direct(starts={}).run(task), 4.0),
    "shares": (shares, lambda task: FairHighs().run(task), 2.0),
    "whole shares": (lambda: shares(integer=True), lambda task: FairHighs().run(task), 2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_the_watch_goes_along(name):
    problem, run, value = RUNS[name]
    deadline = Deadline(executor=Recorder())
    strategy = Strategy(lx.Solver("HIGHS"), refined=name == "refined")
    task = prepare(problem(), strategy, {}, deadline=deadline)
    answer = run(task)
    found = answer.value if answer.leximin is None else answer.leximin.levels[0][0]
    assert found == pytest.approx(value)
    assert deadline.executor.watches
    assert all(one is deadline for one in deadline.executor.watches)


def test_the_watch_goes_along_to_every_face():
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [cp.norm(x) <= 1])
    solved = program.solve()
    backend, deadline = ConicFace(), Deadline(executor=Recorder())
    strategy = Strategy(lx.Solver("CLARABEL"), "face")
    task = prepare(program["up"], strategy, solved, compiler=backend.compile, deadline=deadline)
    answer = backend.run(task)
    assert np.abs(answer.primal[x.id]) == pytest.approx([1.0, 0.0], abs=1e-6)
    assert len(deadline.executor.watches) == 3
    assert all(one is deadline for one in deadline.executor.watches)


def test_whatever_is_solved_for_more_digits_is_solved_elsewhere_too(monkeypatch):
    """As many runs as there were calls: none was done here."""
    runs, run = [], HighsModel.run

    def counted(self, *given, **terms):
        runs.append(1)
        return run(self, *given, **terms)

    deadline = Deadline(executor=Recorder())
    task = prepare(linear(), Strategy(lx.Solver("HIGHS"), refined=True), {}, deadline=deadline)
    answer = Direct().run(task)
    deadline.executor.watches.clear()
    monkeypatch.setattr(HighsModel, "run", counted)
    on_its_rows(task, task.native.scaled, answer)
    assert len(runs) == len(deadline.executor.watches) > 1
