"""Ctrl-C and the listener stop a search at once; what it had is kept and gone on from."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.solve.integer_chains import hard_knapsack, medium_cover

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")


def interrupted_after(seconds, program):
    """The error of a solve that is interrupted, and how long it took to stop; None if too late."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        program.solve()
    except lx.Interrupted as error:
        return error, time.perf_counter() - sent[0]
    finally:
        timer.cancel()
    return None, 0.0


@pytest.mark.parametrize("seconds", [0.6, 1.4])
def test_a_search_without_limit_is_stopped_soon_and_its_incumbent_kept(seconds):
    error, late = interrupted_after(seconds, hard_knapsack())
    assert error is not None
    assert late < 2.0  # a half in peace; other tests run at the same time
    incumbent = error.partial["level 0"]
    assert incumbent.status == "unfinished"
    assert incumbent.value <= incumbent.bound


def test_ctrl_c_that_another_thread_receives_stops_a_search_as_well():
    """The system may hand a signal to any thread; the one that waits is then not woken by it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    begun = time.perf_counter()
    timer = threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()  # with the mask of before, so that it receives what it sends
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with pytest.raises(lx.Interrupted):
            hard_knapsack().solve(time_limit=20)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        timer.cancel()
    assert time.perf_counter() - begun < 10.0


def check_resumption(seed):
    rng = np.random.default_rng(seed)
    program = medium_cover(seed)
    begun = time.perf_counter()
    truth = [s.value for s in program.solve().values()]
    seconds = time.perf_counter() - begun
    error, late = interrupted_after(float(rng.uniform(0.05, 0.9)) * seconds, medium_cover(seed))
    if error is None:
        return 0.0
    again = medium_cover(seed)
    found = [s.value for s in again.solve(resume=error.partial).values()]
    assert found == pytest.approx(truth, abs=1e-6)
    return late


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_interrupted_chain_resumes_to_the_same_values(seed):
    assert check_resumption(seed) < 3.0


@pytest.mark.nightly
def test_sixty_interruptions_stop_within_a_second_and_resume_to_the_same_values():
    assert max(check_resumption(seed) for seed in range(60)) < 1.0


def test_the_listener_hears_of_every_level_and_may_be_content():
    heard = []

    def content(record):
        heard.append(record)
        return record.gap is not None and record.gap < 0.5

    result = hard_knapsack().solve(on_progress=content)
    assert {record.subproblem for record in heard} == {"level 0", "level 1"}
    for name, found in result.items():
        last = [record for record in heard if record.subproblem == name][-1]
        assert last.finished
        assert last.incumbent == found.value
        assert found.status in ("within_gap", "optimal")
    assert result["level 0"].status == "within_gap"
    assert result["level 0"].bound > result["level 0"].value


def test_a_listener_that_fails_stops_the_solve():
    def fail(record):
        raise ZeroDivisionError

    begun = time.perf_counter()
    with pytest.raises(ZeroDivisionError):
        hard_knapsack().solve(on_progress=fail)
    assert time.perf_counter() - begun < 10


def test_the_bar_shows_incumbent_bound_and_gap(capsys):
    hard_knapsack(levels=1).solve(progress=True, time_limit=1.5)
    shown = capsys.readouterr().err
    assert "level 0: " in shown
    assert ", bound " in shown
    assert ", gap " in shown
