"""The front of two objectives: what one costs the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiprog.errors import DeclarationError
from lexiprog.plots.canvas import ACCENT, MAIN, SOFT, axes_for, fitting, noted
from lexiprog.spelling import there_are

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.sweeps.fronts.record import Frontier

__all__ = ["frontier"]

MANY = 60


def frontier(front: Frontier, first: str | None = None, second: str | None = None, *,
             ax: Axes | None = None) -> Axes:  # fmt: skip
    """Draw the points of a front, and the lines between them where those belong to it.

    The front of an integer program stands alone, with a thin staircase below what is out of reach.
    Gaps in which points may be missing are shaded.

    Parameters
    ----------
    front : Frontier
    first, second : str, optional
        Which objectives to draw if there are more than two.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> front = lx.frontier({"cost": cp.Minimize(3 * x[0] + x[1]), "fumes": cp.Minimize(x[1])},
    ...                     [x[0] + x[1] >= 4])
    >>> plots.frontier(front).get_xlabel()
    'cost (minimised)'
    """
    one, two = (_position(front, name, k) for k, name in enumerate((first, second)))
    ax = axes_for(ax, height=4.6, width=6.0)
    order = np.argsort(front.points[:, one], kind="stable")
    across, up = front.points[order, one], front.points[order, two]
    if len(front.names) == 2:
        if not front.discrete:
            ax.plot(across, up, "-", color=MAIN, linewidth=1.8, zorder=3)
        else:
            # Up to the next point the better value of the second objective cannot be had.
            style = "steps-pre" if front.maximised[one] else "steps-post"
            ax.plot(across, up, "-", color=SOFT, linewidth=1.2, drawstyle=style, zorder=2)
    size = 3 if len(front) > MANY else 6
    ax.plot(across, up, "o", color=MAIN, markersize=size, clip_on=False, zorder=4)
    for left, right in front.missing:
        ends = [end[one] for end in (left, right) if np.isfinite(end[one])]
        if len(ends) == 2:
            ax.axvspan(min(ends), max(ends), color=ACCENT, alpha=0.15, linewidth=0, zorder=0)
    if front.ray is not None:
        _endless(ax, front, across, up)
    ax.set_xlabel(f"{fitting(front.names[one])} ({_sense(front, one)})")
    ax.set_ylabel(f"{fitting(front.names[two])} ({_sense(front, two)})")
    title = f"{fitting(front.names[one])} against {fitting(front.names[two])}"
    ax.set_title(title, loc="left")
    noted(ax, _caption(front))
    return ax


def _endless(ax: Axes, front: Frontier, across: np.ndarray, up: np.ndarray) -> None:
    """An arrow along the direction in which the front has no end."""
    if front.ray is None:
        return
    spread = np.array([np.ptp(across) or 1.0, np.ptp(up) or 1.0])
    step = front.ray * 0.3 * float(np.min(spread / np.maximum(np.abs(front.ray), 1e-12)))
    way = np.sign(front.ray[0])
    start = np.array([across[-1], up[-1]] if way > 0 else [across[0], up[0]])
    arrow = {"arrowstyle": "->", "color": MAIN, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tuple(start + step), tuple(start), arrowprops=arrow, zorder=3)
    ax.update_datalim([start + step])
    ax.autoscale_view()


def _caption(front: Frontier) -> str:
    return front.notes[0] if front.complete else f"{front.notes[0]}, not complete"


def _sense(front: Frontier, position: int) -> str:
    return "maximised" if front.maximised[position] else "minimised"


def _position(front: Frontier, name: str | None, default: int) -> int:
    if name is None:
        return default
    if name not in front.names:
        known = there_are(front.names, name)
        raise DeclarationError(f"the front has no objective {name!r}; there are {known}")
    return front.names.index(name)
