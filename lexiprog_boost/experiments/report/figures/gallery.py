"""Which figures a study has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.report.figures.artificial import artificial_figure
from lexiprog_boost.experiments.report.figures.costs import cost_figure
from lexiprog_boost.experiments.report.figures.folds import folds_figure
from lexiprog_boost.experiments.report.figures.maps import LEARNER, map_figure
from lexiprog_boost.experiments.report.figures.ranks import critical_difference_figure
from lexiprog_boost.experiments.report.figures.times import times_figure
from lexiprog_boost.experiments.report.results import Metric, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[], "Figure | None"]


def figures_of(
    results: Results, data: Mapping[str, Dataset], data_dir: Path | None
) -> dict[str, tuple[str, Draw]]:
    """File names, what the figures show, and how to draw them (None: not enough cells)."""
    figures = {} if results.study.part else _ranks_and_times(results)
    if results.study.name == "artificial" and not results.study.part:
        figures["artificial.png"] = (
            "average G-Mean against imbalance, size, overlap and outliers",
            partial(artificial_figure, results),
        )
    if results.contenders("sweep"):
        figures["costs.png"] = (
            "G-Mean against the minority's cost",
            partial(cost_figure, results),
        )
    if results.study.keep_predictions and not results.study.part:
        for scene, known in data.items():
            figures[f"map-{scene}.png"] = (
                f"where each contender is right on {scene}, with {LEARNER}",
                partial(map_figure, results, scene, known, data_dir),
            )
    return figures


def _ranks_and_times(results: Results) -> dict[str, tuple[str, Draw]]:
    """What every whole study has; on a few data sets folds are compared, not sets."""
    figures: dict[str, tuple[str, Draw]] = {
        "times.png": ("training times", partial(times_figure, results)),
    }
    views: list[tuple[str, Metric, bool]] = [("", "g_mean", False)]
    if not results.study.quick:
        views.append(("-auc", "auc", False))
        if results.contenders("rival"):
            views.append(("-rivals", "g_mean", True))
    for ending, metric, rivals in views:
        what = f"{results.metric_name(metric)}{' with the rivals' if rivals else ''}"
        if results.study.few_sets:
            figures[f"folds{ending}.png"] = (
                f"{what} of every fold, with Kruskal and Wallis's test",
                partial(folds_figure, results, metric, rivals=rivals),
            )
        else:
            figures[f"critical-difference{ending}.png"] = (
                f"average ranks by {what}; bars join what Nemenyi's test does not tell apart",
                partial(critical_difference_figure, results, metric, rivals=rivals),
            )
    return figures
