"""Integer searches start from earlier points and never end worse than they are."""

from types import SimpleNamespace

import numpy as np
import pytest

from lexiprog.compile.answer import Answer
from lexiprog.deadline import Deadline
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
    assert (lost.status, lost.said) == (
        Status.FAILED,
        "infeasible, though a feasible point is known",
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
