"""Sweeps, fronts, trade-offs and comparisons on an executor: the same as without one."""

from concurrent.futures import ThreadPoolExecutor

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def levels(integer=False, curved=False):
    x = cp.Variable(2, nonneg=True, integer=integer, name="x")
    second = cp.Minimize(cp.sum_squares(x - 3)) if curved else cp.Maximize(x[1])
    rows = [2 * x[0] + x[1] <= 6, 0.5 * x[0] + x[1] <= 3]
    return {"first": cp.Maximize(x[0]), "second": second}, rows


@pytest.mark.parametrize("curved", [False, True])
def test_a_tradeoff_is_shared_out(pool, curved):
    objectives, rows = levels(curved=curved)
    program = lx.preemptive(objectives, rows)
    steps = [0.0, 0.25, 0.5, 1.0, 1.5]
    there = lx.Elsewhere(pool)
    sent = lx.tradeoff(program, "first", steps, executor=there)
    here = lx.tradeoff(program, "first", steps)
    assert there.tasks >= len(steps)
    assert sent.values["second"] == pytest.approx(here.values["second"], abs=1e-6)
    whole = lx.tradeoff(program, "first", executor=there)
    assert whole.values["second"][0] == pytest.approx(here.values["second"][0], abs=1e-5)


@pytest.mark.parametrize("kind", ["linear", "integer", "curved"])
def test_a_front_is_found_elsewhere(pool, kind):
    objectives, rows = levels(integer=kind == "integer", curved=kind == "curved")
    there = lx.Elsewhere(pool)
    sent = lx.frontier(objectives, rows, executor=there)
    here = lx.frontier(objectives, rows)
    assert there.tasks
    assert sent.points == pytest.approx(here.points, abs=1e-6)
    assert sent.complete == here.complete


def test_three_linear_objectives(pool):
    x = cp.Variable(3, nonneg=True, name="x")
    objectives = {name: cp.Maximize(x[k]) for k, name in enumerate("abc")}
    there = lx.Elsewhere(pool)
    sent = lx.frontier(objectives, [cp.sum(x) <= 1], executor=there)
    here = lx.frontier(objectives, [cp.sum(x) <= 1])
    assert sent.complete
    assert np.asarray(sent.points) == pytest.approx(np.asarray(here.points), abs=1e-6)


def test_solvers_are_compared_elsewhere(pool):
    objectives, rows = levels()
    there = lx.Elsewhere(pool)
    table = lx.compare_solvers(
        lx.preemptive(objectives, rows), ["HIGHS", "CLARABEL", "ECOS", "NOSUCH"], executor=there
    )
    assert there.tasks >= 6
    values = {row.choice: row.value for row in table.rows if row.subproblem == "first"}
    assert [values[name] for name in ("HIGHS", "CLARABEL", "ECOS")] == pytest.approx([3, 3, 3])
    assert {row.choice for row in table.failures} == {"NOSUCH"}
