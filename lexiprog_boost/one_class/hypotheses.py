"""Weak hypotheses of what is normal: Gaussian bumps and isolation trees, all between 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.metrics.pairwise import rbf_kernel

from lexiprog_boost.aliases import Floats

SUBSAMPLE = 256
FAR = 1e-8


class Hypotheses(Protocol):
    """A finite pool of them."""

    def __len__(self) -> int:
        """How many there are."""

    def values(self, X: Floats) -> Floats:
        """How normal each point looks to each hypothesis, shape (n, N), from 0 to 1."""

    def only(self, positions: Sequence[int]) -> Hypotheses:
        """Some of them, in this order."""


@dataclass(frozen=True, eq=False)
class GaussianBumps:
    """exp(-|x - c|^2 / (2 width^2)) around some centres c.

    Attributes
    ----------
    centres : ndarray of shape (N, n_features)
        Training points.
    width : float
        The bumps' standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.hypotheses import GaussianBumps
    >>> bumps = GaussianBumps(np.array([[0.0], [2.0]]), 1.0)
    >>> bumps.values(np.array([[0.0]])).round(3).tolist()
    [[1.0, 0.135]]
    """

    centres: Floats
    width: float

    def __len__(self) -> int:
        return len(self.centres)

    def values(self, X: Floats) -> Floats:
        """A bump a column."""
        heights = np.asarray(rbf_kernel(X, self.centres, gamma=0.5 / self.width**2))
        # Beyond six widths nothing is left of a bump but numbers that solvers stumble over.
        heights[heights < FAR] = 0.0
        return heights

    def only(self, positions: Sequence[int]) -> GaussianBumps:
        """The bumps around some of the centres."""
        return replace(self, centres=self.centres[list(positions)])


@dataclass(frozen=True, eq=False)
class IsolationTrees:
    """1 - 2^(-h / c), h being the depth at which a tree isolates a point, c the mean depth.

    Attributes
    ----------
    trees : tuple of ExtraTreeRegressor
        Fitted trees of an `IsolationForest`.
    mean_depth : float
        Of a tree on so many points, as Liu, Ting and Zhou (2008) estimate it.

    Examples
    --------
    A point far from the others is isolated early:

    >>> import numpy as np
    >>> from lexiprog_boost.one_class.hypotheses import grow_trees
    >>> X = np.r_[np.arange(20.0), 100.0][:, None]
    >>> values = grow_trees(X, 20, seed=0).values(X).mean(axis=1)
    >>> int(values.argmin())
    20
    """

    trees: tuple[Any, ...]
    mean_depth: float

    def __len__(self) -> int:
        return len(self.trees)

    def values(self, X: Floats) -> Floats:
        """A tree a column."""
        points = np.asarray(X, dtype=np.float32)  # what scikit-learn's trees compare
        depths = np.column_stack([_depths(tree, points) for tree in self.trees])
        return np.asarray(1 - 2.0 ** (-depths / self.mean_depth))

    def only(self, positions: Sequence[int]) -> IsolationTrees:
        """Some of the trees."""
        return replace(self, trees=tuple(self.trees[k] for k in positions))


def place_bumps(
    X: Floats, most: int, width: float | None, rng: np.random.RandomState
) -> GaussianBumps:
    """Bumps around at most so many training points; by default as wide as OneClassSVM's kernel."""
    spread = float(X.var())
    chosen = np.sqrt(X.shape[1] * (spread if spread > 0 else 1.0) / 2) if width is None else width
    centres = np.unique(X, axis=0)
    if len(centres) > most:
        centres = centres[np.sort(rng.choice(len(centres), most, replace=False))]
    return GaussianBumps(centres, float(chosen))


def grow_trees(X: Floats, count: int, seed: int) -> IsolationTrees:
    """Trees of an isolation forest, each grown on at most 256 of the points."""
    size = min(SUBSAMPLE, len(X))
    forest = IsolationForest(n_estimators=count, max_samples=size, random_state=seed).fit(X)
    return IsolationTrees(tuple(forest.estimators_), max(float(_mean_depth(np.array(size))), 1.0))


def _depths(tree: Any, X: NDArray[np.float32]) -> Floats:
    """Splits above a point's leaf, and those that the leaf's points would still need."""
    inside = tree.tree_.n_node_samples[tree.apply(X)]
    return np.asarray(tree.decision_path(X).sum(axis=1)).ravel() - 1.0 + _mean_depth(inside)


def _mean_depth(points: NDArray) -> Floats:
    """Mean depth of an unsuccessful search in a binary tree of so many points."""
    n = np.maximum(np.asarray(points, dtype=np.float64), 2.0)
    depth = 2 * (np.log(np.maximum(n - 1, 1.0)) + np.euler_gamma) - 2 * (n - 1) / n
    return np.where(points <= 1, 0.0, np.where(points == 2, 1.0, depth))
