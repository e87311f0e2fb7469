"""Solves that executors run: the same optima, retried when lost, believed when certified."""

import pickle
import pickletools
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from lexiprog.backends.remote import serialised
from tests.lexiprog.backends.errands import AtOnce, dies, halved, many, mixed


def test_every_kind_of_problem_has_the_optimum_that_it_has_here():
    program = mixed()
    here = program.solve()
    with ThreadPoolExecutor(2) as pool:
        there = lx.Elsewhere(pool)
        sent = program.solve(executor=there)
    for name, solution in here.items():
        assert sent[name].value == solution.value
        assert sent[name].solver == solution.solver
        assert sent[name].certificate.proved
    assert there.tasks == 5
    assert sum(there.answered.values()) == 5
    assert "5 tasks" in repr(there)


def test_chains_of_held_optima_and_fair_shares_are_solved_elsewhere_too():
    x = cp.Variable(3, nonneg=True, name="x")
    k = cp.Variable(3, integer=True, name="k")
    rows, whole = [cp.sum(x) <= 6, x[0] + 2 * x[1] <= 4], [cp.sum(k) <= 5, k >= 0, k <= 3]
    programs = [
        lx.preemptive({"a": cp.Maximize(x[0] + x[1]), "b": cp.Maximize(x[2])}, rows),
        lx.preemptive({"a": cp.Maximize(k[0] + k[1]), "b": cp.Maximize(k[2])}, whole),
        lx.preemptive({"a": cp.Minimize(cp.sum_squares(x - 1)), "b": cp.Maximize(x[2])}, rows),
        lx.leximin([x[0], x[1], x[2]], rows),
    ]
    for program in programs:
        here, there = program.solve(), lx.Elsewhere(AtOnce())
        sent = program.solve(executor=there)
        assert there.tasks
        for name, solution in here.items():
            assert sent[name].value == pytest.approx(solution.value, abs=1e-7)


def test_numbers_travel_and_nothing_that_was_declared():
    program, executor = mixed(), AtOnce()
    there = lx.Elsewhere(executor)
    program.solve(executor=there)
    assert there.sent == sum(map(len, executor.serialised))
    for task in executor.serialised:
        words = {str(value) for _, value, _ in pickletools.genops(task) if value is not None}
        assert not {word for word in words if "Variable" in word or "cvxpy.problems" in word}
    with pytest.raises(TypeError, match="Variable objects do not travel"):
        serialised(print, (cp.Variable(),))
    with pytest.raises(TypeError, match="do not travel"):
        serialised(print, ([cp.Variable() >= 0],))


def test_a_parcel_is_little_more_than_its_numbers():
    rng = np.random.default_rng(0)
    A = rng.uniform(size=(100, 200))
    x = cp.Variable(200, nonneg=True)
    program = lx.preemptive({"cost": cp.Minimize(cp.sum(x))}, [A @ x >= 1])
    there = lx.Elsewhere(AtOnce())
    program.solve(executor=there)
    numbers = A.size * 12 + 8 * (200 * 3 + 100)  # entries with their rows, costs and limits
    assert there.sent < 1.1 * numbers + 2_000


def test_a_lying_worker_is_caught():
    program, facts = many(1)
    A, b, c = facts[0]
    there = lx.Elsewhere(AtOnce(halved))
    with pytest.raises(lx.StageError) as caught:
        program.solve("HIGHS", executor=there)
    assert caught.value.attempts
    assert all(attempt.solver == "HIGHS" for attempt in caught.value.attempts)
    truth = linprog(c, -A, -b).fun
    assert program.solve(executor=AtOnce())["lp0"].value == pytest.approx(truth)


def test_nonsense_from_a_worker_is_a_failed_try():
    program, _ = many(1)
    with pytest.raises(lx.StageError, match="HIGHS: solver_error"):
        program.solve("HIGHS", executor=AtOnce(lambda reply: replace(reply, value="what?")))


def test_what_is_lost_is_sent_again_and_then_given_up():
    program, _ = many(1)
    there = lx.Elsewhere(AtOnce(lose=[OSError("cable cut")] * 2))
    assert program.solve(executor=there)["lp0"].value == program.solve()["lp0"].value
    assert (there.tasks, there.lost) == (3, 2)
    there = lx.Elsewhere(AtOnce(lose=[OSError("cable cut")] * 6), retries=2)  # HIGHS twice
    assert program.solve(["HIGHS", "CLARABEL"], executor=there)["lp0"].solver == "CLARABEL"
    gone = lx.Elsewhere(AtOnce(lose=[OSError("cable cut")] * 99), retries=0)
    with pytest.raises(lx.StageError, match="sent 1 times without an answer; last OSError: cable"):
        program.solve("HIGHS", executor=gone)


def test_a_pool_whose_process_dies_is_named():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = lx.Elsewhere(pool, retries=1)
        with pytest.raises(RuntimeError, match="last BrokenProcessPool"):
            there.call(dies)
    assert there.lost == 2


def test_what_a_function_raises_there_is_raised_here():
    there = lx.Elsewhere(AtOnce())
    with pytest.raises(ZeroDivisionError):
        there.call(divmod, 1, 0)
    assert there.lost == 0


def test_other_versions_are_told_once():
    def older(reply):
        return replace(reply, worker="far:1", versions={**reply.versions, "highspy": "1.0.1"})

    program, _ = many(3)
    with pytest.warns(lx.LexiprogWarning, match=r"far:1 has highspy 1\.0\.1 where") as told:
        program.solve(executor=AtOnce(older))
    assert len(told) == 1


@pytest.mark.parametrize(("executor", "retries"), [(3, 2), (None, 2), (AtOnce(), -1)])
def test_what_cannot_send_is_refused(executor, retries):
    with pytest.raises((TypeError, ValueError), match=r"executor takes|retries must"):
        lx.Elsewhere(executor, retries=retries)
    with pytest.raises(ValueError, match="wait_for_workers must be a number of at least 0"):
        lx.Elsewhere(AtOnce(), wait_for_workers=-1)


def test_programs_of_a_function_are_built_again_there_with_their_values():
    program = lx.Program.from_function(mixed, 3)
    copy = pickle.loads(pickle.dumps(program))
    assert copy.solve()["even"].value == pytest.approx(program.solve()["even"].value, abs=1e-9)
    with_parameter = lx.Program.from_function(least)
    next(iter(with_parameter["low"].parameters)).value = 5.0
    assert pickle.loads(pickle.dumps(with_parameter)).solve()["low"].value == 5.0
    with pytest.raises(TypeError, match="from_function"):
        pickle.dumps(mixed())


def least():
    """A program with a parameter."""
    x, p = cp.Variable(name="x"), cp.Parameter(name="p", value=1.0)
    return lx.preemptive({"low": cp.Minimize(x)}, [x >= p])


def test_an_integer_level_keeps_its_time_limit_elsewhere():
    rng = np.random.default_rng(0)
    k = cp.Variable(500, boolean=True, name="k")
    values = rng.integers(10, 99, (40, 500)).astype(float)
    rows = [values @ k <= values.sum(axis=1) / 2]
    program = lx.preemptive({"most": cp.Maximize(rng.integers(10, 99, 500) @ k)}, rows)
    with ThreadPoolExecutor(1) as pool, pytest.warns(lx.LexiprogWarning, match="was stopped"):
        result = program.solve(executor=pool, time_limit=1.5)
    assert result["most"].status == "within_gap"
    assert result["most"].bound >= result["most"].value
