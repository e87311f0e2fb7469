"""The artificial study's figure: average G-Mean against what was varied in the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec
from lexiprog_boost.experiments.choose import Results, Scores
from lexiprog_boost.experiments.figures.sheet import STYLES, colour_of, plain, sheet
from lexiprog_boost.plots.canvas import NOTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SPECS = {spec.name: spec for spec in GAUSSIAN_SETS}
_VIEWS: tuple[tuple[str, Callable[[GaussianSpec], str]], ...] = (
    ("imbalance ratio", lambda spec: f"{spec.imbalance_ratio}"),
    ("points", lambda spec: f"{spec.n_points}"),
    ("centre of the majority (smaller: more overlap)", lambda spec: f"{spec.center:g}"),
    ("a tenth of each class from the other", lambda spec: "outliers" if spec.outliers else "none"),
)


def artificial_figure(results: Results) -> Figure | None:
    """Four views of the methods that the paper compares here, and all contenders' averages."""
    if results.study.name != "artificial":
        return None
    scores = results.scores("kNN", "g_mean", "best", "paper", "rival")
    if not scores.datasets:
        return None
    figure = sheet(13.5, 8.4)
    panels = figure.subplot_mosaic([["0", "1", "2"], ["3", "all", "all"]])
    ends = [_view(plain(panels[str(k)]), scores, *view) for k, view in enumerate(_VIEWS)]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    room = 0.08 * (high - low) + 0.005
    for k in range(len(_VIEWS)):
        panels[str(k)].set_ylim(low - room, high + room)
        panels[str(k)].set_ylabel("average G-Mean" if k in (0, 3) else "")
    panels["0"].legend(frameon=False, fontsize=9, loc="best")
    _averages(plain(panels["all"], grid="x"), results, scores)
    return figure


def _view(
    ax: Axes, scores: Scores, label: str, value_of: Callable[[GaussianSpec], str]
) -> tuple[float, float]:
    values = [value_of(_SPECS[name]) for name in scores.datasets]
    ticks = list(dict.fromkeys(value_of(spec) for spec in GAUSSIAN_SETS))
    present = [tick for tick in ticks if tick in values]
    lowest, highest = 1.0, 0.0
    for contender, style in STYLES.items():
        column = scores.means[:, scores.contenders.index(contender)]
        means = [column[np.array(values) == tick].mean() for tick in present]
        ax.plot(present, means, label=contender, linewidth=1.8, markersize=6, **style)
        lowest, highest = min(lowest, *means), max(highest, *means)
    ax.margins(x=0.12)
    ax.set_xlabel(label)
    return lowest, highest


def _averages(ax: Axes, results: Results, scores: Scores) -> None:
    roles = {one.name: one.role for one in results.study.contenders}
    means = scores.means.mean(axis=0)
    order = np.argsort(means, kind="stable")
    names = [scores.contenders[j] for j in order]
    colours = [colour_of(name, roles[name]) for name in names]
    rows = np.arange(len(names))
    ax.barh(rows, means[order], color=colours, height=0.7)
    for row, mean in zip(rows, means[order], strict=True):
        ax.text(mean + 0.004, float(row), f"{mean:.3f}", va="center", fontsize=9, color=NOTE)
    ax.set_yticks(rows, names)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(max(0.0, means.min() - 0.1), min(1.0, means.max() + 0.05))
    ax.set_xlabel(
        f"average G-Mean, {len(scores.datasets)} data sets (dark grey: rivals with their own trees)"
    )
