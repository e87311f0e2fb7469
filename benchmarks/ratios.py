"""Ratios of linear functions: our proved bisection and CVXPY's, against Charnes and Cooper's LP.

    python benchmarks/ratios.py [--quick] [--out DIR]

An answer is right if it is within 1e-8 of the optimum, over 1 + its size; near within 1e-5.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import cvxpy as cp
from _measuring import Report, arguments, seconds, table

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.nonconvex.test_bisection import ratio


def ours(objective: cp.Minimize, constraints: list[cp.Constraint]) -> float:
    level = lx.Subproblem("level", objective, constraints, qcp=True)
    return lx.Program(lx.Stage("only", level)).solve().final.value


def cvxpys(objective: cp.Minimize, constraints: list[cp.Constraint]) -> float:
    return float(cp.Problem(objective, constraints).solve(qcp=True, solver="HIGHS"))


def verdict(value: float, optimum: float) -> str:
    off = abs(value - optimum) / (1 + abs(optimum))
    return "right" if off <= 1e-8 else "near" if off <= 1e-5 else "wrong"


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    warnings.simplefilter("ignore")
    report = Report("ratios", "Ratios of linear functions, by proved bisection and by CVXPY's")
    methods: dict[str, Callable[..., float]] = {"lexiprog": ours, "CVXPY": cvxpys}
    found = {name: Counter[str]() for name in methods}
    spent = dict.fromkeys(methods, 0.0)
    count = 20 if options.quick else 200
    for seed in range(count):
        problem, optimum = ratio(seed)
        for name, method in methods.items():
            begun = time.process_time()
            try:
                word = verdict(method(*problem), optimum)
            except (lx.LexiprogError, cp.error.SolverError, ValueError):
                word = "no answer"
            spent[name] += time.process_time() - begun
            found[name][word] += 1
    words = ("right", "near", "wrong", "no answer")
    lines = [
        [name, *(found[name][word] for word in words), seconds(spent[name] / count)]
        for name in methods
    ]
    data = {name: dict(found[name]) | {"seconds": spent[name] / count} for name in methods}
    report.section("Ratios", table(("method", *words, "processor, each"), lines), "ratios", data)
    report.write(options.out)
    return int(found["lexiprog"]["right"] < count)


if __name__ == "__main__":
    sys.exit(main())
