"""How the default of LexiEnsembleClassifier was chosen: variants and rivals on half of the sets.

The sets are every other one of the core KEEL sets. The others were not looked at; `quality.py`
confirms the choice on them. A cell (set, seed, fold) is measured once and kept in a file, so that
the run can be interrupted.
"""

from __future__ import annotations

import os

# The members are small; on busy cores a second thread is only waited for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _measuring import RESULTS, Report, table
from _quality_data import DEVELOPED_ON, FOLDS, load
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from lexiprog_boost import LexiEnsembleClassifier, lexicographic_weights
from lexiprog_boost.classifiers.shared.listed.default_members import default_pool
from lexiprog_boost.datasets import KEEL_TWO_CLASS
from lexiprog_boost.experiments.cells.contenders import RIVALS
from lexiprog_boost.experiments.cells.store import Store
from lexiprog_boost.experiments.cells.workers import run_missing
from lexiprog_boost.margins import Member, cross_fitted_outputs, pair_margins, probabilities
from lexiprog_boost.members.seeding import seeded_clone
from lexiprog_boost.metrics import geometric_mean_score
from lexiprog_boost.weights import least_class_losses

Floats = NDArray[np.float64]
DEFAULT = "default: pairs, offsets, theta 0.3"
SEEDS = (0, 1)
TEXT = """\
Mean G-Mean over {folds} test folds of each development set (two deals of five are ten). Rank:
mean rank among the default, its members alone and the rivals; variants have none. All variants,
Voting and Stacking use the same trained members, and the same cross-fitted probabilities."""

ALSO = """\
Tried by hand, on all or some of the same sets, without a table, and not clearly better than the
simpler way that was kept. Logarithms of the probabilities as outputs; probabilities of each member
calibrated first; offsets of either sign outside of the simplex; one hinge a point for its strongest
rival instead of one a rival; the mean of the classes' losses in place of the worst, or a blend of
both; larger targets for smaller classes; weights averaged over parts of the points, over targets,
or with equal ones. Members: extra trees, class-weighted forests, neighbours, quadratic and spline
logistic regression, gradient boosting with its default settings, in pools of three to nine.
On wine, new-thyroid, balance and cleveland a leximax stage over the classes changed no G-Mean, and
weights by member and class lost .02 on average. Out-of-bag probabilities of scikit-learn's
class-weighted forests were dropped: version 1.9 draws the samples by class weight, so that rare
points are hardly ever out of bag. Not tried: repeated cross-fitting."""

Weigh = Callable[[Floats, NDArray, int], Floats]


def weighed(
    theta: float, *, offsets: bool = True, equal: bool = False, regret: bool = False,
    pairs: bool = True, tie_break: Any = "smallest",
) -> Weigh:  # fmt: skip
    """A variant: from probabilities of shape (n, T, C) to weights of members and offsets."""

    def weigh(outputs: Floats, codes: NDArray, n_classes: int) -> Floats:
        n_members = outputs.shape[1]
        members = outputs.mean(axis=1, keepdims=True) if equal else outputs
        constants = np.broadcast_to(np.eye(n_classes), (len(codes), n_classes, n_classes))
        both = np.concatenate([members, constants], axis=1) if offsets else members
        if pairs:
            found = pair_margins(both, codes)
            margins, points = found.margins, found.points
        else:
            margins = 2 * both[np.arange(len(codes)), :, codes] - 1
            points = np.arange(len(codes))
        optima = None
        if regret:
            alone = margins[:, : members.shape[1]]
            optima = least_class_losses(alone, codes[points], margin_target=theta)
        near = np.r_[np.ones(members.shape[1]), np.zeros(both.shape[1] - members.shape[1])]
        alpha = lexicographic_weights(
            margins, codes[points], margin_target=theta, tie_break=tie_break, pool_weights=near,
            class_optima=optima,
        ).alpha  # fmt: skip
        return np.r_[np.full(n_members, alpha[0] / n_members), alpha[1:]] if equal else alpha

    return weigh


VARIANTS: dict[str, Weigh] = {
    DEFAULT: weighed(0.3),
    "theta 0.1": weighed(0.1),
    "theta 0.2": weighed(0.2),
    "theta 0.5": weighed(0.5),
    "theta 1": weighed(1.0),
    "without offsets": weighed(0.3, offsets=False),
    "offsets, members equal": weighed(0.3, equal=True),
    "margins 2 f - 1": weighed(0.3, pairs=False),
    "regret against members alone": weighed(0.3, regret=True),
    "closest to equal within 0.02": weighed(0.3, tie_break=("closest", 0.02)),
    "the paper: theta 1, no offsets, 2 f - 1": weighed(1.0, offsets=False, pairs=False),
}


def splits(name: str, seed: int, data: Path | None) -> Iterator[tuple[NDArray, NDArray]]:
    """The publisher's folds, if any, for the first seed, and folds of our own for the others."""
    found = load(name, data)
    if seed == 0:
        yield from found.splits(FOLDS, seed=0)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        dealt = StratifiedKFold(FOLDS, shuffle=True, random_state=100 + seed)
        yield from dealt.split(found.X, found.y)


def measure(task: tuple[str, int, int], *, data: Path | None) -> dict[str, Any]:
    """Every variant's and rival's G-Mean on one fold."""
    name, seed, fold = task
    found = load(name, data)
    train, test = list(splits(name, seed, data))[fold]
    classes, codes = np.unique(found.y, return_inverse=True)
    X, y, X_new, y_new = found.X[train], codes[train], found.X[test], codes[test]
    scores: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        honest, new, slowest = _outputs(X, y, X_new, len(classes))
        for title, weigh in VARIANTS.items():
            alpha = weigh(honest, y, len(classes))
            constants = np.broadcast_to(np.eye(len(classes)), (len(test), *[len(classes)] * 2))
            all_new = np.concatenate([new, constants], axis=1)[:, : len(alpha)]
            said = np.einsum("ntc,t->nc", all_new, alpha).argmax(axis=1)
            scores[title] = geometric_mean_score(y_new, said)
        for k, (title, _) in enumerate(default_pool()):
            scores[f"alone: {title}"] = geometric_mean_score(y_new, new[:, k].argmax(axis=1))
        scores["Voting"] = geometric_mean_score(y_new, new.mean(axis=1).argmax(axis=1))
        for title, weight in (("Stacking", None), ("Stacking, class-weighted", "balanced")):
            final = LogisticRegression(max_iter=2000, class_weight=weight)
            final.fit(honest.reshape(len(y), -1), y)
            said = final.predict(new.reshape(len(test), -1))
            scores[title] = geometric_mean_score(y_new, said)
        for rival in RIVALS:
            if len(classes) == 2 or not rival.two_class_only:
                said = rival.build(None, {}, 0).fit(X, y).predict(X_new)
                scores[rival.name] = geometric_mean_score(y_new, said)
        start = time.process_time()
        LexiEnsembleClassifier(random_state=0).fit(X, y)
        scores["fit time / slowest member"] = (time.process_time() - start) / slowest
    return {"task": task, "scores": scores}


def _outputs(X: Floats, y: NDArray, X_new: Floats, n_classes: int) -> tuple[Floats, Floats, float]:
    """Cross-fitted and new points' probabilities of the default members, and the longest fit."""
    rng, labels = np.random.RandomState(0), np.arange(n_classes)
    members, slowest = [], 0.0
    for _, learner in default_pool():
        start = time.process_time()
        members.append(Member(seeded_clone(learner, rng).fit(X, y)))
        slowest = max(slowest, time.process_time() - start)
    honest = cross_fitted_outputs(members, X, y, labels, random_state=0)
    new = np.stack([probabilities(member, X_new, labels) for member in members], axis=1)
    return honest, new, slowest


def tables(cells: dict[str, list[dict[str, float]]]) -> str:
    """One table: means and ranks, two-class and multi-class sets apart."""
    names = list(dict.fromkeys(key for found in cells.values() for one in found for key in one))
    means = {
        name: {
            s: np.mean([c[name] for c in found]) for s, found in cells.items() if name in found[0]
        }
        for name in names
    }
    kinds = [[s for s in cells if (s in KEEL_TWO_CLASS) == two] for two in (True, False)]
    ranked = [name for name in names if name not in VARIANTS or name == DEFAULT]
    ranked = [name for name in ranked if "time" not in name]
    rows = []
    for name in names:
        row = [name]
        for sets in kinds:
            known = [s for s in sets if s in means[name]]
            row.append(f"{np.mean([means[name][s] for s in known]):.3f}" if known else "-")
            row.append(_rank(name, known, ranked, means) if name in ranked and known else "")
        rows.append([*row, *(f"{means[name][s]:.3f}" if s in means[name] else "-" for s in cells)])
    return table(["", "two-class", "rank", "multi-class", "rank", *cells], rows)


def _rank(name: str, sets: list[str], ranked: list[str], means: dict[str, Any]) -> str:
    found = []
    for one in sets:
        rivals = [other for other in ranked if one in means[other]]
        ranks = rankdata([-means[other][one] for other in rivals])
        found.append(ranks[rivals.index(name)])
    return f"{np.mean(found):.2f}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one fold of one set")
    parser.add_argument("--data-dir", type=Path, help="folder with the sets (else the package)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folds", type=int, default=len(SEEDS) * FOLDS, help="at most so many")
    parser.add_argument("--cells", type=Path, default=Path("build/development.jsonl"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(argv)
    names = ("new-thyroid1",) if options.quick else DEVELOPED_ON
    folds = [(s, k) for s in SEEDS for k in range(FOLDS)]
    folds = folds[: 1 if options.quick else options.folds]
    report = Report("ensemble-development", "The default ensemble: development")
    tasks = {f"{name}/{seed}/{fold}": (name, seed, fold) for seed, fold in folds for name in names}
    store = Store(options.cells)
    failures = run_missing(
        tasks, partial(measure, data=options.data_dir), store,
        n_jobs=options.jobs, label="development",
    )  # fmt: skip
    for key, cause in failures.items():
        print(f"{key} could not be measured: {cause}", file=sys.stderr)
    done = [one for one in store.records() if tuple(one["task"]) in tasks.values()]
    found = {name: [one["scores"] for one in done if one["task"][0] == name] for name in names}
    cells = {name: scores for name, scores in found.items() if scores}
    text = f"{TEXT.format(folds=len(folds))}\n\n{tables(cells)}"
    report.section("Variants and rivals", text, "cells", cells)
    report.section("What was left out", ALSO, "left out", ALSO)
    report.write(options.out if options.out or options.quick else RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
