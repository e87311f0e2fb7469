"""Margins on points that a member did not see: by cross-fitting, or out of its bag."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d

from lexiprog_boost.aliases import Codes, Indices
from lexiprog_boost.checks.points import check_sample_weight, take_rows
from lexiprog_boost.margins.matrix import Rule, all_classes, check_rule, checked_members, margins_of
from lexiprog_boost.members.ensembles import ensemble_members
from lexiprog_boost.members.outputs import class_codes


@dataclass(frozen=True)
class UnseenMargins:
    """A full margin matrix and the record of which entries were measured.

    What `out_of_bag_margins` and `cross_fitted_margins` return: honest margins (fact F9,
    docs/facts.md) with nothing missing, so that every program can be made of them.

    Attributes
    ----------
    margins : ndarray of shape (n, T)
        Measured where the member had not seen the point; a substitute otherwise.
    measured : ndarray of bool, shape (n, T)
        Which entries are measurements.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins import UnseenMargins
    >>> found = UnseenMargins(np.ones((2, 1)), np.array([[True], [False]]))
    >>> found.measured.mean().item()
    0.5
    """

    margins: NDArray[np.float64]
    measured: NDArray[np.bool_]


def fill_with_class_means(
    margins: NDArray[np.float64],
    measured: NDArray[np.bool_],
    codes: Codes,
    weights: NDArray[np.float64],
    classes: NDArray,
) -> NDArray[np.float64]:
    """Put in place of what was not measured the member's mean over its class.

    The class means, which are all that the game on them needs (fact F1, docs/facts.md), are then
    those of the measurements. A member without a measurement in a class gets the mean of the other
    members there: it is neither preferred nor avoided for want of data.
    """
    filled = margins.copy()
    for c, label in enumerate(classes.tolist()):
        rows = np.flatnonzero(codes == c)
        if not len(rows):
            continue
        counted = measured[rows] & (weights[rows] > 0)[:, None]
        mass = np.where(counted, weights[rows][:, None], 0.0)
        total = mass.sum(axis=0)
        if not total.any():
            raise ValueError(
                f"no member has an unseen point of class {label!r}: there is nothing to measure it "
                "on. Use more members, cross-fitted margins or margins on the training data."
            )
        means = np.divide(
            (mass * margins[rows]).sum(axis=0), total, out=np.zeros_like(total), where=total > 0
        )
        means[total == 0] = means[total > 0].mean()
        filled[rows] = np.where(measured[rows], margins[rows], means)
    return filled


# Margins by cross-fitting: every point is judged by a twin that was trained without it.

Refit = Callable[[Any, Any, NDArray, NDArray[np.float64] | None], Any]


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
    rule : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
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


def held_out(codes: Codes, share: float, seed: int) -> NDArray[np.bool_]:
    """Points kept from training: the share of every class, whose last point is trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins.unseen import held_out
    >>> kept = held_out(np.repeat([0, 1, 2], [6, 3, 1]), 1 / 3, seed=0)
    >>> np.bincount(np.repeat([0, 1, 2], [6, 3, 1]), kept).tolist()
    [2.0, 1.0, 0.0]
    """
    rng = np.random.RandomState(seed)
    kept = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        mine = rng.permutation(np.flatnonzero(codes == code))
        kept[mine[: min(max(1, round(share * len(mine))), len(mine) - 1)]] = True
    if not kept.any():
        raise ValueError("no class has two points, so no point can be held out.")
    return kept


def _refit(member: Any, X: Any, y: NDArray, weights: NDArray[np.float64] | None) -> Any:
    if weights is None:
        return clone(member).fit(X, y)
    return clone(member).fit(X, y, sample_weight=weights)


# Margins on the points that bagging left out of a member's sample (fact F9, docs/facts.md).


def out_of_bag_margins(
    ensemble: Any,
    X: Any,
    y: Any,
    *,
    rule: Rule = "vote",
    sample_weight: ArrayLike | None = None,
) -> UnseenMargins:
    """Measure every member on the training points that its own sample left out.

    Use it for bagged members: honest margins for no further fit.

    Parameters
    ----------
    ensemble : fitted ensemble, or sequence of fitted members
        An ensemble with ``estimators_samples_`` (bagging, forests and imbalanced-learn's
        variants of them) or ``samplers_`` (its balanced forest), or members that
        each have ``sample_indices_``, as `ResampledClassifier` does.
    X, y : array-likes
        The very points the ensemble was fitted on, in the same order.
    rule : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
    sample_weight : array-like of shape (n,), optional
        Weights of the points in the class means that stand in for what a member saw.

    Returns
    -------
    UnseenMargins
        An entry that was not measured holds the member's mean over that class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from lexiprog_boost.margins import margin_matrix, ensemble_members, out_of_bag_margins
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> seen = margin_matrix(ensemble_members(forest), X, y).mean()
    >>> bool(out_of_bag_margins(forest, X, y).margins.mean() < seen)
    True
    """
    y = column_or_1d(y)
    check_consistent_length(X, y)
    members, measured = members_and_samples(ensemble, len(y))
    classes = all_classes(members, y)
    check_rule(rule, len(classes))
    codes = class_codes(y, classes)
    weights = check_sample_weight(sample_weight, len(y))
    margins = np.zeros((len(y), len(members)))
    for t, member in enumerate(members):
        # Whole columns, because a learner may know its training points by heart (neighbours).
        margins[:, t] = margins_of(member, X, codes, classes, rule)
    filled = fill_with_class_means(margins, measured, codes, weights, classes)
    return UnseenMargins(filled, measured)


def members_and_samples(ensemble: Any, n_points: int) -> tuple[Sequence[Any], NDArray[np.bool_]]:
    """List the members, and which of them left which of the points out, as (n, T) truths."""
    members, samples = _members_and_samples(ensemble)
    measured = np.ones((n_points, len(members)), dtype=bool)
    for t, sample in enumerate(samples):
        if len(sample) and sample.max() >= n_points:
            raise ValueError(
                f"member {t} was trained on point {sample.max()}, but there are only {n_points} "
                "points; give the data that the ensemble was fitted on."
            )
        measured[sample, t] = False
    if not measured.any():
        raise ValueError(
            "every member saw every point, so there is none out of bag; fit the ensemble with "
            "bootstrap=True (or max_samples < 1), or use cross-fitted margins."
        )
    return members, measured


def _members_and_samples(ensemble: Any) -> tuple[Sequence[Any], list[Indices]]:
    if isinstance(ensemble, (list, tuple)):
        blind = [type(m).__name__ for m in ensemble if not hasattr(m, "sample_indices_")]
        if blind or not ensemble:
            raise TypeError(
                f"{blind[0] if blind else 'an empty list'} does not say which points it saw "
                "(sample_indices_); train it through ResampledClassifier or use cross-fitting."
            )
        return ensemble, [np.asarray(m.sample_indices_) for m in ensemble]
    members = ensemble_members(ensemble)
    # The balanced forest has both, but its estimators_samples_ fails: ask its samplers first.
    if hasattr(ensemble, "samplers_") and hasattr(ensemble, "bootstrap"):
        return members, [np.asarray(sampler.sample_indices_) for sampler in ensemble.samplers_]
    samples = getattr(ensemble, "estimators_samples_", None)
    if samples is None:
        raise TypeError(
            f"{type(ensemble).__name__} does not say which points its members saw "
            "(estimators_samples_); use cross-fitted margins."
        )
    return members, [
        _seen(member.estimator, np.asarray(sample))
        for member, sample in zip(members, samples, strict=True)
    ]


def _seen(estimator: Any, sample: Indices) -> Indices:
    """Of a bagged sample, keep what a sampler inside the member passed on to its classifier."""
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            if hasattr(step, "sample_indices_"):
                sample = sample[np.asarray(step.sample_indices_)]
    return sample
