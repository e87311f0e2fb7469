"""Compare LexiEnsembleClassifier's default with what a practitioner would take instead."""

from __future__ import annotations

import os

# One thread a fit: the cores are taken by the cells, and times then compare like with like.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from _measuring import RESULTS
from _quality_data import FOLDS, groups, in_folder, load
from _quality_methods import methods
from _quality_picture import draw
from _quality_report import scores_page, scores_table
from _quality_results import METRICS, Results
from _quality_times import times_page
from sklearn.metrics import recall_score

from lexiprog_boost.experiments.measure import Store, run_missing
from lexiprog_boost.metrics import average_auc_score, geometric_mean_score

QUICK_SETS = ("new-thyroid1", "wine")
QUICK_FOLDS = 2


@dataclass(frozen=True)
class Cell:
    """One method on one fold of one data set."""

    dataset: str
    fold: int
    method: str
    fingerprint: str
    packaged: bool

    @property
    def key(self) -> str:
        """Other settings or another source of the data are another cell."""
        source = "package" if self.packaged else "folder"
        return f"{self.dataset}/{source}/{self.fold}/{self.method}/{self.fingerprint}"

    @property
    def seed(self) -> int:
        """The same for all methods on a fold: they share their members' seeds."""
        return crc32(f"{self.dataset}/{self.fold}".encode()) & 0x7FFFFFFF


def cells(data_dir: Path | None, *, quick: bool) -> list[Cell]:
    contenders = [(one, one.fingerprint) for one in methods(quick=quick)]
    names = QUICK_SETS if quick else [name for group in groups() for name in group.names]
    found = []
    for name in names:
        data = load(name, data_dir)
        packaged = not in_folder(name, data_dir)
        for fold in range(QUICK_FOLDS if quick else FOLDS):
            found += [
                Cell(name, fold, one.name, fingerprint, packaged)
                for one, fingerprint in contenders
                if len(data.counts) == 2 or not one.two_class_only
            ]
    return found


def measure(cell: Cell, *, data_dir: Path | None, quick: bool) -> dict[str, Any]:
    """Fit and score; a method that fails on a fold has that as its result, with the cause."""
    data = load(cell.dataset, data_dir)
    train, test = list(data.splits())[cell.fold]
    X, y = data.X[test], data.y[test]
    record = {"key": cell.key, "dataset": cell.dataset, "fold": cell.fold, "method": cell.method}
    with warnings.catch_warnings():
        # Tiny classes and unconverged members are part of what is measured.
        warnings.simplefilter("ignore")
        try:
            method = next(one for one in methods(quick=quick) if one.name == cell.method)
            model = method.build(cell.seed)
            wall, cpu = time.perf_counter(), time.process_time()
            model.fit(data.X[train], data.y[train])
            record |= {
                "wall": time.perf_counter() - wall,
                "cpu": time.process_time() - cpu,
                **scores(y, model.predict(X), model.predict_proba(X), model.classes_),
            }
        except Exception as cause:  # noqa: BLE001 - whatever goes wrong is the method's result
            record["failure"] = f"{type(cause).__name__}: {cause}"
    return record


def scores(y: Any, predicted: Any, probabilities: Any, classes: Any) -> dict[str, Any]:
    present = np.unique(y)
    recalls = recall_score(y, predicted, labels=present, average=None)
    columns = np.searchsorted(classes, present)
    truth = y[:, None] == classes[None, :]
    return {
        "g_mean": float(geometric_mean_score(y, predicted)),
        "balanced_accuracy": float(recalls.mean()),
        "auc": average_auc_score(y, probabilities[:, columns], labels=present),
        "brier": float(((probabilities - truth) ** 2).sum(axis=1).mean()),
        "recalls": dict(zip(map(str, present.tolist()), recalls.tolist(), strict=True)),
    }


def earlier(others: Sequence[Cell]) -> list[dict[str, Any]]:
    """What methods came to in the committed table: a set's mean for each of its folds."""
    with (RESULTS / "quality.csv").open(encoding="utf-8") as file:
        rows = {(row["dataset"], row["method"]): row for row in csv.DictReader(file)}
    found = []
    for cell in others:
        row = rows[cell.dataset, cell.method]
        means = {metric: float(row[metric]) for metric in METRICS}
        found.append({"dataset": cell.dataset, "method": cell.method, "fold": cell.fold, **means})
    return found


def again(options: argparse.Namespace) -> str:
    """What is measured for this page alone; empty if everything is."""
    if not (options.methods or options.sets):
        return ""
    return f"{', '.join(options.methods or ['all'])} on {', '.join(options.sets or ['all sets'])}"


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(argv)
    compared = cells(options.data_dir, quick=options.quick)
    only = options.methods or {cell.method for cell in compared}
    sets = options.sets or {cell.dataset for cell in compared}
    wanted = [cell for cell in compared if cell.method in only and cell.dataset in sets]
    store = Store(options.out / f"cells{'-quick' if options.quick else ''}.jsonl")
    if not options.report_only:
        failures = run_missing(
            {cell.key: cell for cell in wanted},
            partial(measure, data_dir=options.data_dir, quick=options.quick),
            store, n_jobs=options.jobs, label="quality",
        )  # fmt: skip
        for key, cause in failures.items():
            print(f"{key} could not be measured: {cause}", file=sys.stderr)
    keys = {cell.key for cell in wanted}
    records = [one for one in store.records() if one["key"] in keys]
    records += earlier([cell for cell in compared if cell.key not in keys])
    results = Results(records, compared, lambda name: load(name, options.data_dir), again(options))
    write(results, [options.out, *([RESULTS] if options.keep else [])])
    return 0


def write(results: Results, folders: Sequence[Path]) -> None:
    pages = {"quality.md": scores_page(results), "quality.csv": scores_table(results)}
    if not results.measured_again:  # there are no times in the table of an earlier run
        pages["quality_times.md"] = times_page(results)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
        draw(results, folder / "quality.png")
    print(*(page for name, page in pages.items() if name.endswith(".md")), sep="\n")


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="folder of csv.gz files with KEEL's folds")
    parser.add_argument("--out", type=Path, default=Path("build/quality"), help="cells and tables")
    parser.add_argument("--jobs", type=int, default=-1, help="worker processes, -1 for all cores")
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="NAME",
        help="measure these only; other means are those of results/quality.csv",
    )  # fmt: skip
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET", help="the same for sets")
    parser.add_argument("--quick", action="store_true", help="a smoke run of seconds")
    parser.add_argument("--report-only", action="store_true", help="tables of what is measured")
    parser.add_argument("--keep", action="store_true", help="write benchmarks/results as well")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
