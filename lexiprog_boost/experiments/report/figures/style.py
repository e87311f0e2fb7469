"""What every figure shares: a sheet to draw on, the contenders' colours, a file without a date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 110
# Chosen to differ for every kind of colour blindness, and by marker and dashes besides.
STYLES: dict[str, dict[str, Any]] = {
    "LexiBoost": {"color": ACCENT, "marker": "o", "linestyle": "-"},
    "Dual-LexiBoost": {"color": "#8c3a0e", "marker": "s", "linestyle": "-"},
    "LPUBoost": {"color": "#5b9bd5", "marker": "^", "linestyle": "--"},
    "Dual-LPUBoost": {"color": MAIN, "marker": "D", "linestyle": "--"},
}


def sheet(width: float, height: float) -> Figure:
    """A white sheet of a size in inches; no window is ever opened."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def plain(ax: Axes, *, grid: Literal["x", "y"] | None = "y") -> Axes:
    """Axes without a frame, with a faint grid behind what is drawn."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(axis=grid, color="#e6e4de", linewidth=0.8)
    return ax


def roomy(ax: Axes, least: float = 0.02) -> Axes:
    """Axes whose values span at least so much, so that rounding is not drawn as a difference."""
    low, high = ax.get_ylim()
    if high - low < least:
        middle = (low + high) / 2
        ax.set_ylim(middle - least / 2, middle + least / 2)
    return ax


def colour_of(contender: str, role: str = "paper") -> str:
    """The colour of a contender's bar or name."""
    if "LexiBoost" in contender:
        return str(STYLES.get(contender, STYLES["LexiBoost"])["color"])
    return NOTE if role == "rival" else SOFT


def save(figure: Figure, path: Path) -> None:
    """Write a PNG whose bytes depend on the drawing alone."""
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
