"""OneClassLexiBoost against IsolationForest, OneClassSVM and LocalOutlierFactor on KEEL's sets.

Two classes: the rare one is what is abnormal. Detectors see the majority of the training fold
alone; the AUC of their scores is taken on the whole test fold. Several classes: the rarest is what
is abnormal, each of the others a kind of normal. Every detector gets two thresholds: one that lets
go a tenth of the normal training points, and one that lets go at most a tenth of every kind. What
they let go, and what is abnormal and caught, is counted on test folds. Nobody is tuned.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from _measuring import Report, arguments, seconds, table, timed
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from lexiprog_boost import OneClassLexiBoost
from lexiprog_boost.datasets import KEEL_MULTI_CLASS, KEEL_TWO_CLASS, load_keel
from lexiprog_boost.datasets.dataset import Dataset

TREES = 100
LET_GO = 0.1
# Of a kind with fewer points the share that is let go says little.
FEW = 10
Make = Callable[[int], Any]


def _trees(groups: int = 1) -> Make:
    return lambda seed: OneClassLexiBoost(
        "trees", n_groups=groups, n_hypotheses=TREES, random_state=seed
    )


OTHERS: dict[str, Make] = {
    "IsolationForest": lambda seed: IsolationForest(n_estimators=TREES, random_state=seed),
    "OneClassSVM": lambda _: make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)),
    "LocalOutlierFactor": lambda _: make_pipeline(
        StandardScaler(), LocalOutlierFactor(novelty=True)
    ),
}
DETECTORS: dict[str, Make] = {
    "bumps, 3 groups": lambda seed: OneClassLexiBoost(n_groups=3, random_state=seed),
    "bumps, 1 group": lambda seed: OneClassLexiBoost(random_state=seed),
    "trees, 3 groups": _trees(3),
    "trees, 1 group": _trees(),
    **OTHERS,
}
WITH_KINDS: dict[str, Make] = {
    "bumps, kinds given": DETECTORS["bumps, 1 group"],
    "bumps, 1 group": DETECTORS["bumps, 1 group"],
    "trees, kinds given": _trees(),
    "trees, 1 group": _trees(),
    **OTHERS,
}


def detection(name: str, folds: int) -> dict[str, dict[str, Any]]:
    """Mean AUC and training time of every detector on one set of two classes."""
    data = load_keel(name)
    aucs: dict[str, list[float]] = {who: [] for who in DETECTORS}
    spent = dict.fromkeys(DETECTORS, 0.0)
    for fold, train, test in _folds(data, folds):
        normal = data.X[train[data.y[train] == 0]]
        for who, make in DETECTORS.items():
            detector = make(fold)
            clock, _ = timed(lambda d=detector, X=normal: d.fit(X))
            scores = detector.score_samples(data.X[test])
            aucs[who].append(float(roc_auc_score(data.y[test] == 0, scores)))
            spent[who] += clock.cpu / folds
    return {who: {"auc": float(np.mean(aucs[who])), "cpu": spent[who]} for who in DETECTORS}


def kinds(name: str, folds: int) -> dict[str, dict[str, float]]:
    """What every detector lets go of all that is normal and of the worst kind, and catches."""
    data = load_keel(name)
    rarest = min(data.counts, key=lambda label: data.counts[label])
    counted = [label for label, count in data.counts.items() if label != rarest and count >= FEW]
    found = {}
    for who, make in WITH_KINDS.items():
        aucs, let_go, spared, of = [], [], [], []
        for fold, train, test in _folds(data, folds):
            train = train[data.y[train] != rarest]
            given = {"groups": data.y[train]} if who.endswith("given") else {}
            detector = make(fold).fit(data.X[train], **given)
            seen = detector.score_samples(data.X[train])
            levels = [np.percentile(seen[data.y[train] == label], 100 * LET_GO)
                      for label in counted]  # fmt: skip
            scores = detector.score_samples(data.X[test])
            let_go.append(scores < np.percentile(seen, 100 * LET_GO))
            spared.append(scores < min(levels))
            of.append(data.y[test])
            normal = data.y[test] != rarest
            if not normal.all():
                aucs.append(float(roc_auc_score(normal, scores)))
        lost, fewer, kind = (np.concatenate(one) for one in (let_go, spared, of))
        found[who] = {
            "all": float(lost[kind != rarest].mean()),
            "worst": max(float(lost[kind == label].mean()) for label in counted),
            "worst, spared": max(float(fewer[kind == label].mean()) for label in counted),
            "caught, spared": float(fewer[kind == rarest].mean()),
            "auc": float(np.mean(aucs)),
        }
    return found


def _folds(data: Dataset, folds: int) -> Iterator[tuple[int, NDArray, NDArray]]:
    for fold, (train, test) in enumerate(data.splits()):
        if fold < folds:
            yield fold, train, test


def summary(
    found: Mapping[str, Mapping[str, Mapping[str, float]]], what: str, *, largest: bool,
    against: Sequence[str],
) -> list[list[str]]:  # fmt: skip
    """A row a set, then means, average ranks and tests."""
    names = list(next(iter(found.values())))
    values = np.array([[one[who][what] for who in names] for one in found.values()])
    rows = [
        [name, *(f"{value:.3f}" for value in row)] for name, row in zip(found, values, strict=True)
    ]
    rows.append(["mean", *(f"{value:.3f}" for value in values.mean(axis=0))])
    ranks = rankdata((-1 if largest else 1) * values.round(9), axis=1).mean(axis=0)
    rows.append(["average rank", *(f"{rank:.2f}" for rank in ranks)])
    for first in against:
        differences = (values - values[:, [names.index(first)]]).round(9).T
        ps = [f"{wilcoxon(d).pvalue:.3f}" if d.any() and len(d) > 1 else "" for d in differences]
        rows.append([f"signed rank test against {first}, p", *ps])
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__ or "", argv)
    warnings.simplefilter("ignore")
    folds = 2 if options.quick else 5
    report = Report("one_class", "One class: the rare class as what is abnormal")

    found = {}
    for name in ("new-thyroid1",) if options.quick else KEEL_TWO_CLASS:
        found[name] = detection(name, folds)
        print(f"{name}: {found[name]['bumps, 1 group']['auc']:.3f}", flush=True)
    ours = ("bumps, 3 groups", "bumps, 1 group")
    rows = summary(found, "auc", largest=True, against=ours)
    cpu = [np.mean([one[who]["cpu"] for one in found.values()]) for who in DETECTORS]
    rows.append(["training, mean of a fold (cpu)", *(seconds(value) for value in cpu)])
    heading = f"AUC on {len(found)} sets of KEEL, {folds} folds"
    report.section(heading, table(["AUC", *DETECTORS], rows), "auc", found)

    several = {}
    for name in ("new-thyroid",) if options.quick else KEEL_MULTI_CLASS:
        several[name] = kinds(name, folds)
        print(f"{name}: {several[name]['bumps, kinds given']['worst']:.3f}", flush=True)
    heads = {
        "worst": "a tenth of all let go: share of the kind that loses most",
        "all": "the same: share of all that is normal",
        "caught, spared": "at most a tenth of every kind let go: share of the abnormal caught",
        "worst, spared": "the same: share of the kind that loses most",
        "auc": "AUC",
    }
    parts = [f"Kinds of fewer than {FEW} points are not counted by themselves."]
    for what, head in heads.items():
        better = what in ("auc", "caught, spared")
        rows = summary(several, what, largest=better, against=["bumps, kinds given"])
        parts.append(table([head, *WITH_KINDS], rows))
    heading = f"Kinds of normal in {len(several)} sets of several classes, unseen points"
    report.section(heading, "\n\n".join(parts), "kinds", several)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
