"""Average ranks on a line, contenders that Nemenyi's test cannot tell apart joined by bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.experiments.report.figures.style import sheet
from lexiprog_boost.experiments.report.results import PROTOCOL_NAMES, Metric, Results, Role
from lexiprog_boost.experiments.report.statistics import average_ranks, critical_difference
from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.42


def critical_difference_figure(
    results: Results, metric: Metric, *, rivals: bool = False
) -> Figure | None:
    """A diagram a learner and protocol; None while no data set is complete."""
    roles: tuple[Role, ...] = ("paper", "rival") if rivals else ("paper",)
    panels = [
        (learner, protocol, results.scores(learner, metric, protocol, *roles))
        for learner in results.study.learners
        for protocol in results.protocols
    ]
    panels = [panel for panel in panels if panel[2].datasets]
    if not panels:
        return None
    columns = len(results.protocols)
    rows = -(-len(panels) // columns)
    depth = (len(panels[0][2].contenders) + 1) // 2
    figure = sheet(7.2 * columns, (1.75 + ROW * depth) * rows)
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for ax, (learner, protocol, scores) in zip(axes, panels, strict=False):
        width = critical_difference(len(scores.contenders), len(scores.datasets))
        draw_ranks(ax, scores.contenders, average_ranks(scores.means).tolist(), width)
        name = results.metric_name(metric)
        title = f"{learner}, {name}, {len(scores.datasets)} data sets"
        ax.set_title(f"{title}\n{PROTOCOL_NAMES[protocol]}", loc="left", fontsize=11)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure


def draw_ranks(ax: Axes, names: Sequence[str], ranks: Sequence[float], width: float) -> None:
    """Draw one diagram: rank 1, the best, is on the left."""
    order = np.argsort(ranks, kind="stable")
    k = len(names)
    half = (k + 1) // 2
    groups = _indistinct(np.asarray(ranks)[order], width)
    top = 0.55 + 0.28 * len(groups)
    ax.plot([1, k], [0, 0], color=NOTE, linewidth=1.4)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, -0.12], color=NOTE, linewidth=1.2)
        ax.text(tick, -0.2, str(tick), ha="center", va="bottom", color=NOTE, fontsize=9)
    for place, j in enumerate(order):
        left = place < half
        level = top + ROW * (place if left else k - 1 - place) / ROW * 0.55
        end = 1 - 0.06 * k if left else k + 0.06 * k
        own = "LexiBoost" in names[j]
        ax.plot([ranks[j], ranks[j], end], [0, level, level], color=ACCENT if own else MAIN,
                linewidth=1.1)  # fmt: skip
        ax.plot([ranks[j]], [0], marker="o", markersize=4, color=ACCENT if own else MAIN)
        label = f"{names[j]}  {ranks[j]:.2f}" if left else f"{ranks[j]:.2f}  {names[j]}"
        ax.text(
            end - 0.01 * k if left else end + 0.01 * k, level, label,
            ha="right" if left else "left", va="center", fontsize=9.5,
            color=ACCENT if own else "black", fontweight="bold" if own else "normal",
        )  # fmt: skip
    for row, (first, last) in enumerate(groups):
        level = 0.3 + 0.28 * row
        ends = [ranks[order[first]] - 0.04, ranks[order[last]] + 0.04]
        ax.plot(ends, [level, level], color=NOTE, linewidth=4, solid_capstyle="round", alpha=0.75)
    ax.plot([1, 1 + width], [-0.85, -0.85], color=NOTE, linewidth=1.4, marker="|", markersize=7)
    text = f"critical difference {width:.2f}"
    ax.text(1 + width + 0.1, -0.85, text, va="center", fontsize=9, color=NOTE)
    ax.set_xlim(1 - 0.42 * k, k + 0.42 * k)
    ax.set_ylim(top + 0.55 * (half - 1) + 0.4, -1.2)
    ax.set_axis_off()


def _indistinct(ranks: np.ndarray, width: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks that span at most the critical difference."""
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + width, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
