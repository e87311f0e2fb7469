"""What the classifiers cost from 300 to 200,000 points, and what share of it the programs are."""

from __future__ import annotations

import os

# One thread a fit: times then compare like with like.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from _measuring import RESULTS, Report, table, timed
from _quality_methods import methods
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import (
    DualLexiBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
)
from lexiprog_boost.experiments.measure import Store
from lexiprog_boost.metrics import geometric_mean_score

SIZES = (300, 2_000, 20_000, 200_000)
COLUMNS, TEST = 30, 2_000
OURS, STACKING = "LexiEnsembleClassifier()", "StackingClassifier, same members"
# A method whose fit took so many seconds is not given the next size, which is ten times larger.
PATIENCE = 25.0
# Where the programs are, by the name under which `fit` calls them.
PROGRAMS = (
    "lexiprog_boost.classifiers.shared.lexi_vote.lexicographic_weights",
    "lexiprog_boost.classifiers.lexi_ensemble.calibrate",
)
TEXT = f"""\
Processor seconds of one `fit` on points in {COLUMNS} columns (`make_classification`, 10 % in the
rare class, 2 % of labels flipped), one thread, and G-Mean on {TEST:,} other points, which says
little of real data. "Programs": the part in which weights, thresholds and the calibration are
found, everything else being the members. A fit of more than {PATIENCE:.0f} s is not tried on ten
times as many points."""


def contenders() -> dict[str, Callable[[], Any]]:
    """The estimators of the guide's page, and what they are compared with."""
    known = {one.name: one for one in methods()}
    tree = DecisionTreeClassifier(max_depth=3)
    return {
        OURS: lambda: LexiEnsembleClassifier(random_state=0),
        STACKING: lambda: known["Stacking"].build(0),
        "BalancedRandomForest": lambda: known["BalancedRandomForest"].build(0),
        "HistGradientBoosting, class-weighted": lambda: known["HistGB balanced"].build(0),
        "LexiBoostClassifier(tree, 50)": lambda: LexiBoostClassifier(tree, 50, random_state=0),
        "LexiBoostClassifier.modern()": lambda: LexiBoostClassifier.modern(tree, random_state=0),
        "DualLexiBoostClassifier(tree, 10)": lambda: DualLexiBoostClassifier(
            tree, 10, random_state=0
        ),
    }


@contextmanager
def programs_timed() -> Iterator[list[float]]:
    """Collect the processor seconds of every program that a fit solves."""
    spent: list[float] = []

    def watched(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            found = work(*args, **kwargs)
            spent.append(time.process_time() - start)
            return found

        return call

    places = [place.rsplit(".", 1) for place in PROGRAMS]
    found = [(sys.modules[module], name) for module, name in places]
    first, second = (patch.object(home, name, watched(getattr(home, name))) for home, name in found)
    with first, second:
        yield spent


def measure(n: int, name: str) -> dict[str, Any]:
    """One fit, after which the method is asked about other points."""
    X, y = make_classification(
        n + TEST, COLUMNS, n_informative=8, weights=[0.9], flip_y=0.02, random_state=0
    )
    X, X_new, y, y_new = train_test_split(X, y, test_size=TEST, stratify=y, random_state=0)
    with warnings.catch_warnings(), programs_timed() as spent:
        warnings.simplefilter("ignore")
        model = contenders()[name]()
        clock, _ = timed(lambda: model.fit(X, y))
        asked, said = timed(lambda: model.predict(X_new))
    return {
        "n": n, "method": name, "cpu": clock.cpu, "wall": clock.wall, "programs": sum(spent),
        "predict": asked.cpu, "g_mean": geometric_mean_score(y_new, said),
    }  # fmt: skip


def measure_all(sizes: Sequence[int], store: Store) -> list[dict[str, Any]]:
    """Every fit that the store lacks; a kill loses the one that is under way."""
    LexiEnsembleClassifier(random_state=0).fit(*make_classification(200, random_state=0))  # imports
    found: dict[tuple[int, str], dict[str, Any]] = {}
    slow = set()
    for n in sizes:
        for name in contenders():
            if name in slow:
                continue
            known = {(one["n"], one["method"]): one for one in store.records()}
            record = known.get((n, name)) or measure(n, name)
            if (n, name) not in known:
                store.put(f"{n}/{name}", record)
                print(f"{n} {name}: {record['cpu']:.2f} s", file=sys.stderr, flush=True)
            found[n, name] = record
            if record["cpu"] > PATIENCE:
                slow.add(name)
    return list(found.values())


def tables(records: list[dict[str, Any]]) -> str:
    sizes = list(dict.fromkeys(one["n"] for one in records))
    found = {(one["method"], one["n"]): one for one in records}
    times, shares = [], []
    for name in contenders():
        row, quality = [name], []
        for n in sizes:
            one = found.get((name, n))
            row.append(f"{one['cpu']:.2f}" if one else "-")
            quality.append(f"{one['g_mean']:.3f}" if one else "-")
        times.append([*row, *quality])
    for n in sizes:
        ours, theirs = found[OURS, n], found.get((STACKING, n))
        ratio = f"{ours['cpu'] / theirs['cpu']:.2f}" if theirs else "-"
        forest = found["BalancedRandomForest", n]["cpu"]
        shares.append([
            f"{n:,}", f"{ours['cpu']:.2f}", f"{ours['programs'] / ours['cpu']:.1%}",
            ratio, f"{ours['cpu'] / forest:.1f}", f"{ours['predict'] * 1e6 / TEST:.0f}",
        ])  # fmt: skip
    head = ["cpu s of a fit"] + [f"{n:,}" for n in sizes] + [f"G-Mean, {n:,}" for n in sizes]
    ratios = ["points", "cpu s", "programs", "over stacking", "over BalancedRandomForest",
              "predict, µs a point"]  # fmt: skip
    return f"{table(head, times)}\n\n{OURS}:\n\n{table(ratios, shares)}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest size")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="no more points than these")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(argv)
    sizes = [n for n in SIZES if n <= (SIZES[0] if options.quick else options.largest)]
    report = Report("classifier_times", "What the classifiers cost")
    # A smoke run measures anew.
    kept = options.out or Path("build/quick") if options.quick else Path("build")
    records = measure_all(sizes, Store(kept / "classifier_times.jsonl"))
    report.section("Fits", f"{TEXT}\n\n{tables(records)}", "fits", records)
    report.write(options.out if options.out or options.quick else RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
