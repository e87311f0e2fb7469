"""Two worker processes of Dask: the same optima, also when one is killed or the client stops."""

import _thread
import os
import signal
import threading
import time

import pytest

import lexiprog as lx
from tests.cluster import NOISE, two_workers
from tests.lexiprog.backends.errands import Slow, dies_once, many, mixed

pytestmark = [pytest.mark.slow, *NOISE]


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def test_the_optima_are_those_of_threads_bit_for_bit(client):
    program = mixed()
    here, there = program.solve(), lx.Elsewhere(client.get_executor())
    sent = program.solve(executor=there)
    assert {name: s.value for name, s in sent.items()} == {n: s.value for n, s in here.items()}
    assert there.width == 2
    assert there.lost == 0
    pids = {f"{os.uname().nodename}:{pid}" for pid in client.run(os.getpid).values()}
    assert set(there.answered) <= pids


def test_whole_programs_are_solved_there(client):
    program = lx.Program.from_function(mixed, 1)
    result = client.get_executor().submit(lx.Program.solve, program).result()
    assert result["even"].value == program.solve()["even"].value
    x = next(iter(program["lp"].variables))
    assert program.adopt(result)["lp"][x].shape == (12,)


def test_a_sweep_is_shared_out(client):
    import cvxpy as cp

    x, need = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="need")
    program = lx.preemptive({"cost": cp.Minimize(3 * x[0] + x[1])}, [cp.sum(x) >= need, x <= 3])
    table = lx.sweep(program, {need: [2, 4, 6]}, executor=client.get_executor())
    assert table.values["cost"].tolist() == [2.0, 6.0, 12.0]


def test_a_task_that_kills_its_worker_is_done_by_another(client, tmp_path):
    there = lx.Elsewhere(client.get_executor())
    assert there.call(dies_once, str(tmp_path / "dead"), 41) == 41
    client.wait_for_workers(2, timeout=30)


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    program, _ = many(8)
    here = program.solve()
    there = lx.Elsewhere(Slow(client.get_executor(), tmp_path))
    victim = next(iter(client.run(os.getpid).values()))

    def kill():
        while not there.answered:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    sent = program.solve(executor=there)
    killer.join()
    assert victim not in client.run(os.getpid).values()
    assert {name: s.value for name, s in sent.items()} == {n: s.value for n, s in here.items()}


def test_an_interrupted_client_keeps_what_was_solved_and_cancels_what_is_queued(client, tmp_path):
    program, _ = many(10)
    there = lx.Elsewhere(Slow(client.get_executor(), tmp_path))

    def press():
        while sum(there.answered.values()) < 2:
            time.sleep(0.01)
        _thread.interrupt_main()

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(lx.Interrupted) as caught:
        program.solve(executor=there)
    presser.join()
    solved = caught.value.partial
    assert 1 <= len(solved) < 10
    time.sleep(1.0)
    assert len(list(tmp_path.iterdir())) < 10  # the rest was never begun
    result = program.solve(resume=solved, executor=client.get_executor())
    assert {n: s.value for n, s in result.items()} == {
        n: s.value for n, s in program.solve().items()
    }
