"""Every class's optimum and loss as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog_boost.plots.canvas import ACCENT, NOTE, SOFT, canvas_axes, short_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def deviation_bars(classes: Any, optima: Any, losses: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a bar a class: its least loss, and what the compromise adds to it."""
    optima, losses = np.asarray(optima, dtype=float), np.asarray(losses, dtype=float)
    gaps, rows = losses - optima, np.arange(len(optima))
    ax = canvas_axes(ax, height=1.6 + 0.38 * len(rows))
    ax.barh(rows, optima, height=0.62, color=SOFT, label="least loss, the class by itself")
    ax.barh(rows, gaps, left=optima, height=0.62, color=ACCENT, label="deviation: what it gives up")
    full = max(float(losses.max()), 1e-9)
    for k in range(len(rows)):
        end = max(losses[k], optima[k]) + 0.012 * full
        ax.text(end, k, f"{gaps[k]:+.3f}", va="center", color=NOTE, fontsize=9)
    ax.set_yticks(rows, [short_label(label) for label in classes])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1.15 * full)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("mean loss of the class")
    ax.set_ylabel("class")
    ax.set_title("What each class loses, and what it could not avoid", loc="left", pad=24)
    ax.legend(
        frameon=False, ncols=2, fontsize=9, loc="lower left", bbox_to_anchor=(-0.01, 0.985),
        borderaxespad=0.1,
    )  # fmt: skip
    return ax
