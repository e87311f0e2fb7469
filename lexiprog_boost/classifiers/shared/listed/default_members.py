"""The members of an ensemble for which none was given: four learners that err differently."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lexiprog_boost.learners import (
    BalancedForestClassifier,
    LandmarkFeatures,
    QuantileCodes,
    TableColumns,
)

# What the members below take: no sparse points, but missing values. Said here, because
# scikit-learn asks for it many times in a fit, and the members need not be built for that.
DEFAULT_INPUT_KINDS = (False, True)


def default_pool() -> list[tuple[str, Any]]:
    """List the default members: all of them treat the classes alike, none needs tuning.

    They were chosen, with the other defaults of `LexiEnsembleClassifier`, by
    ``benchmarks/develop_ensemble.py``. Missing values are allowed, and so are categories
    in data frames: gradient boosting takes them as such, the forest by their codes, the others as
    columns.

    Returns
    -------
    list of (name, classifier)
        "linear" and "kernel": logistic regression on scaled columns and on their Gaussian
        similarities to 100 landmarks; "forest": trees on balanced samples, whose out-of-bag
        probabilities save their cross-fitting; "boosting": gradient boosting of small trees.

    Examples
    --------
    >>> from lexiprog_boost.classifiers.shared.listed.default_members import default_pool
    >>> [name for name, _ in default_pool()]
    ['linear', 'kernel', 'forest', 'boosting']
    """
    return [
        ("linear", make_pipeline(*_scaled(), _logistic())),
        ("kernel", make_pipeline(*_scaled(), LandmarkFeatures(100), _logistic(C=10.0))),
        ("forest", make_pipeline(TableColumns("ordinal"), BalancedForestClassifier(100))),
        ("boosting", make_pipeline(TableColumns("categories"), QuantileCodes(), _boosting())),
    ]


def _scaled() -> tuple[Any, Any, Any]:
    return TableColumns(), SimpleImputer(keep_empty_features=True), StandardScaler()


def _logistic(C: float = 1.0) -> LogisticRegression:
    return LogisticRegression(C=C, class_weight="balanced", max_iter=2000)


def _boosting() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        class_weight="balanced",
        learning_rate=0.05,
        max_leaf_nodes=8,
        min_samples_leaf=10,
        l2_regularization=1.0,
        # It would hold out a tenth of the points, which a class of one cannot spare.
        early_stopping=False,
    )
