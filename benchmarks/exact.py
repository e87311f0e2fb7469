"""What proofs in rational numbers cost, and how often they are had.

    python benchmarks/exact.py [--quick] [--out DIR]

Sparse packing LPs with decimal data (6 non-zeros a row): HIGHS with its certificate against EXACT,
which solves the basis of HIGHS in fractions and proves it or pivots on; and random lexicographic
chains, badly scaled and with ties, solved by EXACT alone within a time limit. Their numbers are
products (3 * 1e-9 is a float next to 3e-9), which EXACT reads as the decimals nearby.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import cvxpy as cp
import numpy as np
from _families import packing
from _measuring import Report, arguments, median, seconds, table, timed

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust import families

ROWS = (50, 150, 300, 1_000)
CHAINS = ("plain_chains", "rows", "columns", "everything", "nearly_parallel")


def program(rows: int, seed: int) -> lx.Program:
    """A packing LP whose numbers are short decimals, as people write them."""
    data = packing(rows, seed)
    A = data.A.copy()
    A.data = np.round(A.data, 2)
    x = cp.Variable(A.shape[1], bounds=[0, 10], name="x")
    limits = [A @ x <= np.round(data.capacity, 1)]
    objective = cp.Minimize(np.round(data.cost, 2) @ x)
    return lx.Program(lx.Stage("only", lx.Subproblem("pack", objective, limits)))


def times(sizes: Sequence[int], repeats: int) -> tuple[str, list[dict[str, Any]]]:
    lines, data = [], []
    program(10, 0).solve("EXACT")  # first imports are nobody's solve
    for rows in sizes:
        clocks: dict[str, list[Any]] = {"HIGHS": [], "EXACT": []}
        apart = 0.0
        for seed in range(repeats):
            declared, values = program(rows, seed), []
            declared.solve("HIGHS")  # compiled once for both
            for solver in clocks:
                clock, found = timed(lambda s=solver, p=declared: p.solve(s)["pack"])
                clocks[solver].append(clock)
                values.append(found.value)
            if found.exact is None:
                raise SystemExit("EXACT gave no fraction.")
            apart = max(apart, abs(values[0] - values[1]) / (1 + abs(values[1])))
        mine, theirs = median(clocks["EXACT"]), median(clocks["HIGHS"])
        digits = len(str(found.exact.denominator))
        lines.append(
            [rows, seconds(theirs.cpu), seconds(mine.cpu), f"{mine.cpu / theirs.cpu:.1f}", digits,
             f"{apart:.0e}"]
        )  # fmt: skip
        data.append({"rows": rows, "HIGHS": theirs, "EXACT": mine, "digits": digits})
    head = ("rows", "HIGHS, cpu", "EXACT, cpu", "ratio", "digits of the denominator", "apart by")
    return table(head, lines), data


def chains(count: int, limit: float) -> tuple[str, list[dict[str, Any]]]:
    lines, data = [], []
    for name in CHAINS:
        random, answered, wrong, tried = Random(7), 0, 0, 0
        while tried < count:
            case = getattr(families, name)(random)
            if case is None:
                continue
            tried += 1
            exact = lx.Solver("EXACT", time_limit=limit)
            found = case.verdict(exact)
            answered += found == "right"
            wrong += found == "wrong"
        lines.append([name, tried, answered, wrong, f"{answered / tried:.1%}"])
        data.append({"family": name, "tried": tried, "answered": answered, "wrong": wrong})
    return table(("family", "chains", "answered", "wrong", "share"), lines), data


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("exact", "Proofs in rational numbers")
    sizes, repeats = ((50, 150), 1) if options.quick else (ROWS, 3)
    report.section("One linear program", *_keyed("times", times(sizes, repeats)))
    report.section("Chains", *_keyed("chains", chains(3 if options.quick else 60, 20.0)))
    report.write(options.out)
    return 0


def _keyed(key: str, found: tuple[str, Any]) -> tuple[str, str, Any]:
    return found[0], key, found[1]


if __name__ == "__main__":
    sys.exit(main())
