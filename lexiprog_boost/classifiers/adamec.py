"""AdaMEC with calibration: AdaBoost's scores turned into probabilities, then into least cost."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.checks.rows import take_rows
from lexiprog_boost.classifiers.adaboost_m2 import AdaBoostM2Classifier
from lexiprog_boost.classifiers.shared.expected_cost import cost_matrix, two_samples
from lexiprog_boost.classifiers.shared.training_data import check_training_data, learner_of

Floats = NDArray[np.float64]


class AdaMECClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """AdaBoost with calibrated scores and the decision of minimum expected cost.

    The weighted vote is mapped to probabilities p by Platt's sigmoid, fitted on a sample of the
    training points, and the prediction is the class k with the least expected cost ::

        sum_j p_j cost_jk

    With two classes this is the second one if its probability exceeds
    cost_FP / (cost_FP + cost_FN). Use it where costs are known: the members are trained without
    them, so a change of costs needs no new training, and the probabilities are honest.

    Parameters
    ----------
    estimator : classifier, optional
        The learner of AdaBoost.M2 with hard votes; by default a tree of depth three.
    n_estimators : int
        Rounds of boosting at most.
    class_costs : "balanced", mapping, sequence or array of shape (n_classes, n_classes)
        The cost of missing a point of each class, by label or in the order of the sorted labels;
        "balanced" is inversely proportional to the class's weight, 1 for the largest class and so
        the imbalance ratio for the other of two. A matrix has the cost of predicting class k for
        a point of class j at [j, k].
    sample_size : float
        Share of the points of each class to train on, below 1.
    calibrate_on : {"sample", "rest"}
        Calibrate on another random sample of the same size, as the LexiBoost paper does, or on
        the points that were not trained on, which is more honest but leaves fewer points.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    random_state : int, RandomState or None
        Draws the samples, and one seed a member.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    booster_ : AdaBoostM2Classifier
        The ensemble before calibration; it has staged predictions.
    calibrated_ : CalibratedClassifierCV
        The ensemble with probabilities.
    cost_matrix_ : ndarray of shape (n_classes, n_classes)
        The costs in use; they may be changed after `fit`.

    References
    ----------
    N. Nikolaou, N. Edakunni, M. Kull, P. Flach and G. Brown, Cost-sensitive boosting algorithms:
    do we really need them?, Machine Learning 104, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import AdaMECClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaMECClassifier(class_costs={0: 10, 1: 1}, random_state=0).fit(X, y)
    >>> bool(model.score(X[y == 0], y[y == 0]) > 0.98)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        class_costs: Any = "balanced",
        sample_size: float = 0.8,
        calibrate_on: Literal["sample", "rest"] = "sample",
        verbose: int = 0,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.class_costs = class_costs
        self.sample_size = sample_size
        self.calibrate_on = calibrate_on
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaMECClassifier:
        """Train AdaBoost on one sample of the points and calibrate it on another.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points; sparse if the learner takes it.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Initial weights of the points, in boosting and in calibration.

        Returns
        -------
        AdaMECClassifier
            self
        """
        X, y, weights = check_training_data(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.cost_matrix_ = cost_matrix(
            self.class_costs, self.classes_, np.bincount(codes, weights).astype(np.float64)
        )
        seen = np.flatnonzero(weights)
        train, rest = two_samples(codes[seen], self.sample_size, self.calibrate_on, rng)
        train, rest = seen[train], seen[rest]
        seed = int(rng.randint(np.iinfo(np.int32).max))
        self.booster_ = AdaBoostM2Classifier(
            self.estimator, self.n_estimators, verbose=self.verbose, random_state=seed
        ).fit(take_rows(X, train), y[train], sample_weight=weights[train])
        self.calibrated_ = _calibrated(self.booster_, take_rows(X, rest), y[rest], weights[rest])
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated probability of each class."""
        check_is_fitted(self, "calibrated_")
        allow_nan = get_tags(self).input_tags.allow_nan
        X = validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, reset=False,
            ensure_all_finite="allow-nan" if allow_nan else True,
        )  # fmt: skip
        return self.calibrated_.predict_proba(X)

    def predict(self, X: Any) -> NDArray:
        """Return the class of least expected cost; it need not be the most probable one."""
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmin(probabilities @ self.cost_matrix_, axis=1)]

    def decision_function(self, X: Any) -> Floats:
        """Return minus the expected cost of each class; with two, what the second one saves."""
        probabilities = self.predict_proba(X)
        costs = probabilities @ self.cost_matrix_
        return costs[:, 0] - costs[:, 1] if costs.shape[1] == 2 else -costs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(learner_of(self)).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def _calibrated(booster: Any, X: Any, y: NDArray, weights: Floats) -> CalibratedClassifierCV:
    everyone = np.arange(len(y))
    # The one fold is everything: nothing is trained here, and a class may have one point only.
    sigmoid = CalibratedClassifierCV(
        FrozenEstimator(booster), method="sigmoid", cv=[(everyone, everyone)], ensemble=False
    )
    with warnings.catch_warnings():
        # A frozen ensemble takes no sample_weight, and needs none: it is fitted already.
        warnings.filterwarnings("ignore", ".*does not appear to accept sample_weight.*")
        return sigmoid.fit(X, y, sample_weight=weights)
