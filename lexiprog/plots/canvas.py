"""What every picture shares: axes to draw in, colours, names that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAIN, SOFT, LIGHT, BAD = "#2b4c7e", "#a8bbd4", "#f1f1ee", "#c8322b"
NOTE, ACCENT = "#55534c", "#c8722b"


def axes_for(ax: Axes | None, *, height: float, width: float = 7.5) -> Axes:
    """The axes given, or new ones of a size in inches."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            message = "lexiprog.plots needs matplotlib: pip install 'lexiprog[plot]'."
            raise ImportError(message) from error
        ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def noted(ax: Axes, note: str) -> None:
    """A small line below the x label, wherever that stands: in a row of pictures, too."""
    below = ("axes fraction", ax.xaxis.label)
    ax.annotate(note, (0, 0), (0, -2), xycoords=below, textcoords="offset points", color=NOTE,
                fontsize="small", va="top", annotation_clip=False)  # fmt: skip


def fitting(name: str, most: int = 26) -> str:
    """A name cut to what fits beside a picture, and safe from being read as mathematics."""
    short = name if len(name) <= most else name[: most - 1] + "…"
    return short.replace("$", r"\$")
