"""Integer searches start from earlier points and never end worse than they are."""

from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.highs_mip import MipSearch
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Strategy, prepare
from lexiprog.deadline import Deadline
from lexiprog.solve.direct import Direct
from lexiprog.solve.integer import best_start, no_worse_than
from lexiprog.status import Status
from tests.lexiprog.solve.gate import answered, gate, values


def test_a_search_never_ends_worse_than_where_it_started():
    problem = gate(5.0)
    compiled, start = answered(problem, 1.0, 2.0, 0.0)
    _, worse = answered(problem, 0.0, 0.0, 2.0, bound=-9.0, status=Status.LIMIT)
    form = compiled.scaled
    assert no_worse_than(None, compiled, form, worse) is worse
    found = no_worse_than(start.x, compiled, form, worse)
    assert values(problem, found) == pytest.approx([1.0, 2.0, 0.0])
    assert (found.status, found.bound) == ("user_limit", -9.0)
    assert no_worse_than(worse.x, compiled, form, start) is start
    for status in (Status.LIMIT, Status.NO_POINT):
        nothing = Answer(status, seconds=2.0)
        found = no_worse_than(start.x, compiled, form, nothing)
        assert (found.status, found.seconds, found.bound) == (Status.LIMIT, 2.0, None)
        assert found.value == pytest.approx(3.2)
    lost = no_worse_than(start.x, compiled, form, Answer(Status.INFEASIBLE))
    assert (lost.status, lost.reason) == (
        Status.FAILED,
        "called infeasible, though a feasible point is known",
    )


def started(problem, *points, deadline=None):
    """The best start among points given by their leaves, a value or nothing for each."""
    compiled, _ = answered(problem, 0.0, 0.0, 2.0)
    starts = [
        {v.id: np.array(value) for v, value in zip(problem.variables, point, strict=True)
         if value is not None}
        for point in points
    ]  # fmt: skip
    task = SimpleNamespace(starts=starts, native=compiled, deadline=deadline or Deadline())
    return best_start(task, compiled.scaled)


def test_the_best_of_the_earlier_points_is_where_a_search_begins():
    """Open, the gate costs 3.2; closed, 8. Whole numbers are taken over, the rest is solved."""
    problem = gate(5.0)
    closed, opened = (0.0, 4.0, 3.0), (1.0, None, 7.0)
    for points in (
        [closed, opened],
        [opened, closed],
        [opened, opened],
        [(None, 1.0, 1.0), opened],
    ):
        assert started(problem, *points) == pytest.approx([1.0, 2.0, 0.0])
    assert started(problem, closed) == pytest.approx([0.0, 0.0, 2.0])
    assert started(problem, closed, (2.0, 0.0, 0.0)) == pytest.approx([0.0, 0.0, 2.0])
    assert started(problem) is started(problem, (None, 1.0, 1.0)) is None


def test_without_time_the_first_point_there_is_will_do():
    over = Deadline(seconds=0.0)
    problem = gate(5.0)
    closed, opened = (0.0, 0.0, 2.0), (1.0, 2.0, 0.0)
    assert started(problem, (2.0, 0.0, 0.0), closed, opened, deadline=over) == pytest.approx(
        [0, 0, 2]
    )


def test_the_next_search_starts_where_that_of_the_last_solve_ended(monkeypatch):
    """The most of 5a + 4b over 6a + 4b <= 24 and a + 2b <= 6 in whole numbers is 20, at (4, 0)."""
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 9])
    rows = [6 * n[0] + 4 * n[1] <= 24, n[0] + 2 * n[1] <= 6]
    problem = lx.Subproblem("n", cp.Maximize(5 * n[0] + 4 * n[1]), rows)
    task = prepare(problem, Strategy(lx.Solver("HIGHS")), {})
    backend, starts = Direct(starts={}), []
    answer = backend.run(task)
    assert answer.value == pytest.approx(20.0)
    backend.accepted(task, answer)

    def search(form, options, start, deadline, *, on_face):
        starts.append(start)
        return MipSearch("kSolveError", None, None)

    monkeypatch.setattr("lexiprog.solve.direct.solve_mip", search)
    backend.accepted(task, replace(answer, x=None))  # nothing found, nothing forgotten
    for kept in (answer.x, np.zeros(3), np.full(2, 9.0)):  # of another problem; beyond its rows
        backend.starts["n"] = kept
        backend.run(task)
    assert starts[0] == pytest.approx(answer.x)
    assert starts[1:] == [None, None]
