"""Training times of all contenders, on a logarithmic line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.experiments.report.figures.style import colour_of, plain, sheet
from lexiprog_boost.experiments.report.results import Results
from lexiprog_boost.experiments.report.tables.times import fit_seconds
from lexiprog_boost.plots.canvas import NOTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def times_figure(results: Results) -> Figure | None:
    """A panel a learner: one fit as a dot, the whole grid of settings as the bar's end."""
    learners = [one for one in results.study.learners if results.complete(one, "paper", "rival")]
    if not learners:
        return None
    figure = sheet(6.8 * len(learners), 5.0)
    axes = np.atleast_1d(figure.subplots(1, len(learners)))
    for ax, learner in zip(axes, learners, strict=True):
        _draw(plain(ax, grid="x"), results, learner)
        ax.set_title(learner, loc="left", fontsize=11)
    return figure


def _draw(ax: Axes, results: Results, learner: str) -> None:
    sets = results.complete(learner, "paper", "rival")
    roles = {one.name: one.role for one in results.study.contenders}
    names = results.contenders("paper", "rival")[::-1]
    for row, name in enumerate(names):
        fits = [fold for one in sets for fold in fit_seconds(results, one, learner, name) if fold]
        if not fits:
            continue
        fit = float(np.mean([seconds for fold in fits for seconds in fold]))
        grid = float(np.mean([sum(fold) for fold in fits]))
        ax.plot([fit, grid], [row, row], color=colour_of(name, roles[name]), linewidth=6,
                solid_capstyle="butt")  # fmt: skip
        ax.plot(fit, row, marker="o", markersize=7, color=NOTE)
        ax.annotate(_told(grid), (grid, row), (8, 0), textcoords="offset points", va="center",
                    fontsize=9, color=NOTE)  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
    ax.margins(x=0.15)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    whose = "processor " if results.clock == "processor" else ""
    ax.set_xlabel(f"{whose}seconds of training a fold: one fit (dot), all settings (bar's end)")


def _told(seconds: float) -> str:
    """Two digits, but no power of ten for what takes minutes."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
