"""Mean scores a data set, to read, and every fold's score with its setting, to compute with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.choose import METRICS, Results, choose, score_of
from lexiprog_boost.experiments.markdown import (
    NOTHING,
    PROTOCOL_NAMES,
    best_in_bold,
    comma_separated,
    metric_name,
    number,
    page,
    setting_text,
    table,
)


def scores_page(results: Results) -> str:
    """Mean score of every contender on every complete data set."""
    parts = ["Means over the test folds; the best of a row (as printed) is in boldface."]
    for learner in results.study.learners:
        for metric in METRICS:
            for protocol in results.protocols:
                found = results.scores(learner, metric, protocol, "paper", "rival")
                name = metric_name(metric, multi_class=results.multi_class)
                parts.append(f"## {learner}, {name}, {PROTOCOL_NAMES[protocol]}")
                if not found.datasets:
                    parts.append("No data set is complete yet.")
                    continue
                rows = [
                    [dataset, *best_in_bold(list(row), 3, largest=True)]
                    for dataset, row in zip(found.datasets, found.means, strict=True)
                ]
                mean = best_in_bold(list(found.means.mean(axis=0)), 3, largest=True)
                parts.append(table(["data set", *found.contenders], [*rows, ["mean", *mean]]))
    return page(f"{results.study.name}: scores", *parts)


def scores_file(results: Results) -> str:
    """Every fold's score, one contender, data set, metric and protocol a line."""
    folds = [f"fold {k + 1}" for k in range(results.study.folds)]
    header = ["data set", "learner", "contender", "metric", "protocol", "mean", *folds, "settings"]
    return comma_separated(header, _lines(results))


def _lines(results: Results) -> Iterator[list[object]]:
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for contender in results.contenders("paper", "rival"):
                cells = results.cells(dataset, learner, contender)
                for metric in METRICS if cells is not None else ():
                    for protocol in results.protocols:
                        runs = choose(cells or [], metric, protocol)
                        scores = [score_of(run, metric) for run in runs]
                        settings = [setting_text(run["setting"]) for run in runs]
                        yield [
                            dataset, learner, contender, metric, protocol,
                            f"{sum(scores) / len(scores):.6f}", *(f"{one:.6f}" for one in scores),
                            "; ".join(dict.fromkeys(settings) if protocol == "best" else settings),
                        ]  # fmt: skip


def datasets_page(results: Results, data: Mapping[str, Dataset]) -> str:
    """What the data sets are: size, classes, imbalance, and how many cells are there."""
    rows = []
    for name in results.study.datasets:
        known = data.get(name)
        done = sum(record["dataset"] == name for record in results.records)
        wanted = sum(cell.dataset == name for cell in results.study.cells())
        facts = [NOTHING] * 4
        if known is not None:
            points, features = known.X.shape
            smallest = min(known.counts.values())
            facts = [str(points), str(features), str(len(known.counts)), str(smallest)]
        ratio = None if known is None else known.imbalance_ratio
        rows.append([name, *facts, number(ratio), f"{done} of {wanted}"])
    header = [
        "data set", "points", "features", "classes", "smallest class", "imbalance ratio", "cells",
    ]  # fmt: skip
    return page(f"{results.study.name}: data sets", table(header, rows))
