"""How often LexiThresholdClassifier's promises break, what they cost the rest, and its time."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from _measuring import Report, arguments, table
from _quality_data import groups, load
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lexiprog_boost.thresholds import Fitted, ScoredPoints, fit_rule, read_priorities
from lexiprog_boost.thresholds.promises import right_needed

SMALLEST = 1e-6
FIRST, SECOND, ALPHA = 0.9, 0.8, 0.05
# A grid as one writes it by hand: multipliers of the classes with floors.
GRID = np.log(np.geomspace(1 / 64, 64, 33))
DRAWN = (
    "Three Gaussian classes (centres at distance 2 around the origin), a logistic regression "
    "fitted to 200 points of each, n fresh points of each to find thresholds on; floors .9 for "
    "A and .8 for B at 95 %, then the worst recall. Broken: the share of draws in which a "
    "promised floor is false on 10,000 new points of each class. Cost: by how much the recall "
    "of C is below that of thresholds that are found on those points themselves."
)
REAL = (
    "Cross-fitted scores of a logistic regression on scaled columns are taken for the "
    "population of a data set; as many points of each class are drawn from it, with "
    "replacement, thresholds are found on them, and the recalls of the population tell whether "
    "a floor is broken. Floors: .9 for the rarest class, with more than two classes .8 for the "
    "next one; then the worst recall. Grid: 33 multipliers of each class with a floor, kept "
    "where the exact binomial bound on the same points has the floors, the best worst recall of "
    "the rest among them. MAPIE: BinaryClassificationController of 1.6 (recall, 95 %, 100 "
    "thresholds, least false positives), two classes. Rest: the worst recall of the classes "
    "without floors; balanced: the mean of all recalls; in draws in which both of a pair "
    "promise everything. Cases enough: the share of floors whose class has the cases that a "
    "promise takes; others are out of reach after the floors before them."
)
TIMES = (
    "Processor time of one search for floors on two of three classes and the worst recall, on a "
    "third of the points, as a share of the estimator's own fit on the others; each the quickest "
    "of twenty runs, or of those of two seconds."
)


def logs_of(probabilities: NDArray) -> NDArray:
    return np.log(np.maximum(probabilities, SMALLEST))


def recalls_of(codes: NDArray, predicted: NDArray, n_classes: int) -> NDArray:
    return np.bincount(codes, predicted == codes, n_classes) / np.bincount(
        codes, minlength=n_classes
    )


def points_of(logs: NDArray, codes: NDArray, shares: NDArray) -> ScoredPoints:
    return ScoredPoints(logs, codes, np.arange(len(shares)), shares, -np.log(shares))


def broken(found: Fitted, recalls: NDArray) -> NDArray:
    return np.array(
        [f.is_kept and recalls[f.priority.label] < f.priority.limit for f in found.floors]
    )


# Drawn data, where the truth is known.


def circle(rng: np.random.Generator, n: int) -> tuple[NDArray, NDArray]:
    codes = np.repeat(np.arange(3), n)
    centres = 2 * np.column_stack(
        [np.cos(2 * np.pi * np.arange(3) / 3), np.sin(2 * np.pi * np.arange(3) / 3)]
    )
    return centres[codes] + rng.normal(size=(len(codes), 2)), codes


WAYS: dict[str, dict[str, Any]] = {
    "cascade": {},
    "cascade, jointly": {"joint": True},
    "multipliers": {"rule": "multipliers"},
}


def drawn(runs: int, sizes: Sequence[int]) -> tuple[str, Any]:
    wanted = read_priorities(
        [("recall", 0, FIRST), ("recall", 1, SECOND), "worst recall"], np.arange(3)
    )
    third = np.full(3, 1 / 3)
    fresh_X, fresh_y = circle(np.random.default_rng(10**6), 10_000)
    rows, record = [], {}
    for n in sizes:
        tally: dict[str, list[Any]] = {name: [] for name in WAYS}
        for run in range(runs):
            rng = np.random.default_rng([n, run])
            model = LogisticRegression().fit(*circle(rng, 200))
            X, y = circle(rng, n)
            points = points_of(logs_of(model.predict_proba(X)), y, third)
            fresh = logs_of(model.predict_proba(fresh_X))
            every = points_of(fresh[::10], fresh_y[::10], third)
            best = fit_rule(every, wanted, alpha=0.5).rule
            oracle = recalls_of(fresh_y, best(fresh), 3)[2]
            for name, options in WAYS.items():
                found = fit_rule(points, wanted, alpha=ALPHA, **options)
                seen = recalls_of(fresh_y, found.rule(fresh), 3)
                kept = [floor.is_kept for floor in found.floors]
                tally[name].append((*broken(found, seen), all(kept), oracle - seen[2]))
        for name, found in tally.items():
            values = np.array(found, dtype=float)
            means, either = values.mean(axis=0), values[:, :2].any(axis=1).mean()
            rows.append(
                [
                    n,
                    name,
                    f"{means[0]:.3f} / {means[1]:.3f}",
                    f"{either:.3f}",
                    f"{means[2]:.2f}",
                    f"{means[3]:.3f}",
                ]
            )
            record[f"{name}, {n}"] = {
                "broken": means[:2],
                "either": either,
                "promised": means[2],
                "cost": means[3],
            }
    head = ["n", "rule", "broken: A / B", "either", "all promised", "cost to C"]
    return table(head, rows), record


# Real data.


def population(name: str) -> tuple[NDArray, NDArray]:
    """Cross-fitted scores of a data set, and classes from the rarest on."""
    data = load(name, None)
    counts = np.unique(data.y, return_counts=True)
    order = np.argsort(counts[1], kind="stable")
    codes = np.argsort(order)[np.searchsorted(counts[0], data.y)]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chances = cross_val_predict(model, data.X, codes, cv=folds, method="predict_proba")
    return logs_of(chances), codes


def by_grid(points: ScoredPoints, floors: Sequence[float]) -> NDArray | None:
    """The best offsets of a grid that have all floors by their bounds; None if none has them."""
    counts = np.bincount(points.codes)
    needed = [right_needed(counts[c], floor, ALPHA) for c, floor in enumerate(floors)]
    if None in needed:
        return None
    best, most = None, -1.0
    for steps in product(GRID, repeat=len(floors)):
        offsets = points.offsets.copy()
        offsets[: len(floors)] += steps
        right = np.bincount(
            points.codes, (points.logs + offsets).argmax(axis=1) == points.codes, len(counts)
        )
        if all(right[c] >= k for c, k in enumerate(needed)):
            worst = (right / counts)[len(floors) :].min()
            if worst > most:
                best, most = offsets, worst
    return best


def by_mapie(points: ScoredPoints) -> float | None:
    """The threshold of the rarer class's probability; None if it controls none, or is missing."""
    try:
        from mapie.risk_control import BinaryClassificationController
    except ImportError:
        return None
    chances = np.exp(points.logs[:, ::-1])  # the rarer class is the positive one
    control = BinaryClassificationController(
        lambda X: X, "recall", FIRST, confidence_level=1 - ALPHA, best_predict_param_choice="fpr"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        control.calibrate(chances / chances.sum(axis=1, keepdims=True), 1 - points.codes)
    found = control.best_predict_param
    return None if found is None else float(np.ravel(found)[0])


def real(names: Sequence[str], runs: int, *, grids: int) -> dict[str, Any]:
    tally: dict[str, list[Any]] = {
        key: [] for key in ("enough", "broken", "promised", "grid", "mapie")
    }
    for name in names:
        logs, codes = population(name)
        n_classes = int(codes.max()) + 1
        floors = [FIRST, SECOND][: 1 if n_classes == 2 else 2]
        wanted = read_priorities(
            [*(("recall", c, floor) for c, floor in enumerate(floors)), "worst recall"],
            np.arange(n_classes),
        )
        members = [np.flatnonzero(codes == c) for c in range(n_classes)]
        tally["enough"] += [
            right_needed(len(members[c]), floor, ALPHA) is not None
            for c, floor in enumerate(floors)
        ]
        for run in range(runs):
            rng = np.random.default_rng([run, len(codes)])
            rows = np.concatenate([rng.choice(mine, len(mine)) for mine in members])
            shares = np.bincount(codes) / len(codes)
            points = points_of(logs[rows], codes[rows], shares)
            found = fit_rule(points, wanted, alpha=ALPHA)
            seen = recalls_of(codes, found.rule(logs), n_classes)
            kept = [floor.is_kept for floor in found.floors]
            tally["broken"] += broken(found, seen).tolist()
            tally["promised"] += kept
            if run >= grids or not all(kept):
                continue
            ours = (seen[len(floors) :].min(), seen.mean())
            offsets = by_grid(points, floors)
            if offsets is not None:
                theirs = recalls_of(codes, (logs + offsets).argmax(axis=1), n_classes)
                tally["grid"].append((*ours, theirs[len(floors) :].min(), theirs.mean()))
            threshold = by_mapie(points) if n_classes == 2 else None
            if threshold is not None:
                chances = np.exp(logs)
                positive = chances[:, 0] / chances.sum(axis=1) >= threshold
                theirs = recalls_of(codes, np.where(positive, 0, 1), 2)
                tally["mapie"].append((*ours, theirs[1], theirs.mean()))
    return {
        "sets": len(names), "draws": runs * len(names), "broken": np.mean(tally["broken"]),
        "enough": np.mean(tally["enough"]), "promised": np.mean(tally["promised"]),
        "broken of promised": np.sum(tally["broken"]) / max(np.sum(tally["promised"]), 1),
        "grid": np.mean(tally["grid"], axis=0) if tally["grid"] else None,
        "mapie": np.mean(tally["mapie"], axis=0) if tally["mapie"] else None,
    }  # fmt: skip


def real_row(title: str, found: dict[str, Any]) -> list[str]:
    def pair(other: Any) -> str:
        if other is None:
            return "-"
        return f"{other[0]:.3f} / {other[2]:.3f}; {other[1]:.3f} / {other[3]:.3f}"

    error = 2 * np.sqrt(0.05 * 0.95 / found["draws"])
    return [
        title, str(found["sets"]), str(found["draws"]), f"{found['enough']:.2f}",
        f"{found['promised']:.2f}",
        f"{found['broken']:.3f} (2 s.e. of .05: {error:.3f})",
        pair(found["grid"]), pair(found["mapie"]),
    ]  # fmt: skip


# Time.


def least_time(run: Callable[[], Any]) -> float:
    """Processor time of the quickest of twenty runs, or of those of two seconds."""
    taken: list[float] = []
    while len(taken) < 20 and sum(taken) < 2:
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def times(sizes: Sequence[int]) -> tuple[str, Any]:
    rows, record = [], {}
    models = {
        "LogisticRegression": LogisticRegression(max_iter=1000),
        "RandomForest (100)": RandomForestClassifier(100, random_state=0),
        "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
    }
    wanted = read_priorities(
        [("recall", 0, FIRST), ("recall", 1, SECOND), "worst recall"], np.arange(3)
    )
    for n in sizes:
        X, y = make_classification(
            n, 20, n_informative=8, n_classes=3, weights=[0.1, 0.2], random_state=0
        )
        cut = 2 * n // 3
        for name, model in models.items():
            fit = least_time(partial(model.fit, X[:cut], y[:cut]))
            logs = logs_of(model.predict_proba(X[cut:]))
            points = points_of(logs, y[cut:], np.bincount(y) / n)
            search = least_time(partial(fit_rule, points, wanted))
            rows.append([n, name, f"{fit * 1e3:.1f}", f"{search * 1e3:.1f}", f"{search / fit:.1%}"])
            record[f"{name}, {n}"] = {"fit": fit, "search": search}
    return table(["points", "estimator", "fit, ms", "search, ms", "share"], rows), record


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("priorities", "Priorities for classes: promises, their cost, their time")
    runs, per_set, grids = (5, 2, 1) if options.quick else (1000, 50, 5)
    sizes, many = ((50,), (600,)) if options.quick else ((50, 100, 500), (2000, 5000, 20_000))
    rows, record = [], {}
    for group in sorted(groups(), key=lambda one: one.role, reverse=True):
        names = group.names[:1] if options.quick else group.names
        record[group.title] = real(names, per_set, grids=grids)
        rows.append(real_row(group.title, record[group.title]))
    head = [
        "data sets",
        "sets",
        "draws",
        "cases enough",
        "promised",
        "broken",
        "rest, grid's; balanced, grid's",
        "rest, MAPIE's; balanced, MAPIE's",
    ]
    report.section("Real data", f"{REAL}\n\n{table(head, rows)}", "real", record)
    text, found = times(many)
    report.section("Time", f"{TIMES}\n\n{text}", "times", found)
    text, found = drawn(runs, sizes)
    report.section("Drawn data", f"{DRAWN} Draws: {runs}.\n\n{text}", "drawn", found)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
