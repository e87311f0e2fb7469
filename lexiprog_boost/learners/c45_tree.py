"""A decision tree in the manner of C4.5: entropy splits, then pessimistic pruning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.aliases import Floats, Indices
from lexiprog_boost.checks.points import check_sample_weight, take_rows

# C4.5's error estimate, and the subtrees that it replaces by leaves.

# C4.5 keeps a subtree only if it saves more than this part of one error.
LEAST_SAVING = 0.1


def pessimistic_error(errors: ArrayLike, points: ArrayLike, confidence: float) -> Floats:
    """Return the number of errors to be feared on unseen points where `errors` were made.

    It is N times the p for which E errors or fewer among N points have the probability
    `confidence`; for E = 0 that is ``N (1 - confidence ** (1 / N))``. E and N may be fractions.

    Parameters
    ----------
    errors, points : array-like
        E and N, numbers or sums of weights.
    confidence : float
        The smaller, the more pessimistic.

    Returns
    -------
    ndarray
        At least `errors` for a confidence up to 1/2, at most `points`.

    Examples
    --------
    Quinlan's leaves of 6, 9 and 1 points without an error fear more than the one leaf of 16:

    >>> from lexiprog_boost.learners.c45_tree import pessimistic_error
    >>> pessimistic_error([0, 0, 0], [6, 9, 1], 0.25).sum().round(2).item()
    3.27
    >>> pessimistic_error(1, 16, 0.25).round(2).item()
    2.55
    """
    n = np.asarray(points, dtype=np.float64)
    # Rounding may leave a trace of an error, or an error too many.
    e = np.clip(np.asarray(errors, dtype=np.float64), 0, n)
    some_right = e < n
    limit = betaincinv(e + 1, np.where(some_right, n - e, 1.0), 1 - confidence)
    return n * np.where(some_right, limit, 1.0)


def pruned_ancestors(left: Indices, right: Indices, leaf_errors: Floats) -> Indices:
    """Return for every node of a binary tree the node that stands for it after pruning.

    Parameters
    ----------
    left, right : ndarray of int, shape (n_nodes,)
        Children of each node, -1 for a leaf; node 0 is the root.
    leaf_errors : ndarray of shape (n_nodes,)
        Pessimistic errors of each node were it a leaf.

    Returns
    -------
    ndarray of int, shape (n_nodes,)
        Itself for a node that is kept, else its topmost pruned ancestor.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.learners.c45_tree import pruned_ancestors
    >>> left, right = np.array([1, -1, -1]), np.array([2, -1, -1])
    >>> pruned_ancestors(left, right, np.array([2.0, 1.5, 1.5])).tolist()
    [0, 0, 0]
    """
    order = [0]
    for node in order:  # the list grows while it is read: parents come before their children
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    expected = leaf_errors.astype(np.float64)
    becomes_leaf = left < 0
    for node in reversed(order):
        if left[node] < 0:
            continue
        below = expected[left[node]] + expected[right[node]]
        becomes_leaf[node] = leaf_errors[node] <= below + LEAST_SAVING
        if not becomes_leaf[node]:
            expected[node] = below
    stands_for = np.arange(len(left))
    for node in order:
        if left[node] >= 0 and becomes_leaf[stands_for[node]]:
            stands_for[left[node]] = stands_for[right[node]] = stands_for[node]
    return stands_for


class C45TreeClassifier(ClassifierMixin, BaseEstimator):
    """Grow scikit-learn's entropy tree, then prune it by C4.5's error estimate.

    A subtree is replaced by a leaf when the leaf's pessimistic number of errors is not larger, by
    more than a tenth of an error, than the sum over the subtree's leaves. The estimate for E errors
    among N points is N times the upper confidence limit of a binomial proportion.

    Use it where a full tree would fit the noise, and as the learner of the LexiBoost paper. What
    it leaves out of C4.5: gain ratio, splits of nominal features into many branches,
    missing values, and the raising of subtrees.

    Parameters
    ----------
    confidence : float
        Level of the confidence limit, between 0 and 1/2; smaller prunes more. C4.5's CF.
    min_samples_leaf : int
        Fewest points of positive weight in a leaf.
    max_depth : int, optional
        Largest depth of the tree before pruning.
    random_state : int, RandomState or None
        Order in which features are tried, which decides between equally good splits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    grown_ : DecisionTreeClassifier
        The tree before pruning.
    n_leaves_ : int
        Leaves that are left.

    Notes
    -----
    Weights are scaled so that their mean over the points of positive weight is one: the estimate
    needs numbers of points, and boosting passes weights that sum to one. A weight is therefore
    not a number of copies.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning, Morgan Kaufmann 1993, chapter 4.

    Examples
    --------
    Pruning leaves fewer leaves than were grown:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import C45TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = C45TreeClassifier(random_state=0).fit(X, y)
    >>> bool(tree.n_leaves_ < tree.grown_.get_n_leaves())
    True
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> C45TreeClassifier:
        """Grow and prune.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the points; only their ratios matter, and zero leaves a point out.

        Returns
        -------
        C45TreeClassifier
            self
        """
        if not 0 < self.confidence <= 0.5:
            raise ValueError(
                f"confidence is {self.confidence!r}; it must lie above 0 and at most at 0.5."
            )
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32)
        check_classification_targets(y)
        weights = check_sample_weight(sample_weight, X.shape[0])
        self.classes_, codes = np.unique(y, return_inverse=True)
        used = np.flatnonzero(weights)
        if len(used) < len(weights):
            X, codes, weights = take_rows(X, used), codes[used], weights[used]
        weights *= len(used) / weights.sum()
        self.grown_ = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            random_state=self.random_state,
        ).fit(X, codes, sample_weight=weights)

        tree = self.grown_.tree_
        shares = np.zeros((tree.node_count, len(self.classes_)))
        shares[:, self.grown_.classes_] = tree.value[:, 0, :]
        self._shares = shares / shares.sum(axis=1, keepdims=True)
        size = tree.weighted_n_node_samples
        errors = pessimistic_error(size * (1 - self._shares.max(axis=1)), size, self.confidence)
        self._kept = pruned_ancestors(tree.children_left, tree.children_right, errors)
        self.n_leaves_ = len(np.unique(self._kept[tree.children_left == -1]))
        return self

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the leaf of the pruned tree that each point falls into, as a node of `grown_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of int, shape (m,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        return self._kept[self.grown_.apply(X)]

    def predict(self, X: Any) -> NDArray:
        """Return the heaviest class of each point's leaf, the first one on a tie."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the classes' shares of the weight in each point's leaf.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        leaves = self.apply(X)
        return self._shares[leaves]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
