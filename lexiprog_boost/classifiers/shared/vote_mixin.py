"""Predictions by a weighted vote, shared by all classifiers with weighted members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.classifiers.shared.voting import (
    class_scores,
    decisions,
    staged_class_scores,
    winners,
)

Floats = NDArray[np.float64]


class WeightedVoteMixin:
    """Predict by the weighted vote of ``estimators_``; left of ``BaseEstimator``.

    The class needs fitted ``estimators_``, ``estimator_weights_`` and ``classes_``, a property
    ``_output`` ("vote" or "proba") and a method ``_points(X)`` that checks the points to be
    predicted.
    """

    classes_: NDArray
    estimators_: list[Any]
    estimator_weights_: Floats
    _output: Any
    _points: Any

    def predict(self, X: Any) -> NDArray:
        """Return the class with the largest share of the members' weight, the first on a tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        scores = self._scores(X)
        return self.classes_[winners(scores)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the members' weight that speaks for each class.

        With hard votes it is the weight of the members that vote for the class; with
        probabilities the weighted mean of theirs. It is not calibrated: where the weights balance
        the classes, a rare class gets more than its frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        return self._scores(X)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: with two classes, the second one's minus the first one's.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
        """
        return decisions(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray]:
        """Yield the predictions of the first t members, t = 1, 2, ..., with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m,)
        """
        for scores in self._staged_scores(X):
            yield self.classes_[winners(scores)]

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of the first t members, t = 1, 2, ..., with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m,) or (m, n_classes)
        """
        for scores in self._staged_scores(X):
            yield decisions(scores)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return class_scores(
            self.estimators_, self.estimator_weights_, self._points(X), self.classes_, self._output
        )

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        check_is_fitted(self)
        return staged_class_scores(
            self.estimators_, self.estimator_weights_, self._points(X), self.classes_, self._output
        )

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        # CVXPY's objects mean something in the process that made them only; the result stays.
        return {key: value for key, value in state.items() if key != "program_"}
