"""One problem again with changed parameters: by this library, by CVXPY, and by other solvers."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Sequence
from typing import Any

import cvxpy as cp
import numpy as np
from _arrays_rivals import MAKERS, Foreign
from _families import UPPER, Chain, packing
from _measuring import Clock, median, ratio, seconds, table, timed

import lexiprog as lx


def changing(kind: str, size: int) -> tuple[cp.Problem, cp.Parameter, str]:
    """A problem with a parameter, and the solver that it is put to."""
    rng = np.random.default_rng(size)
    target = cp.Parameter(size, name="target", value=rng.uniform(1.0, 2.0, size))
    if kind == "LP":
        lp = packing(size)
        x = cp.Variable(lp.cost.size, bounds=[0, UPPER], name="x")
        target.value = lp.capacity
        return cp.Problem(cp.Minimize(lp.cost @ x), [lp.A @ x <= target]), target, "HIGHS"
    x = cp.Variable(2 * size, bounds=[0, UPPER], name="x")
    A = rng.uniform(0.0, 1.0, (size, 2 * size))
    if kind == "QP":
        cost = cp.sum_squares(A @ x - target) + 0.1 * cp.sum(x)
    else:
        cost = cp.norm(A @ x - target) + 0.1 * cp.sum(x)
    return cp.Problem(cp.Minimize(cost), [cp.sum(x) <= size]), target, "CLARABEL"


def plain(sizes: Sequence[int], repeats: int) -> tuple[str, list[dict[str, Any]]]:
    """One problem again with changed parameters: lexiprog, and CVXPY's own solve."""
    records = []
    for kind in ("LP", "QP", "SOCP"):
        for size in sizes:
            problem, target, solver = changing(kind, size)
            other, its_target, _ = changing(kind, size)
            program = lx.Program(lx.Stage("only", lx.Subproblem("p", problem)))
            program.solve(solver)
            # The tolerances that lexiprog asks for, lest one of them stops earlier.
            options = lx.Solver(solver).options_for(integer=False)
            warnings.filterwarnings("ignore", "Solution may be inaccurate")  # it is judged below
            other.solve(solver=solver, **options)
            rng, middle = np.random.default_rng(0), target.value.copy()
            clocks: dict[str, list[Clock]] = {"lexiprog": [], "CVXPY": []}
            for _ in range(repeats):
                target.value = its_target.value = middle * rng.uniform(0.9, 1.1, middle.size)
                spent, result = timed(lambda p=program, s=solver: p.solve(s))
                clocks["lexiprog"].append(spent)
                spent, value = timed(lambda p=other, s=solver, o=options: p.solve(solver=s, **o))
                clocks["CVXPY"].append(spent)
                same(result["p"].value, value)
            medians = {name: median(spent) for name, spent in clocks.items()}
            quotient = ratio(medians["lexiprog"], medians["CVXPY"])
            records.append({"kind": kind, "rows": size, "medians": medians, "ratio": quotient})
    lines = [
        [r["kind"], r["rows"], *(seconds(r["medians"][n].wall) for n in ("lexiprog", "CVXPY")),
         f"{r['ratio'].wall:.2f} ({r['ratio'].cpu:.2f})"]
        for r in records
    ]  # fmt: skip
    return table(["again", "rows", "lexiprog", "CVXPY", "lexiprog / CVXPY (cpu)"], lines), records


def others(own: list[dict[str, Any]], repeats: int) -> tuple[str, list[dict[str, Any]]]:
    """The same linear programs, first and again, by solvers that take arrays: processor time."""
    elsewhere, records = Foreign(), []
    for record in own:
        rows, medians = record["rows"], record["medians"]
        lp = packing(rows)
        chain, other = Chain(-lp.A, -lp.capacity, lp.cost[None]), -1.05 * lp.capacity
        for name in MAKERS:
            for label, demand in (("first", None), ("again", other)):
                calls = [elsewhere.ask(name, chain, demand, 30.0) for _ in range(repeats)]
                clocks = [clock.cpu for clock, _ in calls if clock is not None]
                spent = statistics.median(clocks) if clocks else calls[-1][1]["status"]
                records.append({"rows": rows, "method": name, "which": label, "cpu": spent})
        first = medians["declare"].cpu + medians["first"].cpu
        for label, spent in (("first", first), ("again", medians["re-solve"].cpu)):
            records.append({"rows": rows, "method": "lexiprog", "which": label, "cpu": spent})
    elsewhere.end()
    shown = [r["cpu"] if isinstance(r["cpu"], str) else seconds(r["cpu"]) for r in records]
    lines = [
        [r["rows"], r["method"], *shown[k : k + 2]]
        for k, r in enumerate(records)
        if r["which"] == "first"
    ]
    return table(["rows", "one LP", "from arrays (cpu)", "again (cpu)"], lines), records


def same(found: float, expected: float) -> None:
    if not abs(found - expected) <= 1e-7 * (1.0 + abs(expected)):
        raise SystemExit(f"{found} is not {expected}: the times compare different answers.")
