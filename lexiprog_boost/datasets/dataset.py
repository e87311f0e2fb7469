"""A data set: points, labels, and folds if its publisher fixed them."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import PredefinedSplit, StratifiedKFold

from lexiprog_boost.aliases import Indices


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points and labels with a name: what every loader here returns.

    Make one of your own numbers where a set is expected, as the experiments do.

    Attributes
    ----------
    name : str
        Name in the literature.
    X : ndarray of shape (n, n_features)
        Points.
    y : ndarray of shape (n,)
        Labels. Of two classes, 1 is the rarer one and 0 the other.
    feature_names : tuple of str
        One name a column of `X`.
    folds : ndarray of int, shape (n,), or None
        The test fold of each point, if the publisher fixed a partition.
    source : str
        Where the numbers come from.
    left_out : int
        How many rows of the source have missing values and are not here.

    Examples
    --------
    >>> from lexiprog_boost.datasets import make_toy
    >>> toy = make_toy()
    >>> toy.name, toy.X.shape, toy.counts
    ('toy', (50, 2), {0: 40, 1: 10})
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray
    feature_names: tuple[str, ...]
    folds: NDArray[np.int64] | None = None
    source: str = ""
    left_out: int = 0

    @property
    def counts(self) -> dict[object, int]:
        """Number of points of each class."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    @property
    def imbalance_ratio(self) -> float:
        """Size of the largest class divided by that of the smallest."""
        sizes = self.counts.values()
        return max(sizes) / min(sizes)

    def splits(self, n_splits: int = 5, *, seed: int = 0) -> Iterator[tuple[Indices, Indices]]:
        """Yield (train, test) positions: the publisher's folds, else stratified ones.

        Use it instead of a splitter of your own where scores are to be held against published
        ones.

        Parameters
        ----------
        n_splits : int
            Number of stratified folds, where the publisher fixed none.
        seed : int
            Shuffles the points before they are dealt to stratified folds.

        Yields
        ------
        train, test : ndarray of int

        Examples
        --------
        >>> from lexiprog_boost.datasets import make_toy
        >>> [len(test) for train, test in make_toy().splits(4)]
        [13, 13, 12, 12]
        """
        if self.folds is not None:
            yield from PredefinedSplit(self.folds).split()
            return
        stratified = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            # A class smaller than the number of folds is a fact about the data, not a mistake.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            yield from stratified.split(self.X, self.y)
