"""Time of Program.solve over that of the same linear programs handed to highspy directly."""

from __future__ import annotations

import os

# Dot products are too short to share, and on busy cores a BLAS thread is waited for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cvxpy as cp
import numpy as np
from _arrays_rivals import GUROBI_FREE
from _engine_again import others, plain, same
from _families import UPPER, Packing, model, packing, silent_highs
from _measuring import Clock, Report, arguments, median, ratio, seconds, table, timed

import lexiprog as lx

REPEATS = {10: 31, 50: 31, 200: 21, 1_000: 15, 10_000: 7, 100_000: 3}
AIMS = (
    "Aims: at most 1.3 times direct from 1e4 rows on; in a stage of 8 tiny problems at most 1 ms "
    "each above the solver's own time; one problem with changed parameters faster than plain CVXPY "
    "with the same solver and tolerances (how CLARABEL factors is our choice here, and its own in "
    "CVXPY, which also keeps the solver of the last call); at least 1.7 times faster with two "
    "workers."
)


def direct(lp: Packing) -> tuple[float, Any, Any]:
    highs = silent_highs()
    highs.passModel(model(lp.A, lp.cost, np.full(lp.capacity.size, -np.inf), lp.capacity))
    highs.run()
    found = highs.getSolution()
    value = highs.getInfo().objective_function_value
    return value, np.array(found.col_value), np.array(found.row_dual)


class Warm:
    """One HiGHS object that keeps its basis: what a re-solve by hand could cost."""

    def __init__(self, lp: Packing) -> None:
        self.highs = silent_highs()
        self.below = np.full(lp.capacity.size, -np.inf)
        self.highs.passModel(model(lp.A, lp.cost, self.below, lp.capacity))
        self.highs.run()

    def solve(self, capacity: np.ndarray) -> float:
        rows = capacity.size
        self.highs.changeRowsBounds(rows, np.arange(rows, dtype=np.int32), self.below, capacity)
        self.highs.run()
        found = self.highs.getSolution()
        np.array(found.col_value), np.array(found.row_dual)
        return self.highs.getInfo().objective_function_value


def declare(lp: Packing, copies: int = 1) -> tuple[lx.Program, cp.Parameter]:
    capacity = cp.Parameter(lp.capacity.size, name="capacity", value=lp.capacity)
    problems = []
    for k in range(copies):
        x = cp.Variable(lp.cost.size, bounds=[0, UPPER], name=f"x{k}")
        problems.append(lx.Subproblem(f"lp{k}", cp.Minimize(lp.cost @ x), [lp.A @ x <= capacity]))
    return lx.Program(lx.Stage("only", *problems)), capacity


def declare_hierarchy(lp: Packing) -> tuple[lx.Program, cp.Parameter]:
    """Two ideals and their compromise: three problems, two of whose optima are referred to."""
    capacity = cp.Parameter(lp.capacity.size, name="capacity", value=lp.capacity)
    x = cp.Variable(lp.cost.size, bounds=[0, UPPER], name="x")
    worst = cp.Variable(name="worst")
    costs = {"one": lp.cost @ x, "two": lp.cost[::-1] @ x}
    ideals = [lx.Subproblem(k, cp.Minimize(f), [lp.A @ x <= capacity]) for k, f in costs.items()]
    regrets = [f <= ideal.optimum + worst for f, ideal in zip(costs.values(), ideals, strict=True)]
    fair = lx.Subproblem("fair", cp.Minimize(worst), [lp.A @ x <= capacity, *regrets])
    return lx.Program(lx.Stage("ideals", *ideals), lx.Stage("compromise", fair)), capacity


def sweep(sizes: Sequence[int], repeats: dict[int, int]) -> tuple[str, list[dict[str, Any]]]:
    """First solves and re-solves, direct and through the engine, in turn."""
    records = []
    for rows in sizes:
        lp = packing(rows)
        other = Packing(lp.A, lp.capacity * np.linspace(0.9, 1.1, rows), lp.cost)
        clocks: dict[str, list[Clock]] = {}

        def clock(name: str, work: Any, clocks: dict[str, list[Clock]] = clocks) -> Any:
            spent, found = timed(work)
            clocks.setdefault(name, []).append(spent)
            return found

        for _ in range(repeats[rows]):
            expected = clock("direct", lambda lp=lp: direct(lp))[0]
            program, capacity = clock("declare", lambda lp=lp: declare(lp))
            same(clock("first", program.solve)["lp0"].value, expected)
            capacity.value = other.capacity
            expected = clock("direct again", lambda lp=other: direct(lp))[0]
            same(clock("re-solve", program.solve)["lp0"].value, expected)
            by_hand = Warm(lp)
            warm = clock("warm by hand", lambda w=by_hand, lp=other: w.solve(lp.capacity))
            same(warm, expected)
        medians = {name: median(spent) for name, spent in clocks.items()}
        records.append(
            {
                "rows": rows,
                "repeats": repeats[rows],
                "medians": medians,
                "first": ratio(medians["first"], medians["direct"]),
                "re-solve": ratio(medians["re-solve"], medians["direct again"]),
            }
        )
    head = ["rows", "direct", "declare", "first solve", "x direct (cpu)", "re-solve",
            "x direct (cpu)", "warm by hand"]  # fmt: skip
    lines = []
    for r in records:
        spent, first, again = r["medians"], r["first"], r["re-solve"]
        lines.append(
            [
                f"{r['rows']:.0e}",
                *(seconds(spent[name].wall) for name in ("direct", "declare", "first")),
                f"{first.wall:.2f} ({first.cpu:.2f})",
                seconds(spent["re-solve"].wall),
                f"{again.wall:.2f} ({again.cpu:.2f})",
                seconds(spent["warm by hand"].wall),
            ]
        )
    return table(head, lines), records


def tiny(repeats: int) -> tuple[str, list[dict[str, Any]]]:
    """Milliseconds above direct for each problem, re-solving with changed parameters."""
    lp = packing(10)
    rng = np.random.default_rng(1)
    cases = {
        "one problem": (1, declare(lp)),
        "a stage of 8": (8, declare(lp, 8)),
        "two ideals and a compromise": (3, declare_hierarchy(lp)),
    }
    clocks: dict[str, list[Clock]] = {name: [] for name in ("direct", *cases)}
    for program, _ in (declared for _, declared in cases.values()):
        program.solve()
    for _ in range(repeats):
        clocks["direct"].append(timed(lambda: direct(lp))[0])
        for name, (_, (program, capacity)) in cases.items():
            capacity.value = lp.capacity * rng.uniform(0.9, 1.1)
            clocks[name].append(timed(program.solve)[0])
    alone = median(clocks["direct"])
    records = []
    for name, (problems, _) in cases.items():
        spent = median(clocks[name])
        above = Clock(spent.wall / problems - alone.wall, spent.cpu / problems - alone.cpu)
        records.append({"case": name, "problems": problems, "median": spent, "above": above})
    head = ["re-solve of 10 rows", "problems", "whole call", "above direct, a problem (cpu)"]
    lines = [
        [r["case"], r["problems"], seconds(r["median"].wall),
         f"{seconds(r['above'].wall)} ({seconds(r['above'].cpu)})"]
        for r in records
    ]  # fmt: skip
    text = f"{table(head, lines)}\n\nDirect: {seconds(alone.wall)} a problem."
    return text, [{"direct": alone, "cases": records}]


def parallel(rows: int, repeats: int) -> tuple[str, dict[str, Any]]:
    """Eight equal problems in one stage; two bare threads of highspy show what the cores give."""
    lp = packing(rows)
    program, _ = declare(lp, 8)
    program.solve(workers=2)
    clocks: dict[str, list[Clock]] = {}
    for _ in range(repeats):
        for workers in (1, 2):
            spent, _ = timed(lambda workers=workers: program.solve(workers=workers))
            clocks.setdefault(f"Program.solve, workers={workers}", []).append(spent)
            with ThreadPoolExecutor(workers) as pool:
                spent, _ = timed(lambda pool=pool: list(pool.map(direct, [lp] * 8)))
            clocks.setdefault(f"highspy in threads, {workers}", []).append(spent)
    medians = {name: median(spent) for name, spent in clocks.items()}
    gains = {
        name: medians[f"{name}1"].wall / medians[f"{name}2"].wall
        for name in ("Program.solve, workers=", "highspy in threads, ")
    }
    lines = [
        [name.rstrip("=, "), *(seconds(medians[f"{name}{k}"].wall) for k in (1, 2)), f"{gain:.2f}"]
        for name, gain in gains.items()
    ]
    text = table([f"8 problems of {rows:.0e} rows", "1", "2", "gain"], lines)
    return text, {"rows": rows, "medians": medians, "gains": gains}


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    quick = options.quick
    sizes = (10, 1_000) if quick else tuple(REPEATS)
    report = Report("engine", "Program.solve against highspy called directly")
    declare(packing(10))[0].solve()  # first imports are nobody's solve
    text, data = sweep(sizes, dict.fromkeys(sizes, 2) if quick else REPEATS)
    report.section("One linear program", text, "sweep", data)
    text, data = others([r for r in data if r["rows"] <= GUROBI_FREE], 1 if quick else 5)
    report.section("One linear program, by others", text, "others", data)
    text, data = tiny(5 if quick else 101)
    report.section("Tiny re-solves", text, "tiny", data)
    text, data = plain((10, 50) if quick else (10, 50, 200), 5 if quick else 31)
    report.section("Changed parameters, and plain CVXPY", text, "plain", data)
    text, data = parallel(1_000 if quick else 10_000, 2 if quick else 5)
    report.section("Workers", f"{text}\n\n{AIMS}", "parallel", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
