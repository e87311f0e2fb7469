"""What LexiBoost's weights cost: reductions against full programs, and against training."""

from __future__ import annotations

import os

# Dot products are too short to share, and on busy cores a BLAS thread is waited for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
import tracemalloc
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from _families import silent_highs
from _measuring import Report, arguments, seconds, table, timed
from highspy import HighsLp, MatrixFormat
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiBoostClassifier, lexiboost_program, lexicographic_weights
from lexiprog_boost.margins import class_mean_margins

SHARES = [0.85, 0.1, 0.05]
# A solver that took longer than this is not given the next size.
PATIENCE = 40.0
# A direct solve is stopped after this many seconds.
LIMIT = 240.0


def margins(n: int, members: int, kind: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Margins of members of different skill on three classes, the last one rare."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.choice(3, n - 3, p=SHARES)]
    skill = rng.uniform(0.2, 0.5, (3, members))[y]
    if kind == "votes":
        return np.where(rng.random((n, members)) < 0.5 + skill / 2, 1, -1).astype(np.int8), y
    return np.clip(skill + rng.normal(0, 0.6, (n, members)), -1, 1), y


def against_full_programs(sizes: Sequence[int]) -> tuple[str, list[dict[str, Any]]]:
    records: list[dict[str, Any]] = []
    slow: set[str] = set()
    for n in sizes:
        M, y = margins(n, 10, "votes")
        spent, found = timed(lambda M=M, y=y: lexicographic_weights(M, y))
        records.append({"n": n, "how": "reduction", "clock": spent, "chi": found.chi})
        for solver in ("HIGHS", "CLARABEL", "ECOS"):
            if solver in slow:
                continue
            full, result = timed(
                lambda M=M, y=y, solver=solver: lexiboost_program(M, y).solve(solver)
            )
            same(result["balance"].value, found.chi)
            records.append({"n": n, "how": f"full, {solver}", "clock": full,
                            "times": full.wall / spent.wall})  # fmt: skip
            if full.wall > PATIENCE:
                slow.add(solver)
    lines = [
        [f"{r['n']:.0e}", r["how"], seconds(r["clock"].wall), seconds(r["clock"].cpu),
         f"{r['times']:.0f}x" if "times" in r else ""]
        for r in records
    ]  # fmt: skip
    head = ["points", "votes of 10 members", "wall", "cpu", "over the reduction"]
    note = f"A solver that took more than {PATIENCE:.0f} s is not given the next size."
    return f"{table(head, lines)}\n\n{note}", records


class TimedTree(DecisionTreeClassifier):
    """A tree that adds up the time spent in training."""

    spent = 0.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TimedTree:
        start = time.perf_counter()
        super().fit(X, y, sample_weight=sample_weight)
        TimedTree.spent += time.perf_counter() - start
        return self


def share_of_fit(cases: Sequence[tuple[int, int]]) -> tuple[str, list[dict[str, Any]]]:
    records = []
    for n, rounds in cases:
        X, y = make_classification(
            n, n_features=20, n_informative=8, weights=[0.9], flip_y=0.05, random_state=0
        )
        model = LexiBoostClassifier(TimedTree(max_depth=3), rounds, random_state=0)
        TimedTree.spent = 0.0
        whole, _ = timed(lambda model=model, X=X, y=y: model.fit(X, y))
        M = margins(n, rounds, "votes")[0][:, : len(model.estimators_)]
        weighing, _ = timed(lambda M=M, y=y: lexicographic_weights(M, y))
        records.append({
            "n": n, "rounds": rounds, "fit": whole, "trees": TimedTree.spent,
            "outside": 1 - TimedTree.spent / whole.wall, "weighing": weighing.wall / whole.wall,
        })  # fmt: skip
    lines = [
        [f"{r['n']:.0e}", r["rounds"], seconds(r["fit"].wall), f"{r['outside']:.1%}",
         f"{r['weighing']:.1%}"]
        for r in records
    ]  # fmt: skip
    head = ["points", "members", "fit", "not in the trees' fit", "of it: margins to weights"]
    note = (
        "Aim: at most 5 % outside of training. AdaBoost itself has to predict and to weigh all "
        "points every round; the last column is what LexiBoost adds to it."
    )
    return f"{table(head, lines)}\n\n{note}", records


def from_chunks(n: int, members: int) -> tuple[str, dict[str, Any]]:
    rows = min(100_000, n)
    block = margins(rows, members, "votes")

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for _ in range(n // rows):
            yield block

    spent, found = timed(lambda: lexicographic_weights(class_mean_margins(blocks())))
    tracemalloc.start()  # in a second pass, since it takes time
    lexicographic_weights(class_mean_margins(blocks()))
    more = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    whole = n * members * 8 / 2**20
    text = (
        f"{n:.0e} points, {members} members, in blocks of {rows:.0e}: {seconds(spent.wall)} "
        f"(cpu {seconds(spent.cpu)}), at most {more:.0f} MiB beyond the block; the matrix in "
        f"float64 would take {whole:.0f} MiB. chi = {found.chi:.6f}."
    )
    return text, {"n": n, "members": members, "clock": spent, "MiB": more, "matrix_MiB": whole}


def highs(c: Any, A: Any, row: Any, column: Any, method: str) -> tuple[float, str]:
    A = sp.csc_array(A)
    lp = HighsLp()
    lp.num_col_, lp.num_row_ = A.shape[1], A.shape[0]
    lp.col_cost_, (lp.row_lower_, lp.row_upper_), (lp.col_lower_, lp.col_upper_) = c, row, column
    lp.a_matrix_.format_ = MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = A.indptr, A.indices
    lp.a_matrix_.value_ = A.data
    solver = silent_highs()
    solver.setOptionValue("solver", method)
    solver.setOptionValue("time_limit", LIMIT)
    solver.passModel(lp)
    solver.run()
    status = solver.modelStatusToString(solver.getModelStatus())
    return solver.getInfo().objective_function_value, status


def direct_class(M: np.ndarray, theta: float) -> tuple[float, str]:
    """P_j in dual form, the best one: T rows, box-bounded columns."""
    n, members = M.shape
    A = np.hstack([M.T, -np.ones((members, 1))])
    column = np.r_[np.zeros(n), -np.inf], np.r_[np.full(n, 1 / n), np.inf]
    row = np.full(members, -np.inf), np.zeros(members)
    value, status = highs(np.r_[np.full(n, -theta), 1.0], A, row, column, "simplex")
    return -value, status


def direct_balance(M: np.ndarray, y: np.ndarray, optima: Any, theta: float) -> tuple[float, str]:
    """Q in primal form by interior points and crossover: faster than simplex and than its dual."""
    n, members = M.shape
    mean = sp.csr_array((1 / np.bincount(y)[y], (y, np.arange(n))), shape=(3, n))
    A = sp.vstack([
        sp.hstack([sp.csr_array(M), sp.eye_array(n), sp.csr_array((n, 1))]),
        sp.hstack([sp.csr_array((3, members)), mean, -np.ones((3, 1))]),
        sp.csr_array(np.r_[np.ones(members), np.zeros(n + 1)][None]),
    ])  # fmt: skip
    row = np.r_[np.full(n, theta), np.full(3, -np.inf), 1], np.r_[np.full(n, np.inf), optima, 1]
    column = (
        np.r_[np.zeros(members + n), -np.inf],
        np.r_[np.ones(members), np.full(n + 1, np.inf)],
    )
    return highs(np.r_[np.zeros(members + n), 1.0], A, row, column, "ipm")


def below_one(sizes: Sequence[int], members: int) -> tuple[str, list[dict[str, Any]]]:
    records = []
    for n in sizes:
        M, y = margins(n, members, "values")
        ours, found = timed(lambda M=M, y=y: lexicographic_weights(M, y, margin_target=0.5))
        classes, optima = timed(
            lambda M=M, y=y: [direct_class(M[y == j], 0.5)[0] for j in range(3)]
        )
        same(found.class_optima, optima)
        balance, (chi, status) = timed(
            lambda M=M, y=y, optima=optima: direct_balance(M, y, optima, 0.5)
        )
        if status == "Optimal":
            same(found.chi, chi)
        records.append({"n": n, "ours": ours, "classes": classes, "balance": balance,
                        "status": status,
                        "ratio": ours.wall / (classes.wall + balance.wall)})  # fmt: skip
    lines = [
        [f"{r['n']:.0e}", seconds(r["ours"].wall), seconds(r["classes"].wall),
         f"{seconds(r['balance'].wall)} ({r['status']})",
         f"{'' if r['status'] == 'Optimal' else '< '}{r['ratio']:.2f}"]
        for r in records
    ]  # fmt: skip
    head = ["points", "lexicographic_weights", "highspy: P_j, dual form", "highspy: Q", "ratio"]
    note = f"{members} members, theta = 0.5. Aim: at most 1.5. Q is stopped after {LIMIT:.0f} s."
    return f"{table(head, lines)}\n\n{note}", records


def same(found: Any, expected: Any) -> None:
    if not np.allclose(found, expected, atol=1e-6):
        raise SystemExit(f"{found} is not {expected}: the times compare different answers.")


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    quick = options.quick
    warnings.simplefilter("ignore")
    report = Report("lexiboost", "What LexiBoost's weights cost")
    lexicographic_weights(*margins(100, 3, "votes"))  # first imports are nobody's solve
    text, data = against_full_programs((1_000,) if quick else (1_000, 10_000, 100_000))
    report.section("Weights by the reduction and by the full programs", text, "full", data)
    cases = [(n, T) for n in (10_000, 50_000, 200_000) for T in (10, 50)]
    text, data = share_of_fit([(5_000, 10)] if quick else cases)
    report.section("Share of fit outside of training", text, "fit", data)
    text, chunks = from_chunks(100_000 if quick else 10_000_000, 50)
    report.section("Weights from chunks", text, "chunks", chunks)
    text, data = below_one((1_000,) if quick else (10_000, 100_000), 10 if quick else 50)
    report.section("A margin target below one", text, "target", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
