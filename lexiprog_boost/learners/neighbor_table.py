"""The neighbours of one training set, found once and shared by all learners fitted on it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from lexiprog_boost.aliases import Indices


class NeighborTable:
    """Nearest neighbours among fixed points; searches again only for points it was not asked about.

    Boosting fits a neighbour learner T times on the same points with other weights. Given one
    table, all T learners share one search of the training set and one of each set they predict;
    `WeightedKNeighborsClassifier.prepared_for` makes one, the pools do so by themselves.
    The table recognises points by their content, so views, copies and data changed after the
    search are told apart rightly. It has no settable state: cloning an estimator keeps its table,
    and pickles carry the points but not the answers, which are found again when asked for.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, n_features)
        The training points.
    n_neighbors : int
        The most neighbours that will be asked for; at most n are given.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}
        How scikit-learn searches. Beyond some eight features "brute" is often the faster one.
    n_jobs : int, optional
        Workers of the search.

    Examples
    --------
    >>> from lexiprog_boost.learners import NeighborTable
    >>> table = NeighborTable([[0.0], [1.0], [5.0]], n_neighbors=2)
    >>> table.neighbors([[4.0]], 2).tolist()
    [[2, 1]]
    >>> table
    NeighborTable(n_points=3, n_features=1, n_neighbors=2)
    """

    def __init__(
        self, X: Any, n_neighbors: int, *, algorithm: str = "auto", n_jobs: int | None = None
    ):
        points = check_array(X, accept_sparse="csr", dtype=np.float64)
        self._search = NearestNeighbors(
            n_neighbors=n_neighbors, algorithm=algorithm, n_jobs=n_jobs
        ).fit(points)
        self._points = points
        self._digest = _digest(points)
        self._n_neighbors = min(n_neighbors, points.shape[0])
        self._answers: dict[str, tuple[bytes, Indices]] = {}

    def serves(self, X: Any, n_neighbors: int) -> bool:
        """Say whether the table was built for these very points and for so many neighbours."""
        enough = self._n_neighbors >= min(n_neighbors, self._points.shape[0])
        return enough and X.shape == self._points.shape and _digest(X) == self._digest

    def neighbors(self, X: Any, n_neighbors: int) -> Indices:
        """Return the nearest training points of each row, nearest first.

        A training point is its own neighbour, even among more than `n_neighbors` equal points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            The points to find neighbours for.
        n_neighbors : int
            How many, at most the table's own number.

        Returns
        -------
        ndarray of int, shape (m, n_neighbors)
            Row positions in the training points.
        """
        if n_neighbors > self._n_neighbors:
            raise ValueError(
                f"this table holds {self._n_neighbors} neighbours a point, not {n_neighbors}; "
                "build it with a larger n_neighbors."
            )
        points = check_array(X, accept_sparse="csr", dtype=np.float64)
        digest = _digest(points)
        kind = "training" if digest == self._digest else "latest"
        known, answer = self._answers.get(kind, (b"", None))
        if answer is None or known != digest:
            answer = self._search.kneighbors(
                points, n_neighbors=self._n_neighbors, return_distance=False
            )
            if kind == "training":
                answer = _with_self(answer)
            self._answers[kind] = (digest, answer)
        return answer[:, :n_neighbors]

    def __sklearn_clone__(self) -> NeighborTable:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_answers": {}}

    def __repr__(self) -> str:
        n_points, n_features = self._points.shape
        return (
            f"NeighborTable(n_points={n_points}, n_features={n_features}, "
            f"n_neighbors={self._n_neighbors})"
        )


def _with_self(answer: Indices) -> Indices:
    """Put each training point at the front of its own row, if need be for the farthest one."""
    own = np.arange(len(answer))[:, None]
    others_first = np.argsort(answer != own, axis=1, kind="stable")
    ordered = np.take_along_axis(answer, others_first, axis=1)
    missing = ordered[:, 0] != own[:, 0]
    ordered[missing, 1:] = ordered[missing, :-1]
    ordered[:, 0] = own[:, 0]
    return ordered


def _digest(points: Any) -> bytes:
    """Return a fingerprint of the numbers in a matrix, whatever its memory layout."""
    parts = [points.data, points.indices, points.indptr] if issparse(points) else [points]
    state = blake2b(repr((points.shape, issparse(points))).encode(), digest_size=16)
    for part in parts:
        state.update(np.ascontiguousarray(part).data)
    return state.digest()
