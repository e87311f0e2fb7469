"""Sweeps with a kept basis: tried where it helps, and right wherever it is taken."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from lexiprog.backends.warm_basis import KeptBasis


def test_a_limit_that_moves_is_answered_by_the_kept_basis_as_scipy_does():
    rng = np.random.default_rng(3)
    A, cost = rng.uniform(0, 1, (30, 20)), rng.uniform(1, 2, 20)
    x, limit = cp.Variable(20, nonneg=True, name="x"), cp.Parameter(30, name="limit")
    program = lx.Program(
        lx.Stage("only", lx.Subproblem("lp", cp.Minimize(cost @ x), [A @ x >= limit]))
    )
    base, step = rng.uniform(1, 2, 30), 0.01 * rng.uniform(0, 1, 30)
    limits = [base + k * step for k in range(40)]
    table = lx.sweep(program, {limit: limits})
    for k, row in enumerate(table):
        wanted = linprog(cost, -A, -limits[k])
        assert row["lp"].value == pytest.approx(wanted.fun, rel=1e-9)
    assert table.found["cold"] == 1
    assert table.found["kept"] > 25
    kept = [row["lp"] for row in table if row["lp"].iterations == 0]
    assert len(kept) >= table.found["kept"]


def test_bases_that_seldom_fit_are_seldom_tried(monkeypatch):
    tried = []
    corner = KeptBasis.corner
    monkeypatch.setattr(KeptBasis, "corner", lambda *a: tried.append(a) or corner(*a))
    rng = np.random.default_rng(0)
    x, side = cp.Variable(30, nonneg=True, name="x"), cp.Parameter(40, name="side")
    A, c = rng.uniform(0, 1, (40, 30)) * (rng.random((40, 30)) < 0.3) + 0.01, rng.uniform(1, 2, 30)
    sides = rng.uniform(1, 3, (60, 40))
    table = lx.sweep(lx.preemptive({"cost": cp.Minimize(c @ x)}, [A @ x >= side]), {side: sides})
    assert table.found.get("kept", 0) < 10
    assert len(tried) < 40
    wanted = [linprog(c, -A, -b).fun for b in sides]
    assert table.values["cost"] == pytest.approx(wanted, rel=1e-7)
