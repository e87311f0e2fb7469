"""Columns for the default members: ranks in bins for boosting, similarities for linear ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.checks.points import category_columns

# As many points as scikit-learn's own bins are found from.
MOST_POINTS = 200_000


class QuantileCodes(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """The number of the quantile bin in place of each value; missing values stay missing.

    scikit-learn's gradient boosting bins its columns itself, but with point weights it sorts each
    column once for every bin. Columns of few different values it takes as they are: use this
    before it. Columns of a data frame that hold categories stay as they are.

    Parameters
    ----------
    n_bins : int
        Most bins a column. A column with fewer different values gets one bin each.
    random_state : int, RandomState or None
        Draws the points that the bins of very long columns are found from.

    Attributes
    ----------
    edges_ : list of ndarray
        Where the bins of each column end; a value equal to an edge lies below it.

    Examples
    --------
    >>> from lexiprog_boost.learners import QuantileCodes
    >>> QuantileCodes().fit_transform([[0.5], [7.0], [float("nan")], [0.5]]).ravel().tolist()
    [0.0, 1.0, nan, 0.0]
    """

    def __init__(
        self,
        n_bins: int = 255,
        *,
        random_state: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> QuantileCodes:  # noqa: ARG002
        """Find the bins.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Points; missing values are allowed.
        y : ignored

        Returns
        -------
        QuantileCodes
            self
        """
        if self.n_bins < 2:
            raise ValueError(f"n_bins is {self.n_bins}; a column needs at least two bins.")
        X = self._numbers(X, reset=True)
        if len(X) > MOST_POINTS:
            rng = check_random_state(self.random_state)
            X = X[rng.choice(len(X), MOST_POINTS, replace=False)]
        self.edges_ = [_edges(column, self.n_bins) for column in X.T]
        return self

    def transform(self, X: Any) -> Any:
        """Return the bins' numbers, counted from zero; a data frame if `X` holds categories."""
        check_is_fitted(self)
        numbers = self._numbers(X, reset=False)
        codes = np.empty(numbers.shape)
        for j, edges in enumerate(self.edges_):
            codes[:, j] = np.searchsorted(edges, numbers[:, j])
        codes[np.isnan(numbers)] = np.nan
        categories = category_columns(X)
        if not categories:
            return codes
        plain = [name for name in X.columns if name not in categories]
        return X.assign(**dict(zip(plain, codes.T, strict=True)))

    def _numbers(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        categories = category_columns(X)
        if not categories:
            return validate_data(
                self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset
            )
        validate_data(self, X, skip_check_array=True, reset=reset)
        return X.drop(columns=categories).to_numpy(dtype=np.float64, na_value=np.nan)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _edges(column: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Between neighbouring values where there are few, else at the quantiles."""
    present = column[~np.isnan(column)]
    values = np.unique(present)
    if len(values) <= n_bins:
        # Halves first: the sum of two huge values would be infinite.
        return 0.5 * values[:-1] + 0.5 * values[1:]
    shares = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    return np.unique(np.quantile(present, shares))


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
