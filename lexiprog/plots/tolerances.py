"""The curve of a tolerance sweep: what one level gives up, another gains."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.outline.numbers import number
from lexiprog.plots.canvas import ACCENT, LIGHT, MAIN, NOTE, axes_for, fitting
from lexiprog.spelling import there_are
from lexiprog.sweeps.slack.track import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.sweeps.slack.record import Tradeoff
    from lexiprog.sweeps.slack.track import Track

__all__ = ["tradeoff"]

# How far beyond its last breakpoint a curve without end is drawn, and how many are many.
BEYOND, MANY = 0.15, 60


def tradeoff(sweep: Tradeoff, name: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the optimum of a later problem against the tolerance on an earlier one.

    A dashed line continues the price at the smallest tolerance; in a grey region more slack buys
    nothing. Of a whole curve the breakpoints are marked, integer problems go down in steps, what is
    only known at samples is not joined, and an arrow says that the last piece has no end.

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
        raise KeyError(f"the sweep has no later subproblem {name!r}; there are {known}")
    ax = axes_for(ax, height=4.2, width=6.5)
    points = sorted(zip(sweep.tolerances, sweep.values[name], strict=True))
    steps, values = [p[0] for p in points], [p[1] for p in points]
    label = f"optimum of {fitting(name)}"
    if sweep.whole:
        _curve(ax, sweep.tracks[name], steps, label)
    else:
        ax.plot(steps, values, "o-", color=MAIN, markersize=5, clip_on=False, zorder=3, label=label)
        _idle(ax, steps, values)
    _price(ax, sweep, name, steps, values)
    ax.set_xlabel(f"how much {fitting(sweep.name)} may give up")
    ax.set_ylabel(f"optimum of {fitting(name)}{_sense(sweep, name)}")
    ax.set_title(f"What slack on {fitting(sweep.name)} buys in {fitting(name)}", loc="left")
    return ax


def _curve(ax: Axes, track: Track, steps: list[float], label: str) -> None:
    """A whole curve with its own breakpoints, as far as those of the others go and a bit more."""
    inside = [k for k, t in enumerate(track.knots) if t <= steps[-1]]
    knots, values = [track.knots[k] for k in inside], [track.values[k] for k in inside]
    width = steps[-1] - steps[0] or max(1.0, abs(steps[-1]))
    beyond = steps[-1] + BEYOND * width
    endless = beyond <= track.stop and track.shape is not Shape.SAMPLED
    along = [*knots, *([beyond] if endless else [])]
    heights = [*values, *([float(track.at(beyond))] if endless else [])]
    style = "steps-post" if track.shape is Shape.STEPS else "default"
    line = "" if track.shape is Shape.SAMPLED else "-"
    ax.plot(along, heights, line, color=MAIN, drawstyle=style, zorder=3)
    many = len(knots) > MANY
    ax.plot(knots, values, "o", color=MAIN, markersize=3 if many else 5, zorder=4, label=label)
    if not endless:
        return
    flat = heights[-1] == values[-1]
    if flat and len(knots) > 1:
        ax.axvspan(knots[-1], beyond, color=LIGHT, zorder=0, linewidth=0)
        _nothing(ax, beyond)
    near = knots[-1] + 0.9 * (beyond - knots[-1])
    arrow = {"arrowstyle": "->", "color": MAIN, "linewidth": 1.5}
    ax.annotate(
        "", (beyond, heights[-1]), (near, float(track.at(near))), arrowprops=arrow, zorder=3
    )


def _idle(ax: Axes, steps: list[float], values: list[float]) -> None:
    """Shade the tolerances behind which nothing is gained any more."""
    flat = [
        step for step, v in zip(steps, values, strict=True) if isclose(v, values[-1], abs_tol=1e-7)
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
        slope = sweep.slopes[name][0] if sweep.tracks[name].shape is Shape.LINEAR else 0.0
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
    stages = sweep.results[0].outline.program.stages if sweep.results else ()
    found = next((p.sense for s in stages for p in s.problems if p.name == name), "")
    return f" ({found}d)" if found else ""
