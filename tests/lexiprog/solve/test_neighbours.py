"""Integers from a neighbour's point: what is not proved is not called optimal."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.highs_mip import MipSearch
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve.warm_start import Neighbours
from lexiprog.status import Status


def knapsack():
    """The most of 5a + 4b over 6a + 4b <= 24 and a + 2b <= 6 in whole numbers is 20, at (4, 0)."""
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 9])
    rows = [6 * n[0] + 4 * n[1] <= 24, n[0] + 2 * n[1] <= 6]
    problem = lx.Subproblem("n", cp.Maximize(5 * n[0] + 4 * n[1]), rows)
    return prepare(problem, Strategy(lx.Solver("HIGHS")), {}), n


@pytest.mark.parametrize("found", [MipSearch("kTimeLimit", np.zeros(2), None),
                                   MipSearch("kTimeLimit", None, None)])  # fmt: skip
def test_a_search_that_was_stopped_is_begun_in_the_usual_way(monkeypatch, found):
    monkeypatch.setattr("lexiprog.solve.warm_start.solve_mip", lambda *_: found)
    task, n = knapsack()
    answer = Neighbours().run(task)
    assert (answer.value, answer.status) == (pytest.approx(20.0), Status.OPTIMAL)
    assert answer.primal[n.id] == pytest.approx([4, 0])


def test_the_next_search_starts_where_the_last_ended(monkeypatch):
    task, _ = knapsack()
    backend, starts = Neighbours(), []
    answer = backend.run(task)
    assert answer.value == pytest.approx(20.0)
    backend.accepted(task, answer)

    def search(form, options, start, deadline):
        starts.append(start)
        return MipSearch("kSolveError", None, None)

    monkeypatch.setattr("lexiprog.solve.warm_start.solve_mip", search)
    backend.run(task)
    assert starts[0] == pytest.approx(answer.x)
    backend.accepted(task, replace(answer, x=None))  # nothing found, nothing forgotten
    backend.run(task)
    assert starts[1] == pytest.approx(answer.x)
    backend.starts["n"] = np.zeros(3)  # of another problem
    backend.run(task)
    assert starts[2] is None
