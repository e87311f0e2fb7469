"""Two choices of LexiEnsembleClassifier: its thresholds, and how it judges a given ensemble."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _measuring import Report, arguments, table
from _quality_data import DEVELOPED_ON, groups, load
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.metrics import geometric_mean_score

SMALLEST = 1e-4
THRESHOLDS = (
    "G-Mean on the development sets. The program's thresholds are moved towards those by "
    "which the calibrated probabilities, divided by the classes' frequencies, are compared: "
    "all the way, half of it, or by k / (n + k), n being the points of the class. Won/lost: "
    "sets on which a rule is better or worse than the program's thresholds."
)
GIVEN = (
    "Mean G-Mean of an ensemble that is passed as it is, of the same as the one member of a "
    "list, of its members weighed on points that twins of it did not see (margins_from='cross'), "
    "and on its own training points, as before."
)


def shrunk(k: float) -> Callable[[NDArray], NDArray]:
    return lambda counts: k / (counts + k)


RULES: dict[str, Callable[[NDArray], NDArray]] = {
    "the program's": np.zeros_like,
    "by frequencies": np.ones_like,
    "half": lambda counts: np.full(len(counts), 0.5),
    "k = 10": shrunk(10),
    "k = 30": shrunk(30),
    "k = 60": shrunk(60),
    "k = 120": shrunk(120),
}


def splits(data: Any, deals: int, folds: int) -> Any:
    for deal in range(deals):
        dealt = StratifiedKFold(5, shuffle=True, random_state=deal + 1).split(data.X, data.y)
        for fold, rows in enumerate(dealt):
            if fold < folds:
                yield 100 * deal + fold, rows


def by_rule(name: str, deals: int, folds: int) -> dict[str, float]:
    """The mean G-Mean of each rule on a set."""
    data, found = load(name, None), {rule: [] for rule in RULES}
    for seed, (train, test) in splits(data, deals, folds):
        model = LexiEnsembleClassifier(random_state=seed).fit(data.X[train], data.y[train])
        # Scores whose largest is the class: their differences are thresholds.
        values = model.decision_function(data.X[test])
        scores = np.column_stack([1 - values, 1 + values]) / 2 if values.ndim == 1 else values
        counts = np.array([(data.y[train] == label).sum() for label in model.classes_], dtype=float)
        calibration = model.calibration_
        full = (calibration.offsets - np.log(counts / counts.sum())) / calibration.slope
        logs = np.log(np.maximum(scores, SMALLEST))
        for rule, share in RULES.items():
            moved = logs + share(counts) * (full - full.mean())
            predicted = model.classes_[moved.argmax(axis=1)]
            found[rule].append(geometric_mean_score(data.y[test], predicted))
    return {rule: float(np.mean(values)) for rule, values in found.items()}


def thresholds(names: Sequence[str], deals: int, folds: int) -> tuple[str, Any]:
    record = {name: by_rule(name, deals, folds) for name in names}
    kinds = {name: len(load(name, None).counts) == 2 for name in names}
    rows = []
    means = {rule: np.array([record[name][rule] for name in names]) for rule in RULES}
    ranks = np.mean([rankdata([-record[name][rule] for rule in RULES]) for name in names], axis=0)
    two = np.array([kinds[name] for name in names])
    first = means["the program's"]
    for rank, (rule, values) in zip(ranks, means.items(), strict=True):
        shown = [f"{values[kind].mean():.4f}" if kind.any() else "-" for kind in (two, ~two)]
        won, lost = (values > first + 1e-9).sum(), (values < first - 1e-9).sum()
        rows.append([rule, *shown, f"{rank:.1f}", f"{won}/{lost}"])
    return table(["thresholds", "two classes", "more classes", "rank", "won/lost"], rows), record


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
                for _, (train, test) in splits(data, 1, folds):
                    fitted = clone(model).fit(data.X[train], data.y[train])
                    scores.append(geometric_mean_score(data.y[test], fitted.predict(data.X[test])))
            means[way] = float(np.mean(scores))
        record[title] = means
        rows.append([title, *(f"{value:.3f}" for value in means.values())])
    head = ["ensemble", "as it is", "in a list", "its members", "on its own points"]
    return table(head, rows), record


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("ensemble_choices", "LexiEnsembleClassifier: thresholds, given ensembles")
    deals, folds = (1, 1) if options.quick else (1, 5)
    every = [name for group in groups() for name in group.names if group.role == "confirmation"]
    small = [name for name in every if len(load(name, None).y) <= 1000][:20]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text, found = given(small[:1] if options.quick else small, 1)
        said = f"{GIVEN} Sets: {1 if options.quick else len(small)}."
        report.section("Given ensembles", f"{said}\n\n{text}", "given", found)
        names = ["wine"] if options.quick else list(DEVELOPED_ON)
        text, found = thresholds(names, deals, folds)
        said = f"{THRESHOLDS} Deals of five folds: {deals}."
        report.section("Thresholds", f"{said}\n\n{text}", "thresholds", found)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
