"""Similarities to a few training points as columns: a kernel for linear learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.utils.validation import check_is_fitted, validate_data


class LandmarkFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Nystroem's approximation of the Gaussian kernel, on no more landmarks than there are points.

    Use it before a linear learner where classes are not divided by planes. scikit-learn's own
    warns if there are fewer points than components, as in the folds of a small set.

    Parameters
    ----------
    n_components : int
        Landmarks, drawn from the training points.
    random_state : int, RandomState or None
        Draws them.

    Attributes
    ----------
    map_ : Nystroem
        The fitted transformer; its gamma is one divided by the number of columns.

    Examples
    --------
    >>> from lexiprog_boost.learners import LandmarkFeatures
    >>> LandmarkFeatures(100, random_state=0).fit_transform([[0.0], [1.0], [2.0]]).shape
    (3, 3)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> LandmarkFeatures:  # noqa: ARG002
        """Draw the landmarks.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Points, scaled.
        y : ignored

        Returns
        -------
        LandmarkFeatures
            self
        """
        X = validate_data(self, X, dtype=np.float64)
        n_landmarks = min(self.n_components, len(X))
        self.map_ = Nystroem(n_components=n_landmarks, random_state=self.random_state).fit(X)
        self._n_features_out = n_landmarks
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return one column a landmark."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.map_.transform(X)
