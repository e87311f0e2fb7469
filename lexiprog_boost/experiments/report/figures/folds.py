"""Scores on a few data sets: every fold and its mean a contender, and whether they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.experiments.report.figures.style import colour_of, plain, sheet
from lexiprog_boost.experiments.report.markdown import p_value
from lexiprog_boost.experiments.report.results import Metric, Results, Role
from lexiprog_boost.experiments.report.statistics import kruskal_wallis
from lexiprog_boost.plots.canvas import NOTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 2


def folds_figure(results: Results, metric: Metric, *, rivals: bool = False) -> Figure | None:
    """A panel a learner and data set; None while no data set is complete."""
    roles: tuple[Role, ...] = ("paper", "rival") if rivals else ("paper",)
    kinds = {one.name: one.role for one in results.study.contenders}
    panels = []
    for learner in results.study.learners:
        found = results.scores(learner, metric, "best", *roles)
        for dataset, folds in zip(found.datasets, found.folds, strict=True):
            p = p_value(kruskal_wallis(folds).p)
            panels.append((f"{dataset}, {learner}: Kruskal-Wallis {p}", folds))
    if not panels:
        return None
    names = results.contenders(*roles)
    rows, columns = -(-len(panels) // COLUMNS), min(COLUMNS, len(panels))
    figure = sheet(6.6 * columns, (1.1 + 0.34 * len(names)) * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, (title, folds) in zip(axes, panels, strict=False):
        _draw(plain(ax, grid="x"), names, folds, [colour_of(one, kinds[one]) for one in names])
        ax.set_title(title, loc="left", fontsize=10)
        ax.set_xlabel(f"{results.metric_name(metric)}: folds (bars) and their mean (dot)")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure


def _draw(ax: Axes, names: tuple[str, ...], folds: np.ndarray, colours: list[str]) -> None:
    for row, (scores, colour) in enumerate(zip(folds, colours, strict=True)):
        ax.plot(scores, np.full(len(scores), row), marker="|", markersize=11, linestyle="none",
                color=colour)  # fmt: skip
        ax.plot(scores.mean(), row, marker="o", markersize=7, color=NOTE)
        ax.annotate(f"{scores.mean():.3f}", (1.01, row), xycoords=("axes fraction", "data"),
                    va="center", fontsize=9, color=NOTE)  # fmt: skip
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    low, high = float(folds.min()), float(folds.max())
    room = max(0.05 * (high - low), 0.05)  # equal scores are no reason to draw rounding
    ax.set_xlim(low - room, high + room)
