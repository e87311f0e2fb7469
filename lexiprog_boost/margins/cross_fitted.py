"""Margins by cross-fitting: every point is judged by a twin that was trained without it."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_consistent_length, column_or_1d

from lexiprog_boost.aliases import Codes
from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.checks.rows import take_rows
from lexiprog_boost.margins.matrix import Rule, all_classes, check_rule, checked_members, margins_of
from lexiprog_boost.margins.unseen import UnseenMargins
from lexiprog_boost.members.outputs import class_codes

Refit = Callable[[Any, Any, NDArray, NDArray[np.float64] | None], Any]


@described
def cross_fitted_margins(
    estimators: Sequence[Any],
    X: Any,
    y: Any,
    *,
    rule: Rule = "vote",
    sample_weights: ArrayLike | None = None,
    cv: int = 5,
    refit: Refit | None = None,
    random_state: Any = None,
) -> UnseenMargins:
    """Measure, in place of each member, clones of it that were fitted without the point.

    Use it for members that are right on most of their own training points, where margins on these
    say nothing (fact F9, docs/facts.md). It costs ``cv`` fits a member. Every class keeps a point
    in every training part: its points are dealt to the folds in turn, and the point of a class that
    has only one is never held out: there the member itself is asked, and the entry counts as not
    measured.

    The point weights of a boosting round come from all points, the held-out ones included. What is
    honest is the fit, not the choice of the weights.

    Parameters
    ----------
    estimators : sequence of T fitted classifiers
        The members; they are cloned, never refitted.
    X, y : array-likes
        Training points and labels.
    {rule}
    sample_weights : array-like of shape (T, n), optional
        The point weights that each member was trained with; None trains without weights.
    cv : int
        Number of folds, at least 2; fewer are used when no class has that many points.
    refit : callable (member, X, y, weights) -> fitted classifier, optional
        How to fit a clone; by default ``clone(member).fit(X, y[, sample_weight=weights])``.
    random_state : int, RandomState or None
        Shuffles the points before they are dealt to the folds.

    Returns
    -------
    UnseenMargins

    Examples
    --------
    A neighbour that recalls its own label knows nothing about random labels:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from lexiprog_boost.margins import cross_fitted_margins, margin_matrix
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    >>> pool = [KNeighborsClassifier(1).fit(X, y)]
    >>> margin_matrix(pool, X, y).mean().item()
    1.0
    >>> bool(cross_fitted_margins(pool, X, y, random_state=0).margins.mean() < 0.3)
    True
    """
    members = checked_members(estimators)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    weights = None if sample_weights is None else np.asarray(sample_weights, dtype=np.float64)
    if weights is not None and weights.shape != (len(members), len(y)):
        raise ValueError(
            f"sample_weights has shape {weights.shape}; give one row for each of the "
            f"{len(members)} members and one column for each of the {len(y)} points."
        )
    classes = all_classes(members, y)
    check_rule(rule, len(classes))
    codes = class_codes(y, classes)
    folds = deal_folds(codes, cv, random_state)
    fit = refit or _refit

    margins = np.empty((len(y), len(members)))
    for t, member in enumerate(members):
        for k in range(-1, folds.max() + 1):
            test = np.flatnonzero(folds == k)
            if not len(test):
                continue
            judge = member
            if k >= 0:
                train = np.flatnonzero(folds != k)
                part = None if weights is None else weights[t, train]
                judge = fit(member, take_rows(X, train), y[train], part)
            margins[test, t] = margins_of(judge, take_rows(X, test), codes[test], classes, rule)
    measured = np.repeat((folds >= 0)[:, None], len(members), axis=1)
    return UnseenMargins(margins, measured)


def deal_folds(codes: Codes, cv: int, random_state: Any = None) -> NDArray[np.intp]:
    """Deal the points of each class evenly to the folds; -1 for a point alone in its class."""
    if cv < 2:
        raise ValueError(f"cv is {cv}; cross-fitting needs at least two folds.")
    counts = np.bincount(codes)
    if counts.max() < 2:
        raise ValueError("no class has two points, so no point can be held out.")
    n_folds = min(cv, int(counts.max()))
    stratified = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    folds = np.full(len(codes), -1, dtype=np.intp)
    with warnings.catch_warnings():
        # Fewer points than folds are enough: two in different folds leave one to train on.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for k, (_, test) in enumerate(stratified.split(codes, codes)):
            folds[test] = k
    folds[counts[codes] == 1] = -1
    return folds


def _refit(member: Any, X: Any, y: NDArray, weights: NDArray[np.float64] | None) -> Any:
    if weights is None:
        return clone(member).fit(X, y)
    return clone(member).fit(X, y, sample_weight=weights)
