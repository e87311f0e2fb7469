"""The curve of a tolerance sweep: what one level gives up, another gains."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexiprog.errors import DeclarationError, UnknownName, there_are
from lexiprog.parametric.value_function import CurveKind
from lexiprog.plots.canvas import ACCENT, BAD, LIGHT, MAIN, NOTE, SOFT, axes_for, fitting, noted
from lexiprog.summary import counted, number
from lexiprog.tolerances import SHOWN_LEVEL, SHOWN_POSITIVE
from lexiprog.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.parametric.front import Frontier
    from lexiprog.parametric.tradeoffs import Tradeoff
    from lexiprog.parametric.value_function import ValueFunction
    from lexiprog.scenarios.parameters import Sweep


# How far beyond its last breakpoint a curve without end is drawn, and how many are many.
BEYOND, MANY_CURVES = 0.15, 60


def tradeoff(sweep: Tradeoff, name: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the optimum of a later problem against the tolerance on an earlier one.

    A dashed line continues the price at the smallest tolerance; in a grey region more slack buys
    nothing. Tolerances that were solved one by one are dots: nothing is shown between them. Of a
    whole curve the breakpoints are marked, integer problems go down in steps, what is only known
    at samples is not joined, and an arrow says that the last piece has no end.

    Parameters
    ----------
    sweep : Tradeoff
    name : str, optional
        The later problem, the last by default.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> program = lx.preemptive({"x": cp.Maximize(x), "y": cp.Maximize(y)},
    ...                         [2 * x + y <= 3, 0.5 * x + y <= 1.5])
    >>> ax = plots.tradeoff(lx.tradeoff(program, "x", [0, 0.5, 1, 1.5]))
    >>> ax.get_title(loc="left")
    'What slack on x buys in y'
    """
    name = list(sweep.values)[-1] if name is None else name
    if name not in sweep.values:
        known = there_are(sweep.values, name)
        raise UnknownName(f"the sweep has no later subproblem {name!r}; there are {known}")
    ax = axes_for(ax, height=4.2, width=6.5)
    points = sorted(zip(sweep.tolerances, sweep.values[name], strict=True))
    steps, values = [p[0] for p in points], [p[1] for p in points]
    label = f"optimum of {fitting(name)}"
    if sweep.whole:
        _curve(ax, sweep.functions[name], steps, label)
    else:
        ax.plot(steps, values, "o", color=MAIN, markersize=5, clip_on=False, zorder=3, label=label)
        _idle(ax, steps, values)
    _price(ax, sweep, name, steps, values)
    ax.set_xlabel(f"how much {fitting(sweep.name)} may give up")
    ax.set_ylabel(f"optimum of {fitting(name)}{_sense(sweep, name)}")
    ax.set_title(f"What slack on {fitting(sweep.name)} buys in {fitting(name)}", loc="left")
    return ax


def _curve(ax: Axes, function: ValueFunction, steps: list[float], label: str) -> None:
    """A whole curve with its own breakpoints, as far as those of the others go and a bit more."""
    inside = function.breakpoints <= steps[-1]
    places, values = function.breakpoints[inside].tolist(), function.values[inside].tolist()
    width = steps[-1] - steps[0] or max(1.0, abs(steps[-1]))
    beyond = steps[-1] + BEYOND * width
    endless = beyond <= function.stop and function.kind is not CurveKind.SAMPLED
    along = [*places, *([beyond] if endless else [])]
    heights = [*values, *([float(function.at(beyond))] if endless else [])]
    style = "steps-post" if function.kind is CurveKind.STEPS else "default"
    line = "" if function.kind is CurveKind.SAMPLED else "-"
    ax.plot(along, heights, line, color=MAIN, drawstyle=style, zorder=3)
    many = len(places) > MANY_CURVES
    ax.plot(places, values, "o", color=MAIN, markersize=3 if many else 5, zorder=4, label=label)
    if not endless:
        return
    flat = heights[-1] == values[-1]
    if flat and len(places) > 1:
        ax.axvspan(places[-1], beyond, color=LIGHT, zorder=0, linewidth=0)
        _nothing(ax, beyond)
    near = places[-1] + 0.9 * (beyond - places[-1])
    arrow = {"arrowstyle": "->", "color": MAIN, "linewidth": 1.5}
    ax.annotate(
        "", (beyond, heights[-1]), (near, float(function.at(near))), arrowprops=arrow, zorder=3
    )


def _idle(ax: Axes, steps: list[float], values: list[float]) -> None:
    """Shade the tolerances behind which nothing is gained any more."""
    flat = [
        step
        for step, v in zip(steps, values, strict=True)
        if isclose(v, values[-1], abs_tol=SHOWN_LEVEL)
    ]
    if 1 < len(flat) < len(steps):
        ax.axvspan(flat[0], flat[-1], color=LIGHT, zorder=0, linewidth=0)
        _nothing(ax, flat[-1])


def _nothing(ax: Axes, end: float) -> None:
    """Say what the shade means, inside of the picture however narrow it is."""
    text = "more slack\nbuys nothing"
    ax.text(end, 0.5, text, color=NOTE, ha="right", transform=ax.get_xaxis_transform())


def _price(ax: Axes, sweep: Tradeoff, name: str, steps: list[float], values: list[float]) -> None:
    """Continue the curve from its start by the price there, a little beyond its values."""
    if len(steps) < 2 or values[0] == values[-1]:
        return
    if sweep.whole:
        slope = sweep.slopes[name][0] if sweep.functions[name].kind is CurveKind.LINEAR else 0.0
        text = f"slope {number(slope)} at first"
    else:
        price = _price_at(sweep, name, steps[0])
        slope = price if values[-1] > values[0] else -price
        text = f"price {number(price)} at first"
    span = max(values) - min(values)
    if not slope or not np.isfinite(slope):
        return
    reach = min(steps[-1] - steps[0], 1.08 * span / abs(slope))
    line = [steps[0], steps[0] + reach], [values[0], values[0] + slope * reach]
    ax.plot(*line, "--", color=ACCENT, linewidth=1.6, zorder=2, label=text)
    ax.legend(frameon=False)


def _price_at(sweep: Tradeoff, name: str, step: float) -> float:
    """The price of the level at a tolerance; zero where there is none."""
    start = sweep.results[sweep.tolerances.index(step)][name]
    held = any(lock.name == sweep.name for lock in start.locks)
    return (start.price(sweep.name) if held else None) or 0.0


def _sense(sweep: Tradeoff, name: str) -> str:
    stages = sweep.results[0].summary.program.stages if sweep.results else ()
    found = next((p.sense for s in stages for p in s.problems if p.name == name), "")
    return f" ({found}d)" if found else ""


# The front of two objectives: what one costs the other.

MANY = 60


def frontier(front: Frontier, first: str | None = None, second: str | None = None, *,
             ax: Axes | None = None) -> Axes:  # fmt: skip
    """Draw the points of a front, and the lines between them where those belong to it.

    The front of an integer program stands alone, with a thin staircase below what is out of reach.
    Gaps in which points may be missing are shaded. Three objectives are drawn in space, with the
    facets of a linear front; more of them as lines over parallel axes, better values higher.
    ``front.save(path)`` writes a page in which they can be turned and narrowed down.

    Parameters
    ----------
    front : Frontier
    first, second : str, optional
        Which two objectives to draw if there are more.
    ax : matplotlib Axes, optional
        For three objectives one with ``projection="3d"``; in another, the first two are drawn.

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
    if first is None and second is None:
        drawn = _of_many(front, ax)
        if drawn is not None:
            return drawn
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
    ax.set_xlabel(f"{fitting(front.names[one])} ({_front_sense(front, one)})")
    ax.set_ylabel(f"{fitting(front.names[two])} ({_front_sense(front, two)})")
    title = f"{fitting(front.names[one])} against {fitting(front.names[two])}"
    ax.set_title(title, loc="left")
    noted(ax, _caption(front))
    return ax


def _of_many(front: Frontier, ax: Axes | None) -> Axes | None:
    """The picture of more than two objectives; None if two of them are to be drawn."""
    count = len(front.names)
    if count == 3 and (ax is None or ax.name == "3d"):
        return _in_space(front, ax)
    if count > 3:
        return _in_parallel(front, axes_for(ax, height=4.2, width=1.6 * count))
    return None


def _in_space(front: Frontier, ax: Any) -> Axes:
    """Three objectives: points, and the facets between them where those are known."""
    if ax is None:
        flat = axes_for(None, height=5.4, width=6.4)
        figure = flat.figure
        flat.remove()
        ax = figure.add_subplot(projection="3d")
    for facet in front.facets:
        if len(facet.points) > 2:
            corners = front.points[list(facet.points)]
            ax.add_collection3d(_patch(corners[_around(corners)]))
    size = 6 if len(front) > MANY else 24
    ax.scatter(*front.points.T, s=size, color=MAIN, depthshade=not front.facets)
    for k, label in enumerate((ax.set_xlabel, ax.set_ylabel, ax.set_zlabel)):
        label(f"{fitting(front.names[k])} ({_front_sense(front, k)})")
    ax.set_title(" against ".join(map(fitting, front.names)), loc="left")
    ax.text2D(0.0, -0.04, _caption(front), transform=ax.transAxes, color=NOTE, fontsize="small")
    ax.set_box_aspect(None, zoom=0.85)
    return ax  # type: ignore[no-any-return]


def _patch(corners: Array) -> Any:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    return Poly3DCollection([corners], facecolor=SOFT, edgecolor=MAIN, alpha=0.35, linewidth=0.7)


def _around(corners: Array) -> NDArray[np.intp]:
    """The order of a facet's vertices along its rim."""
    centred = corners - corners.mean(axis=0)
    plane = np.linalg.svd(centred, full_matrices=False)[2][:2]
    across, up = plane @ centred.T
    return np.argsort(np.arctan2(up, across))


def _in_parallel(front: Frontier, ax: Axes) -> Axes:
    """More than three objectives: each point a line over parallel axes."""
    low, high = front.points.min(axis=0, initial=0.0), front.points.max(axis=0, initial=0.0)
    if len(front):
        low, high = front.points.min(axis=0), front.points.max(axis=0)
    shares = (front.points - low) / np.where(high > low, high - low, 1.0)
    shares = np.where(front.maximised, shares, 1.0 - shares)
    places = list(range(len(front.names)))
    faint = max(0.05, min(0.8, 30.0 / max(len(front), 1)))
    ax.plot(places, shares.T, color=MAIN, alpha=faint, linewidth=1.0)
    for k in places:
        ax.axvline(k, color=NOTE, linewidth=0.8, zorder=4)
        best, worst = (high[k], low[k]) if front.maximised[k] else (low[k], high[k])
        for text, height, side in ((number(best), 1.02, "bottom"), (number(worst), -0.02, "top")):
            ax.text(k, height, text, ha="center", va=side, color=NOTE, fontsize="small")
    ax.set_xticks(places, [f"{fitting(n, 16)}\n({_front_sense(front, k)})"
                           for k, n in enumerate(front.names)])  # fmt: skip
    ax.tick_params(axis="x", pad=16, length=0)
    ax.set_yticks([])
    ax.set_ylim(-0.05, 1.08)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_title("Each point a line, better values higher", loc="left", pad=14)
    noted(ax, _caption(front))
    return ax


def _endless(ax: Axes, front: Frontier, across: np.ndarray, up: np.ndarray) -> None:
    """An arrow along the direction in which the front has no end."""
    if front.ray is None:
        return
    spread = np.array([np.ptp(across) or 1.0, np.ptp(up) or 1.0])
    step = front.ray * 0.3 * float(np.min(spread / np.maximum(np.abs(front.ray), SHOWN_POSITIVE)))
    sign = np.sign(front.ray[0])
    start = np.array([across[-1], up[-1]] if sign > 0 else [across[0], up[0]])
    arrow = {"arrowstyle": "->", "color": MAIN, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tuple(start + step), tuple(start), arrowprops=arrow, zorder=3)
    ax.update_datalim([start + step])
    ax.autoscale_view()


def _caption(front: Frontier) -> str:
    return front.notes[0] if front.complete else f"{front.notes[0]}, not complete"


def _front_sense(front: Frontier, position: int) -> str:
    return "maximised" if front.maximised[position] else "minimised"


def _position(front: Frontier, name: str | None, default: int) -> int:
    if name is None:
        return default
    if name not in front.names:
        known = there_are(front.names, name)
        raise DeclarationError(f"the front has no objective {name!r}; there are {known}")
    return front.names.index(name)


# Scenario by scenario: what the optima of one program become.

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
            raise UnknownName(f"the sweep has no subproblem {name!r}; there are {known}")
    shown = names or table.names
    ax = axes_for(ax, height=4.2, width=6.5)
    parameter = table.chart.across if table.chart.across != "scenario" else None
    across, order = _in_order(table, parameter, shown[0])
    line, size = "" if parameter is None else "-", 2.5 if len(table) > MANY else 5
    for k, name in enumerate(shown):
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(across, table.values[name][order], marker="o", linestyle=line, color=colour,
                markersize=size, linewidth=1.6, label=fitting(name), zorder=3)  # fmt: skip
    failed = [k for k, row in enumerate(order) if row in table.failures]
    if failed:
        foot = ax.get_xaxis_transform()
        ax.plot(across[failed], np.zeros(len(failed)), "x", color=BAD, markersize=6,
                transform=foot, clip_on=False, zorder=4)  # fmt: skip
    ax.set_xlabel("scenarios, sorted" if parameter is None else fitting(parameter))
    ax.set_ylabel(f"optimum of {fitting(shown[0])}" if len(shown) == 1 else "optimum")
    ax.set_title("Scenario by scenario", loc="left")
    if len(shown) > 1:
        ax.legend(frameon=False)
    without = f", {len(failed)} without a result (x)" if failed else ""
    noted(ax, f"{counted(len(table), 'scenario')}{without}")
    return ax


def _in_order(table: Sweep, parameter: str | None, first: str) -> tuple[Array, NDArray[np.intp]]:
    """Where the scenarios stand on the axis, and in which order they come."""
    if parameter is None:  # what is no number comes last
        order = np.argsort(table.values[first], kind="stable")
        return np.arange(len(table), dtype=float), order
    places = np.array([float(value) for value in table.parameters[parameter]])
    order = np.argsort(places, kind="stable")
    return places[order], order
