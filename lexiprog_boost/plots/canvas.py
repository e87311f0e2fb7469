"""What every picture shares: axes to draw in, a colour a class, names that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAIN, SOFT, NOTE, ACCENT = "#2b4c7e", "#a8bbd4", "#55534c", "#c8722b"
CLASS_COLOURS = (MAIN, ACCENT, "#3c9a63", "#9a6cc7", "#b8902a", "#c9568c", "#55534c", "#3d85c6")
STYLES = ("-", "--", ":")


def canvas_axes(ax: Axes | None, *, height: float = 4.0, width: float = 6.5) -> Axes:
    """The axes given, or new ones of a size in inches."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            message = "lexiprog_boost.plots needs matplotlib: pip install 'lexiprog[plot]'."
            raise ImportError(message) from error
        ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def line_of(k: int) -> dict[str, Any]:
    """Colour and dashes of the k-th class; after eight classes the dashes change."""
    n = len(CLASS_COLOURS)
    return {"color": CLASS_COLOURS[k % n], "linestyle": STYLES[k // n % len(STYLES)]}


def short_label(label: Any, most: int = 20) -> str:
    """A label cut to what fits into a picture, and safe from being read as mathematics."""
    name = str(label)
    short = name if len(name) <= most else name[: most - 1] + "…"
    return short.replace("$", r"\$")
