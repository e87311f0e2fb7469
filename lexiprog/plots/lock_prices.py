"""What each held level costs: the gain of a later problem per unit of slack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexiprog.outline.numbers import number
from lexiprog.plots.canvas import MAIN, NOTE, axes_for, fitting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.result.result import Result

__all__ = ["prices"]


def prices(result: Result, name: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the price of every optimum that one problem holds.

    Use it to see which earlier optimum costs the later one most.

    Parameters
    ----------
    result : Result
    name : str, optional
        The problem that holds, the last that holds any by default.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> v = cp.Variable(2, nonneg=True, name="v")
    >>> limits = [2 * v[0] + v[1] <= 3, v[0] + 2 * v[1] <= 3]
    >>> wishes = {"first": cp.Maximize(v[0]), "second": cp.Maximize(v[1])}
    >>> plots.prices(lx.preemptive(wishes, limits).solve()).get_title(loc="left")
    'What second pays for each level above it'
    """
    if name is None:
        holders = [key for key, solution in result.items() if solution.locks]
        if not holders:
            raise ValueError("no problem of this result holds an earlier optimum.")
        name = holders[-1]
    locks = result[name].locks
    ax = axes_for(ax, height=1.3 + 0.42 * max(len(locks), 1))
    widths = [lock.price or 0.0 for lock in locks]
    ax.barh(range(len(locks)), widths, height=0.6, color=MAIN)
    full = max(widths, default=0.0) or 1.0
    for k, lock in enumerate(locks):
        if lock.price is None:
            text = "none: its argument is kept" if lock.kind == "argument" else "no price: integers"
        else:
            text = number(lock.price) if lock.price > 1e-9 else "0: slack would buy nothing"
        ax.text(widths[k] + 0.012 * full, k, text, va="center", color=NOTE, fontsize=9)
    ax.set_yticks(range(len(locks)), [fitting(lock.name) for lock in locks])
    ax.set_ylim(len(locks) - 0.4, -0.6)
    ax.set_xlim(0, 1.25 * full)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("gain per unit of further slack")
    ax.set_title(f"What {fitting(name)} pays for each level above it", loc="left")
    return ax
