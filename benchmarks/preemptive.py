"""Objectives in strict order on linear programs: this library, its rivals, and who is right."""

from __future__ import annotations

import os

# Dot products are too short to share, and on busy cores a BLAS thread is waited for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import multiprocessing
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from _arrays_rivals import MAKERS, Foreign, Unfit, clocked
from _families import CHAINS, UPPER, Chain
from _measuring import Report, arguments, median, ratio, seconds, table
from _rivals import AGAIN, RIVALS

SIZES, LEVELS = (10, 50, 200, 1_000, 10_000), (2, 5, 10)
SMALL = SIZES[:-1]  # solved again as well
REPEATS = {10: 7, 50: 7, 200: 5, 1_000: 3, 10_000: 2}
LIMIT = 20.0  # seconds for one call by the wall; one that needs longer is tried once
RIGHT = 1e-6
ELSEWHERE = Foreign()
AIMS = (
    "Aims, cpu: from 10 rows on, at most 3 times the time of HiGHS's own mode from declaration "
    "to answer, and at most 2 times when solved again with another demand. From 1e4 rows on: at "
    "most 1.2 times the time of HiGHS's own mode, CVXPY's compile included, and never less "
    "exact; at least 5 times faster than the loop. Times are medians from arrays to the last "
    "point, by the wall; the ratios are lexiprog's time over the rival's, by the wall and in "
    "the processor (cpu): below 1 lexiprog is faster. Error: the largest over all levels of "
    "(value at the last point - optimum) / (1 + optimum). The optima are proved: weak duality, "
    "summed up here by numpy from lexiprog's multipliers, leaves no more than the proof gap in "
    "any level, and no rival is better by more than rounding. Gurobi and manylp run in the Python "
    "that LEXIPROG_RIVALS names; solved again, Gurobi keeps its model and basis, and manylp what "
    "it knows of the group."
)


def judged(problem: Chain, found: dict[str, Any], optima: np.ndarray) -> dict[str, float]:
    """Errors of a point's values, signed so that too good to be true shows as well."""
    x = found["x"]
    outside = max(
        float(np.max(problem.demand - problem.A @ x)), float(np.max(-x)), float(np.max(x - UPPER))
    )
    errors = (problem.costs @ x - optima) / (1.0 + np.abs(optima))
    return {"error": errors[np.argmax(np.abs(errors))], "outside": max(outside, 0.0)}


def proof(problem: Chain, found: dict[str, Any]) -> tuple[np.ndarray, float]:
    """The optima, and the largest relative distance to the bounds their multipliers prove.

    For any y >= 0 and locks >= 0 no point that holds the earlier optima has a cost below
    demand @ y - locks @ optima + the least of rest @ x over the box.
    """
    optima = problem.costs @ found["x"]
    gaps = []
    for k, (y, locks) in enumerate(found["multipliers"]):
        y, locks = np.maximum(y, 0.0), np.maximum(np.array(locks), 0.0)
        rest = problem.costs[k] - problem.A.T @ y + problem.costs[:k].T @ locks
        bound = problem.demand @ y - locks @ optima[:k] + np.minimum(UPPER * rest, 0.0).sum()
        gaps.append(abs(optima[k] - bound) / (1.0 + abs(optima[k])))
    return optima, max(gaps)


def less(problem: Chain) -> np.ndarray:
    """Another demand, which can be met if the given one can."""
    return problem.demand - np.arange(problem.demand.size) % 2


def _in_child(name: str, problem: Chain, again: bool, pipe: Any) -> None:
    warnings.simplefilter("ignore")
    try:
        # First-call imports and caches are not the method's time.
        RIVALS[name](CHAINS["transport"](20, 2))
        if again:
            solve, demand = AGAIN[name](problem), less(problem)
            pipe.send(clocked(problem, lambda: solve(demand), lambda: solve(problem.demand)))
        else:
            pipe.send(clocked(problem, lambda: RIVALS[name](problem)))
    except Unfit as reason:
        pipe.send((None, {"status": str(reason)}))


def run(name: str, problem: Chain, limit: float, again: bool) -> tuple[Any, dict[str, Any]]:
    """One call in a process of its own, which alone can be stopped at the limit."""
    if name in MAKERS:
        return ELSEWHERE.ask(name, problem, less(problem) if again else None, limit)
    context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(name, problem, again, writer))
    child.start()
    writer.close()
    try:
        if not reader.poll(limit + 5.0):
            return None, {"status": f"over {limit:.0f} s"}
        return reader.recv()
    except EOFError:
        return None, {"status": "crashed"}
    finally:
        child.kill()
        child.join()


def compare(
    family: str, rows: int, levels: int, repeats: int, limit: float, *, again: bool = False
) -> dict[str, Any]:
    """Every rival in turn, so that a busy minute is shared by all."""
    problem = CHAINS[family](rows, levels)
    names = [*(AGAIN if again else RIVALS), *MAKERS]
    clocks: dict[str, list[Any]] = {name: [] for name in names}
    last: dict[str, dict[str, Any]] = {}
    for _ in range(repeats):
        for name in clocks:
            if name in last and not clocks[name]:
                continue  # unfit, or over the limit already
            clock, last[name] = run(name, problem, limit, again)
            if clock is not None:
                clocks[name].append(clock)
    if not clocks["lexiprog"]:
        raise SystemExit(f"lexiprog gave no answer: {last['lexiprog']['status']}")
    if again:
        problem = replace(problem, demand=less(problem))
    optima, gap = proof(problem, last["lexiprog"])
    own = median(clocks["lexiprog"])
    entries = {}
    for name, found in last.items():
        entry: dict[str, Any] = {"status": found["status"]}
        if clocks[name]:
            spent = median(clocks[name])
            entry |= {"median": spent, "ratio": ratio(own, spent)}
        if found.get("x") is not None:
            entry |= judged(problem, found, optima)
        entries[name] = entry
    return {
        "family": family, "rows": rows, "levels": levels, "repeats": repeats, "proof gap": gap,
        "locks": last["lexiprog"]["locks"], "optima": optima, "methods": entries,
    }  # fmt: skip


def _cell(entry: dict[str, Any]) -> tuple[str, str, str]:
    if "median" not in entry:
        return entry["status"], "", ""
    quotient = entry["ratio"]
    factor = f"{quotient.wall:.2f} ({quotient.cpu:.2f})"
    if entry["status"] != "optimal":
        verdict = f"failed: {entry['status']}"
    else:
        verdict = f"{entry['error']:.0e}" + ("" if abs(entry["error"]) <= RIGHT else " WRONG")
    return seconds(entry["median"].wall), factor, verdict


def shown(records: list[dict[str, Any]]) -> str:
    head = ["rows", "levels", "method", "time", "lexiprog / it (cpu)", "error"]
    lines = []
    for record in records:
        where = [f"{record['rows']:.0e}", record["levels"]]
        for name, entry in record["methods"].items():
            lines.append([*where, name, *_cell(entry)])
            where = ["", ""]
    gaps = ", ".join(f"{record['proof gap']:.0e}" for record in records)
    return f"{table(head, lines)}\n\nProof gaps, in order: {gaps}."


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("preemptive", "Objectives in strict order, against the rivals")
    sizes, levels = ((50,), (2, 3)) if options.quick else (SIZES, LEVELS)
    for family, make in CHAINS.items():
        records = [
            compare(family, rows, k, *((1, 10.0) if options.quick else (REPEATS[rows], LIMIT)))
            for rows in sizes
            for k in levels
        ]
        about = " ".join((make.__doc__ or "").split())
        report.section(family.capitalize(), f"{about}\n\n{shown(records)}", family, records)
        records = [
            compare(
                family,
                rows,
                k,
                *((1, 10.0) if options.quick else (REPEATS[rows], LIMIT)),
                again=True,
            )
            for rows in sizes
            if rows in SMALL
            for k in levels
        ]
        title = f"{family.capitalize()}, solved again with another demand"
        report.section(title, shown(records), f"{family} again", records)
    report.section("Reading the tables", AIMS, "aims", AIMS)
    report.write(options.out)
    ELSEWHERE.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
