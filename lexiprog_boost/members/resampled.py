"""Sample weights for learners that take none: training on points drawn by weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import (
    check_array,
    check_consistent_length,
    check_random_state,
    column_or_1d,
    get_tags,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.checks.points import check_sample_weight, take_rows
from lexiprog_boost.members.fitting import seeded_clone
from lexiprog_boost.members.outputs import constant_members, probabilities


def _estimator_has_proba(resampled: ResampledClassifier) -> bool:
    fitted = getattr(resampled, "estimator_", None)
    return hasattr(fitted or resampled.estimator or KNeighborsClassifier, "predict_proba")


def _check_all_rows(X: Any, learner: Any) -> None:
    """Check the rows that may not be drawn too: a bad number must not pass by luck.

    A learner made of others, such as a pipeline, may mend missing values or words on the way.
    """
    composite = any(hasattr(value, "fit") for value in learner.get_params().values())
    if isinstance(X, np.ndarray) and not composite:
        allow_nan = get_tags(learner).input_tags.allow_nan
        check_array(X, ensure_all_finite="allow-nan" if allow_nan else True)


class ResampledClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Give sample weights to any classifier by training it on n points drawn by weight.

    The points are drawn with replacement, each with a probability proportional to its weight;
    no weights means equal ones, and a draw all the same. A draw of one class only makes a constant.
    Use it to boost a learner that takes no sample weights; the pools do so by themselves.

    Parameters
    ----------
    estimator : classifier, optional
        The learner without sample weights; by default scikit-learn's ``KNeighborsClassifier``.
    random_state : int, RandomState or None
        Draws the points, and the seed of a learner that needs one. An integer makes `fit`
        repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        All labels of `y`, those that were not drawn included.
    estimator_ : classifier
        The learner, fitted on the drawn points.
    sample_indices_ : ndarray of int, shape (n,)
        The drawn points; all others are out of bag (see `out_of_bag_margins`).

    Examples
    --------
    >>> from lexiprog_boost.learners import ResampledClassifier
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> learner = ResampledClassifier(KNeighborsClassifier(1), random_state=0)
    >>> learner.fit([[0], [1], [2]], [0, 0, 1], sample_weight=[1, 0, 1]).classes_.tolist()
    [0, 1]
    >>> 1 in learner.sample_indices_
    False
    """

    # A point of weight zero is never drawn, so nobody has to leave it out before.
    handles_zero_weights = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ResampledClassifier:
        """Draw points by weight and fit a clone of the learner on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Proportional to the probability that a point is drawn.

        Returns
        -------
        ResampledClassifier
            self
        """
        if y is None:
            raise ValueError(
                "ResampledClassifier requires y to be passed, but the target y is None."
            )
        validate_data(self, X, skip_check_array=True)
        learner = KNeighborsClassifier() if self.estimator is None else self.estimator
        _check_all_rows(X, learner)
        check_consistent_length(X, y)
        labels = column_or_1d(check_array(y, ensure_2d=False, dtype=None), warn=True)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        n_points = len(labels)
        weights = check_sample_weight(sample_weight, n_points)
        rng = check_random_state(self.random_state)
        drawn = rng.choice(n_points, size=n_points, p=weights / weights.sum())
        self.sample_indices_ = np.sort(drawn)
        chosen = labels[self.sample_indices_]
        if len(self.classes_) > 1 and (chosen == chosen[0]).all():
            code = int(np.searchsorted(self.classes_, chosen[0]))
            self.estimator_ = constant_members(self.classes_)[code]
        else:
            points = take_rows(X, self.sample_indices_)
            self.estimator_ = seeded_clone(learner, rng).fit(points, chosen)
        return self

    def predict(self, X: Any) -> NDArray:
        """Predict with the learner that was fitted on the drawn points."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_estimator_has_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the learner's probabilities, zero for a class that was not drawn."""
        check_is_fitted(self)
        return probabilities(self.estimator_, X, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(KNeighborsClassifier() if self.estimator is None else self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags
