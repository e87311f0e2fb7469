"""What Dual-LexiBoost's limit on its members' errors does where there are more than two classes."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _measuring import Report, arguments, table
from scipy.stats import wilcoxon

from lexiprog_boost import DualLexiBoostClassifier
from lexiprog_boost.datasets import KEEL_MULTI_CLASS, load_keel
from lexiprog_boost.experiments.measure import Store, run_missing
from lexiprog_boost.learners import WeightedKNeighborsClassifier
from lexiprog_boost.metrics import geometric_mean_score

LIMITS = ("paper", "chance")
ROUNDS, NEIGHBOURS = 10, (5, 3, 10)
TEXT = f"""\
`DualLexiBoostClassifier(WeightedKNeighborsClassifier({{k}}), {ROUNDS})`, the mean over five
folds. "paper" drops a member with a weighted error above 1/C and ends its loop, "chance" one
above 1 - 1/C. Alone: the share of fits whose second loop kept its first member only, which then
decides every vote."""


def measure(task: tuple[str, int, int]) -> dict[str, Any]:
    """Both limits on one fold of a data set with so many neighbours."""
    name, k, fold = task
    data = load_keel(name)
    train, test = list(data.splits())[fold]
    found = {"dataset": name, "neighbours": k, "fold": fold}
    for limit in LIMITS:
        learner = WeightedKNeighborsClassifier(k)
        model = DualLexiBoostClassifier(learner, ROUNDS, error_limit=limit, random_state=fold)
        with warnings.catch_warnings():
            # A first member that is kept alone is counted, perfect members are allowed.
            warnings.simplefilter("ignore")
            model.fit(data.X[train], data.y[train])
        score = geometric_mean_score(data.y[test], model.predict(data.X[test]))
        found[limit] = {"g_mean": score, "members": model.loop_sizes_[1]}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    names = ("wine",) if options.quick else KEEL_MULTI_CLASS
    report = Report("error_limit", "Dual-LexiBoost's limit on its members' errors")
    folds = range(1 if options.quick else 5)
    tasks = {
        f"{name}/{k}/{fold}": (name, k, fold)
        for k in NEIGHBOURS
        for fold in folds
        for name in names
    }
    # A smoke run measures anew.
    kept = options.out or Path("build/quick") if options.quick else Path("build")
    store = Store(kept / "error_limit.jsonl")
    run_missing(tasks, measure, store, n_jobs=1, label="error limit")
    for k in NEIGHBOURS:
        cells: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        for one in store.records():
            if one["neighbours"] == k:
                cells[one["dataset"]].append(one)
        report.section(f"{k} neighbours", tables(cells, k), f"{k} neighbours", cells)
    report.write(options.out)
    return 0


def tables(cells: dict[str, list[dict[str, Any]]], k: int) -> str:
    rows, scores = [], {limit: [] for limit in LIMITS}
    for name, found in cells.items():
        row = [name, str(len(load_keel(name).counts))]
        for limit in LIMITS:
            mine = [one[limit] for one in found]
            scores[limit].append(np.mean([one["g_mean"] for one in mine]))
            alone = np.mean([one["members"] == 1 for one in mine])
            members = np.mean([one["members"] for one in mine])
            row += [f"{scores[limit][-1]:.3f}", f"{members:.1f}", f"{alone:.0%}"]
        rows.append(row)
    head = ["data set", "classes"]
    for limit in LIMITS:
        head += [f"{limit}: G-Mean", "members", "alone"]
    gains = np.round(np.subtract(scores["chance"], scores["paper"]), 10)
    counts = "/".join(str(int(count.sum())) for count in (gains > 0, gains == 0, gains < 0))
    said = f"Mean G-Mean: {np.mean(scores['paper']):.3f} and {np.mean(scores['chance']):.3f}; "
    said += f'"chance" wins/ties/loses on {counts} sets'
    said += f" (Wilcoxon's p {wilcoxon(gains).pvalue:.3f})." if gains.any() else "."
    return f"{TEXT.format(k=k)}\n\n{table(head, rows)}\n\n{said}"


if __name__ == "__main__":
    sys.exit(main())
