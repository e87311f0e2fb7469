"""Problems of one stage side by side, and who hears of them meanwhile."""

import os
import threading
from concurrent.futures import Future
from contextlib import nullcontext
from types import SimpleNamespace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog import deadline
from lexiprog.solve import driver as hierarchy


def side_by_side(count=3):
    problems = []
    for k in range(count):
        n = cp.Variable(name=f"n{k}", integer=True, bounds=[0, 9])
        problems.append(lx.Subproblem(f"p{k}", cp.Maximize(n), [2 * n <= 2 * k + 3]))
    return lx.Program(lx.Stage("all", *problems))


def met(monkeypatch, together, seconds, count=3, **terms):
    """Whether so many solves are under way at the same time, if one waits so long."""
    barrier, shielded = threading.Barrier(together), hierarchy.shielded

    def meeting(backend, task):
        barrier.wait(timeout=seconds)
        return shielded(backend, task)

    monkeypatch.setattr(hierarchy, "shielded", meeting)
    try:
        found = side_by_side(count).solve(**terms)
    except lx.StageError:
        return False
    assert [s.value for s in found.values()] == pytest.approx([1, 2, 3][:count])
    return True


@pytest.mark.parametrize(("cores", "workers", "together"), [(1, 3, 3), (3, None, 3), (8, None, 3)])
def test_as_many_run_at_once_as_are_asked_for_or_as_there_are_cores(
    monkeypatch, cores, workers, together
):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert met(monkeypatch, together, 20.0, workers=workers)


@pytest.mark.parametrize(
    ("cores", "workers", "together", "count"),
    [(2, None, 3, 3), (8, 2, 3, 3), (None, None, 2, 2), (1, None, 2, 2)],
)
def test_and_no_more(monkeypatch, cores, workers, together, count):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert not met(monkeypatch, together, 0.3, count, workers=workers)


def test_whoever_waits_hears_how_all_that_run_are_going(monkeypatch):
    monkeypatch.setattr(deadline, "PULSE", 0.01)
    told, jobs = [], [SimpleNamespace(stage=k, task=k, future=Future()) for k in range(2)]

    def tell(stage, task):
        told.append(stage)
        if len(told) == 6:
            jobs[0].future.set_result(None)

    run = SimpleNamespace(running=jobs, deadlines=SimpleNamespace(tell=tell))
    watch = deadline.Deadline()
    watch.wait_on(jobs[0].future, lambda: hierarchy._Run._tell(run))
    assert told == [0, 1, 0, 1, 0, 1]
    watch.wait_on(jobs[0].future, lambda: hierarchy._Run._tell(run))  # done already
    assert len(told) == 6


def test_only_what_runs_is_asked_to_stop():
    stopped = []
    jobs = []
    for k in range(3):
        deadline = SimpleNamespace(cancel=lambda k=k: stopped.append(k))
        jobs.append(SimpleNamespace(task=SimpleNamespace(deadline=deadline), future=Future()))
    jobs[1].future.set_result(None)
    hierarchy._Run.stop(SimpleNamespace(running=jobs))
    assert stopped == [0, 2]


@pytest.mark.parametrize(("solver", "doubted"), [("HIGHS", True), ("EXACT", False)])
def test_faces_are_doubted_if_floats_found_them_and_not_if_fractions_did(
    solver, doubted, monkeypatch
):
    pytest.importorskip("flint")
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [x[0] + 2 * x[1] <= 8])
    whole = program.solve(solver)
    monkeypatch.setattr("lexiprog.solve.strategies.has_exact", lambda: False)
    monkeypatch.setattr(hierarchy.Backends, "ambiguous", lambda *_: ["a"])
    with pytest.warns(lx.LexiprogWarning, match="which points") if doubted else nullcontext():
        found = program.solve(solver, resume=lx.Result(whole.stages, {"a": whole["a"]}))["b"]
    assert found.value == pytest.approx(2.0)
    assert (found.status == "optimal") is not doubted
