"""Integer hierarchies: ours against a hand-written highspy loop with starts, PuLP and Gurobi.

``python benchmarks/integer.py`` solves four families (rostering, set cover, fixed-charge network,
multi-knapsack) to the proof of every level, and others within a limit of ten seconds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import cvxpy as cp
import numpy as np
from _integer_families import FAMILIES, Instance
from _integer_rivals import gurobi_loop, highspy_loop, pulp_loop
from _measuring import Report, arguments, table

import lexiprog as lx


def ours(instance: Instance, limit: float | None) -> tuple[list[float], list[float], float]:
    """Values, gaps and seconds of our own solve, compiling included."""
    x = cp.Variable(instance.columns, integer=True, name="x", bounds=[0, instance.upper])
    y = cp.Variable(instance.reals, nonneg=True, name="y") if instance.reals else None
    begun = time.perf_counter()

    def row(matrix: np.ndarray) -> cp.Expression:
        whole = matrix[:, : instance.columns] @ x
        return whole if y is None else whole + matrix[:, instance.columns :] @ y

    rules = [row(instance.A) <= instance.b]
    levels = {f"level {k}": cp.Minimize(row(c[None])[0]) for k, c in enumerate(instance.costs)}
    program = lx.preemptive(levels, rules)
    try:
        result = program.solve(time_limit=limit)
    except lx.StageError as error:
        return [s.value for s in error.partial.values()], [], time.perf_counter() - begun
    gaps = [np.inf if s.bound is None else abs(s.value - s.bound) / (1 + abs(s.value))
            for s in result.values()]  # fmt: skip
    return [s.value for s in result.values()], gaps, time.perf_counter() - begun


def worse(ours: list[float], theirs: list[float]) -> bool:
    """Whether our values are worse, the first difference deciding."""
    for mine, other in zip(ours, theirs, strict=False):
        if abs(mine - other) > 1e-6 * (1 + abs(other)):
            return mine > other
    return len(ours) < len(theirs)


def to_proof(size: int, seeds: int) -> tuple[str, dict[str, Any]]:
    """Seconds until every level is proved."""
    rows, ratios = [], []
    for name, make in FAMILIES.items():
        for seed in range(seeds):
            instance = make(seed, size)
            values, _, took = ours(instance, None)
            loop = highspy_loop(instance, None)
            ratios.append(took / loop.seconds)
            same = np.allclose(values, loop.values, rtol=1e-6, atol=1e-6)
            rows.append([f"{name} {seed}", f"{took:.2f}", f"{loop.seconds:.2f}",
                         f"{ratios[-1]:.2f}", pulp_loop(instance, 20.0), gurobi_loop(instance),
                         "yes" if same else "NO"])  # fmt: skip
    mean = float(np.exp(np.mean(np.log(ratios))))
    head = ["family", "ours, s", "highspy, s", "ratio", "PuLP, s", "Gurobi, s", "same values"]
    text = f"{table(head, rows)}\n\nGeometric mean of the ratios: {mean:.2f} (aim: 1.2)."
    return text, {"ratio": mean, "ratios": ratios}


def at_a_limit(size: int, seeds: int, limit: float) -> tuple[str, dict[str, Any]]:
    """Values and gaps when the time is over."""
    rows, late, lost = [], 0, 0
    for name, make in FAMILIES.items():
        for seed in range(seeds):
            instance = make(seed + 100, size)
            values, gaps, took = ours(instance, limit)
            loop = highspy_loop(instance, limit)
            late += took > 1.1 * limit + 0.5
            lost += worse(values, loop.values)
            rows.append([f"{name} {seed}", ", ".join(f"{v:g}" for v in values),
                         ", ".join(f"{100 * g:.2g} %" for g in gaps), f"{took:.2f}",
                         ", ".join(f"{v:g}" for v in loop.values),
                         "yes" if worse(values, loop.values) else "no"])  # fmt: skip
    head = ["family", f"ours at {limit:g} s", "gaps", "seconds", "highspy loop", "ours worse"]
    text = (
        f"{table(head, rows)}\n\nLimits passed by more than 10 % + 0.5 s: {late} of {len(rows)} "
        f"(aim: none). Ours worse, the first level that differs deciding: {lost} of {len(rows)} "
        "(aim: at most a tenth)."
    )
    return text, {"late": late, "worse": lost, "cases": len(rows)}


def main(argv: Sequence[str] | None = None) -> None:
    """Run, print and write the tables."""
    options = arguments(__doc__, argv)
    warnings.simplefilter("ignore", lx.LexiprogWarning)
    report = Report("integer", "Integer hierarchies against loops written by hand")
    quick = options.quick
    text, data = to_proof(0 if quick else 2, 1 if quick else 2)
    report.section("To the proof of every level", text, "proof", data)
    text, data = at_a_limit(1 if quick else 3, 1 if quick else 3, 1.0 if quick else 10.0)
    report.section("At a limit", text, "limit", data)
    report.write(options.out)


if __name__ == "__main__":
    main()
