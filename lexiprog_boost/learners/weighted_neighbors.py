"""The k-nearest-neighbour rule with weighted points."""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.checks.sample_weights import check_sample_weight
from lexiprog_boost.learners.neighbor_table import NeighborTable

# Two sums of the same weights in another order differ by rounding; that must not decide a vote.
TIE = 1e-12


@estimator_class
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

    {Attributes: classes_}
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

    n_neighbors: Any = 5
    _: KW_ONLY
    algorithm: str = "auto"
    table: NeighborTable | None = None
    n_jobs: int | None = None

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

        {Parameters: learner points}
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

        {Parameters: points}

        {Returns: shares}
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
