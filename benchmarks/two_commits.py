"""Processor time of this checkout over that of another one, side by side in one run.

``python benchmarks/two_commits.py ../other`` starts both in turns, each in processes of its own,
and prints the ratio for every workload: below 1 this checkout is the faster one. ``../other`` is
a checkout, made for instance by ``git worktree add ../other COMMIT``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from _families import CHAINS, UPPER, Chain, packing
from _filling import flows
from _filling import lexiprog as shares
from _integer_families import FAMILIES
from _measuring import table, timed
from _rivals import lexiprog, lexiprog_again
from integer import ours

ROOT = Path(__file__).resolve().parents[1]
CALLS = 5  # of each workload in a process; the fastest counts


def dense(rows: int, levels: int) -> Chain:
    """Levels that count every column, over a dense matrix."""
    rng = np.random.default_rng(0)
    A = rng.integers(0, 5, (rows, 2 * rows)).astype(float)
    demand = np.minimum(rng.integers(5, 50, rows), A.sum(axis=1) * UPPER / 4).astype(float)
    return Chain(A, demand, rng.integers(0, 3, (levels, 2 * rows)).astype(float))


def one(rows: int) -> Chain:
    """A packing as one level."""
    lp = packing(rows)
    return Chain(-lp.A, -lp.capacity, lp.cost[None])


def workloads() -> dict[str, Callable[[], object]]:
    """What is timed, by name: solved from nothing, and again with other right-hand sides."""
    work: dict[str, Callable[[], object]] = {}
    chains = {f"one LP, {rows} rows": one(rows) for rows in (10, 50, 200, 1_000, 10_000)}
    for name, make in CHAINS.items():
        for rows, levels in ((50, 2), (200, 5), (1_000, 5)):
            chains[f"{name}, {rows} rows, {levels} levels"] = make(rows, levels)
    chains["dense, 40 rows, 10 levels"] = dense(40, 10)
    chains["dense, 80 rows, 5 levels"] = dense(80, 5)
    for name, chain in chains.items():
        work[name] = partial(lexiprog, chain)
        if chain.demand.size <= 1_000:
            work[f"{name}, again"] = partial(lexiprog_again(chain), 0.99 * chain.demand)
    for count in (60, 240):
        work[f"leximin, {count} flows"] = partial(shares, flows(count))
    for name, family in FAMILIES.items():
        work[f"{name}, integer"] = partial(ours, family(0, 0), None)
    return work


def best() -> dict[str, float]:
    """Processor seconds of every workload, the least of some calls."""
    return {
        name: min(timed(call)[0].cpu for _ in range(CALLS)) for name, call in workloads().items()
    }


def measured_in(checkout: Path) -> dict[str, float]:
    """The same in a new process that imports the packages of a checkout."""
    said = subprocess.run(
        [sys.executable, __file__, "--here"],
        env={**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"},
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    return {str(name): float(took) for name, took in json.loads(said).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", type=Path, help="a checkout to compare with")
    parser.add_argument("--turns", type=int, default=5, help="processes of each checkout (5)")
    parser.add_argument("--here", action="store_true", help="time this process and print JSON")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(best()))
        return
    if given.other is None:
        parser.error("which checkout should it be compared with?")
    turns = [(measured_in(ROOT), measured_in(given.other.resolve())) for _ in range(given.turns)]
    rows, ratios = [], []
    for name in turns[0][0]:
        here, there = (statistics.median(turn[k][name] for turn in turns) for k in (0, 1))
        ratios.append(statistics.median(a[name] / b[name] for a, b in turns))
        rows.append([name, f"{1e3 * here:.1f}", f"{1e3 * there:.1f}", f"{ratios[-1]:.2f}"])
    rows.append(["geometric mean", "", "", f"{statistics.geometric_mean(ratios):.2f}"])
    print(table(["workload", "ms here", "ms there", "ratio"], rows))


if __name__ == "__main__":
    main()
