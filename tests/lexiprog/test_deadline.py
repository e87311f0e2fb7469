"""One deadline for time and cancellation: children, keeping what was found, and every long loop."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.backends.clarabel import solve_conic
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.feasible import factorised
from lexiprog.certify.measures import prove
from lexiprog.deadline import Deadline, OutOfTime, in_thread, leave, long_step
from lexiprog.rational.numbers import read_floats
from lexiprog.rational.program import ExactLP, IntegerProgram

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")


def test_a_child_never_outlasts_its_parent():
    parent = Deadline(5.0)
    assert parent.child(60.0).left() <= 5.0
    assert parent.child(1.0).left() <= 1.0
    assert parent.child(1.0).child().child(9.0).left() <= 1.0
    assert not Deadline().child().limited
    assert Deadline(0.0).child().over


def test_a_limit_is_past_patience_only_a_while_after_it_has_come():
    assert not Deadline().overdue
    assert not Deadline(0.0).overdue
    assert not Deadline(60.0, parent=Deadline(0.0)).overdue
    parent = Deadline(-1.0)
    assert parent.overdue
    assert parent.child(60.0).overdue
    assert parent.left() == 0.0


def test_a_proof_ends_with_the_deadline_that_its_thread_works_for():
    rows = sp.csc_array(np.array([[-1.0, -2.0]]))
    form = StandardForm(
        np.array([1.0, 3.0]), 0.0, rows, np.array([-4.0]), Cones(nonneg=1), lower=np.zeros(2)
    )
    x, near = np.array([4.0, 0.0]), np.array([0.75])  # that has to be corrected to 1
    over = Deadline(-9.0)

    def proved():
        return prove(form, x, near, claimed=4.0).measures.certificate.proved

    assert proved()
    with over.here():
        assert not proved()
        assert in_thread(proved).result()  # another thread works for nobody
        with Deadline().here():
            assert proved()
        assert not proved()
    assert proved()


def test_a_long_step_of_a_proof_is_left_behind_and_fractions_are_read_within_the_limit():
    """A factorisation cannot be stopped; a matrix of fractions is read entry by entry."""
    ended = threading.Event()
    with Deadline(0.1).here(), pytest.raises(OutOfTime):
        long_step(ended.wait, 60.0)
    ended.set()
    assert long_step(int, "11", 2) == 3
    many = np.arange(1.0, 600.0) / 7
    with Deadline(-9.0).here():
        assert factorised(sp.eye_array(601, format="csc")) is None
        for read in (
            lambda: read_floats(many),
            lambda: IntegerProgram(ExactLP.of([1], [[2]], [3])),
        ):
            with pytest.raises(OutOfTime):
                read()


def test_a_budget_is_used_up_by_what_runs_and_not_by_waiting():
    deadline = Deadline().child(budget=0.3)
    time.sleep(0.1)
    assert deadline.left() == pytest.approx(0.3)
    with deadline.running(), deadline.running():
        time.sleep(0.1)
    assert deadline.left() <= 0.2
    assert deadline.used == pytest.approx(0.1, abs=0.09)


def test_whoever_is_cancelled_is_so_with_all_children_and_without_its_parent():
    parent = Deadline()
    child = parent.child()
    other, grandchild = parent.child(), child.child(60.0)
    child.cancel()
    assert child.cancelled
    assert grandchild.cancelled
    assert grandchild.should_stop
    assert not parent.cancelled
    assert not other.cancelled


@pytest.mark.parametrize("seconds", [0.0, None])
def test_a_check_raises_when_the_time_is_over_or_the_work_was_cancelled(seconds):
    parent = Deadline(seconds)
    if seconds is None:
        parent.child().check()
        parent.cancel()
    with pytest.raises(OutOfTime):
        parent.child(60.0).check()


def test_what_stops_the_work_is_noted_and_goes_no_further():
    late = Deadline(7.0)
    with late.kept():
        raise OutOfTime
    assert (late.late, late.note) == (True, "7 seconds were not enough.")
    with pytest.raises(KeyboardInterrupt), Deadline().kept():
        raise KeyboardInterrupt
    whole = Deadline(7.0, keeps=True)
    with whole.child(1.0).kept():
        raise KeyboardInterrupt
    assert whole.note == "it was interrupted."
    part = whole.child(1.0)
    with part.kept():
        raise OutOfTime
    assert part.note == "7 seconds were not enough."  # as the user has said


def test_a_pickled_deadline_has_the_time_that_is_left():
    there = pickle.loads(pickle.dumps(Deadline(60.0, keeps=True).child(5.0)))
    assert 4.0 < there.left() <= 5.0
    assert not pickle.loads(pickle.dumps(Deadline())).limited


def test_work_in_a_thread_is_waited_for_and_left_behind_when_it_ignores_its_limit():
    assert Deadline().wait_for(sum, [1, 2]) == 3
    with pytest.raises(ZeroDivisionError):
        Deadline().wait_for(lambda: 1 / 0)
    begun, done = time.perf_counter(), threading.Event()
    with pytest.raises(OutOfTime):
        Deadline(0.1).wait_for(done.wait, 20.0)
    done.set()
    assert time.perf_counter() - begun < 5.0


def leximin(*, integer):
    """A quick level, and one that takes half a minute or more."""
    rng = np.random.default_rng(0)
    people, columns = (12, 30) if integer else (400, 400)
    x = cp.Variable(columns, name="x", bounds=[0, 9], integer=integer)
    limits = [rng.integers(0, 9, (columns // 4, columns)) @ x <= 4 * columns]
    first = lx.Subproblem("first", cp.Maximize(cp.sum(x)), limits)
    utilities = [row @ x for row in rng.integers(0, 9, (people, columns))]
    fair = lx.leximin(utilities, limits)["leximin"]
    return lx.Program(lx.Stage("1", first), lx.Stage("2", fair))


def round_leximin(**_):
    """Level by level, by CLARABEL."""
    rng = np.random.default_rng(0)
    x = cp.Variable(60, name="x")
    limits = [cp.norm(x) <= 1, x >= 0]
    first = lx.Subproblem("first", cp.Maximize(x[0]), limits)
    rates = rng.uniform(1, 9, (60, 60))
    utilities = [rate @ x - cp.sum_squares(x - k / 60) for k, rate in enumerate(rates)]
    fair = lx.leximin(utilities, limits)["leximin"]
    return lx.Program(lx.Stage("1", first), lx.Stage("2", fair))


def clash(**_):
    """Constraints of which a conflict of three is sought for twenty seconds."""
    rng = np.random.default_rng(0)
    n = cp.Variable(200, name="n", integer=True, bounds=[0, 9])
    first = lx.Subproblem("first", cp.Minimize(cp.sum(n)), [cp.sum(n) >= 3])
    rows = [row @ n >= 200 for row in rng.integers(1, 60, (200, 200))]
    never = lx.Subproblem("never", cp.Minimize(n[0]), [*rows, cp.sum(n) <= first.optimum])
    return lx.Program(lx.Stage("1", first), lx.Stage("2", never))


LONG = {
    "leximin": lambda: leximin(integer=False),
    "integer leximin": lambda: leximin(integer=True),
    "conic leximin": round_leximin,
    "conflict": clash,
}


@pytest.mark.parametrize("name", LONG)
def test_a_time_limit_reaches_every_loop(name):
    program, begun = LONG[name](), time.process_time()
    with pytest.raises(lx.StageError) as caught:
        program.solve(time_limit=1.5)
    # Of the processor, since others use it at the same time; tests/attacks/ looks at the clock.
    assert time.process_time() - begun < 4.0
    assert list(caught.value.partial) == ["first"]
    if name == "conflict":  # in peace the former
        said = "perhaps not all of them are needed|time was over|ran into a"
        assert re.search(said, str(caught.value))
    else:
        assert any(attempt.status.is_limit for attempt in caught.value.attempts)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_reaches_every_loop_and_keeps_what_was_solved(name):
    program, sent, ended = LONG[name](), [], threading.Event()

    def send():
        # Python drops a signal that comes inside a weak reference's callback: press again then.
        for wait in (1.5, 0.8):
            if ended.wait(wait):
                return
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=send)
    pressing.start()
    try:
        with pytest.raises(lx.Interrupted) as caught:
            program.solve()
        ended.set()
        assert time.perf_counter() - sent[-1] < 2.0  # at once in peace
    finally:
        ended.set()
        pressing.join()
    assert list(caught.value.partial) == ["first"]


def dense_form(size):
    F = np.random.default_rng(1).normal(size=(size, size))
    rows = sp.csc_array(np.vstack([np.eye(size), -np.eye(size)]))
    return StandardForm(
        np.ones(size), 0.0, rows, np.ones(2 * size), Cones(0, 2 * size), P=sp.csc_array(F.T @ F)
    )


def test_no_solve_beside_the_problem_begins_once_the_time_is_over():
    form, cancelled = dense_form(5), Deadline()
    cancelled.cancel()
    assert solve_conic(form, Deadline(60.0)) is not None
    assert solve_conic(form, Deadline(0.0)) is None
    assert solve_conic(form, cancelled) is None


def test_clarabel_stops_at_its_next_step_once_nobody_waits():
    form = dense_form(200)
    assert solve_conic(form) is not None
    begin = threading.Event()

    def search():
        begin.wait(20)
        return solve_conic(form)

    work = in_thread(search)
    leave(work)
    begin.set()
    assert work.result(60) is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_waits_for_no_thread_of_its_parent():
    script = (
        "import os, sys, time\n"
        "from lexiprog import deadline\n"
        "deadline.FAREWELL = 600\n"
        "deadline.in_thread(time.sleep, 600)\n"
        "time.sleep(0.2)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
        "os._exit(0)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert ended.stdout == "3\n"


def test_python_ends_well_beside_solvers_that_were_left_behind():
    """One that came back to a Python that has ended used to abort the process."""
    script = (
        "import sys, time\n"
        "from tests.lexiprog.test_deadline import dense_form\n"
        "from lexiprog.backends.clarabel import solve_conic\n"
        "from lexiprog.deadline import in_thread, work_here\n"
        "form = dense_form(30)\n"
        "def again():\n"
        "    while not work_here().left:\n"
        "        solve_conic(form)\n"
        "for _ in range(3):\n"
        "    in_thread(again)\n"
        "time.sleep(0.3)\n"
        "sys.exit(7)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (7, "")
