"""Class maps of a scene: the labels, and where each contender is right."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.scenes import find_npz
from lexiprog_boost.experiments.cells.cell import Record
from lexiprog_boost.experiments.loading import thinning
from lexiprog_boost.experiments.report.figures.style import sheet
from lexiprog_boost.experiments.report.results import Results, choose
from lexiprog_boost.metrics import geometric_mean_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
LEARNER = "kNN"  # as in the paper
# Black and a light green, as in the paper: they also differ in grey.
BARE, RIGHT, WRONG = "#f4f3ef", "#8fd3b6", "#111111"


def map_figure(results: Results, scene: str, data: Dataset, data_dir: Path | None) -> Figure | None:
    """The truth and the contenders' test pixels, the rivals' if they are there; None without."""
    found = {
        name: results.cells(scene, LEARNER, name) for name in results.contenders("paper", "rival")
    }
    grown_on_it = results.contenders("paper")
    if any(found[name] is None for name in grown_on_it):
        return None
    cells = {name: folds for name, folds in found.items() if folds is not None}
    pixels, shape = pixel_positions(scene, data_dir)
    if len(pixels) != len(data.y):  # a smoke run looks at some of the pixels
        pixels = pixels[:: thinning(len(pixels))]
    rows = -(-(len(cells) + 1) // COLUMNS)
    tall = 3.2 * shape[0] / shape[1] + 0.55
    figure = sheet(3.2 * COLUMNS, tall * rows)
    axes = figure.subplots(rows, COLUMNS).ravel()
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
    """Put a contender's test folds together: a label a point, and the points that were tested."""
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
