"""Which figures a study has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.report.figures.artificial import artificial_figure
from lexiprog_boost.experiments.report.figures.costs import cost_figure
from lexiprog_boost.experiments.report.figures.maps import map_figure
from lexiprog_boost.experiments.report.figures.ranks import critical_difference_figure
from lexiprog_boost.experiments.report.figures.times import times_figure
from lexiprog_boost.experiments.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[], "Figure | None"]


def figures_of(
    results: Results, data: Mapping[str, Dataset], data_dir: Path | None
) -> dict[str, tuple[str, Draw]]:
    """File names, what the figures show, and how to draw them (None: not enough cells)."""
    figures: dict[str, tuple[str, Draw]] = {
        "critical-difference.png": (
            "average ranks by G-Mean; bars join what Nemenyi's test does not tell apart",
            partial(critical_difference_figure, results, "g_mean"),
        ),
        "times.png": ("training times", partial(times_figure, results)),
    }
    if not results.study.quick:
        figures["critical-difference-auc.png"] = (
            "average ranks by AUC",
            partial(critical_difference_figure, results, "auc"),
        )
        figures["critical-difference-rivals.png"] = (
            "average ranks by G-Mean with the rivals",
            partial(critical_difference_figure, results, "g_mean", rivals=True),
        )
    if results.study.name == "artificial":
        figures["artificial.png"] = (
            "average G-Mean against imbalance, size, overlap and outliers",
            partial(artificial_figure, results),
        )
    if results.contenders("sweep"):
        figures["costs.png"] = (
            "G-Mean of LexiBoost against the minority's cost",
            partial(cost_figure, results),
        )
    if results.study.keep_predictions:
        for scene, known in data.items():
            figures[f"map-{scene}.png"] = (
                f"where each contender is right on {scene}",
                partial(map_figure, results, scene, known, data_dir),
            )
    return figures
