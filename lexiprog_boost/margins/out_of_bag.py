"""Margins on the points that bagging left out of a member's sample (fact F9, docs/facts.md)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d

from lexiprog_boost.aliases import Indices
from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.checks.sample_weights import check_sample_weight
from lexiprog_boost.margins.matrix import Rule, all_classes, check_rule, margins_of
from lexiprog_boost.margins.unseen import UnseenMargins, fill_with_class_means
from lexiprog_boost.members.ensembles import ensemble_members
from lexiprog_boost.members.outputs import class_codes


@described
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
    {rule}
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
