"""G-Mean against the minority's cost: what tuning would gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiprog_boost.experiments.report.figures.style import plain, roomy, sheet
from lexiprog_boost.experiments.report.results import Results
from lexiprog_boost.experiments.report.tables.costs import CostSweep, cost_sweeps
from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def cost_figure(results: Results) -> Figure | None:
    """A panel a method and learner; None while no data set is complete."""
    sweeps = {who: sweep for who, sweep in cost_sweeps(results).items() if sweep is not None}
    if not sweeps:
        return None
    figure = sheet(6.4 * len(sweeps), 7.6)
    axes = figure.subplots(2, len(sweeps), sharex=True, sharey="row", squeeze=False)
    for (upper, lower), ((method, learner), sweep) in zip(axes.T, sweeps.items(), strict=True):
        _draw_values(plain(upper), sweep)
        _draw_gains(plain(lower), sweep)
        sets = f"{len(sweep.datasets)} data sets"
        upper.set_title(f"{method}, {learner}, {sets}", loc="left", fontsize=11)
        costs = sweep.costs
        lower.set_xscale("log", base=2)
        lower.set_xticks(costs, [f"{cost:g}" if cost >= 1 else f"1/{1 / cost:g}" for cost in costs])
        lower.minorticks_off()
        lower.set_xlabel("cost of the minority's regret (majority: 1)")
    axes[0, 0].set_ylabel("G-Mean, mean over folds")
    axes[1, 0].set_ylabel("gain over no costs")
    roomy(axes[1, 0])
    return figure


def _draw_values(ax: Axes, sweep: CostSweep) -> None:
    for k, row in enumerate(sweep.means):
        ax.plot(sweep.costs, row, color=SOFT, linewidth=0.9, label=_once("a data set", k))
        best = np.flatnonzero(row > row.max() - 1e-9)
        at = int(min(best, key=lambda i: abs(np.log2(sweep.costs[i]))))
        ax.plot(
            sweep.costs[at], row[at], marker="o", markersize=3.5, color=NOTE, linestyle="none",
            label=_once("its best cost", k),
        )  # fmt: skip
    ax.plot(sweep.costs, sweep.means.mean(axis=0), color=MAIN, linewidth=2.6, label="mean")
    ax.plot(
        1.0, sweep.plain.mean(), marker="o", markersize=8, color=ACCENT, linestyle="none",
        label=f"no costs: {sweep.plain.mean():.3f}",
    )  # fmt: skip
    ax.set_ylim(-0.02, 1.02)
    ax.legend(frameon=False, loc="lower right", fontsize=9, ncols=2)


def _draw_gains(ax: Axes, sweep: CostSweep) -> None:
    for row, base in zip(sweep.means, sweep.plain, strict=True):
        ax.plot(sweep.costs, row - base, color=SOFT, linewidth=0.9)
    ax.plot(sweep.costs, (sweep.means - sweep.plain[:, None]).mean(axis=0), color=MAIN,
            linewidth=2.6, label="mean")  # fmt: skip
    ax.axhline(0, color=ACCENT, linewidth=1.2)
    for values, style, text in (
        (sweep.best, ":", "best cost of each set, seen on the test folds"),
        (sweep.elsewhere, "--", "cost chosen on the other folds"),
    ):
        gain = float((values - sweep.plain).mean())
        told = f"{text}: {round(gain, 3) + 0.0:+.3f}"  # the zero takes the sign from minus zero
        ax.axhline(gain, color=NOTE, linewidth=1.5, linestyle=style, label=told)
    ax.legend(frameon=False, loc="best", fontsize=9)


def _once(text: str, k: int) -> str | None:
    """A label for the first of many lines alike."""
    return text if k == 0 else None
