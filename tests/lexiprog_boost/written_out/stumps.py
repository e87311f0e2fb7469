"""Learners made for tests: the best of all stumps, and one that is worse later."""

import itertools

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier


def all_stumps(X, classes):
    """Every (feature, threshold, label below, label above), constants included."""
    stumps = []
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        thresholds = [-np.inf, *((values[1:] + values[:-1]) / 2)]
        stumps += list(itertools.product([feature], thresholds, classes, classes))
    return stumps


def stump_votes(stump, X):
    feature, threshold, below, above = stump
    return np.where(X[:, feature] < threshold, below, above)


def all_margins(X, y):
    columns = [np.where(stump_votes(s, X) == y, 1.0, -1.0) for s in all_stumps(X, np.unique(y))]
    return np.unique(np.column_stack(columns), axis=1)


class BestStump(ClassifierMixin, BaseEstimator):
    """The stump with the least weighted error, found by trying all of them."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        stumps = all_stumps(X, self.classes_)
        scores = [weights @ (stump_votes(stump, X) == y) for stump in stumps]
        self.stump_ = stumps[int(np.argmax(scores))]
        return self

    def predict(self, X):
        return stump_votes(self.stump_, X)


def small_problem(seed, n=14, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (np.argsort(np.argsort(X[:, 0] + 0.7 * X[:, 1] ** 2)) * n_classes) // n
    noisy = rng.choice(n, size=2, replace=False)
    y[noisy] = (y[noisy] + 1) % n_classes
    return X, y


class WorseLater(DummyClassifier):
    """Right about everything but the first point at first, then wrong about everything."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.first_ = np.ptp(sample_weight) < 1e-12
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int)
        flipped = 1 - truth
        return np.where(np.arange(len(X)) == 0, flipped, truth) if self.first_ else flipped
