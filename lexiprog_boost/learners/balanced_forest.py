"""A forest whose every tree sees equally much of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.aliases import Floats, Indices
from lexiprog_boost.checks.points import check_sample_weight
from lexiprog_boost.members.outputs import class_codes


class BalancedForestClassifier(ClassifierMixin, BaseEstimator):
    """Trees on bootstrap samples that hold as many points of the large classes as of the smallest.

    Of each class as many points are drawn, with replacement, as the smallest class has, but at
    least `least` where there are so many. A class with fewer is drawn as often as it has points,
    and its points weigh the more, so that it still leaves points out of bag. Use it where a class
    is rare and an ordinary forest would hardly see it.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    least : int
        Points a class in a tree's sample, if the smallest class has fewer.
    max_features, min_samples_leaf
        As for ``DecisionTreeClassifier``.
    random_state : int, RandomState or None
        Draws the samples and the trees' seeds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of DecisionTreeClassifier
        Each was trained on positions in `classes_`.
    oob_decision_function_ : ndarray of shape (n, n_classes)
        Probabilities of the training points by the trees that did not see them; by all trees for
        a point that none left out, such as the only one of its class.

    Examples
    --------
    Every point has been left out by some tree:

    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost.learners import BalancedForestClassifier
    >>> X, y = make_classification(300, weights=[0.95], random_state=0)
    >>> forest = BalancedForestClassifier(20, random_state=0).fit(X, y)
    >>> forest.oob_decision_function_.shape
    (300, 2)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        least: int = 20,
        max_features: Any = "sqrt",
        min_samples_leaf: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.least = least
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BalancedForestClassifier:
        """Draw the samples and train the trees.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Points; missing values are allowed.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Proportional to the probability that a point is drawn among those of its class.

        Returns
        -------
        BalancedForestClassifier
            self
        """
        X, y = validate_data(self, X, y, dtype=np.float32, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        weights = check_sample_weight(sample_weight, len(y))
        self.classes_ = np.unique(y)
        codes = class_codes(y, self.classes_)
        rng = check_random_state(self.random_state)
        groups = [np.flatnonzero((codes == c) & (weights > 0)) for c in range(len(self.classes_))]
        groups = [group for group in groups if len(group)]
        size = max(self.least, min(len(group) for group in groups))
        votes, judges = np.zeros((len(y), len(self.classes_))), np.zeros(len(y))
        self.estimators_ = []
        check = _needs_checks(X)
        for _ in range(self.n_estimators):
            sample, shares = draw_balanced(groups, weights, size, rng)
            tree = DecisionTreeClassifier(
                max_features=self.max_features,
                min_samples_leaf=self.min_samples_leaf,
                random_state=int(rng.randint(np.iinfo(np.int32).max)),
            ).fit(X[sample], codes[sample], sample_weight=shares, check_input=check)
            left_out = np.ones(len(y), dtype=bool)
            left_out[sample] = False
            if left_out.any():
                votes[left_out] += self._says(tree, X[left_out], check=check)
                judges[left_out] += 1
            self.estimators_.append(tree)
        seen = judges == 0
        self.oob_decision_function_ = votes / np.maximum(judges, 1)[:, None]
        if seen.any():
            self.oob_decision_function_[seen] = self._mean(X[seen])
        return self

    @property
    def feature_importances_(self) -> Floats:
        """The mean of the trees' importances: how much each column's splits purify the classes."""
        check_is_fitted(self)
        return np.mean([tree.feature_importances_ for tree in self.estimators_], axis=0)

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean of the trees' probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, ensure_all_finite="allow-nan", reset=False)
        return self._mean(X)

    def predict(self, X: Any) -> NDArray:
        """Return the class of the largest mean probability."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def _mean(self, X: Any) -> Floats:
        check = _needs_checks(X)
        total = np.zeros((len(X), len(self.classes_)))
        for tree in self.estimators_:
            total += self._says(tree, X, check=check)
        return total / len(self.estimators_)

    def _says(self, tree: Any, X: Any, *, check: bool) -> Floats:
        """Probabilities of one tree; zero for a class whose points weigh nothing."""
        shares = np.zeros((len(X), len(self.classes_)))
        shares[:, tree.classes_] = tree.predict_proba(X, check_input=check)
        return shares

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def draw_balanced(
    groups: list[Indices], weights: Floats, size: int, rng: np.random.RandomState
) -> tuple[Indices, Floats]:
    """A bootstrap sample of each class, and weights that make the classes equal."""
    samples, shares = [], []
    for group in groups:
        n_drawn = min(size, len(group))
        chances = weights[group] / weights[group].sum()
        samples.append(rng.choice(group, n_drawn, p=chances))
        shares.append(np.full(n_drawn, size / n_drawn))
    return np.concatenate(samples), np.concatenate(shares)


def _needs_checks(X: Any) -> bool:
    """Whether trees have to look at the points again: they do so for missing values."""
    return bool(np.isnan(X).any())
