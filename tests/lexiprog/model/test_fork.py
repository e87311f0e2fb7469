"""A process forked while other threads solve can solve too."""

import functools
import multiprocessing
import os
import sys
import threading
import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.model import expressions as fork
from lexiprog.model.expressions import ForkSafeLock
from lexiprog.typing import cached_property

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks"),
    # Python 3.12 warns of what is tested here.
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

PATIENCE = 60


def make():
    x = cp.Variable(3, nonneg=True, name="x")
    k = cp.Variable(2, integer=True, name="k")
    levels = {"a": cp.Minimize(cp.sum(x) + cp.sum(k)), "b": cp.Maximize(x[1])}
    return lx.preemptive(levels, [x[0] + x[1] >= 2, x <= 9, k >= 0.5])


def in_child(action, patience=PATIENCE):
    """What a forked process puts into a queue, or None if it hangs."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(action()))
    child.start()
    child.join(patience)
    if child.is_alive():
        child.kill()
        return None
    return queue.get() if child.exitcode == 0 else f"exit {child.exitcode}"


def test_children_forked_while_threads_solve_find_the_optimum():
    program, own = make(), make()
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            program.solve()

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(4):
            # Both a program that other threads are busy with and one that they are not.
            for mine in (program, own):
                found = in_child(lambda mine=mine: [s.value for s in mine.solve().values()])
                assert found == pytest.approx([4, 2])
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_child_does_not_go_on_with_its_parent_s_warm_solvers():
    x = cp.Variable(400, nonneg=True, name="x")
    costs = np.random.default_rng(0).random((200, 400))
    program = lx.preemptive({"a": cp.Minimize(cp.sum(x))}, [costs @ x >= 1])
    expected = program.solve(warm=True)["a"].value
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            program.solve(warm=True)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(4):
            found = in_child(lambda: program.solve(warm=True)["a"].value)
            assert found == pytest.approx(expected)
    finally:
        stop.set()
        thread.join()


def test_a_fork_waits_until_nobody_is_in_the_middle_of_something():
    lock, state = ForkSafeLock(), {"half": False}
    entered = threading.Event()

    def work():
        with lock:
            state["half"] = True
            entered.set()
            time.sleep(0.3)
            state["half"] = False

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait()
    assert in_child(lambda: state["half"]) is False
    thread.join()


def free(lock, within=5.0):
    """Whether another thread gets the lock."""
    got = threading.Event()

    def enter():
        with lock:
            got.set()

    threading.Thread(target=enter, daemon=True).start()
    return got.wait(within)


def test_a_lock_that_is_not_released_in_time_is_free_in_the_child_only(monkeypatch):
    monkeypatch.setattr(fork, "SECONDS", 0.05)
    lock, done, entered = ForkSafeLock(), threading.Event(), threading.Event()

    def work():
        with lock:
            entered.set()
            done.wait()

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait()
    assert in_child(lambda: free(lock)) is True
    done.set()
    thread.join()
    assert free(lock)


def test_a_fork_inside_the_lock_leaves_it_held_in_parent_and_child():
    lock = ForkSafeLock()
    with lock:
        assert in_child(lambda: free(lock, within=0.5)) is False
        assert not free(lock, within=0.5)
    assert free(lock)


class Slow:
    """Something that takes its time to find out."""

    def __init__(self, found):
        self.found = found

    @cached_property
    def value(self):
        return self.found()


def test_a_child_forked_while_a_property_is_found_can_find_it_of_others():
    begun, go_on = threading.Event(), threading.Event()

    def found():
        begun.set()
        go_on.wait(30)
        return 1

    thread = threading.Thread(target=lambda: Slow(found).value)
    thread.start()
    begun.wait()
    try:
        assert in_child(lambda: Slow(lambda: 2).value, patience=5) == 2
    finally:
        go_on.set()
        thread.join()


def test_every_cached_property_is_ours():
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "lexiprog":
            continue
        for kind in vars(module).values():
            for part in vars(kind).values() if isinstance(kind, type) else ():
                if isinstance(part, functools.cached_property) and kind.__module__ == name:
                    assert type(part) is cached_property, (name, kind)
