"""MPS files as one stage and as chains of two, against published optima and fractions.

    python benchmarks/netlib.py FOLDER [--quick] [--out DIR]

FOLDER holds the files (those of HiGHS's check/instances have published optima here). A chain goes
on with a random objective that is bounded below. Linear optima are proved apart from our solver:
the basis that HiGHS ends with is solved in fractions, refined until nothing of the rest is left,
and its signs are looked at; columns with a reduced cost are then fixed, which leaves the optimal
face for the second objective. Mixed-integer ones are the published optimum, and HiGHS under a row
that holds it, with and without a little room; where the two differ nobody knows.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp
from _families import silent_highs
from _measuring import Report, arguments, seconds, table, timed
from scipy.sparse.linalg import splu

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust.cases import Case, only

PUBLISHED = {
    "25fv47": 5501.8458883, "80bau3b": 987224.19241, "adlittle": 225494.96316,
    "afiro": -464.75314286, "etamacro": -755.71523330, "greenbea": -72555248.130,
    "israel": -896644.82186, "shell": 1208825346.0, "stair": -251.26695119, "standata": 1257.6995,
    "bell5": 8966406.49, "dcmulti": 188182.0, "egout": 568.1007, "flugpl": 1201500.0,
    "gesa2": 25779856.372, "gt2": 21166.0, "lseu": 1120.0, "p0548": 8691.0, "rgn": 82.19999924,
}  # fmt: skip
NOTHING = Fraction(1, 10**25)  # what is left of a residual that is none
SECONDS = 120.0  # for one program


def solved(lp: highspy.HighsLp) -> highspy.Highs:
    highs = silent_highs()
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.0)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-10)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-10)
    highs.setOptionValue("time_limit", SECONDS)
    highs.passModel(lp)
    highs.run()
    return highs


def read(path: Path) -> highspy.HighsLp:
    highs = silent_highs()
    highs.readModel(str(path))
    return highs.getLp()


def matrix(lp: highspy.HighsLp) -> sp.csc_array:
    given = lp.a_matrix_
    return sp.csc_array((given.value_, given.index_, given.start_), (lp.num_row_, lp.num_col_))


def written(number: float) -> Any:
    """The decimal in the file: ties between its numbers are no ties between floats."""
    return Fraction(repr(float(number))) if np.isfinite(number) else number


def refined(B: sp.csc_array, rhs: list[Fraction]) -> list[Fraction]:
    """The solution of B x = rhs to far more digits than floats have."""
    factors, size = splu(B), len(rhs)
    columns = [_column(B, j) for j in range(size)]
    found, rest = [Fraction(0)] * size, list(rhs)
    for _ in range(12):
        step = factors.solve(np.array([float(r) for r in rest]))
        found = [a + Fraction(float(b)) for a, b in zip(found, step, strict=True)]
        rest = list(rhs)
        for x, column in zip(found, columns, strict=True):
            for i, value in column:
                rest[i] -= value * x
        if max(map(abs, rest)) < NOTHING:
            break
    return found


def proved(lp: highspy.HighsLp) -> tuple[Fraction, np.ndarray] | None:
    """The optimum by the basis that HiGHS ends with, and which columns and rows it fixes."""
    highs = solved(lp)
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis = highs.getBasis()
    states = [*basis.col_status, *basis.row_status]
    lower = [written(side) for side in (*lp.col_lower_, *lp.row_lower_)]
    upper = [written(side) for side in (*lp.col_upper_, *lp.row_upper_)]
    wide = sp.csc_array(sp.hstack([matrix(lp), -sp.eye_array(lp.num_row_)]))
    cost = [written(c) for c in lp.col_cost_] + [Fraction(0)] * lp.num_row_
    basic = [j for j, state in enumerate(states) if state == highspy.HighsBasisStatus.kBasic]
    at_upper = highspy.HighsBasisStatus.kUpper
    point = [Fraction(0)] * len(states)
    for j, state in enumerate(states):
        side = upper[j] if state == at_upper else lower[j]
        point[j] = side if abs(side) < highspy.kHighsInf else Fraction(0)
    rhs = [Fraction(0)] * lp.num_row_
    inside = set(basic)
    for j in range(len(states)):
        if j not in inside and point[j]:
            for i, value in _column(wide, j):
                rhs[i] -= value * point[j]
    for j, value in zip(basic, refined(wide[:, basic], rhs), strict=True):
        point[j] = value
        if not lower[j] - NOTHING <= value <= upper[j] + NOTHING:
            return None
    prices = refined(sp.csc_array(wide[:, basic].T), [cost[j] for j in basic])
    fixed = np.zeros(len(states), bool)
    for j in range(len(states)):
        reduced = cost[j] - sum(v * prices[i] for i, v in _column(wide, j))
        if j in inside or abs(reduced) < NOTHING:
            continue
        fixed[j] = True
        if lower[j] < upper[j] and (point[j] != (lower[j] if reduced > 0 else upper[j])):
            return None
    value = sum(c * x for c, x in zip(cost, point, strict=True)) + written(lp.offset_)
    return value, np.where(fixed, np.array([float(x) for x in point]), np.nan)


def _column(A: sp.csc_array, j: int) -> list[tuple[int, Fraction]]:
    part = slice(A.indptr[j], A.indptr[j + 1])
    return [*zip(A.indices[part].tolist(), map(written, A.data[part].tolist()), strict=True)]


def linear_truths(lp: highspy.HighsLp, others: Sequence[np.ndarray]) -> list[float | None]:
    """The optimum, and that of each other objective on its face; None is not proved."""
    found = proved(lp)
    if found is None:
        return [None] * (1 + len(others))
    value, at = found
    # Rows and columns that are fixed lie exactly on a bound of theirs.
    fixed, n = np.isfinite(at), lp.num_col_
    lp.col_lower_ = np.where(fixed[:n], at[:n], lp.col_lower_)
    lp.col_upper_ = np.where(fixed[:n], at[:n], lp.col_upper_)
    lp.row_lower_ = np.where(fixed[n:], at[n:], lp.row_lower_)
    lp.row_upper_ = np.where(fixed[n:], at[n:], lp.row_upper_)
    lp.offset_, truths = 0.0, [float(value)]
    for other in others:
        lp.col_cost_ = other
        then = proved(lp)
        truths.append(None if then is None else float(then[0]))
    return truths


def integer_truths(
    lp: highspy.HighsLp, others: Sequence[np.ndarray], best: float
) -> list[float | None]:
    """The same with whole numbers, as the published optimum allows."""
    cost, truths = np.array(lp.col_cost_), [best]
    step = 0.5 if _whole_steps(lp, cost) else 1e-10 * (1 + abs(best))
    exact = solved(lp).getObjectiveValue()
    truths[0] = exact if abs(exact - best) <= 1e-8 * (1 + abs(best)) else None
    for other in others:
        values = []
        for room in (1e-13 * (1 + abs(best)), step):
            highs = silent_highs()
            lp.col_cost_ = other
            highs.passModel(lp)
            there = np.flatnonzero(cost)
            highs.addRow(
                -highspy.kHighsInf, exact - lp.offset_ + room, there.size, there, cost[there]
            )
            held = solved(highs.getLp())
            values.append(held.getObjectiveValue())
            if held.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                values.append(np.inf)
        same = max(values) - min(values) <= 1e-6 * (1 + abs(values[0]))
        truths.append(values[0] if same else None)
    return truths


def _whole(lp: highspy.HighsLp) -> np.ndarray:
    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    return np.array([kind != highspy.HighsVarType.kContinuous for kind in kinds])


def _whole_steps(lp: highspy.HighsLp, cost: np.ndarray) -> bool:
    return bool(np.all(cost == np.round(cost)) and np.all(_whole(lp)[cost != 0]))


def program(lp: highspy.HighsLp, other: np.ndarray | None) -> lx.Program:
    """The file's rows, and one level or two."""
    lower, upper = np.array(lp.col_lower_), np.array(lp.col_upper_)
    whole = np.flatnonzero(_whole(lp))
    mask = {"integer": [whole]} if whole.size else {}
    x = cp.Variable(lp.num_col_, bounds=[lower, upper], name="x", **mask)
    A, low, up = matrix(lp).tocsr(), np.array(lp.row_lower_), np.array(lp.row_upper_)
    kinds = {
        "==": low == up,
        ">=": np.isfinite(low) & (low < up),
        "<=": np.isfinite(up) & (low < up),
    }
    rows = []
    for kind, chosen in kinds.items():
        if chosen.any():
            left = A[np.flatnonzero(chosen)] @ x
            rows.append({"==": left == low[chosen], ">=": left >= low[chosen],
                         "<=": left <= up[chosen]}[kind])  # fmt: skip
    first = cp.Minimize(np.array(lp.col_cost_) @ x + lp.offset_)
    if other is None:
        return only(first, rows)
    return lx.preemptive({"file": first, "other": cp.Minimize(other @ x)}, rows)


def random_costs(lp: highspy.HighsLp, seed: int) -> np.ndarray:
    """Whole costs of some columns that have lower bounds, so that something is the least."""
    random = Random(seed)
    return np.array(
        [random.choice([0, 0, random.randint(1, 9)]) * np.isfinite(low) for low in lp.col_lower_],
        float,
    )


def trials(path: Path, count: int) -> tuple[Counter[str], float]:
    """One stage and so many chains: verdicts, and our seconds in all."""
    lp = read(path)
    others = [random_costs(lp, seed) for seed in range(count)]
    if _whole(lp).any():
        truths = integer_truths(read(path), others, PUBLISHED[path.stem])
    else:
        truths = linear_truths(read(path), others)
        published = PUBLISHED.get(path.stem)
        if truths[0] is not None and published is not None:
            assert abs(truths[0] - published) <= 1e-8 * abs(published), (path.stem, truths[0])
        truths[0] = published if truths[0] is None else truths[0]
    found, spent = Counter[str](), 0.0
    for other, then in zip([None, *others], [None, *truths[1:]], strict=True):
        known = [truths[0]] if other is None else [truths[0], then]
        if None in known:
            found["unknown"] += 1
            continue
        sizes = (0.0, 1.0)[: len(known)]
        case = Case(program(lp, other), tuple(known), sizes, 1e-7, {"time_limit": SECONDS})
        clock, verdict = timed(lambda case=case: case.verdict(last_point=True))
        found[verdict] += 1
        spent += clock.wall
    return found, spent


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("folder", type=Path, nargs="?")
    own, rest = parser.parse_known_args(argv)
    if own.folder is None:  # as in `make bench`
        print("No folder with MPS files was named, so there is nothing to measure.")
        return 0
    options = arguments(__doc__, rest)
    warnings.simplefilter("ignore")
    report = Report("netlib", "Netlib and MIPLIB files, alone and as chains of two")
    words = ("right", "refused", "flagged", "wrong", "unknown")
    lines, data = [], {}
    for path in sorted(own.folder.glob("*.mps")):
        if options.quick and path.stat().st_size > 20_000:
            continue
        found, spent = trials(path, 1 if options.quick else 3)
        data[path.stem] = dict(found) | {"seconds": spent}
        lines.append([path.stem, *(found[word] for word in words), seconds(spent)])
        print(*lines[-1], flush=True)
    text = table(("file", *words, "time"), lines)
    report.section("Files", text, "files", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
