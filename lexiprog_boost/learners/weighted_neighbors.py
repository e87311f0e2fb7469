"""The k-nearest-neighbour rule with weighted points."""

from __future__ import annotations

from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.aliases import Indices
from lexiprog_boost.checks.points import check_sample_weight

# The neighbours of one training set, found once and shared by all learners fitted on it.


class NeighborTable:
    """Nearest neighbours among fixed points; searches again only for points it was not asked about.

    Boosting fits a neighbour learner T times on the same points with other weights. Given one
    table, all T learners share one search of the training set and one of each set they predict;
    `WeightedKNeighborsClassifier.prepared_for` makes one, the pools do so by themselves.
    The table recognises points by their content, so views, copies and data changed after the
    search are distinguished. It has no settable state: cloning an estimator keeps its table,
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
    row_numbers = np.arange(len(answer))[:, None]
    others_first = np.argsort(answer != row_numbers, axis=1, kind="stable")
    ordered = np.take_along_axis(answer, others_first, axis=1)
    missing = ordered[:, 0] != row_numbers[:, 0]
    ordered[missing, 1:] = ordered[missing, :-1]
    ordered[:, 0] = row_numbers[:, 0]
    return ordered


def _digest(points: Any) -> bytes:
    """Return a fingerprint of the numbers in a matrix, whatever its memory layout."""
    parts = [points.data, points.indices, points.indptr] if issparse(points) else [points]
    state = blake2b(repr((points.shape, issparse(points))).encode(), digest_size=16)
    for part in parts:
        state.update(np.ascontiguousarray(part).data)
    return state.digest()


# Two sums of the same weights in another order differ by rounding; that must not decide a vote.
TIE = 1e-12


class WeightedKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Vote of the k nearest training points, each with its sample weight.

    The neighbours are chosen by Euclidean distance alone, points of weight zero included; the
    vote of a class is the sum of the weights of the neighbours in it. Ties go to the first class, a
    vote in which all neighbours weigh nothing too. A training point is its own neighbour, so on
    the training set it votes for itself. Use it as a learner of boosting, which gives weights to
    points: scikit-learn's takes none.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours vote; with fewer training points, all of them.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}
        How scikit-learn searches for neighbours.
    table : NeighborTable, optional
        Neighbours found before. It is used when it was built for the very points given to `fit`
        and ignored when not, so a clone may be fitted on other points. `prepared_for` makes one.
    n_jobs : int, optional
        Workers of the neighbour search.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    table_ : NeighborTable
        The neighbours in use: `table` if it fits.
    weights_ : ndarray of shape (n,)
        Weights of the training points, scaled to sum to one.

    Notes
    -----
    A weight is not a number of copies: two copies of a point take two of the k places, a point of
    weight two takes one.

    Examples
    --------
    >>> from lexiprog_boost import WeightedKNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0]], ["many", "many", "rare"]
    >>> learner = WeightedKNeighborsClassifier(n_neighbors=3)
    >>> learner.fit(X, y).predict([[1.0]]).tolist()
    ['many']
    >>> learner.fit(X, y, sample_weight=[1, 1, 3]).predict([[1.0]]).tolist()
    ['rare']

    One search of the neighbours for many fits:

    >>> prepared = learner.prepared_for(X)
    >>> fits = [prepared.fit(X, y, sample_weight=w).predict(X) for w in ([1, 1, 1], [1, 1, 3])]
    """

    # They stay neighbours, without a vote: the table is that of the whole training set.
    handles_zero_weights = True

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        algorithm: str = "auto",
        table: NeighborTable | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.table = table
        self.n_jobs = n_jobs

    def prepared_for(self, X: Any) -> WeightedKNeighborsClassifier:
        """Return an unfitted copy that finds the neighbours of `X` once for all its clones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The points that the copy and its clones will be fitted on.

        Returns
        -------
        WeightedKNeighborsClassifier
        """
        return clone(self).set_params(table=self._new_table(X))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedKNeighborsClassifier:
        """Remember the points and their weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the votes; only their ratios matter.

        Returns
        -------
        WeightedKNeighborsClassifier
            self
        """
        n_neighbors = self._checked_n_neighbors()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        weights = check_sample_weight(sample_weight, X.shape[0])
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self.weights_ = weights / weights.sum()
        if self.table is not None and self.table.serves(X, n_neighbors):
            self.table_ = self.table
        else:
            self.table_ = self._new_table(X)
        return self

    def predict(self, X: Any) -> NDArray:
        """Return the class with the heaviest vote for each point, the first one on a tie."""
        votes = self._votes(X)
        heaviest = votes.max(axis=1, keepdims=True)
        return self.classes_[np.argmax(votes >= heaviest * (1 - TIE), axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the vote; equal shares where the neighbours weigh nothing.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        votes = self._votes(X)
        total = votes.sum(axis=1, keepdims=True)
        silent = total == 0
        return np.where(silent, 1 / votes.shape[1], votes / np.where(silent, 1, total))

    def _votes(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        chosen = self.table_.neighbors(X, min(self.n_neighbors, len(self.weights_)))
        n_classes = len(self.classes_)
        cells = np.arange(len(chosen))[:, None] * n_classes + self._codes[chosen]
        weights = self.weights_[chosen].ravel()
        votes = np.bincount(cells.ravel(), weights, minlength=len(chosen) * n_classes)
        return votes.astype(np.float64, copy=False).reshape(-1, n_classes)

    def _new_table(self, X: Any) -> NeighborTable:
        n_neighbors = self._checked_n_neighbors()
        return NeighborTable(X, n_neighbors, algorithm=self.algorithm, n_jobs=self.n_jobs)

    def _checked_n_neighbors(self) -> int:
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise ValueError(
                f"n_neighbors is {self.n_neighbors!r}; give a whole number of at least 1."
            )
        return int(self.n_neighbors)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
