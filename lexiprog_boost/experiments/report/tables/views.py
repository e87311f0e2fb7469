"""The artificial sets from four sides: average G-Mean by what was varied in the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec
from lexiprog_boost.experiments.report.markdown import (
    best_in_bold,
    markdown_page,
    markdown_table,
)
from lexiprog_boost.experiments.report.results import Results, Scores

SPECS = {spec.name: spec for spec in GAUSSIAN_SETS}
VIEWS: tuple[tuple[str, Callable[[GaussianSpec], str]], ...] = (
    ("imbalance ratio", lambda spec: f"{spec.imbalance_ratio}"),
    ("points", lambda spec: f"{spec.n_points}"),
    ("centre of the majority", lambda spec: f"{spec.center:g}"),
    ("outliers", lambda spec: "10 %" if spec.outliers else "none"),
)


def views_page(results: Results) -> str:
    """A table a learner: a row a value of what was varied."""
    parts = ["Mean G-Mean over the sets that share a value, with each method's best setting."]
    for learner in results.study.learners:
        scores = results.scores_at_hand(learner, "g_mean", "best")
        parts.append(f"## {learner}")
        parts.append(views_table(scores) if scores.datasets else "No data set is complete yet.")
    return markdown_page(f"{results.study.name}: by what was varied", *parts)


def views_table(scores: Scores) -> str:
    """Mean scores by imbalance, size, overlap and outliers, and of all sets."""
    return markdown_table(["", "sets", *scores.contenders], _rows(scores))


def _rows(scores: Scores) -> Iterator[list[str]]:
    for label, value_of in VIEWS:
        values = np.array([value_of(SPECS[name]) for name in scores.datasets])
        for tick in dict.fromkeys(map(value_of, GAUSSIAN_SETS)):
            yield _row(f"{label}: {tick}", scores, values == tick)
    yield _row("all", scores, np.ones(len(scores.datasets), dtype=bool))


def _row(label: str, scores: Scores, chosen: np.ndarray) -> list[str]:
    if not chosen.any():
        return [label, "0", *[""] * len(scores.contenders)]
    means = scores.means[chosen].mean(axis=0)
    return [label, str(int(chosen.sum())), *best_in_bold(list(means), 3, largest=True)]
