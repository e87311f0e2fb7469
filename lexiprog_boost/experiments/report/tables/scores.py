"""Mean scores a data set, and what the data sets are."""

from __future__ import annotations

from collections.abc import Mapping

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.report.markdown import (
    NOTHING,
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
)
from lexiprog_boost.experiments.report.results import METRICS, PROTOCOL_NAMES, Results


def scores_page(results: Results) -> str:
    """Mean score of every contender on every complete data set."""
    parts = ["Means over the test folds; the best of a row (as printed) is in boldface."]
    for learner in results.study.learners:
        for metric in METRICS:
            for protocol in results.protocols:
                found = results.scores_at_hand(learner, metric, protocol)
                name = results.metric_name(metric)
                parts.append(f"## {learner}, {name}, {PROTOCOL_NAMES[protocol]}")
                if not found.datasets:
                    parts.append("No data set is complete yet.")
                    continue
                rows = [
                    [dataset, *best_in_bold(list(row), 3, largest=True)]
                    for dataset, row in zip(found.datasets, found.means, strict=True)
                ]
                mean = best_in_bold(list(found.means.mean(axis=0)), 3, largest=True)
                parts.append(
                    markdown_table(["data set", *found.contenders], [*rows, ["mean", *mean]])
                )
    return markdown_page(f"{results.study.name}: scores", *parts)


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
        rows.append([name, *facts, fixed(ratio), f"{done} of {wanted}"])
    header = [
        "data set", "points", "features", "classes", "smallest class", "imbalance ratio", "cells",
    ]  # fmt: skip
    return markdown_page(f"{results.study.name}: data sets", markdown_table(header, rows))
