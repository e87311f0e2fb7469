"""Distinct rows counted by blocks (fact F6, docs/facts.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks.source import Blocks
from lexiprog_boost.margins.class_means import ROWS_AT_ONCE
from lexiprog_boost.members.outputs import class_codes
from lexiprog_boost.reductions.merged_rows import row_keys

# More distinct rows than this are not worth counting: they are no votes.
MOST = 200_000


@dataclass(frozen=True)
class CountedRows:
    """Distinct rows of each class with their weights; none, if there were too many.

    Examples
    --------
    >>> from lexiprog_boost.blocks import Blocks, count_rows
    >>> import numpy as np
    >>> blocks = Blocks(lambda: [(np.array([[1], [1], [-1]]), ["a", "a", "b"], None)] * 2)
    >>> found = count_rows(blocks, np.array(["a", "b"]))
    >>> found.margins.tolist(), found.weights.tolist()
    ([[1], [-1]], [4.0, 2.0])
    """

    margins: NDArray
    codes: NDArray[np.intp]
    weights: Floats
    complete: bool = True

    def __add__(self, other: CountedRows) -> CountedRows:
        if not (self.complete and other.complete):
            return self if not self.complete else other
        return _merged(
            np.vstack([self.margins, other.margins]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.weights, other.weights]),
        )


def count_rows(blocks: Blocks, classes: NDArray) -> CountedRows | None:
    """Distinct rows of all blocks in one pass; None if they are too many to be votes."""
    counted: CountedRows = blocks.total(_counted, classes)
    return counted if counted.complete else None


def _counted(block: tuple[NDArray, NDArray, Any], _: int, classes: NDArray) -> CountedRows:
    margins, y, weights = block
    counted: CountedRows | None = None
    for start in range(0, len(y), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        codes = class_codes(y[rows], classes)
        point_weights = (
            np.ones(len(codes)) if weights is None else np.asarray(weights[rows], dtype=float)
        )
        part = _merged(margins[rows], codes, point_weights)
        # A slice of which hardly two rows are alike promises none of the reductions of votes.
        if len(part.codes) > 0.9 * len(codes) and len(codes) == ROWS_AT_ONCE:
            return CountedRows(part.margins[:0], part.codes[:0], part.weights[:0], complete=False)
        counted = part if counted is None else counted + part
        if not counted.complete:
            return counted
    if counted is None:
        return CountedRows(margins[:0], np.zeros(0, dtype=np.intp), np.zeros(0))
    return counted


def _merged(margins: NDArray, codes: NDArray[np.intp], weights: Floats) -> CountedRows:
    _, first, inverse = np.unique(row_keys(margins, codes), return_index=True, return_inverse=True)
    complete = len(first) <= MOST
    if not complete:
        first = first[:0]
        return CountedRows(margins[first], codes[first], weights[first], complete=False)
    total = np.bincount(inverse, weights=weights).astype(np.float64)
    return CountedRows(margins[first], codes[first], total)
