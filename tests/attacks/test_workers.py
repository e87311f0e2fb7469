"""Workers that lie, send code, leave or are left: told within seconds, never believed."""

import os
import pickle
import threading
import time
import warnings
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.remote import Reply, read_reply
from tests.attacks.tally import Tally
from tests.cluster import NOISE
from tests.lexiprog.backends.errands import AtOnce, many


def knapsack(seed, size=12):
    rng = np.random.default_rng(seed)
    weight, worth = rng.integers(5, 30, size), rng.integers(5, 30, size)
    x = cp.Variable(size, boolean=True, name="x")
    room = int(weight.sum() // 2)
    program = lx.preemptive({"worth": cp.Maximize(worth @ x)}, [weight @ x <= room])
    best = [0] * (room + 1)  # by dynamic programming
    for w, v in zip(weight, worth, strict=True):
        for left in range(room, w - 1, -1):
            best[left] = max(best[left], best[left - w] + int(v))
    return program, max(best)


def worse(reply):
    """An integer search that calls a poor point the best, with a bound to match."""
    found = reply.value
    x = np.zeros_like(found.x)
    return replace(reply, value=replace(found, x=x, bound=0.0, said="kOptimal"))


def none_at_all(reply):
    return replace(reply, value=replace(reply.value, x=None, bound=None, said="kInfeasible"))


def test_a_word_that_cannot_be_checked_in_time_is_not_called_optimal():
    """A multidimensional knapsack that takes much longer than a second."""
    rng = np.random.default_rng(5)
    weight = rng.integers(5, 1000, (8, 200))
    x = cp.Variable(200, boolean=True, name="x")
    rows = [weight @ x <= weight.sum(axis=1) // 2]
    program = lx.preemptive({"worth": cp.Maximize(rng.integers(5, 1000, 200) @ x)}, rows)

    def quick(reply):
        return worse(replace(reply, value=replace(reply.value, x=np.zeros(200))))

    there = AtOnce(quick)
    there.submit = answering_at_once(there.submit, quick)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lx.LexiprogWarning)
        solution = program.solve(executor=there, time_limit=20)["worth"]
    assert solution.status != "optimal"


def answering_at_once(submit, change):
    """A worker that never searches: it answers with zeros."""
    from lexiprog.backends.highs_mip import MipSearch

    def reply(*_):
        found = Reply(MipSearch("kOptimal", np.zeros(200), 0.0), None, "far:1", {})
        future = Future()
        future.set_result(pickle.dumps(change(found)))
        return future

    return reply


def test_trusted_workers_are_believed_and_python_s_own_pools_are_trusted():
    program, truth = knapsack(1)
    with ThreadPoolExecutor(1) as pool:
        there = lx.Elsewhere(pool)
        assert there.trusted
        assert program.solve(executor=there)["worth"].value == truth
    assert not lx.Elsewhere(AtOnce()).trusted
    assert lx.Elsewhere(AtOnce(), trusted=True).trusted


class Runs:
    """What pickle would call while it reads."""

    def __init__(self, function, *arguments):
        self.parts = function, arguments

    def __reduce__(self):
        return self.parts


def codes():
    """Things that a reply must not hold."""
    from functools import partial

    from lexiprog.backends.remote import run_task
    from lexiprog.results.files import replace_file

    yield Runs(os.system, "touch /tmp/lexiprog_was_here")
    yield Runs(eval, "1 + 1")
    yield Runs(exec, "pass")
    yield Runs(getattr, np.ndarray, "tofile")
    yield Runs(partial, print)
    yield Runs(replace_file, "/tmp/lexiprog_was_here", "x")
    yield Runs(run_task, pickle.dumps((print, ("?",))))
    yield Runs(np.load, "/tmp/lexiprog_was_here.npy")
    yield Runs(open, "/tmp/lexiprog_was_here", "w")
    yield Runs(SystemExit, 3)
    yield threading.Thread
    yield lx.Result.load


@pytest.mark.parametrize("code", list(codes()), ids=[str(k) for k, _ in enumerate(codes())])
def test_a_reply_that_would_run_something_is_refused(code):
    answer = pickle.dumps(Reply(value=[1.0, code]))
    with pytest.raises(pickle.UnpicklingError, match="which is neither a number nor a record"):
        read_reply(answer)

    class Sends(AtOnce):
        def submit(self, *_):
            future = Future()
            future.set_result(answer)
            return future

    program, _ = many(1)
    with pytest.raises(lx.StageError, match="is not read") as caught:
        program.solve("HIGHS", executor=Sends())
    assert caught.value.partial is not None


@pytest.mark.parametrize(
    "answer",
    [
        b"\x80\x05K\x01r\xff\xff\xff\x7f.",  # the place 2,147,483,647 of a memory
        b"\x80\x05\x96" + (2**40).to_bytes(8, "little") + b"x.",  # a terabyte, it says
        pickle.dumps(Runs(set, range(10**12)), protocol=2),
        pickle.dumps(Runs(bytearray, 10**12)),
    ],
    ids=["memo", "length", "set", "zeros"],
)
def test_a_reply_that_would_fill_the_memory_is_refused(answer):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises((pickle.UnpicklingError, ValueError)):
        read_reply(answer)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


def attack_replies(count):
    """Bytes of replies are others: a failed try, or the same optimum."""
    tally = Tally("scribbled replies of workers")
    program, _ = many(1)
    truth = program.solve("HIGHS")["lp0"].value

    class Scribbles(AtOnce):
        def submit(self, function, *arguments):
            answer = bytearray(function(*arguments))
            for _ in range(tally.rng.randrange(1, 4)):
                answer[tally.rng.randrange(len(answer))] = tally.rng.randrange(256)
            future = Future()
            future.set_result(bytes(answer))
            return future

    for _ in range(count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a worker of another version, or one of another name
            try:
                value = program.solve("HIGHS", executor=Scribbles())["lp0"].value
            except lx.StageError:
                value = truth
        tally.note(abs(value - truth) <= 1e-6 * abs(truth), value)
    return tally


def attack_words(count):
    """Workers that lie about integer optima."""
    tally = Tally("workers that lie about integer optima")
    for _ in range(count):
        program, truth = knapsack(tally.rng.randrange(10**6), tally.rng.randrange(6, 20))
        lie = tally.rng.choice([worse, none_at_all])
        solution = program.solve(executor=AtOnce(lie))["worth"]
        tally.note(solution.value == truth or solution.status != "optimal", solution)
    return tally


def test_scribbled_replies_are_failed_tries_and_nothing_else():
    attack_replies(40).check()


def test_no_lie_about_an_integer_optimum_is_called_optimal():
    attack_words(8).check()


@pytest.mark.nightly
def test_many_lies_and_scribbles_of_workers():
    attack_replies(600).check()
    attack_words(60).check()


def within(seconds, call):
    """What a call raises or returns, if it comes back in time."""
    found = []

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(call())
            except BaseException as error:  # noqa: BLE001 - handed on to the test
                found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, f"no answer after {seconds} seconds"
    return found[0]


def test_a_pool_that_is_shut_down_while_it_solves_is_told_of():
    program, _ = many(4)
    busy = threading.Event()
    pool = ThreadPoolExecutor(1)
    pool.submit(busy.wait, 20)  # whatever comes now is queued
    timer = threading.Timer(0.5, pool.shutdown, kwargs={"wait": False, "cancel_futures": True})
    timer.start()
    found = within(10, lambda: program.solve(["HIGHS", "CLARABEL"], executor=pool))
    busy.set()
    timer.join()
    assert isinstance(found, lx.StageError)
    assert "shut" in str(found)
    assert found.partial is not None


def test_what_is_solved_here_because_nobody_answers_is_told():
    pytest.importorskip("flint")
    program, _ = many(1)
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.warns(lx.LexiprogWarning, match="'lp0' was solved here, by EXACT.*did not"):
        program.solve(executor=pool)


class Queues(Executor):
    """What Dask shows of itself: calls that wait for a worker, and a client that counts these."""

    def __init__(self, workers):
        self._client, self.workers, self.queued = self, workers, []
        self.status = "running"

    def nthreads(self):
        return self.workers() or {}

    def submit(self, function, *arguments):
        future = Future()

        def run():
            while not (future.cancelled() or self.workers()):
                time.sleep(0.01)
            time.sleep(0.3)
            if future.set_running_or_notify_cancel():
                future.set_result(function(*arguments))

        threading.Thread(target=run, daemon=True).start()
        return future


@pytest.mark.parametrize("said", ["has no worker", "does not answer"])
def test_a_scheduler_without_workers_is_told_of(said):
    program, _ = many(2)
    answers = threading.Event()
    client = Queues(dict if said == "has no worker" else answers.wait)
    there = lx.Elsewhere(client, retries=0, wait_for_workers=0)
    found = within(5, lambda: program.solve("HIGHS", executor=there))
    answers.set()
    assert isinstance(found, lx.StageError)
    assert said in str(found)
    assert found.partial is not None


@pytest.mark.parametrize(("late", "patience"), [(0.0, 0.1), (0.8, 5.0)])
def test_workers_that_are_busy_or_late_are_waited_for(late, patience):
    program, begun = many(2)[0], time.monotonic()
    client = Queues(lambda: {"a": 1} if time.monotonic() >= begun + late else {})
    there = lx.Elsewhere(client, wait_for_workers=patience)
    assert within(5, lambda: program.solve("HIGHS", executor=there))["lp1"].status == "optimal"
    assert there.lost == 0


def test_a_worker_that_exits_does_not_end_the_client():
    class Exits(Executor):
        def submit(self, *_):
            future = Future()
            future.set_exception(SystemExit(3))
            return future

    program, _ = many(1)
    with pytest.raises(lx.StageError, match="SystemExit"):
        program.solve("HIGHS", executor=Exits())
    with pytest.raises(RuntimeError, match="SystemExit"):
        lx.Elsewhere(AtOnce()).call(exits)


def exits():
    raise SystemExit(3)


def test_an_integer_front_is_not_sent_to_workers_whose_word_is_all():
    x = cp.Variable(3, integer=True, bounds=[0, 4], name="x")
    both = {"a": cp.Maximize(x[0] + 2 * x[1]), "b": cp.Maximize(x[2] - x[1])}
    rows = [cp.sum(x) <= 5]
    here = lx.frontier(both, rows)
    executor = AtOnce()
    with pytest.warns(lx.LexiprogWarning, match="searched here"):
        there = lx.frontier(both, rows, executor=executor)
    np.testing.assert_allclose(there.points, here.points)


@pytest.mark.slow
class TestDask:
    pytestmark = NOISE

    def test_a_scheduler_that_closes_is_told_of_within_seconds(self):
        distributed = pytest.importorskip("distributed", reason="needs the extra lexiprog[dask]")
        import logging

        cluster = distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None,
            memory_limit=0, silence_logs=logging.CRITICAL,
        )  # fmt: skip
        client = distributed.Client(cluster)
        executor = client.get_executor()
        executor.submit(time.sleep, 30)
        program, _ = many(2)
        timer = threading.Timer(1.0, cluster.close)
        timer.start()
        begun = time.monotonic()
        try:
            found = within(
                40, lambda: program.solve(["HIGHS"], executor=lx.Elsewhere(executor, retries=0))
            )
        finally:
            timer.join()
            client.close(timeout=1)
        assert isinstance(found, lx.StageError)
        assert found.partial is not None
        assert time.monotonic() - begun < 25
