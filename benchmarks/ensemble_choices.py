"""Choices of LexiEnsembleClassifier: thresholds, size, and how it judges a given ensemble."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
from _development_variants import stacked
from _development_variants import thresholds as rules
from _measuring import RESULTS, Report, table, timed
from _quality_data import DEVELOPED_ON, groups, load
from develop_ensemble import STACKING, outputs, tables
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.classifiers.shared.listed_members import default_pool
from lexiprog_boost.experiments.measure import Store, run_missing
from lexiprog_boost.metrics import geometric_mean_score

THRESHOLDS = (
    "By `develop_ensemble.py`'s measure, on the members' probabilities that it keeps: the "
    "program's thresholds, those by which calibrated probabilities are compared after division by "
    "the classes' frequencies, and what lies between. Shrunk, k: the program's count for "
    "n / (n + k), n being the points of the smallest class (class by class: of each class). Tuned: "
    "for the G-Mean of each of 20 bootstraps, and averaged."
)
MANY = (
    "G-Mean and processor time of the default, of the same with gradient boosting's trees as they "
    "are for few points, and of scikit-learn's HistGradientBoostingClassifier with probabilities "
    "divided by the classes' frequencies, on 20,000 other points of `make_classification` (35 "
    "columns, 12 of them informative, three classes of .80, .15 and .05, 2 % of labels flipped, "
    "seed 7; the sizes of trees were chosen on other seeds and sets)."
)
GIVEN = (
    "Mean G-Mean of an ensemble that is passed as it is, of the same as the one member of a "
    "list, of its members weighed on points that twins of it did not see (margins_from='cross'), "
    "and on its own training points, as before."
)


def splits(data: Any, folds: int) -> Any:
    dealt = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    return islice(dealt, folds)


def judged(task: tuple[str, int, int], *, data: Path | None, kept: Path) -> dict[str, Any]:
    """How many points of each class every rule gets right in one fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        honest, codes, new, truth = outputs(*task, data, kept)
        said = rules(honest, codes, new) | {STACKING: stacked("balanced")(honest, codes, new)}
    count = partial(np.bincount, minlength=honest.shape[2])
    hits = {title: count(truth[found == truth]).tolist() for title, found in said.items()}
    return {"task": task, "points": count(truth).tolist(), "hits": hits}


def thresholds(
    names: Sequence[str], deals: int, folds: int, options: Any
) -> tuple[str, dict[str, Any]]:
    """Cells are kept beside the members' probabilities: a run that was stopped goes on."""
    tasks = {"/".join(map(str, one)): one for one in product(names, range(deals), range(folds))}
    store = Store(options.kept / "thresholds.jsonl")
    work = partial(judged, data=options.data_dir, kept=options.kept)
    failures = run_missing(tasks, work, store, n_jobs=options.jobs, label="thresholds")
    if failures:
        raise RuntimeError(f"Some cells could not be measured: {failures}")
    cells: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for one in store.records():
        if tuple(one["task"]) in tasks.values():
            cells[one["task"][0]].append(one)
    return tables(cells), cells


def many_points(n: int) -> tuple[str, dict[str, Any]]:
    X, y = make_classification(
        n + 20_000, 35, n_informative=12, n_clusters_per_class=6, n_classes=3, weights=[0.8, 0.15],
        flip_y=0.02, class_sep=0.8, random_state=7,
    )  # fmt: skip
    X, X_new, y, y_new = train_test_split(X, y, train_size=n, stratify=y, random_state=0)
    plain = HistGradientBoostingClassifier(early_stopping=False, random_state=0)
    models = {
        "LexiEnsembleClassifier()": LexiEnsembleClassifier(random_state=0),
        "the same, trees as for few points": LexiEnsembleClassifier(default_pool(), random_state=0),
        "HistGradientBoosting / frequencies": plain,
    }
    record, rows = {}, []
    for title, model in models.items():
        clock, _ = timed(partial(model.fit, X, y))
        said = model.predict(X_new)
        if model is plain:
            said = (model.predict_proba(X_new) / np.bincount(y)).argmax(axis=1)
        record[title] = {"g_mean": geometric_mean_score(y_new, said), "clock": clock}
        rows.append([title, f"{record[title]['g_mean']:.3f}", f"{clock.cpu:.0f} s"])
    return table([f"{n:,} points", "G-Mean", "fit, cpu"], rows), record


def given_ensembles() -> dict[str, Any]:
    parts = [
        ("linear", make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))),
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(random_state=0)),
    ]
    return {
        "VotingClassifier": VotingClassifier(parts, voting="soft"),
        "ExtraTreesClassifier": ExtraTreesClassifier(50, random_state=0),
        "AdaBoostClassifier": AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=3), n_estimators=20, random_state=0
        ),
    }


def given(names: Sequence[str], folds: int) -> tuple[str, Any]:
    rows, record = [], {}
    for title, ensemble in given_ensembles().items():
        ways = {
            "as it is": LexiEnsembleClassifier(clone(ensemble), random_state=0),
            "in a list": LexiEnsembleClassifier([("one", clone(ensemble))], random_state=0),
            "its members": LexiEnsembleClassifier(
                clone(ensemble), margins_from="cross", random_state=0
            ),
            "on its own points": LexiEnsembleClassifier(
                clone(ensemble), margins_from="train", random_state=0
            ),
        }
        means = {}
        for way, model in ways.items():
            scores = []
            for name in names:
                data = load(name, None)
                for train, test in splits(data, folds):
                    fitted = clone(model).fit(data.X[train], data.y[train])
                    scores.append(geometric_mean_score(data.y[test], fitted.predict(data.X[test])))
            means[way] = float(np.mean(scores))
        record[title] = means
        rows.append([title, *(f"{value:.3f}" for value in means.values())])
    head = ["ensemble", "as it is", "in a list", "its members", "on its own points"]
    return table(head, rows), record


def section(kind: str, options: argparse.Namespace) -> tuple[str, str, str, Any]:
    """The heading, text, key and data of one part of the report."""
    quick = options.quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "given":
            every = [
                one for group in groups() for one in group.names if group.role != "developed on"
            ]
            names = [one for one in every if len(load(one, None).y) <= 1000][: 1 if quick else 20]
            text, found = given(names, 1)
            return "Given ensembles", f"{GIVEN} Sets: {len(names)}.\n\n{text}", kind, found
        if kind == "many points":
            text, found = many_points(2_000 if quick else 150_000)
            return "Many points", f"{MANY}\n\n{text}", kind, found
        names = ["new-thyroid1"] if quick else DEVELOPED_ON
        deals, folds = (1, 1) if quick else (3, 5)
        text, found = thresholds(names, deals, folds, options)
        return "Thresholds", f"{THRESHOLDS} Deals of five folds: {deals}.\n\n{text}", kind, found


def main(argv: Sequence[str] | None = None) -> int:
    options = parsed(argv)
    report = Report("ensemble_choices", "LexiEnsembleClassifier: thresholds, size, given ensembles")
    last = section("thresholds", options)  # its cells are shared out among the jobs
    parts = Parallel(n_jobs=options.jobs)(
        delayed(section)(kind, options) for kind in ("given", "many points")
    )
    for part in (*parts, last):
        report.section(*part)
    report.write(options.out if options.out or options.quick else RESULTS)
    return 0


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data-dir", type=Path, help="folder with the sets (else the package)")
    parser.add_argument("--kept", type=Path, default=Path("build/development"), help="cells")
    parser.add_argument("--out", type=Path)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
