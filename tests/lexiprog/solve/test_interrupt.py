"""Ctrl-C: stops as soon as the running solve returns and hands over what was solved."""

import signal
import subprocess
import sys
import textwrap

import pytest

import lexiprog as lx
from tests.lexiprog.mischief import NAMES, VALUES, Mischief, five_by_three, raising


@pytest.mark.parametrize("k", [1, 2, 8, 15])
def test_a_keyboard_interrupt_inside_a_solver_hands_over_what_was_solved(k):
    program = five_by_three()
    solver = Mischief(raising(KeyboardInterrupt()), at=k)
    with pytest.raises(lx.Interrupted) as caught:
        program.solve(solver)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert not isinstance(caught.value, Exception)
    assert list(caught.value.partial) == NAMES[: k - 1]
    assert solver.calls == k
    result = program.solve(resume=caught.value.partial)
    assert [s.value for s in result.values()] == pytest.approx(list(VALUES.values()), rel=1e-5)


# A market split instance keeps branch and bound busy until its time limit.
SCRIPT = """
    import sys, time
    import cvxpy as cp, numpy as np, lexiprog as lx

    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (5, 40))
    take, miss = cp.Variable(40, boolean=True, name="take"), cp.Variable(5, name="miss")
    x = cp.Variable(name="x")
    quick = lx.Subproblem("quick", cp.Minimize(x), [x >= 2])
    split = lx.Subproblem(
        "split", cp.Minimize(cp.norm1(miss)), [weights @ take - weights.sum(axis=1) // 2 == miss]
    )
    never = lx.Subproblem("never", cp.Minimize(x), [x >= split.optimum])
    program = lx.Program(lx.Stage("a", quick), lx.Stage("b", split), lx.Stage("c", never))

    class Announced:
        def solve(self, problem):
            problem.solve(solver="CLARABEL")
            print("solving", flush=True)

    start = time.perf_counter()
    slow = lx.Solver("HIGHS", time_limit=20.0)
    try:
        program.solve({"a": Announced(), "b": slow}, workers=WORKERS)
    except lx.Interrupted as error:
        found = {name: str(solution.status) for name, solution in error.partial.items()}
        print(found, error.partial["quick"].value, x.value)
        print("interrupted after", time.perf_counter() - start)
        program_again = lx.Program(lx.Stage("a", quick))
        print(round(program_again.solve().final.value, 6))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_during_a_native_solve_hands_over_what_was_solved(workers):
    script = textwrap.dedent(SCRIPT).replace("WORKERS", str(workers))
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = ""
        while not line.startswith("solving"):
            line = child.stdout.readline()
            assert line, child.stderr.read()
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.5)  # the native solve is under way
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode == 0, err
    lines = out.splitlines()
    assert lines[0] == "{'quick': 'optimal', 'split': 'unfinished'} 2.0 None", out
    assert float(lines[1].split()[-1]) < 6
    assert lines[2] == "2.0"
