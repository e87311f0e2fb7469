"""OneClassLexiBoost against IsolationForest, OneClassSVM and LocalOutlierFactor on KEEL's sets.

The rare class of each two-class set is what is abnormal. Detectors see the majority of the training
fold alone; the AUC of their scores is taken on the whole test fold. Nobody is tuned.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _measuring import Report, arguments, seconds, table, timed
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from lexiprog_boost import OneClassLexiBoost
from lexiprog_boost.datasets import KEEL_TWO_CLASS, load_keel

TREES = 100
OURS = "bumps, 3 groups"
DETECTORS: dict[str, Callable[[int], Any]] = {
    OURS: lambda seed: OneClassLexiBoost(n_groups=3, random_state=seed),
    "bumps, 1 group": lambda seed: OneClassLexiBoost(random_state=seed),
    "trees, 3 groups": lambda seed: OneClassLexiBoost(
        "trees", n_groups=3, n_hypotheses=TREES, random_state=seed
    ),
    "trees, 1 group": lambda seed: OneClassLexiBoost(
        "trees", n_hypotheses=TREES, random_state=seed
    ),
    "IsolationForest": lambda seed: IsolationForest(n_estimators=TREES, random_state=seed),
    "OneClassSVM": lambda _: make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)),
    "LocalOutlierFactor": lambda _: make_pipeline(
        StandardScaler(), LocalOutlierFactor(novelty=True)
    ),
}


def measure(name: str, folds: int) -> dict[str, dict[str, Any]]:
    """Mean AUC and training time of every detector on one set."""
    data = load_keel(name)
    aucs: dict[str, list[float]] = {who: [] for who in DETECTORS}
    spent = dict.fromkeys(DETECTORS, 0.0)
    for fold, (train, test) in enumerate(data.splits()):
        if fold == folds:
            break
        normal = data.X[train[data.y[train] == 0]]
        for who, make in DETECTORS.items():
            detector = make(fold)
            clock, _ = timed(lambda d=detector, X=normal: d.fit(X))
            scores = detector.score_samples(data.X[test])
            aucs[who].append(float(roc_auc_score(data.y[test] == 0, scores)))
            spent[who] += clock.cpu / folds
    return {who: {"auc": float(np.mean(aucs[who])), "cpu": spent[who]} for who in DETECTORS}


def summary(found: dict[str, dict[str, dict[str, Any]]]) -> str:
    names = list(DETECTORS)
    means = np.array([[one[who]["auc"] for who in names] for one in found.values()])
    ranks = rankdata(-means.round(9), axis=1).mean(axis=0)
    rows = [
        [name, *(f"{value:.3f}" for value in row)] for name, row in zip(found, means, strict=True)
    ]
    rows.append(["mean", *(f"{value:.3f}" for value in means.mean(axis=0))])
    rows.append(["average rank", *(f"{rank:.2f}" for rank in ranks)])
    differences = [means[:, j] - means[:, 0] for j in range(len(names))]
    ps = [f"{wilcoxon(d).pvalue:.3f}" if d.any() and len(d) > 1 else "" for d in differences]
    rows.append([f"signed rank test against {OURS}, p", *ps])
    cpu = [np.mean([one[who]["cpu"] for one in found.values()]) for who in names]
    rows.append(["training, mean of a fold (cpu)", *(seconds(value) for value in cpu)])
    return table(["AUC", *names], rows)


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__ or "", argv)
    warnings.simplefilter("ignore")
    sets = ("new-thyroid1",) if options.quick else KEEL_TWO_CLASS
    folds = 2 if options.quick else 5
    report = Report("one_class", "One class: the rare class as what is abnormal")
    found = {}
    for name in sets:
        found[name] = measure(name, folds)
        print(f"{name}: {found[name][OURS]['auc']:.3f}", flush=True)
    heading = f"AUC on {len(sets)} sets of KEEL, {folds} folds"
    report.section(heading, summary(found), "auc", found)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
