"""Measured cells as arrays over data sets and methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets.dataset import Dataset

# Larger is better but for the Brier score, which lies between 0 and 2.
METRICS = {
    "g_mean": "G-Mean", "balanced_accuracy": "balanced accuracy", "auc": "AUC", "brier": "Brier",
}  # fmt: skip
# What a fold counts on which a method failed: no method that ran can be below it.
WORST = {"g_mean": 0.0, "balanced_accuracy": 0.0, "auc": 0.0, "brier": 2.0}

# Of the means that are compared with those of an earlier table.
DIGITS = 6


class Results:
    """The cells of one run, finished or not.

    A data set enters the tables when every cell of it has been measured, so that all methods are
    compared on the same folds.
    """

    def __init__(
        self, records: Iterable[dict[str, Any]], wanted: Iterable[Any],
        load: Callable[[str], Dataset], measured_again: str = "",
    ):  # fmt: skip
        # What is not taken from an earlier table; empty if nothing is.
        self.measured_again = measured_again
        self._cells = {(one["dataset"], one["method"], one["fold"]): one for one in records}
        self._folds: dict[str, dict[str, list[int]]] = {}
        for cell in wanted:
            folds = self._folds.setdefault(cell.dataset, {})
            folds.setdefault(cell.method, []).append(cell.fold)
        self.load = load

    @property
    def unfinished(self) -> list[str]:
        """Data sets with cells that are still to be measured."""
        return [name for name in self._folds if not self._is_finished(name)]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Cells whose method failed, by data set, method and fold."""
        return [one for _, one in sorted(self._cells.items()) if "failure" in one]

    def finished(self, names: Iterable[str]) -> list[str]:
        """Those of the data sets that can be compared."""
        return [name for name in names if name in self._folds and self._is_finished(name)]

    def methods(self, name: str) -> list[str]:
        """Methods that are measured on a data set, in the order of the list of methods."""
        return list(self._folds[name])

    def cells(self, name: str, method: str) -> list[dict[str, Any]]:
        """A data set's folds."""
        return [self._cells[name, method, fold] for fold in self._folds[name][method]]

    def mean(self, name: str, method: str, metric: str) -> float:
        """Over the folds of a data set."""
        cells = self.cells(name, method)
        mean = float(np.mean([one.get(metric, WORST[metric]) for one in cells]))
        # A table's last digit must not decide a tie.
        return round(mean, DIGITS) if self.measured_again else mean

    def means(self, names: Sequence[str], metric: str) -> NDArray[np.float64]:
        """One row a data set, one column a method; the sets must have the same methods."""
        contenders = self.methods(names[0])
        return np.array([[self.mean(name, one, metric) for one in contenders] for name in names])

    def _is_finished(self, name: str) -> bool:
        return all(
            (name, method, fold) in self._cells
            for method, folds in self._folds[name].items()
            for fold in folds
        )
