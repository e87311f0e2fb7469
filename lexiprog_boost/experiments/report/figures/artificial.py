"""The artificial study's figure: average G-Mean against what was varied in the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec
from lexiprog_boost.experiments.report.figures.style import STYLES, colour_of, plain, roomy, sheet
from lexiprog_boost.experiments.report.results import Results, Scores
from lexiprog_boost.experiments.report.tables.views import SPECS, VIEWS
from lexiprog_boost.plots.canvas import NOTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def artificial_figure(results: Results) -> Figure | None:
    """For each learner four views of what the paper compares here, and all contenders' averages."""
    if results.study.name != "artificial":
        return None
    found = {
        learner: results.scores(learner, "g_mean", "best", "paper", "rival")
        for learner in results.study.learners
    }
    found = {learner: scores for learner, scores in found.items() if scores.datasets}
    if not found:
        return None
    figure = sheet(13.5, 8.2 * len(found))
    blocks = figure.subfigures(len(found), 1, squeeze=False)[:, 0]
    for block, (learner, scores) in zip(blocks, found.items(), strict=True):
        _draw(block, learner, results, scores)
    return figure


def _draw(block: SubFigure, learner: str, results: Results, scores: Scores) -> None:
    upper, lower = block.subfigures(2, 1, squeeze=False, height_ratios=[1, 1.05])[:, 0]
    views = upper.subplots(1, len(VIEWS), sharey=True)
    for ax, view in zip(views, VIEWS, strict=True):
        _view(plain(ax), scores, *view)
    views[0].set_ylabel(f"average G-Mean, {learner}")
    roomy(views[0])
    handles, names = views[0].get_legend_handles_labels()
    upper.legend(handles, names, frameon=False, loc="outside upper left", ncols=len(names))
    averages = plain(lower.subplots(), grid="x")
    _averages(averages, results, scores)
    averages.set_xlabel(
        f"average G-Mean with {learner}, {len(scores.datasets)} data sets "
        "(dark grey: rivals with their own trees)"
    )


def _view(ax: Axes, scores: Scores, label: str, value_of: Callable[[GaussianSpec], str]) -> None:
    values = np.array([value_of(SPECS[name]) for name in scores.datasets])
    ticks = list(dict.fromkeys(value_of(spec) for spec in GAUSSIAN_SETS))
    present = [tick for tick in ticks if tick in values]
    for contender, style in STYLES.items():
        column = scores.means[:, scores.contenders.index(contender)]
        means = [column[values == tick].mean() for tick in present]
        ax.plot(present, means, label=contender, linewidth=1.8, markersize=6, **style)
    ax.margins(x=0.12, y=0.08)
    ax.set_xlabel(label)


def _averages(ax: Axes, results: Results, scores: Scores) -> None:
    roles = {one.name: one.role for one in results.study.contenders}
    means = scores.means.mean(axis=0)
    order = np.argsort(means, kind="stable")
    names = [scores.contenders[j] for j in order]
    rows = np.arange(len(names))
    for row, name, mean in zip(rows.tolist(), names, means[order], strict=True):
        colour = colour_of(name, roles[name])
        ax.plot(mean, row, marker="o", markersize=9, color=colour, linestyle="none")
        ax.annotate(f"{mean:.3f}", (mean, row), (9, 0), textcoords="offset points", va="center",
                    fontsize=9, color=NOTE)  # fmt: skip
    ax.set_yticks(rows, names)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.06)
