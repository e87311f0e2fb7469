"""A real control step of a humanoid, published with its solution (LexLS, INRIA)."""

import sys
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from _control_cases import PUBLISHED, humanoid, jumps, walk


def tasks_of(rows, x):
    return {
        f"level {k}": (block @ x, lower, upper)
        for k, (block, lower, upper) in enumerate(rows.levels())
    }


def test_all_five_levels_are_those_that_were_published():
    rows = humanoid()
    x = cp.Variable(88, name="x")
    result = lx.hierarchical_least_squares(tasks_of(rows, x)).solve()
    assert [s.value for s in result.values()] == pytest.approx(PUBLISHED, abs=1e-9)
    assert {s.status for s in result.values()} == {"optimal"}
    assert all(s.certificate.passed for s in result.values())


def test_as_it_is_written_with_slacks_it_is_the_same():
    rows = humanoid()
    x = cp.Variable(88, name="x")
    slacks = [cp.Variable(low.size, name=f"v{k}") for k, (_, low, _) in enumerate(rows.levels())]
    limits = []
    for (block, lower, upper), v in zip(rows.levels(), slacks, strict=True):
        down, up = np.isfinite(lower), np.isfinite(upper)
        limits += [block[down] @ x - v[down] >= lower[down], block[up] @ x - v[up] <= upper[up]]
    objectives = {f"l{k}": cp.Minimize(cp.sum_squares(v)) for k, v in enumerate(slacks)}
    result = lx.preemptive(objectives, limits).solve()
    assert [s.value for s in result.values()] == pytest.approx(PUBLISHED, abs=1e-7)


def test_steps_of_a_walk_and_jumps_are_proved():
    rows = humanoid()
    x = cp.Variable(88, name="x")
    ends = [cp.Parameter(low.size, name=f"end {k}") for k, (_, low, _) in enumerate(rows.levels())]
    tasks = {
        f"level {k}": (block @ x + end, lower, upper)
        for k, ((block, lower, upper), end) in enumerate(zip(rows.levels(), ends, strict=True))
    }
    step = lx.hierarchical_least_squares(tasks).compile(ends)
    for cases in (walk(rows, 3), jumps(rows, 3)):
        for case in cases:
            finite = np.isfinite(rows.upper)
            moved = np.zeros(rows.upper.size)
            moved[finite] = rows.upper[finite] - case.upper[finite]
            shift = np.split(moved, rows.starts[1:-1])
            assert step(*shift).status == "optimal"
