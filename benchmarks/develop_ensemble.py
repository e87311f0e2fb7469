"""How the default of LexiEnsembleClassifier was chosen: programs compared on half of the sets.

The sets are every other one of the core KEEL sets. The others were not looked at; `quality.py`
confirms the choice on them. The members' probabilities of a cell (set, deal of folds, fold) are
kept in a file, so that the run can be interrupted and another program costs little.
"""

from __future__ import annotations

import os

# The members are small; on busy cores a second thread is only waited for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from _development_variants import DEFAULT, EARLIER, RIVALS, VARIANTS
from _measuring import RESULTS, Report, table
from _quality_data import DEVELOPED_ON, FOLDS, load
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from lexiprog_boost.classifiers.shared.listed_members import default_pool
from lexiprog_boost.datasets import KEEL_TWO_CLASS
from lexiprog_boost.experiments.measure import Store, run_missing
from lexiprog_boost.margins import Member, cross_fitted_outputs, probabilities
from lexiprog_boost.members.fitting import seeded_clone

Floats = NDArray[np.float64]
DEALS = 5
STACKING = "Stacking, class-weighted"
TEXT = """\
Every program gets the same members, trained once a cell, and the same cross-fitted probabilities.
G-Mean is that of the recalls over all five test folds of a deal, and then the mean over the deals
and the sets: in a test fold alone, one point of a class of a dozen decides about zero. "By folds"
is the mean of the folds' own. Ranks are among all rows. Gains are means over the sets, with the
standard error from the differences between deals, and the sets on which a program is better and
worse."""

ALSO = """\
Tried by hand, on all or some of the same sets, without a table, and not clearly better than the
simpler way that was kept: probabilities of each member calibrated first; offsets of either sign
outside of the simplex; one hinge a point for its strongest rival instead of one a rival; larger
targets for smaller classes; weights averaged over parts of the points, over targets, over two deals
of cross-fitting, or with equal ones; other strengths of every pull in the table, and tolerances
from 2 % to 20 % or in standard errors. Members: extra trees, class-weighted forests, neighbours,
quadratic and spline logistic regression, gradient boosting with its default settings, in pools of
three to nine. On wine, new-thyroid, balance and cleveland a leximax stage over the classes changed
no G-Mean, and weights by member and class lost .02 on average."""


def splits(name: str, deal: int, data: Path | None) -> Iterator[tuple[NDArray, NDArray]]:
    """The publisher's folds, if any, for the first deal, and folds of our own for the others."""
    found = load(name, data)
    if deal == 0:
        yield from found.splits(FOLDS, seed=0)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        dealt = StratifiedKFold(FOLDS, shuffle=True, random_state=100 + deal)
        yield from dealt.split(found.X, found.y)


def programs(*, every: bool) -> dict[str, Any]:
    return VARIANTS | (EARLIER if every else {}) | RIVALS


def measure(
    task: tuple[str, int, int], *, data: Path | None, kept: Path, every: bool, version: str
) -> dict[str, Any]:
    """How many points of each class every program gets right in one fold."""
    name, deal, fold = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        honest, codes, new, truth = outputs(name, deal, fold, data, kept)
        said = {
            title: predict(honest, codes, new) for title, predict in programs(every=every).items()
        }
    for k, (title, _) in enumerate(default_pool()):
        said[f"alone: {title}"] = new[:, k].argmax(axis=1)
    n_classes = honest.shape[2]
    hits = {
        title: np.bincount(truth[found == truth], minlength=n_classes).tolist()
        for title, found in said.items()
    }
    points = np.bincount(truth, minlength=n_classes).tolist()
    return {"task": task, "version": version, "points": points, "hits": hits}


def outputs(
    name: str, deal: int, fold: int, data: Path | None, kept: Path
) -> tuple[Floats, NDArray, Floats, NDArray]:
    """Cross-fitted probabilities and classes of one cell, and those of its new points."""
    file = kept / f"{name}-{deal}-{fold}.npz"
    if not file.exists():
        found = load(name, data)
        train, test = list(splits(name, deal, data))[fold]
        classes, codes = np.unique(found.y, return_inverse=True)
        X, y, labels = found.X[train], codes[train], np.arange(len(classes))
        rng = np.random.RandomState(0)
        members = [Member(seeded_clone(one, rng).fit(X, y)) for _, one in default_pool()]
        honest = cross_fitted_outputs(members, X, y, labels, random_state=0)
        new = np.stack([probabilities(one, found.X[test], labels) for one in members], axis=1)
        kept.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.npz")
        np.savez(part, honest=honest, y=y, new=new, y_new=codes[test])
        part.replace(file)
    with np.load(file) as cell:
        return cell["honest"], cell["y"], cell["new"], cell["y_new"]


def scores(cells: list[dict[str, Any]], title: str) -> tuple[Floats, float]:
    """G-Mean of every deal by its pooled recalls, and the mean of the folds' own."""
    deals = sorted({one["task"][1] for one in cells})
    pooled = []
    for deal in deals:
        mine = [one for one in cells if one["task"][1] == deal]
        hits = np.sum([one["hits"][title] for one in mine], axis=0)
        points = np.sum([one["points"] for one in mine], axis=0)
        pooled.append(g_mean(hits, points))
    single = [g_mean(np.array(one["hits"][title]), np.array(one["points"])) for one in cells]
    return np.array(pooled), float(np.mean(single))


def g_mean(hits: NDArray, points: NDArray) -> float:
    recalls = hits[points > 0] / points[points > 0]
    return float(recalls.prod() ** (1 / len(recalls)))


def tables(cells: dict[str, list[dict[str, Any]]]) -> str:
    """One row a program: means, ranks, and gains on the default and on stacking."""
    titles = list(next(iter(cells.values()))[0]["hits"])
    found = {title: {name: scores(mine, title) for name, mine in cells.items()} for title in titles}
    means = np.array([[found[t][name][0].mean() for name in cells] for t in titles])
    ranks = np.mean([rankdata(-column.round(6)) for column in means.T], axis=0)
    two = np.array([name in KEEL_TWO_CLASS for name in cells])
    rows = []
    for title, mean, rank in zip(titles, means, ranks, strict=True):
        folds = np.mean([found[title][name][1] for name in cells])
        row = [title, *(f"{mean[kind].mean():.4f}" if kind.any() else "-" for kind in (two, ~two))]
        row += [f"{rank:.1f}", f"{folds:.4f}"]
        row += [gains(found[title], found[other]) for other in (DEFAULT, STACKING)]
        rows.append([*row, *(f"{value:.3f}" for value in mean)])
    head = ["", "two-class", "multi-class", "rank", "by folds", "on the default", "on stacking"]
    return table([*head, *cells], rows)


def gains(mine: dict[str, Any], other: dict[str, Any]) -> str:
    differences = [mine[name][0] - other[name][0] for name in mine]
    means = np.array([one.mean() for one in differences]).round(10)
    if not means.any():
        return ""
    spreads = [one.var(ddof=1) / len(one) if len(one) > 1 else np.nan for one in differences]
    error = np.sqrt(np.sum(spreads)) / len(means)
    return f"{means.mean():+.4f} ± {error:.4f}, {(means > 0).sum()}/{(means < 0).sum()}"


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(argv)
    deals, folds = (1, 2) if options.quick else (options.deals, FOLDS)
    report = Report("ensemble-development", "The default ensemble: development")
    # Other programs are other cells.
    version = f"{crc32('/'.join(programs(every=options.every)).encode()):08x}"
    tasks = {
        f"{name}/{deal}/{fold}/{version}": (name, deal, fold)
        for deal in range(deals) for name in options.sets for fold in range(folds)
    }  # fmt: skip
    store = Store(options.kept / "cells.jsonl")
    work = partial(
        measure, data=options.data_dir, kept=options.kept, every=options.every, version=version
    )
    failures = run_missing(tasks, work, store, n_jobs=options.jobs, label="development")
    for key, cause in failures.items():
        print(f"{key} could not be measured: {cause}", file=sys.stderr)
    done = [
        one
        for one in store.records()
        if tuple(one["task"]) in tasks.values() and one["version"] == version
    ]
    whole = {}
    for name in options.sets:
        mine = [one for one in done if one["task"][0] == name]
        ends = [sum(one["task"][1] == deal for one in mine) == folds for deal in range(deals)]
        if all(ends):
            whole[name] = mine
    left = [name for name in DEVELOPED_ON if name not in whole]
    said = f"Deals of five folds: {deals}. Not measured: {', '.join(left) or 'none'}."
    kept = {
        name: {title: [float(one) for one in scores(mine, title)[0]] for title in mine[0]["hits"]}
        for name, mine in whole.items()
    }
    report.section("Programs and rivals", f"{TEXT} {said}\n\n{tables(whole)}", "scores", kept)
    report.section("What was left out", ALSO, "left out", ALSO)
    report.write(options.out if options.out or options.quick else RESULTS)
    return 0


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two folds of one set")
    parser.add_argument("--data-dir", type=Path, help="folder with the sets (else the package)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--deals", type=int, default=DEALS, help="so many deals of five folds")
    parser.add_argument("--every", action="store_true", help="earlier variants as well")
    parser.add_argument("--sets", nargs="+", help="other sets than those developed on")
    parser.add_argument("--kept", type=Path, default=Path("build/development"), help="cells")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(argv)
    if options.sets is None:
        options.sets = ["new-thyroid1"] if options.quick else list(DEVELOPED_ON)
    return options


if __name__ == "__main__":
    sys.exit(main())
