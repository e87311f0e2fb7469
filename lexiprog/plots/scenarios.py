"""Scenario by scenario: what the optima of one program become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexiprog.outline.records import counted
from lexiprog.plots.canvas import ACCENT, BAD, MAIN, SOFT, axes_for, fitting, noted
from lexiprog.spelling import there_are

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.sweeps.scenario_table import Sweep

__all__ = ["sweep"]

MANY = 60
COLOURS = (MAIN, ACCENT, "#3c7a57", "#7a4f9a", SOFT)


def sweep(table: Sweep, *names: str, ax: Axes | None = None) -> Axes:
    """Draw the optima of a sweep, scenario by scenario.

    Over the parameter that varied if that is one number, and else over the scenarios from the least
    optimum of the first name to the largest. Scenarios without a result are marked at the foot.

    Parameters
    ----------
    table : Sweep
    *names : str
        Subproblems, all of them by default.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand")
    >>> cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), [cp.sum(x) >= demand, x <= 3])
    >>> table = lx.sweep(lx.Program(lx.Stage("cost", cheap)), {demand: [2, 4, 7]})
    >>> plots.sweep(table).get_xlabel()
    'demand'
    """
    for name in names:
        if name not in table.names:
            known = there_are(table.names, name)
            raise KeyError(f"the sweep has no subproblem {name!r}; there are {known}")
    shown = names or table.names
    ax = axes_for(ax, height=4.2, width=6.5)
    by_parameter = table.chart.across != "scenario"
    values, places = table.values, np.arange(len(table), dtype=float)
    if by_parameter:
        places = np.array([float(value) for value in table.parameters[table.chart.across]])
        order = np.argsort(places, kind="stable")
    else:
        order = np.argsort(values[shown[0]], kind="stable")  # what is no number comes last
    across = places[order] if by_parameter else places
    size = 2.5 if len(table) > MANY else 5
    for k, name in enumerate(shown):
        line = "-" if by_parameter else ""
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(across, values[name][order], marker="o", linestyle=line, color=colour,
                markersize=size, linewidth=1.6, label=fitting(name), zorder=3)  # fmt: skip
    failed = [k for k, row in enumerate(order) if row in table.failures]
    if failed:
        foot = ax.get_xaxis_transform()
        ax.plot(across[failed], np.zeros(len(failed)), "x", color=BAD, markersize=6,
                transform=foot, clip_on=False, zorder=4)  # fmt: skip
    ax.set_xlabel(fitting(table.chart.across) if by_parameter else "scenarios, sorted")
    ax.set_ylabel(f"optimum of {fitting(shown[0])}" if len(shown) == 1 else "optimum")
    ax.set_title("Scenario by scenario", loc="left")
    if len(shown) > 1:
        ax.legend(frameon=False)
    without = f", {len(failed)} without a result (x)" if failed else ""
    noted(ax, f"{counted(len(table), 'scenario')}{without}")
    return ax
