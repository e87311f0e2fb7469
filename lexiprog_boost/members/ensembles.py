"""The members of a fitted ensemble, speaking the ensemble's own labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.members.fitting import weighted_fit
from lexiprog_boost.members.outputs import class_codes

# These train their members on 0, 1, ..., C - 1; so do their subclasses in imbalanced-learn.
TRAIN_ON_CODES = (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)


@dataclass(frozen=True)
class Member:
    """One member of an ensemble, whatever the ensemble did to labels and features.

    `ensemble_members` makes them; make one yourself to measure a single classifier among them.

    Attributes
    ----------
    estimator : classifier
        The member as the ensemble holds it.
    labels : ndarray or None
        The ensemble's classes if the estimator speaks of their positions; None if of themselves.
    features : ndarray of int or None
        The columns that the estimator sees; None for all of them.
    named : bool or None
        Whether a data frame is passed on as one; None if it is, where the estimator was
        fitted on one. A clone does as its original did.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from lexiprog_boost.margins import ensemble_members
    >>> iris = load_iris()
    >>> names = iris.target_names[iris.target]
    >>> bagging = BaggingClassifier(n_estimators=3, random_state=0).fit(iris.data, names)
    >>> bagging.estimators_[0].predict(iris.data[:1]).tolist()
    [0]
    >>> ensemble_members(bagging)[0].predict(iris.data[:1]).tolist()
    ['setosa']
    """

    estimator: Any
    labels: NDArray | None = None
    features: NDArray[np.intp] | None = None
    named: bool | None = None

    @property
    def classes_(self) -> NDArray:
        """Labels that the member knows."""
        labels = np.asarray(self.estimator.classes_)
        return labels if self.labels is None else self.labels[labels.astype(np.intp)]

    def fit(self, X: Any, y: NDArray, sample_weight: Any = None) -> Member:
        """Fit the estimator as its ensemble would: on its columns, with its kind of labels.

        Weights are for an estimator that takes them.
        """
        target = y if self.labels is None else class_codes(y, self.labels)
        weighted_fit(self.estimator, self._columns(X), target, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray:
        """Predict labels of the ensemble."""
        labels = np.asarray(self.estimator.predict(self._columns(X)))
        return labels if self.labels is None else self.labels[labels.astype(np.intp)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return one column a label of `classes_`."""
        return self.estimator.predict_proba(self._columns(X))

    def __sklearn_clone__(self) -> Member:
        return replace(self, estimator=clone(self.estimator), named=self._takes_frames())

    def _takes_frames(self) -> bool:
        return hasattr(self.estimator, "feature_names_in_") if self.named is None else self.named

    def _columns(self, X: Any) -> Any:
        # Most ensembles turn data frames into arrays before their members see them.
        if hasattr(X, "iloc") and not self._takes_frames():
            X = np.asarray(X)
        return X if self.features is None else X[:, self.features]


def last_step(estimator: Any) -> Any:
    """The classifier itself where a pipeline prepares its points, else the estimator.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from lexiprog_boost.members.ensembles import last_step
    >>> last_step(make_pipeline(StandardScaler(), GaussianNB()))
    GaussianNB()
    """
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def ensemble_members(ensemble: Any) -> list[Member]:
    """List the members of a fitted ensemble as classifiers with the ensemble's labels.

    Bagging, forests and voting (and imbalanced-learn's variants of them) train their members on
    the positions of the classes, bagging perhaps on some of the columns; AdaBoost does neither.
    Use it before anything is measured on an ensemble's members.

    Parameters
    ----------
    ensemble : fitted ensemble
        With ``estimators_`` (classifiers) and ``classes_``.

    Returns
    -------
    list of Member

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from lexiprog_boost.margins import ensemble_members, margin_matrix
    >>> X, y = [[0], [1], [2], [3]], ["no", "no", "yes", "yes"]
    >>> forest = RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, y)
    >>> margin_matrix(ensemble_members(forest), X, y).min().item()
    1.0
    """
    check_is_fitted(ensemble)
    name = type(ensemble).__name__
    estimators = getattr(ensemble, "estimators_", None)
    if estimators is None or len(estimators) == 0:
        raise TypeError(f"{name} has no estimators_ to weigh; give an ensemble of classifiers.")
    # np.ravel would take a forest as a member apart, because forests have a length.
    flat = list(estimators.ravel() if isinstance(estimators, np.ndarray) else estimators)
    if not all(hasattr(estimator, "classes_") for estimator in flat):
        raise TypeError(
            f"the members of {name} are no classifiers, so they have no votes to weigh; "
            "give an ensemble of classifiers such as bagging, a forest or AdaBoost."
        )
    classes = np.asarray(ensemble.classes_)
    labels = classes if _speaks_of_codes(ensemble, flat, classes) else None
    features = getattr(ensemble, "estimators_features_", [None] * len(flat))
    everything = np.arange(getattr(ensemble, "n_features_in_", 0))
    return [
        Member(
            estimator,
            labels,
            None if columns is None or np.array_equal(columns, everything) else columns,
        )
        for estimator, columns in zip(flat, features, strict=True)
    ]


def _speaks_of_codes(ensemble: Any, estimators: list[Any], classes: NDArray) -> bool:
    if isinstance(ensemble, TRAIN_ON_CODES):
        return True
    if isinstance(ensemble, AdaBoostClassifier):
        return False
    spoken = np.unique(np.concatenate([np.asarray(e.classes_) for e in estimators]))
    if np.isin(spoken, classes).all():
        return False
    if np.isin(spoken, np.arange(len(classes))).all():
        return True
    raise ValueError(
        f"the members of {type(ensemble).__name__} know the classes {spoken.tolist()}, which are "
        f"neither its classes {classes.tolist()} nor their positions."
    )
