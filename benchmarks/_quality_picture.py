"""The picture of quality.py: G-Mean gained or lost on every confirmation set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from _quality_data import Group, groups
from _quality_methods import OURS
from _quality_results import Results
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.stats import rankdata

from lexiprog_boost.experiments.statistics import average_ranks, signed_rank
from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, SOFT

# Differences up to here are drawn to scale, larger ones by their logarithm.
TO_SCALE = 0.05
TICKS = (-0.5, -0.15, -0.05, 0, 0.05, 0.15, 0.5)


def draw(results: Results, path: Path) -> None:
    """Write one panel a kind of data; the same bytes from the same cells."""
    shown = [group for group in groups() if group.role == "confirmation"]
    if not any(results.finished(group.names) for group in shown):
        shown = [group for group in groups() if group.role != "confirmation"]
    panels = [(group, results.finished(group.names)) for group in shown]
    panels = [(group, names) for group, names in panels if names]
    if not panels:
        return
    rows = max(len(results.methods(names[0])) for _, names in panels)
    figure = Figure(figsize=(6.2 * len(panels), 1.6 + 0.36 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for ax, (group, names) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels,
                                  strict=True):  # fmt: skip
        _panel(ax, results, group, names)
    # Without a date or a version inside, equal cells give equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _panel(ax: Any, results: Results, group: Group, names: list[str]) -> None:
    contenders = results.methods(names[0])
    values = results.means(names, "g_mean")
    ranks = average_ranks(values)
    ours = contenders.index(OURS)
    order = sorted((k for k in range(len(contenders)) if k != ours), key=lambda k: ranks[k])
    for row, k in enumerate(order):
        gains = np.round(values[:, ours] - values[:, k], 10)
        # Spread by rank, not at random: equal dots stay apart and every run draws them alike.
        heights = row + 0.5 * ((rankdata(gains, "ordinal") * 0.618) % 1 - 0.5)
        colours = np.where(gains > 0, MAIN, np.where(gains < 0, ACCENT, SOFT))
        ax.scatter(gains, heights, s=15, c=colours.tolist(), alpha=0.75, linewidths=0)
        ax.plot([np.median(gains)] * 2, [row - 0.36, row + 0.36], color="black", lw=1.6)
        p = signed_rank(values[:, ours], values[:, k]).p
        counts = f"{(gains > 0).sum()}/{(gains == 0).sum()}/{(gains < 0).sum()}"
        said = f"{counts}  p {'< .001' if p < 0.001 else f'= {p:.3f}'}"
        ax.text(1.01, row, said, transform=ax.get_yaxis_transform(), va="center", size=7.5,
                color=NOTE)  # fmt: skip
    ax.axvline(0, color=NOTE, lw=0.8)
    ax.set_xscale("symlog", linthresh=TO_SCALE)
    reach = max(float(np.abs(values[:, [ours]] - values).max()) * 1.25, TO_SCALE)
    ax.set_xlim(-reach, reach)
    kept = [tick for tick in TICKS if abs(tick) <= reach]
    ax.set_xticks(kept, [f"{tick:g}" for tick in kept], size=8)
    ax.minorticks_off()
    labels = [f"{contenders[k]}  {ranks[k]:.1f}" for k in order]
    ax.set_yticks(range(len(order)), labels, size=8)
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    said = f"{group.title} ({len(names)} sets)\n{OURS}'s own average rank: {ranks[ours]:.1f}"
    ax.set_title(said, size=9, loc="left")
    ax.set_xlabel(
        f"G-Mean of {OURS} minus that of the method: a dot a data set, median black\n"
        "right: wins/ties/losses, Wilcoxon; left: average rank", size=8,
    )  # fmt: skip
