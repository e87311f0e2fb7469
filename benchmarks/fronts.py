"""Whole curves against one cold solve, and fronts against published ones and pyaugmecon.

Every figure comes with a comparison of answers: a curve that is not exact or not where HiGHS finds
it, and a front that lacks a point, end the run. LEXIPROG_RIVALS names a Python that has pyaugmecon
and Gurobi, if this one has not. 2KP100-50 takes minutes and is one of the nightly tests.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp
from _measuring import Clock, Report, arguments, median, ratio, seconds, table

import lexiprog as lx

PUBLISHED = json.loads((Path(__file__).parent / "published_fronts.json").read_text())
REPEATS = 3
PATIENCE = 75  # seconds for one front of the rival


def clocked(work: Callable[[], Any]) -> tuple[Clock, Any]:
    """Wall and processor time, that of child processes included."""

    def cpu() -> float:
        used = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(u.ru_utime + u.ru_stime for u in used)

    wall, before = time.perf_counter(), cpu()
    found = work()
    return Clock(time.perf_counter() - wall, cpu() - before), found


def covering(rows: int, looks: int, seed: int) -> tuple[Any, ...]:
    """Demands on neighbouring columns; the second cost looks at some of the columns."""
    rng, size = np.random.default_rng(seed), 3 * rows // 2
    near = ((np.arange(rows) * size) // rows)[:, None] + rng.integers(0, 12, (rows, 6))
    entries = rng.integers(1, 10, (rows, 6)).ravel().astype(float)
    A = sp.csr_array((entries, (np.repeat(np.arange(rows), 6), near.ravel() % size)), (rows, size))
    A.sum_duplicates()  # an older scipy keeps them, and HiGHS refuses such a matrix
    second = np.zeros(size)
    second[rng.choice(size, looks, replace=False)] = rng.uniform(1, 5, looks)
    return A, A @ rng.uniform(0, 3, size), rng.uniform(1, 10, size), second


def highs_optimum(A: Any, demand: Any, cost: Any, held: Any = None, limit: float = 0.0) -> float:
    """One cold solve with arrays; with a limit on another cost if one is given."""
    rows, lower = A, demand
    upper = np.full(demand.size, np.inf)
    if held is not None:
        rows = sp.csr_array(sp.vstack([A, held[None, :]]))
        lower, upper = np.append(lower, -np.inf), np.append(upper, limit)
    A = sp.csc_array(rows)
    highs, model = highspy.Highs(), highspy.HighsLp()
    highs.setOptionValue("output_flag", False)
    model.num_row_, model.num_col_ = A.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = (
        cost,
        np.zeros(cost.size),
        np.full(cost.size, 10.0),
    )
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = (
        A.indptr,
        A.indices,
        A.data,
    )
    highs.passModel(model)
    highs.run()
    return float(highs.getInfo().objective_function_value)


def curves(report: Report, rows: int, looks: int, seeds: Sequence[int]) -> None:
    """A whole curve, from the declared program to the last breakpoint, over cold solves."""
    lines, data = [], []
    for seed in seeds:
        A, demand, first, second = covering(rows, looks, seed)
        x = cp.Variable(first.size, bounds=[0, 10], name="x")
        levels = {"cost": cp.Minimize(first @ x), "use": cp.Minimize(second @ x)}
        program = lx.preemptive(levels, [A @ x >= demand])
        program.solve()  # compiles, for both that follow
        clocks: dict[str, list[Clock]] = {"highs": [], "solve": [], "curve": []}
        for _ in range(REPEATS):
            clock, best = clocked(partial(highs_optimum, A, demand, first))
            clocks["highs"].append(clock)
            clocks["solve"].append(clocked(program.solve)[0])
            clock, curve = clocked(partial(lx.tradeoff, program, "cost"))
            clocks["curve"].append(clock)
        if curve.errors["use"] != 0.0:
            raise SystemExit(f"seed {seed}: the curve is not exact: {curve.notes}")
        worst = 0.0
        for t in np.random.default_rng(seed).uniform(0.0, 1.1 * curve.tolerances[-1], 20):
            found = highs_optimum(A, demand, second, first, best + t)
            worst = max(worst, abs(curve.at(t)["use"] - found) / (1.0 + abs(found)))
        if worst > 1e-6:
            raise SystemExit(f"seed {seed}: the curve is off by {worst:.1e}")
        middle = {name: median(found) for name, found in clocks.items()}
        over = {name: ratio(middle["curve"], middle[name]) for name in ("highs", "solve")}
        lines.append([seed, len(curve.tolerances), seconds(middle["highs"].cpu),
                      seconds(middle["curve"].cpu), f"{over['highs'].cpu:.1f}",
                      f"{over['solve'].cpu:.1f}", f"{worst:.0e}"])  # fmt: skip
        data.append({"seed": seed, "breakpoints": len(curve.tolerances), "off": worst} | middle)
    head = ["seed", "breakpoints", "cold HiGHS", "curve", "over cold HiGHS", "over solve()", "off"]
    text = table(head, lines)
    report.section(f"The whole curve of {rows} rows (cpu)", text, "curves", data)


def ours(known: dict[str, Any]) -> list[tuple[float, ...]]:
    take = cp.Variable(len(known["weights"]), boolean=True, name="take")
    one, other = (np.array(gains) @ take for gains in known["values"])
    room = [np.array(known["weights"]) @ take <= known["capacity"]]
    front = lx.frontier({"one": cp.Maximize(one), "other": cp.Maximize(other)}, room)
    if not front.complete:
        raise SystemExit(f"a front is not complete: {front.notes}")
    return [tuple(map(float, point)) for point in front.points]


def pyaugmecon(known: dict[str, Any]) -> tuple[Clock, list[tuple[float, ...]]]:
    """The rival in a process of its own, which may be another Python's; it takes its own time."""
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    script = Path(__file__).with_name("_pyaugmecon_front.py")
    try:
        told = subprocess.run(
            [python, str(script)], input=json.dumps(known), capture_output=True, text=True,
            check=False, timeout=PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"over {PATIENCE} s") from None
    if told.returncode:
        raise RuntimeError(told.stderr.strip().splitlines()[-1][:60])
    found = json.loads(told.stdout.splitlines()[-1])
    return Clock(found["wall"], found["cpu"]), [tuple(point) for point in found["points"]]


def fronts(report: Report, names: Sequence[str]) -> None:
    """Published knapsacks: our points and pyaugmecon's against those in print."""
    lines, data = [], []
    for name in names:
        known = PUBLISHED[name]
        wanted = [tuple(map(float, point)) for point in known["points"]]
        clock, points = clocked(partial(ours, known))
        if points != wanted:
            raise SystemExit(f"{name}: {len(points)} points, not the {len(wanted)} in print")
        entry: dict[str, Any] = {"name": name, "points": len(points), "lexiprog": clock}
        over = None
        try:
            rival, theirs = pyaugmecon(known)
            same = len(set(theirs) & set(wanted))
            over = ratio(clock, rival)
            said = f"{seconds(rival.cpu)}, {same} of {len(wanted)} points"
            entry |= {"pyaugmecon": rival, "pyaugmecon points": same}
        except RuntimeError as error:  # a rival that is missing or fails is a result
            said = str(error)
        shown = ["-", "-"] if over is None else [f"{over.cpu:.2f}", f"{over.wall:.2f}"]
        lines.append([name, len(points), seconds(clock.cpu), said, *shown])
        data.append(entry)
    head = ["instance", "points, all in print", "lexiprog (HiGHS)", "pyaugmecon (Gurobi)",
            "ratio, cpu", "ratio, wall"]  # fmt: skip
    report.section(
        "Integer fronts (cpu; ratios of lexiprog to pyaugmecon)", table(head, lines), "fronts", data
    )


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(__doc__, argv)
    warnings.simplefilter("ignore", lx.LexiprogWarning)
    report = Report("fronts", "Curves and fronts")
    if options.quick:
        curves(report, 60, 8, [0])
        fronts(report, ["knapsack17", "2KP50-92"])
    else:
        curves(report, 1000, 30, range(6))
        fronts(report, ["knapsack17", "2KP50-92", "2KP50-11", "2KP50-50"])
    report.write(options.out)


if __name__ == "__main__":
    main()
