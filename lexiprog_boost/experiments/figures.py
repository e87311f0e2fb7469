"""The figures of a study: views, cost curves, folds, class maps, ranks, times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec
from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.images import find_npz
from lexiprog_boost.experiments.cell import Record
from lexiprog_boost.experiments.markdown import p_value
from lexiprog_boost.experiments.results import PROTOCOL_NAMES, Metric, Results, Role, Scores, choose
from lexiprog_boost.experiments.score_tables import (
    SPECS,
    VIEWS,
    CostSweep,
    cost_sweeps,
    fit_seconds,
)
from lexiprog_boost.experiments.statistics import average_ranks, critical_difference, kruskal_wallis
from lexiprog_boost.experiments.study import thinning
from lexiprog_boost.metrics import geometric_mean_score
from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


# What every figure shares: a sheet to draw on, the methods' colours, a file without a date.

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


def colour_of(method: str, role: str = "paper") -> str:
    """The colour of a method's bar or name."""
    if "LexiBoost" in method:
        return str(STYLES.get(method, STYLES["LexiBoost"])["color"])
    return NOTE if role == "baseline" else SOFT


def save(figure: Figure, path: Path) -> None:
    """Write a PNG whose bytes depend on the drawing alone."""
    figure.savefig(path, dpi=DPI, metadata={"Software": None})


# The artificial study's figure: average G-Mean against what was varied in the data.


def artificial_figure(results: Results) -> Figure | None:
    """For each learner four views of what the paper compares here, and all methods' averages."""
    if results.study.name != "artificial":
        return None
    complete = {
        learner: results.scores(learner, "g_mean", "best", "paper", "baseline")
        for learner in results.study.learners
    }
    complete = {learner: scores for learner, scores in complete.items() if scores.datasets}
    if not complete:
        return None
    figure = sheet(13.5, 8.2 * len(complete))
    blocks = figure.subfigures(len(complete), 1, squeeze=False)[:, 0]
    for block, (learner, scores) in zip(blocks, complete.items(), strict=True):
        _draw_views(block, learner, results, scores)
    return figure


def _draw_views(block: SubFigure, learner: str, results: Results, scores: Scores) -> None:
    upper, lower = block.subfigures(2, 1, squeeze=False, height_ratios=[1, 1.05])[:, 0]
    views = upper.subplots(1, len(VIEWS), sharey=True)
    for ax, view in zip(views, VIEWS, strict=True):
        _view(plain(ax), scores, *view)
    views[0].set_ylabel(f"average G-Mean, {learner}")
    roomy(views[0])
    handles, names = views[0].get_legend_handles_labels()
    upper.legend(handles, names, frameon=False, loc="outside upper left", ncols=len(names))
    averages = plain(lower.subplots(), grid="x")
    _averages(averages, results, scores)
    averages.set_xlabel(
        f"average G-Mean with {learner}, {len(scores.datasets)} data sets "
        "(dark grey: baselines with their own trees)"
    )


def _view(ax: Axes, scores: Scores, label: str, value_of: Callable[[GaussianSpec], str]) -> None:
    values = np.array([value_of(SPECS[name]) for name in scores.datasets])
    ticks = list(dict.fromkeys(value_of(spec) for spec in GAUSSIAN_SETS))
    present = [tick for tick in ticks if tick in values]
    for method, style in STYLES.items():
        column = scores.means[:, scores.methods.index(method)]
        means = [column[values == tick].mean() for tick in present]
        ax.plot(present, means, label=method, linewidth=1.8, markersize=6, **style)
    ax.margins(x=0.12, y=0.08)
    ax.set_xlabel(label)


def _averages(ax: Axes, results: Results, scores: Scores) -> None:
    roles = {method.name: method.role for method in results.study.methods}
    means = scores.means.mean(axis=0)
    order = np.argsort(means, kind="stable")
    names = [scores.methods[j] for j in order]
    rows = np.arange(len(names))
    for row, name, mean in zip(rows.tolist(), names, means[order], strict=True):
        colour = colour_of(name, roles[name])
        ax.plot(mean, row, marker="o", markersize=9, color=colour, linestyle="none")
        ax.annotate(f"{mean:.3f}", (mean, row), (9, 0), textcoords="offset points", va="center",
                    fontsize=9, color=NOTE)  # fmt: skip
    ax.set_yticks(rows, names)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.06)


# G-Mean against the minority's cost: what tuning would gain.


def cost_figure(results: Results) -> Figure | None:
    """A panel a method and learner; None while no data set is complete."""
    sweeps = {who: sweep for who, sweep in cost_sweeps(results).items() if sweep is not None}
    if not sweeps:
        return None
    figure = sheet(6.4 * len(sweeps), 7.6)
    axes = figure.subplots(2, len(sweeps), sharex=True, sharey="row", squeeze=False)
    for (upper, lower), ((method, learner), sweep) in zip(axes.T, sweeps.items(), strict=True):
        _draw_values(plain(upper), sweep)
        _draw_gains(plain(lower), sweep)
        sets = f"{len(sweep.datasets)} data sets"
        upper.set_title(f"{method}, {learner}, {sets}", loc="left", fontsize=11)
        costs = sweep.costs
        lower.set_xscale("log", base=2)
        lower.set_xticks(costs, [f"{cost:g}" if cost >= 1 else f"1/{1 / cost:g}" for cost in costs])
        lower.minorticks_off()
        lower.set_xlabel("cost of the minority's regret (majority: 1)")
    axes[0, 0].set_ylabel("G-Mean, mean over folds")
    axes[1, 0].set_ylabel("gain over no costs")
    roomy(axes[1, 0])
    return figure


def _draw_values(ax: Axes, sweep: CostSweep) -> None:
    for k, row in enumerate(sweep.means):
        ax.plot(sweep.costs, row, color=SOFT, linewidth=0.9, label=_once("a data set", k))
        best = np.flatnonzero(row > row.max() - 1e-9)
        at = int(min(best, key=lambda i: abs(np.log2(sweep.costs[i]))))
        ax.plot(
            sweep.costs[at], row[at], marker="o", markersize=3.5, color=NOTE, linestyle="none",
            label=_once("its best cost", k),
        )  # fmt: skip
    ax.plot(sweep.costs, sweep.means.mean(axis=0), color=MAIN, linewidth=2.6, label="mean")
    ax.plot(
        1.0, sweep.plain.mean(), marker="o", markersize=8, color=ACCENT, linestyle="none",
        label=f"no costs: {sweep.plain.mean():.3f}",
    )  # fmt: skip
    ax.set_ylim(-0.02, 1.02)
    ax.legend(frameon=False, loc="lower right", fontsize=9, ncols=2)


def _draw_gains(ax: Axes, sweep: CostSweep) -> None:
    for row, base in zip(sweep.means, sweep.plain, strict=True):
        ax.plot(sweep.costs, row - base, color=SOFT, linewidth=0.9)
    ax.plot(sweep.costs, (sweep.means - sweep.plain[:, None]).mean(axis=0), color=MAIN,
            linewidth=2.6, label="mean")  # fmt: skip
    ax.axhline(0, color=ACCENT, linewidth=1.2)
    for values, style, text in (
        (sweep.best, ":", "best cost of each set, seen on the test folds"),
        (sweep.elsewhere, "--", "cost chosen on the other folds"),
    ):
        gain = float((values - sweep.plain).mean())
        told = f"{text}: {round(gain, 3) + 0.0:+.3f}"  # the zero takes the sign from minus zero
        ax.axhline(gain, color=NOTE, linewidth=1.5, linestyle=style, label=told)
    ax.legend(frameon=False, loc="best", fontsize=9)


def _once(text: str, k: int) -> str | None:
    """A label for the first of many lines alike."""
    return text if k == 0 else None


# Scores on a few data sets: every fold and its mean a method, and whether they differ.

FOLD_COLUMNS = 2


def folds_figure(results: Results, metric: Metric, *, baselines: bool = False) -> Figure | None:
    """A panel a learner and data set; None while no data set is complete."""
    roles: tuple[Role, ...] = ("paper", "baseline") if baselines else ("paper",)
    kinds = {method.name: method.role for method in results.study.methods}
    panels = []
    for learner in results.study.learners:
        scores = results.scores(learner, metric, "best", *roles)
        for dataset, folds in zip(scores.datasets, scores.folds, strict=True):
            p = p_value(kruskal_wallis(folds).p)
            panels.append((f"{dataset}, {learner}: Kruskal-Wallis {p}", folds))
    if not panels:
        return None
    names = results.methods(*roles)
    rows, columns = -(-len(panels) // FOLD_COLUMNS), min(FOLD_COLUMNS, len(panels))
    figure = sheet(6.6 * columns, (1.1 + 0.34 * len(names)) * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, (title, folds) in zip(axes, panels, strict=False):
        _draw_folds(
            plain(ax, grid="x"),
            names,
            folds,
            [colour_of(method, kinds[method]) for method in names],
        )
        ax.set_title(title, loc="left", fontsize=10)
        ax.set_xlabel(f"{results.metric_name(metric)}: folds (bars) and their mean (dot)")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure


def _draw_folds(ax: Axes, names: tuple[str, ...], folds: np.ndarray, colours: list[str]) -> None:
    for row, (scores, colour) in enumerate(zip(folds, colours, strict=True)):
        ax.plot(scores, np.full(len(scores), row), marker="|", markersize=11, linestyle="none",
                color=colour)  # fmt: skip
        ax.plot(scores.mean(), row, marker="o", markersize=7, color=NOTE)
        ax.annotate(f"{scores.mean():.3f}", (1.01, row), xycoords=("axes fraction", "data"),
                    va="center", fontsize=9, color=NOTE)  # fmt: skip
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    low, high = float(folds.min()), float(folds.max())
    room = max(0.05 * (high - low), 0.05)  # equal scores are no reason to draw rounding
    ax.set_xlim(low - room, high + room)


# Class maps of a scene: the labels, and where each method is right.

MAP_COLUMNS = 4
LEARNER = "kNN"  # as in the paper
# Black and a light green, as in the paper: they also differ in grey.
BARE, RIGHT, WRONG = "#f4f3ef", "#8fd3b6", "#111111"


def map_figure(results: Results, scene: str, data: Dataset, data_dir: Path | None) -> Figure | None:
    """The truth and the methods' test pixels, the baselines' if they are there; None without."""
    measured = {
        name: results.cells(scene, LEARNER, name) for name in results.methods("paper", "baseline")
    }
    grown_on_it = results.methods("paper")
    if any(measured[name] is None for name in grown_on_it):
        return None
    cells = {name: folds for name, folds in measured.items() if folds is not None}
    pixels, shape = pixel_positions(scene, data_dir)
    if len(pixels) != len(data.y):  # a smoke run looks at some of the pixels
        pixels = pixels[:: thinning(len(pixels))]
    rows = -(-(len(cells) + 1) // MAP_COLUMNS)
    tall = 3.2 * shape[0] / shape[1] + 0.55
    figure = sheet(3.2 * MAP_COLUMNS, tall * rows)
    axes = figure.subplots(rows, MAP_COLUMNS).ravel()
    _truth(axes[0], data.y, pixels, shape)
    for ax, (name, folds) in zip(axes[1:], cells.items(), strict=False):
        guess, tested = predictions(folds, data)
        title = f"{name}, {LEARNER}" if name in grown_on_it else name
        _hits(ax, title, data.y[tested], guess[tested], pixels[tested], shape)
    for ax in axes:
        ax.set_axis_off()
    return figure


def pixel_positions(scene: str, data_dir: Path | None) -> tuple[NDArray[np.intp], tuple[int, int]]:
    """Row and column of every labelled pixel, in the order of `load_scene`, and the scene's size.

    Parameters
    ----------
    scene : str
        Its name.
    data_dir : path, optional
        Where its file is; without one, the package that brings Indian Pines is asked.

    Returns
    -------
    positions : ndarray of shape (pixels, 2)
    shape : tuple of int
    """
    if data_dir is not None:
        with np.load(find_npz(scene, data_dir)) as arrays:
            labelled = np.flatnonzero(arrays["y"])
            rows, columns = (int(size) for size in arrays["shape"])
            return arrays["rc"][labelled].astype(np.intp), (rows, columns)
    pines = import_module("tensorly.datasets").load_indian_pines()
    labels = np.asarray(pines["ticks"][0])
    rows, columns = np.asarray(pines["tensor"]).shape[:2]
    where = np.unravel_index(np.flatnonzero(labels), (rows, columns))
    return np.column_stack(where), (rows, columns)


def predictions(cells: list[Record], data: Dataset) -> tuple[NDArray, NDArray[np.intp]]:
    """Put a method's test folds together: a label a point, and the points that were tested."""
    guess = np.zeros_like(data.y)
    tested = []
    splits = list(data.splits())
    for cell, run in zip(cells, choose(cells, "g_mean", "best"), strict=True):
        test = splits[cell["fold"]][1]
        guess[test] = run.get("predicted", guess[test])
        tested.append(test)
    return guess, np.sort(np.concatenate(tested))


def _truth(ax: Axes, y: NDArray, pixels: NDArray, shape: tuple[int, int]) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    labels, codes = np.unique(y, return_inverse=True)
    image = np.zeros(shape, dtype=int)
    image[pixels[:, 0], pixels[:, 1]] = codes + 1
    shades = colormaps["tab20"](np.arange(len(labels)) % 20)
    colours = ListedColormap([BARE, *map(tuple, shades)])
    ax.imshow(image, cmap=colours, interpolation="nearest", vmin=0, vmax=len(labels))
    ax.set_title(f"the labels: {len(labels)} classes", fontsize=10, loc="left")


def _hits(
    ax: Axes, title: str, y: NDArray, guess: NDArray, pixels: NDArray, shape: tuple[int, int]
) -> None:
    from matplotlib.colors import ListedColormap

    image = np.zeros(shape, dtype=int)
    image[pixels[:, 0], pixels[:, 1]] = np.where(y == guess, 1, 2)
    colours = ListedColormap([BARE, RIGHT, WRONG])
    ax.imshow(image, cmap=colours, interpolation="nearest", vmin=0, vmax=2)
    text = f"{np.mean(y == guess):.1%} right, G-Mean of all {geometric_mean_score(y, guess):.3f}"
    ax.set_title(f"{title}\n{text}", fontsize=10, loc="left")


# Average ranks on a line, methods that Nemenyi's test cannot tell apart joined by bars.

ROW = 0.42


def critical_difference_figure(
    results: Results, metric: Metric, *, baselines: bool = False
) -> Figure | None:
    """A diagram a learner and protocol; None while no data set is complete."""
    roles: tuple[Role, ...] = ("paper", "baseline") if baselines else ("paper",)
    panels = [
        (learner, protocol, results.scores(learner, metric, protocol, *roles))
        for learner in results.study.learners
        for protocol in results.protocols
    ]
    panels = [panel for panel in panels if panel[2].datasets]
    if not panels:
        return None
    columns = len(results.protocols)
    rows = -(-len(panels) // columns)
    depth = (len(panels[0][2].methods) + 1) // 2
    figure = sheet(7.2 * columns, (1.75 + ROW * depth) * rows)
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for ax, (learner, protocol, scores) in zip(axes, panels, strict=False):
        width = critical_difference(len(scores.methods), len(scores.datasets))
        draw_ranks(ax, scores.methods, average_ranks(scores.means).tolist(), width)
        name = results.metric_name(metric)
        title = f"{learner}, {name}, {len(scores.datasets)} data sets"
        ax.set_title(f"{title}\n{PROTOCOL_NAMES[protocol]}", loc="left", fontsize=11)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure


def draw_ranks(ax: Axes, names: Sequence[str], ranks: Sequence[float], width: float) -> None:
    """Draw one diagram: rank 1, the best, is on the left."""
    order = np.argsort(ranks, kind="stable")
    k = len(names)
    half = (k + 1) // 2
    groups = _indistinct(np.asarray(ranks)[order], width)
    top = 0.55 + 0.28 * len(groups)
    ax.plot([1, k], [0, 0], color=NOTE, linewidth=1.4)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, -0.12], color=NOTE, linewidth=1.2)
        ax.text(tick, -0.2, str(tick), ha="center", va="bottom", color=NOTE, fontsize=9)
    for place, j in enumerate(order):
        left = place < half
        level = top + ROW * (place if left else k - 1 - place) / ROW * 0.55
        end = 1 - 0.06 * k if left else k + 0.06 * k
        ours = "LexiBoost" in names[j]
        ax.plot([ranks[j], ranks[j], end], [0, level, level], color=ACCENT if ours else MAIN,
                linewidth=1.1)  # fmt: skip
        ax.plot([ranks[j]], [0], marker="o", markersize=4, color=ACCENT if ours else MAIN)
        label = f"{names[j]}  {ranks[j]:.2f}" if left else f"{ranks[j]:.2f}  {names[j]}"
        ax.text(
            end - 0.01 * k if left else end + 0.01 * k, level, label,
            ha="right" if left else "left", va="center", fontsize=9.5,
            color=ACCENT if ours else "black", fontweight="bold" if ours else "normal",
        )  # fmt: skip
    for row, (first, last) in enumerate(groups):
        level = 0.3 + 0.28 * row
        ends = [ranks[order[first]] - 0.04, ranks[order[last]] + 0.04]
        ax.plot(ends, [level, level], color=NOTE, linewidth=4, solid_capstyle="round", alpha=0.75)
    ax.plot([1, 1 + width], [-0.85, -0.85], color=NOTE, linewidth=1.4, marker="|", markersize=7)
    text = f"critical difference {width:.2f}"
    ax.text(1 + width + 0.1, -0.85, text, va="center", fontsize=9, color=NOTE)
    ax.set_xlim(1 - 0.42 * k, k + 0.42 * k)
    ax.set_ylim(top + 0.55 * (half - 1) + 0.4, -1.2)
    ax.set_axis_off()


def _indistinct(ranks: np.ndarray, width: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks that span at most the critical difference."""
    bars: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + width, side="right")) - 1
        if last > first and (not bars or last > bars[-1][1]):
            bars.append((first, last))
    return bars


# Training times of all methods, on a logarithmic line.


def times_figure(results: Results) -> Figure | None:
    """A panel a learner: one fit as a dot, the whole grid of settings as the bar's end."""
    learners = [one for one in results.study.learners if results.complete(one, "paper", "baseline")]
    if not learners:
        return None
    figure = sheet(6.8 * len(learners), 5.0)
    axes = np.atleast_1d(figure.subplots(1, len(learners)))
    for ax, learner in zip(axes, learners, strict=True):
        _draw_times(plain(ax, grid="x"), results, learner)
        ax.set_title(learner, loc="left", fontsize=11)
    return figure


def _draw_times(ax: Axes, results: Results, learner: str) -> None:
    sets = results.complete(learner, "paper", "baseline")
    roles = {method.name: method.role for method in results.study.methods}
    names = results.methods("paper", "baseline")[::-1]
    for row, name in enumerate(names):
        fits = [
            fold for method in sets for fold in fit_seconds(results, method, learner, name) if fold
        ]
        if not fits:
            continue
        fit = float(np.mean([seconds for fold in fits for seconds in fold]))
        grid = float(np.mean([sum(fold) for fold in fits]))
        ax.plot([fit, grid], [row, row], color=colour_of(name, roles[name]), linewidth=6,
                solid_capstyle="butt")  # fmt: skip
        ax.plot(fit, row, marker="o", markersize=7, color=NOTE)
        ax.annotate(_told(grid), (grid, row), (8, 0), textcoords="offset points", va="center",
                    fontsize=9, color=NOTE)  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
    ax.margins(x=0.15)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    whose = "processor " if results.clock == "processor" else ""
    ax.set_xlabel(f"{whose}seconds of training a fold: one fit (dot), all settings (bar's end)")


def _told(seconds: float) -> str:
    """Two digits, but no power of ten for what takes minutes."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


Draw = Callable[[], "Figure | None"]


def figures_of(
    results: Results, data: Mapping[str, Dataset], data_dir: Path | None
) -> dict[str, tuple[str, Draw]]:
    """File names, what the figures show, and how to draw them (None: not enough cells)."""
    figures = {} if results.study.part else _ranks_and_times(results)
    if results.study.name == "artificial" and not results.study.part:
        figures["artificial.png"] = (
            "average G-Mean against imbalance, size, overlap and outliers",
            partial(artificial_figure, results),
        )
    if results.methods("sweep"):
        figures["costs.png"] = (
            "G-Mean against the minority's cost",
            partial(cost_figure, results),
        )
    if results.study.keep_predictions and not results.study.part:
        for scene, known in data.items():
            figures[f"map-{scene}.png"] = (
                f"where each method is right on {scene}, with {LEARNER}",
                partial(map_figure, results, scene, known, data_dir),
            )
    return figures


def _ranks_and_times(results: Results) -> dict[str, tuple[str, Draw]]:
    """What every whole study has; on a few data sets folds are compared, not sets."""
    figures: dict[str, tuple[str, Draw]] = {
        "times.png": ("training times", partial(times_figure, results)),
    }
    views: list[tuple[str, Metric, bool]] = [("", "g_mean", False)]
    if not results.study.quick:
        views.append(("-auc", "auc", False))
        if results.methods("baseline"):
            views.append(("-rivals", "g_mean", True))
    for ending, metric, baselines in views:
        what = f"{results.metric_name(metric)}{' with the baselines' if baselines else ''}"
        if results.study.few_sets:
            figures[f"folds{ending}.png"] = (
                f"{what} of every fold, with Kruskal and Wallis's test",
                partial(folds_figure, results, metric, baselines=baselines),
            )
        else:
            figures[f"critical-difference{ending}.png"] = (
                f"average ranks by {what}; bars join what Nemenyi's test does not tell apart",
                partial(critical_difference_figure, results, metric, baselines=baselines),
            )
    return figures
