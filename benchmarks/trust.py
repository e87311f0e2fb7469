"""Who is right on data that users have: this library, HiGHS's own mode, Gurobi and a CVXPY loop.

    python benchmarks/trust.py [--only trust | trust_terms | trust_whole] [--count N] [--seed S]
                               [--family NAME] [--night MINUTES] [--humanoid N] [--quick]
                               [--out DIR]

Every family of tests/lexiprog/trust whose optima are known by exact rationals, brute force or a
formula, all solvers as they come, but locks exact and integer searches to a gap of 0. *Right* is
called optimal, and the value of every level at the last point is the true one to 1e-5 of its size;
or it has no optimum, which is said for the true reason at the true level (of the others: nothing
is returned). *Wrong* is called optimal and is not; *refused* is an error or another status;
*flagged* an answer that is not called optimal. The plain families have no malice: there everyone
is right, or the comparison is at fault. ``trust`` has data in any units, ``trust_terms`` data whose
terms are of very unequal size, ``trust_whole`` whole numbers and decimals of many digits, right to
the last one. LEXIPROG_RIVALS names the Python that has gurobipy, by default this.

``--night`` asks this library alone, for so many minutes: the next trial is of the family that has
had the least time. Trial k has the seed S + k, so ``--family NAME --count 1 --seed S+k`` repeats
it; ``results/night.json`` is written every minute and names all trials that are not right.

``--humanoid`` is a control step of LexLS's file with infinity written as 1e4, as 1e12 and left out,
as chains of slacks, one level alone and as hierarchical least squares, and N steps with other ends.
The truth is the published one; of other ends what DAQP finds, level by level with slacks.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import cvxpy as cp
import numpy as np
from _control_cases import (
    PUBLISHED,
    Rows,
    by_daqp,
    humanoid,
    jumps,
    slack_loop,
)
from _measuring import Report, arguments, table
from _trust_rivals import (
    Unfit,
    cvxpy_loop,
    gurobi_hierarchical,
    gurobi_version,
    highs_own,
)

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust import (
    cases,
    conic_families,
    curved_terms,
    families,
    linear_terms,
    whole_numbers,
    whole_terms,
)

Family = Callable[[Random], Any]
OF_UNITS: tuple[Family, ...] = (
    families.plain_chains, families.plain_integer_chains, families.objectives, families.rows,
    families.columns, families.everything, families.integer_chains, families.goals,
    families.small_coefficients, families.nearly_parallel, families.big_m,
    conic_families.risk_then_return, conic_families.one_ball, *conic_families.CHAINS,
)  # fmt: skip
OF_TERMS: tuple[Family, ...] = (
    *linear_terms.FAMILIES, *curved_terms.FAMILIES, *whole_terms.FAMILIES,
)  # fmt: skip
FAMILIES = {"trust": OF_UNITS, "trust_terms": OF_TERMS, "trust_whole": whole_numbers.FAMILIES}
RIVALS: dict[str, Callable[[Any], Any]] = {
    "HiGHS's own mode": highs_own,
    "Gurobi": gurobi_hierarchical,
    "CVXPY loop": cvxpy_loop,
}
WORDS = ("right", "refused", "flagged", "wrong")


def rivals_verdict(rival: Callable[[Any], Any], case: cases.Case | cases.Front) -> str:
    """Of those who return values of all levels, or nothing: right if there are none to be had."""
    if isinstance(case, cases.Front):
        return "unfit"
    try:
        values = rival(case.program)
    except Unfit:
        return "unfit"
    except (cp.SolverError, ValueError, ArithmeticError):
        return "refused"
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust, which is no Exception
            raise
        return "refused"
    if values is None:
        return "right" if isinstance(case.truth[-1], str) else "refused"
    return case.judged(values)


def measure(draw: Family, count: int, seed: int) -> dict[str, Counter[str]]:
    random = Random(seed)
    found: dict[str, Counter[str]] = {who: Counter() for who in ("lexiprog", *RIVALS)}
    tried = 0
    while tried < count:
        case = draw(random)
        if case is None:
            continue
        tried += 1
        found["lexiprog"][case.verdict(last_point=True)] += 1
        for who, rival in RIVALS.items():
            found[who][rivals_verdict(rival, case)] += 1
    return found


def name_of(draw: Family) -> str:
    """Two modules have families of one name."""
    return f"{draw.__module__.rsplit('.', 1)[-1]}.{draw.__name__}"


def shown(counts: Counter[str]) -> str:
    return "-" if counts["unfit"] else " / ".join(str(counts[word]) for word in WORDS)


def counted(drawn: Sequence[Family], count: int, seed: int) -> tuple[str, dict[str, Any]]:
    """The table of these families, and its numbers."""
    lines, data, total = [], {}, {who: Counter[str]() for who in ("lexiprog", *RIVALS)}
    for draw in drawn:
        found = measure(draw, count, seed)
        data[draw.__name__] = {who: dict(counts) for who, counts in found.items()}
        print(".", end="", flush=True)
        lines.append([draw.__name__.replace("_", " "), *map(shown, found.values())])
        for who, counts in found.items():
            total[who] += Counter() if counts["unfit"] else counts
    lines.append(["all", *(shown(counts or Counter(unfit=1)) for counts in total.values())])
    head = ("family", "lexiprog", *RIVALS)
    return f"{count} cases each: {' / '.join(WORDS)}.\n\n{table(head, lines)}", data


def night(drawn: Sequence[Family], minutes: float, seed: int, out: Path | None) -> None:
    """Ours alone, written as it grows."""
    spent = dict.fromkeys(drawn, 0.0)
    found = {draw: Counter[str]() for draw in drawn}
    others: list[tuple[str, str, int]] = []
    start = written = time.monotonic()
    while time.monotonic() < start + 60 * minutes:
        draw = min(drawn, key=spent.__getitem__)
        before, at = time.process_time(), seed + found[draw].total()
        random, case = Random(at), None
        while case is None:
            case = draw(random)
        verdict = case.verdict(last_point=True)
        found[draw][verdict] += 1
        spent[draw] += time.process_time() - before
        if verdict != "right":
            others.append((name_of(draw), verdict, at))
            print(*others[-1], flush=True)
        if time.monotonic() > written + 60:
            night_report(found, others, seed).write(out)
            written = time.monotonic()
    night_report(found, others, seed).write(out)


def night_report(
    found: dict[Family, Counter[str]], others: list[tuple[str, str, int]], seed: int
) -> Report:
    total = sum(found.values(), Counter[str]())
    lines = [
        [name, counts.total(), *(counts[word] for word in WORDS)]
        for name, counts in [*((name_of(draw), c) for draw, c in found.items()), ("all", total)]
    ]
    report = Report("night", "Right, refused, flagged, wrong: a night")
    data = {name_of(draw): dict(counts) for draw, counts in found.items()}
    text = f"Seeds from {seed} on.\n\n{table(('family', 'trials', *WORDS), lines)}"
    report.section("Families", text, "families", data)
    report.data["not right"] = [list(other) for other in others]
    return report


def with_infinity(rows: Rows, infinity: float) -> Rows:
    lower, upper = np.maximum(rows.lower, -infinity), np.minimum(rows.upper, infinity)
    return Rows(rows.A, lower, upper, rows.starts)


def slack_levels(rows: Rows) -> tuple[dict[str, Any], list[Any]]:
    """Objectives and rows as one writes them with a slack for every row."""
    x, objectives, limits = cp.Variable(rows.A.shape[1], name="x"), {}, []
    for k, (block, lower, upper) in enumerate(rows.levels()):
        v = cp.Variable(lower.size, name=f"v{k}")
        down, up = np.isfinite(lower), np.isfinite(upper)
        limits += [block[down] @ x - v[down] >= lower[down], block[up] @ x - v[up] <= upper[up]]
        objectives[f"level {k}"] = cp.Minimize(cp.sum_squares(v))
    return objectives, limits


def least_squares(rows: Rows, truth: Sequence[float]) -> cases.Case:
    x = cp.Variable(rows.A.shape[1], name="x")
    tasks = {f"level {k}": (A @ x, *ends) for k, (A, *ends) in enumerate(rows.levels())}
    return cases.Case(lx.hierarchical_least_squares(tasks), tuple(truth), (1.0,) * len(truth))


def others_say(rows: Rows) -> np.ndarray | None:
    """The levels' optima by DAQP, level by level with slacks; None where it gives up."""
    try:
        return rows.values(slack_loop(rows, by_daqp))
    except ArithmeticError:
        return None


def on_humanoid(count: int, seed: int) -> tuple[str, dict[str, Any]]:
    found: dict[str, Counter[str]] = {}
    for infinity in (1e4, 1e12, np.inf):
        rows, name = with_infinity(humanoid(), infinity), f"infinity {infinity:.0e}"
        objectives, limits = slack_levels(rows)
        alone = [cases.Case(cases.only(objectives[f"level {k}"], limits), (0.0,), (1.0,))
                 for k in range(4)]  # fmt: skip
        chain = cases.Case(lx.preemptive(objectives, limits), PUBLISHED, (1.0,) * 5)
        for what, some in (("one level alone", alone), ("chain of slacks", [chain]),
                           ("least squares", [least_squares(rows, PUBLISHED)])):  # fmt: skip
            found[f"{name}, {what}"] = Counter(case.verdict(last_point=True) for case in some)
            print(name, what, dict(found[f"{name}, {what}"]), flush=True)
    moved = found["other ends, least squares"] = Counter()
    for k, rows in enumerate(jumps(humanoid(), count, seed)):
        truth = others_say(rows)
        if truth is None:
            moved["unknown"] += 1
            continue
        rows = with_infinity(rows, (1e4, 1e12, np.inf)[k % 3])
        moved[least_squares(rows, truth.tolist()).verdict(last_point=True)] += 1
    words = (*WORDS, "unknown")
    lines = [[name, *(counts[word] for word in words)] for name, counts in found.items()]
    return table(("humanoid", *words), lines), {k: dict(c) for k, c in found.items()}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", choices=FAMILIES)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--family")
    parser.add_argument("--night", type=float)
    parser.add_argument("--humanoid", type=int)
    own, rest = parser.parse_known_args(argv)
    options = arguments(__doc__, rest)
    warnings.simplefilter("ignore")
    count = own.count or (1 if options.quick else 40)
    chosen = {
        name: [draw for draw in drawn if own.family in (None, name_of(draw))]
        for name, drawn in FAMILIES.items()
        if own.only in (None, name)
    }
    if own.night:
        night([d for drawn in chosen.values() for d in drawn], own.night, own.seed, options.out)
        return 0
    if own.humanoid is not None:
        report = Report("humanoid", "A humanoid's step, with infinity written in three ways")
        text, data = on_humanoid(own.humanoid, own.seed)
        report.section("Steps", text, "steps", data)
        report.write(options.out)
        return 0
    for name, drawn in chosen.items():
        if not drawn:
            continue
        report = Report(name, "Right, refused, flagged, wrong")
        report.facts["versions"]["gurobipy"] = gurobi_version()
        text, data = counted(drawn, count, own.seed)
        report.section("Families", text, "families", data)
        report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
