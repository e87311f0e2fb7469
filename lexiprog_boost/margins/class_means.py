"""Mean margins of the classes, in one pass over blocks of points (fact F1, docs/facts.md)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_class_masses, check_sample_weight
from lexiprog_boost.members.outputs import class_codes

Block = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike | None]

# Rows that are turned into float64 at a time: votes may come as one huge array of bytes.
ROWS_AT_ONCE = 65_536
_UNEQUAL = "a block has {} members, but the ones before had {}."


@dataclass(frozen=True)
class ClassMeanMargins:
    """The C x T matrix of class means, and what is needed to know whether it suffices.

    `lexicographic_weights` takes it in place of the margins of all points.

    Attributes
    ----------
    classes : ndarray of shape (C,)
        Sorted labels, one a row of `means`.
    means : ndarray of shape (C, T)
        Weighted mean margin of each member over each class.
    weights : ndarray of shape (C,)
        Total weight of each class.
    counts : ndarray of int, shape (C,)
        Number of points of each class, those of weight zero included.
    smallest, largest : float
        The extreme margins seen; class means suffice where ``largest <= margin_target``
        (fact F1, docs/facts.md).
    totals : ndarray of shape (C, T)
        Weighted sums of the margins, of which `means` are made: sums of two records by ``+`` are
        those of all their points, exactly where the sums are exact.

    Examples
    --------
    >>> from lexiprog_boost.margins import class_mean_margins
    >>> found = class_mean_margins([([[1], [-1], [1]], [0, 0, 1])])
    >>> found.means.tolist(), found.counts.tolist(), found.largest
    ([[0.0], [1.0]], [2, 1], 1.0)
    >>> both = found + class_mean_margins([([[-1]], [1])])
    >>> both.means.tolist(), both.counts.tolist()
    ([[0.0], [0.0]], [2, 2])
    """

    classes: NDArray
    means: Floats
    weights: Floats
    counts: NDArray[np.int64]
    smallest: float
    largest: float
    totals: Floats

    @classmethod
    def of(
        cls,
        classes: NDArray,
        totals: Floats,
        weights: Floats,
        counts: NDArray[np.int64],
        extremes: tuple[float, float],
    ) -> Self:
        """The record of sums; a class without weight has no means."""
        means = np.full_like(totals, np.nan)
        np.divide(totals, weights[:, None], out=means, where=weights[:, None] > 0)
        return cls(classes, means, weights, counts, *extremes, totals)

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, ClassMeanMargins):
            return NotImplemented
        if self.totals.shape[1] != other.totals.shape[1]:
            raise ValueError(_UNEQUAL.format(other.totals.shape[1], self.totals.shape[1]))
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        totals = np.zeros((len(classes), self.totals.shape[1]))
        weights, counts = np.zeros(len(classes)), np.zeros(len(classes), dtype=np.int64)
        for side in (self, other):
            places = np.searchsorted(classes, side.classes)
            totals[places] += side.totals
            weights[places] += side.weights
            counts[places] += side.counts
        extremes = min(self.smallest, other.smallest), max(self.largest, other.largest)
        return self.of(classes, totals, weights, counts, extremes)


def class_mean_margins(
    blocks: Iterable[Block], *, classes: ArrayLike | None = None
) -> ClassMeanMargins:
    """Average the margins over each class, reading every block once and keeping none.

    Use it where the margins of all points don't fit in memory, or come from a file: the class
    means are all that LexiBoost's weights depend on, if no margin exceeds the target.

    Parameters
    ----------
    blocks : iterable of (margins, y) or (margins, y, weights)
        Margins of shape (rows, T), labels and point weights of shape (rows,); a whole matrix is
        the one block ``[(margins, y)]``. See `margin_blocks` for blocks from members and points.
    classes : array-like, optional
        All labels; by default they are collected from the blocks. A label outside is an error.

    Returns
    -------
    ClassMeanMargins

    Examples
    --------
    Two blocks, the second one weighted:

    >>> from lexiprog_boost.margins import class_mean_margins
    >>> blocks = [([[1, -1]], ["rare"]), ([[1, 1], [-1, 1]], ["many", "many"], [3, 1])]
    >>> found = class_mean_margins(blocks)
    >>> found.classes.tolist(), found.means.tolist()
    (['many', 'rare'], [[0.5, 1.0], [1.0, -1.0]])
    """
    means = summed_margins(blocks, classes=classes)
    check_class_masses(means.weights, means.classes)
    return means


def summed_margins(
    blocks: Iterable[Block], *, classes: ArrayLike | None = None
) -> ClassMeanMargins:
    """The same for some of the blocks, in which a class may have no weight."""
    given = None if classes is None else np.unique(np.asarray(classes))
    totals = _Totals(given)
    for block in blocks:
        margins, y, weights = _checked_block(block)
        if totals.n_members not in (None, margins.shape[1]):
            raise ValueError(_UNEQUAL.format(margins.shape[1], totals.n_members))
        totals.n_members = margins.shape[1]
        for start in range(0, len(y), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            totals.add(np.asarray(margins[rows], dtype=np.float64), y[rows], weights[rows])
    return totals.means()


class _Totals:
    """Sums of margins, weights and points over each class, as they are added up."""

    def __init__(self, classes: NDArray | None) -> None:
        self.classes = classes
        self.n_members: int | None = None
        self._sums: dict[object, tuple[Floats, float, int]] = {}
        self._smallest, self._largest = np.inf, -np.inf

    def add(self, margins: Floats, y: NDArray, weights: Floats) -> None:
        """Add some rows."""
        low, high = margins.min(initial=np.inf), margins.max(initial=-np.inf)
        if not (np.isfinite(low) and np.isfinite(high)) and margins.size:
            raise ValueError("a margin is not finite; check the members' outputs.")
        self._smallest, self._largest = min(self._smallest, low), max(self._largest, high)
        labels = np.unique(y) if self.classes is None else self.classes
        codes = class_codes(y, labels)
        belongs = codes == np.arange(len(labels))[:, None]
        sums = (belongs * weights) @ margins
        masses, counts = belongs @ weights, belongs.sum(axis=1)
        for label, total, mass, count in zip(labels.tolist(), sums, masses, counts, strict=True):
            old = self._sums.get(label, (0.0, 0.0, 0))
            self._sums[label] = (old[0] + total, old[1] + float(mass), old[2] + int(count))

    def means(self) -> ClassMeanMargins:
        """The means over all rows that were added."""
        if self.n_members is None:
            raise ValueError("there is no block of margins to average.")
        labels = np.unique(np.array(list(self._sums))) if self.classes is None else self.classes
        if not len(labels):
            raise ValueError("there is no point to average over.")
        nothing = (np.zeros(self.n_members), 0.0, 0)
        totals = [self._sums.get(label, nothing) for label in labels.tolist()]
        return ClassMeanMargins.of(
            labels,
            np.array([total for total, _, _ in totals]),
            np.array([mass for _, mass, _ in totals]),
            np.array([count for _, _, count in totals], dtype=np.int64),
            (float(self._smallest), float(self._largest)),
        )


def _checked_block(block: Block) -> tuple[NDArray, NDArray, Floats]:
    margins, y = np.asarray(block[0]), np.asarray(block[1])
    if margins.ndim != 2 or y.shape != (len(margins),):
        raise ValueError(
            f"a block has margins of shape {margins.shape} and labels of shape {y.shape}; "
            "they must be (rows, members) and (rows,)."
        )
    if len(block) == 2:
        return margins, y, np.ones(len(y))
    weights = np.asarray(block[2])
    # A block may hold nothing but points of weight zero; a class may not, which is found later.
    if weights.shape == y.shape and not weights.any():
        return margins, y, np.zeros(len(y))
    return margins, y, check_sample_weight(block[2], len(y))
