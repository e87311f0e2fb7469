"""Who is right on data that users have: this library, HiGHS's own mode, Gurobi and a CVXPY loop.

    python benchmarks/trust.py [--quick] [--out DIR]

Every family of tests/lexiprog/trust whose optima are known by exact rationals, brute force or a
formula, all solvers as they come, but locks exact and integer searches to a gap of 0. *Right* is
called optimal, and the value of every level at the last point is the true one to 1e-5 of its size;
*wrong* is called optimal and is not; *refused* is an error or another status; *flagged* an answer
that is not called optimal. The plain families have no malice: there everyone is right, or
the comparison is at fault. LEXIPROG_RIVALS names the Python that has gurobipy, by default this one.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import cvxpy as cp
import numpy as np
from _measuring import Report, arguments, table
from _trust_rivals import (
    Unfit,
    cvxpy_loop,
    gurobi_hierarchical,
    gurobi_version,
    held_exactly,
    highs_own,
    subproblems,
)

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust import cases, conic_families, families

PLAIN = ("plain_chains", "plain_integer_chains")
LINEAR = (
    "objectives", "rows", "columns", "everything", "integer_chains", "goals",
    "small_coefficients", "nearly_parallel", "big_m",
)  # fmt: skip
CURVED = ("risk_then_return", "one_ball", *(family.__name__ for family in conic_families.CHAINS))
RIVALS: dict[str, Callable[[Any], Any]] = {
    "HiGHS's own mode": highs_own,
    "Gurobi": gurobi_hierarchical,
    "CVXPY loop": cvxpy_loop,
}
WORDS = ("right", "refused", "flagged", "wrong")


def _judged(case: cases.Case, values: Sequence[float]) -> str:
    triples = zip(values, case.truth, case.sizes, strict=True)
    good = all(abs(v - t) <= cases.RIGHT * (size + abs(t)) for v, t, size in triples)
    return "right" if good else "wrong"


def our_verdict(case: cases.Case) -> str:
    """Right are the values of all levels, and those that the last point has."""
    try:
        result = case.program.solve()
    except lx.StageError:
        return "refused"
    if any(solution.status != "optimal" for solution in result.values()):
        return "flagged"
    found = {_judged(case, [solution.value for solution in result.values()])}
    if held_exactly(case.program):
        points = [result.final.at(p.objective.expr) for p in subproblems(case.program)]
        found.add(_judged(case, [float(np.ravel(value)[0]) for value in points]))
    return "right" if found == {"right"} else "wrong"


def rivals_verdict(rival: Callable[[Any], Any], case: cases.Case) -> str:
    """The same for those who return values of all levels, or nothing."""
    try:
        values = rival(case.program)
    except Unfit:
        return "unfit"
    except (cp.SolverError, ValueError, ArithmeticError):
        return "refused"
    return "refused" if values is None else _judged(case, values)


def measure(name: str, count: int) -> dict[str, Counter[str]]:
    draw = getattr(families, name, None) or getattr(conic_families, name)
    random = Random(11)
    found: dict[str, Counter[str]] = {who: Counter() for who in ("lexiprog", *RIVALS)}
    tried = 0
    while tried < count:
        case = draw(random)
        if case is None:
            continue
        tried += 1
        found["lexiprog"][our_verdict(case)] += 1
        for who, rival in RIVALS.items():
            found[who][rivals_verdict(rival, case)] += 1
    return found


def shown(counts: Counter[str]) -> str:
    return "-" if counts["unfit"] else " / ".join(str(counts[word]) for word in WORDS)


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    warnings.simplefilter("ignore")
    report = Report("trust", "Right, refused, flagged, wrong")
    report.facts["versions"]["gurobipy"] = gurobi_version()
    count = 3 if options.quick else 40
    lines, data = [], {}
    for name in (*PLAIN, *LINEAR, *CURVED):
        found = measure(name, count)
        data[name] = {who: dict(counts) for who, counts in found.items()}
        print(".", end="", flush=True)
        lines.append([name.replace("_", " "), *(shown(counts) for counts in found.values())])
    head = ("family", "lexiprog", *RIVALS)
    text = f"{count} cases each: {' / '.join(WORDS)}.\n\n{table(head, lines)}"
    report.section("Families", text, "families", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
