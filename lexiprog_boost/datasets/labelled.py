"""From a table of text to a labelled set of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.keel_format import Table, as_numbers


def labelled_set(name: str, table: Table, *, source: str) -> Dataset:
    """Return the table's points with their labels; of two classes the rarer one is 1.

    Examples
    --------
    >>> from lexiprog_boost.datasets.keel_format import Table
    >>> from lexiprog_boost.datasets.labelled import labelled_set
    >>> labelled_set("t", Table(("a",), [["1"], ["2"], ["3"]], ["n", "p", "n"]), source="").y
    array([0, 1, 0])
    """
    X, feature_names = as_numbers(table)
    return Dataset(name, X, _labels(table.labels), feature_names, table.folds, source)


def _labels(words: list[str]) -> NDArray:
    classes, codes, counts = np.unique(words, return_inverse=True, return_counts=True)
    if len(classes) == 2:
        return (codes == np.argmin(counts)).astype(np.int64)
    try:
        return np.array(words, dtype=np.int64)
    except ValueError:
        return np.array(words)
