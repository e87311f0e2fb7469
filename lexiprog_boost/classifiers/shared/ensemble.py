"""What every ensemble has in common: its training data, how it is fitted, shown and pickled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.points import (
    check_class_masses,
    check_no_text,
    check_sample_weight,
    take_rows,
    warn_of_numbers_as_text,
)
from lexiprog_boost.checks.values import check_classes, check_learner, reduced
from lexiprog_boost.classifiers.shared.reports import Report, ReportShown, report_of
from lexiprog_boost.members.outputs import class_codes

# What an ensemble is given, checked alike by all: points, labels, weights.


@dataclass(frozen=True)
class TrainingData:
    """Checked points, labels and weights.

    Attributes
    ----------
    X : array, sparse matrix or data frame of n rows
        Points.
    y : ndarray of shape (n,)
        Labels.
    weights : ndarray of shape (n,)
        A weight a point; ones if none were given.
    given_weights : ndarray of shape (n,) or None
        The same, but None if none were given.
    groups : ndarray of shape (n,) or None
        The group of each point, if any were given.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.ensemble import TrainingData
    >>> data = TrainingData(np.eye(3), np.array(["b", "a", "b"]), np.ones(3))
    >>> data.classes.tolist(), data.codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """

    X: Any
    y: NDArray
    weights: Floats
    given_weights: Floats | None = None
    groups: NDArray | None = None

    @cached_property
    def classes(self) -> NDArray:
        """Sorted labels."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> Codes:
        """Position of each point's class."""
        return class_codes(self.y, self.classes)

    def counted(self) -> TrainingData:
        """The points that weigh something: one without weight takes no place in a fold either."""
        rows = np.flatnonzero(self.weights > 0)
        if len(rows) == len(self.y):
            return self
        weights, groups = self.weights[rows], self.groups
        return TrainingData(
            take_rows(self.X, rows), self.y[rows], weights, weights,
            None if groups is None else groups[rows],
        )  # fmt: skip


def check_training_data(
    model: Any, X: Any, y: Any, sample_weight: Any, *, keep_frames: bool = False, reset: bool = True
) -> TrainingData:
    """Check what `fit` is given; refuse one class, or one that weighs nothing.

    Parameters
    ----------
    model : estimator
        It learns the number and the names of the features.
    X, y, sample_weight
        As given by the caller.
    keep_frames : bool
        Leave a data frame as it is, for members that know what to do with its columns.
    reset : bool
        Whether the model learns its features from these points; otherwise it must know them.

    Returns
    -------
    TrainingData
        What members are trained on.

    Examples
    --------
    What is wrong is named:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from lexiprog_boost.classifiers.shared.ensemble import check_training_data
    >>> check_training_data(LogisticRegression(), [[0], [1]], ["a", "b"], [1, 0])
    Traceback (most recent call last):
    ...
    ValueError: class 'b' has no point of weight > 0; give it one, or leave the class out of y.
    """
    if keep_frames and hasattr(X, "iloc"):
        validate_data(model, X, y, skip_check_array=True, reset=reset)
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)
        check_consistent_length(X, y)
        warn_of_numbers_as_text(X)
    else:
        X, y = validate_data(model, X, y, reset=reset, **_accepted(model))
    check_classification_targets(y)
    weights = check_sample_weight(sample_weight, len(y))
    data = TrainingData(X, y, weights, None if sample_weight is None else weights)
    check_classes(data.classes)
    check_class_masses(np.bincount(data.codes, weights), data.classes)
    return data


def check_points(model: Any, X: Any, *, keep_frames: bool = False) -> Any:
    """Check the points that a fitted model is asked about.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lexiprog_boost.classifiers.shared.ensemble import check_points
    >>> model = LogisticRegression().fit([[0], [1]], ["a", "b"])
    >>> check_points(model, [[0, 1]])
    Traceback (most recent call last):
    ...
    ValueError: X has 2 features, but LogisticRegression is expecting 1 features as input.
    """
    if keep_frames and hasattr(X, "iloc"):
        validate_data(model, X, skip_check_array=True, reset=False)
        return X
    return validate_data(model, X, reset=False, **_accepted(model))


def _accepted(model: Any) -> dict[str, Any]:
    allow_nan = get_tags(model).input_tags.allow_nan
    return {
        "accept_sparse": ["csr", "csc"],
        "dtype": None,
        "ensure_all_finite": "allow-nan" if allow_nan else True,
    }


class Ensemble(ReportShown, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier made of members; a subclass says how they are trained and asked.

    It has a method ``_train(data)`` that sets the fitted attributes, ``stopped_``, a sentence,
    among them. One without a parameter ``estimator`` says by ``_input_kinds`` what it takes.
    """

    # What the estimators' own `__init__` store.
    verbose: int
    random_state: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members and find their weights, as the class describes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points; sparse if the learner takes it.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points, not negative; every class needs a point of weight > 0. The class
            says what they do; points of weight zero play no part.

        Returns
        -------
        self
        """
        self._train(self._checked_training(X, y, sample_weight))
        return self

    def report(self) -> Report:
        """Say in a few lines what was learnt: the members that count, and why training ended.

        Returns
        -------
        str
            In a notebook it shows itself as tables.
        """
        check_is_fitted(self)
        return report_of(self)

    def _train(self, data: TrainingData) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is trained.")

    def _learner(self) -> Any:
        """The learner to boost: the given one, or a tree of depth three."""
        given = getattr(self, "estimator", None)
        return DecisionTreeClassifier(max_depth=3) if given is None else given

    def _input_kinds(self) -> tuple[bool, bool]:
        """Whether sparse points are taken, and whether missing values are."""
        inner = get_tags(check_learner(self._learner())).input_tags
        return inner.sparse, inner.allow_nan

    def _checked_training(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        if (
            getattr(self, "estimator", None) is None
        ):  # trees; a learner of the user's may know words
            check_no_text(X)
        return check_training_data(self, X, y, sample_weight)

    def _checked_points(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_points(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = self._input_kinds()
        return tags

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    def __getstate__(self) -> dict[str, Any]:
        # CVXPY's objects mean something in the process that made them only; the result stays.
        return {key: value for key, value in super().__getstate__().items() if key != "program_"}
