"""A program may be solved a thousand times in a row: it takes no more memory at the end."""

import gc
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

STATEMENT = Path("/proc/self/statm")


def resident() -> int:
    """Bytes that this process holds, HiGHS's own included."""
    pages = int(STATEMENT.read_text().split()[1])
    return pages * 4096


@pytest.mark.slow
@pytest.mark.parametrize("second", [cp.max, lambda x: x[0] - x[3]], ids=["stages", "a lane"])
@pytest.mark.skipif(not STATEMENT.exists(), reason="only Linux tells")
def test_a_thousand_solves_leave_nothing_behind(second):
    rng = np.random.default_rng(0)
    x = cp.Variable(8, bounds=[0, 5], name="x")
    demand = cp.Parameter(4, name="demand", value=np.ones(4))
    limits = [rng.uniform(0, 1, (4, 8)) @ x >= demand]
    cheap = lx.Subproblem("cheap", cp.Minimize(rng.integers(1, 4, 8) @ x), limits)
    even = lx.Subproblem("even", cp.Minimize(second(x)), [*limits, cheap.held()])
    program = lx.Program(lx.Stage("cost", cheap), lx.Stage("balance", even))

    def solve(times: int) -> None:
        for _ in range(times):
            demand.value = rng.uniform(0.5, 2.0, 4)
            program.solve()

    solve(100)  # whatever is kept for the next time is kept by now
    gc.collect()
    objects, before = len(gc.get_objects()), resident()
    solve(1_000)
    gc.collect()
    assert len(gc.get_objects()) - objects < 100
    # A leak of one array of this size a solve would be eight megabytes.
    assert resident() - before < 4 * 2**20
