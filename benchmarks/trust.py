"""Who is right on data that users have: this library, HiGHS's own mode, Gurobi and a CVXPY loop.

    python benchmarks/trust.py [--quick] [--out DIR]

Every family of tests/lexiprog/trust whose optima are known by exact rationals, brute force or a
formula. *Right* is what is called optimal and is; *wrong* is called optimal and is not; *refused*
is an error or another status; *flagged* an answer that is not called optimal.
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
from _measuring import Report, arguments, table
from _trust_rivals import Unfit, cvxpy_loop, gurobi_hierarchical, highs_own

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust import conic_families, families

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


def rivals_verdict(rival: Callable[[Any], Any], case: families.Case) -> str:
    """The same measure for those who return values of all levels, or nothing."""
    try:
        values = rival(case.program)
    except Unfit:
        return "unfit"
    except (cp.SolverError, ValueError, ArithmeticError):
        return "refused"
    if values is None:
        return "refused"
    triples = zip(values, case.truth, case.sizes, strict=True)
    good = all(abs(v - t) <= families.RIGHT * (size + abs(t)) for v, t, size in triples)
    return "right" if good else "wrong"


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
        found["lexiprog"][families.verdict(case)] += 1
        for who, rival in RIVALS.items():
            found[who][rivals_verdict(rival, case)] += 1
    return found


def shown(counts: Counter[str]) -> str:
    return "-" if counts["unfit"] else " / ".join(str(counts[word]) for word in WORDS)


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    warnings.simplefilter("ignore")
    report = Report("trust", "Right, refused, flagged, wrong")
    count = 3 if options.quick else 50
    lines, data = [], {}
    for name in (*LINEAR, *CURVED):
        found = measure(name, count)
        data[name] = {who: dict(counts) for who, counts in found.items()}
        lines.append([name.replace("_", " "), *(shown(counts) for counts in found.values())])
    head = ("family", "lexiprog", *RIVALS)
    text = f"{count} cases each: {' / '.join(WORDS)}.\n\n{table(head, lines)}"
    report.section("Families", text, "families", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
