"""Train one member on weighted points, whatever its learner can do with weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import take_rows
from lexiprog_boost.checks.values import check_learner
from lexiprog_boost.members.fitting import seeded_clone
from lexiprog_boost.members.outputs import constant_members
from lexiprog_boost.members.resampled import ResampledClassifier


def prepare_learner(estimator: Any, X: Any) -> Any:
    """Return a copy of a learner that is ready to be fitted on `X` with many weights.

    A learner whose `fit` takes no sample_weight is wrapped in `ResampledClassifier`; one that has
    ``prepared_for`` (such as `WeightedKNeighborsClassifier`) looks at `X` once, here. Use it once,
    before the rounds of a pool of your own.

    Parameters
    ----------
    estimator : classifier
        Left as it is.
    X : array-like of shape (n, n_features)
        The training points of all members.

    Returns
    -------
    classifier
        Unfitted, to be given to `fit_member`.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from lexiprog_boost.members.training import prepare_learner
    >>> prepare_learner(KNeighborsClassifier(1), [[0], [1]])
    ResampledClassifier(estimator=KNeighborsClassifier(n_neighbors=1))
    """
    if not has_fit_parameter(check_learner(estimator), "sample_weight"):
        return ResampledClassifier(clone(estimator))
    if hasattr(estimator, "prepared_for"):
        return estimator.prepared_for(X)
    return clone(estimator)


def fit_member(
    learner: Any, X: Any, y: NDArray, weights: Floats, rng: np.random.RandomState
) -> Any:
    """Fit a clone of a prepared learner, with a seed of its own.

    Use it in the rounds of a pool of your own, whatever the learner makes of weights.
    Points of weight zero are left out, unless the learner says that it handles them itself (by an
    attribute ``handles_zero_weights`` that is true). If the points that are left have one class,
    the member is the constant that votes for it: many learners refuse a single class.

    Parameters
    ----------
    learner : classifier
        From `prepare_learner`; left as it is.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points.
    y : array-like of shape (n,)
        Labels.
    weights : ndarray of shape (n,)
        Non-negative and not all zero.
    rng : RandomState
        Draws the member's random_state.

    Returns
    -------
    fitted classifier
        It may know fewer classes than `y` has; `votes` and `probabilities` align them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from lexiprog_boost.members.training import fit_member
    >>> X, y, rng = np.array([[0.0], [1.0]]), np.array(["a", "b"]), np.random.RandomState(0)
    >>> fit_member(SVC(), X, y, np.array([1.0, 0.0]), rng).predict(X).tolist()
    ['a', 'a']
    """
    return _fit(seeded_clone(learner, rng), X, y, weights)


def refit_member(member: Any, X: Any, y: NDArray, weights: Floats | None) -> Any:
    """Fit a clone of a member on other points: the `refit` of `cross_fitted_margins`.

    Use it to judge a member of `fit_member` on points left out. The clone keeps the member's seed.
    Where all the points weigh nothing, they weigh the same.

    Parameters
    ----------
    member : fitted classifier
        From `fit_member`; left as it is.
    X, y, weights
        As for `fit_member`; None weighs all points the same.

    Returns
    -------
    fitted classifier

    Examples
    --------
    On the same points it does what the member would:

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.members.training import refit_member
    >>> X, y = np.array([[0.0], [1.0]]), np.array(["a", "b"])
    >>> refit_member(DecisionTreeClassifier(), X, y, None).predict(X).tolist()
    ['a', 'b']
    """
    if weights is None or not weights.any():
        weights = np.ones(len(y))
    return _fit(clone(member), X, y, weights)


def _fit(learner: Any, X: Any, y: NDArray, weights: Floats) -> Any:
    used = np.flatnonzero(weights)
    if len(used) == len(y) or getattr(learner, "handles_zero_weights", False):
        return learner.fit(X, y, sample_weight=weights)
    seen = np.unique(y[used])
    if len(seen) == 1:
        classes = np.unique(y)
        return constant_members(classes)[int(np.searchsorted(classes, seen[0]))]
    return learner.fit(take_rows(X, used), y[used], sample_weight=weights[used])
