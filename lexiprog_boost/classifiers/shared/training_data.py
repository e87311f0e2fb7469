"""What `fit` is given, the same for every boosted vote: points, labels, weights, learner."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from lexiprog_boost.checks.sample_weights import check_sample_weight
from lexiprog_boost.checks.values import check_classes


def check_training_data(
    model: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Any, NDArray, NDArray[np.float64]]:
    """Return points, labels and sample weights; refuse one class, or one that weighs nothing.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lexiprog_boost.classifiers.shared.training_data import check_training_data
    >>> check_training_data(LogisticRegression(), [[0], [1]], ["a", "b"], [1, 0])
    Traceback (most recent call last):
    ...
    ValueError: class 'b' has no point of weight > 0; give it one, or leave the class out of y.
    """
    X, y = validate_data(
        model, X, y, accept_sparse=["csr", "csc"], dtype=None,
        ensure_all_finite="allow-nan" if get_tags(model).input_tags.allow_nan else True,
    )  # fmt: skip
    check_classification_targets(y)
    classes = check_classes(np.unique(y))
    weights = check_sample_weight(sample_weight, len(y))
    empty = np.setdiff1d(classes, y[weights > 0]).tolist()
    if empty:
        raise ValueError(
            f"class {empty[0]!r} has no point of weight > 0; give it one, or leave the class "
            "out of y."
        )
    return X, y, weights


def learner_of(model: Any) -> Any:
    """Return the learner to boost: the model's own, or a tree of depth three."""
    return DecisionTreeClassifier(max_depth=3) if model.estimator is None else model.estimator
