"""Probabilities of the training points by members that did not see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from lexiprog_boost.aliases import Codes, Floats, Indices
from lexiprog_boost.checks.points import take_rows
from lexiprog_boost.margins.unseen import deal_folds, fill_with_class_means, members_and_samples
from lexiprog_boost.members.ensembles import Member, ensemble_members, last_step
from lexiprog_boost.members.fitting import weighted_fit, workers_for
from lexiprog_boost.members.outputs import class_codes, probabilities

FOLDS = 5


def cross_fitted_outputs(
    members: Sequence[Member],
    X: Any,
    y: NDArray,
    classes: NDArray,
    *,
    sample_weight: Any = None,
    cv: int = FOLDS,
    n_jobs: int | None = None,
    random_state: Any = None,
    on_fit: Callable[[], object] = lambda: None,
) -> Floats:
    """Ask clones that were trained without the point, or the trees of a forest that were.

    Use it for `pair_margins` of members trained on these points, and for calibration: both need
    honest probabilities (fact F9, docs/facts.md).

    A member with ``oob_decision_function_`` (a forest with ``oob_score=True``) is not trained
    again. A point alone in its class is in every training part: the member itself is asked.

    Parameters
    ----------
    members : sequence of T Member
        Fitted on these very points.
    X, y : array-likes
        The training points and their labels.
    classes : ndarray of shape (C,)
        Sorted labels.
    sample_weight : array-like of shape (n,), optional
        For members that take them.
    cv : int
        Number of folds.
    n_jobs : int, optional
        Workers; a task is one member on one fold.
    random_state : int, RandomState or None
        Shuffles the points before they are dealt to the folds.
    on_fit : callable ()
        Called after each task.

    Returns
    -------
    ndarray of shape (n, T, C)

    Examples
    --------
    Eight points, one member, two classes:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from lexiprog_boost.margins import Member, cross_fitted_outputs
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> nearest = Member(KNeighborsClassifier(1).fit(X, y))
    >>> cross_fitted_outputs([nearest], X, y, np.array([0, 1]), random_state=0).shape
    (8, 1, 2)
    """
    codes = class_codes(y, classes)
    folds = deal_folds(codes, cv, random_state)
    outputs = np.empty((len(y), len(members), len(classes)))
    alone = np.flatnonzero(folds < 0)
    tasks = []
    for t, member in enumerate(members):
        known = _out_of_bag(member, classes)
        if known is None:
            tasks += [(t, k) for k in range(folds.max() + 1)]
            unknown = alone
        else:
            outputs[:, t] = known
            unknown = np.union1d(alone, np.flatnonzero(~np.isfinite(known).all(axis=1)))
        if len(unknown):
            outputs[unknown, t] = probabilities(member, take_rows(X, unknown), classes)
    judged = Parallel(n_jobs=workers_for(X, n_jobs), return_as="generator")(
        delayed(_judge)(members[t], X, y, folds != k, classes, sample_weight) for t, k in tasks
    )
    for (t, k), unseen in zip(tasks, judged, strict=True):
        outputs[folds == k, t] = unseen
        on_fit()
    return outputs


def cross_fitted_members(
    ensemble: Any, X: Any, y: NDArray, codes: Codes, *, sample_weight: Any = None,
    cv: int = FOLDS, random_state: Any = None,
) -> Iterator[tuple[Indices, list[Member]]]:  # fmt: skip
    """Yield points, and the members of a twin of the ensemble that was trained without them.

    Use it where members depend on each other, as those of AdaBoost do, or on what the ensemble
    makes of its points: the whole ensemble is trained again. A twin with fewer members (AdaBoost
    may stop early) has its last one in place of those that it lacks. A point alone in its class is
    in every training part: the ensemble itself is asked.

    Parameters
    ----------
    ensemble : fitted ensemble
        Cloned, with its seed.
    X, y : array-likes
        The points it was fitted on and their labels.
    codes : ndarray of int
        Positions of the labels.
    sample_weight : array-like of shape (n,), optional
        For an ensemble that takes them.
    cv : int
        Number of folds.
    random_state : int, RandomState or None
        Shuffles the points before they are dealt to the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from lexiprog_boost.margins.unseen_outputs import cross_fitted_members
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = ExtraTreesClassifier(3, random_state=0).fit(X, y)
    >>> [(len(rows), len(twins)) for rows, twins in cross_fitted_members(trees, X, y, y, cv=3)]
    [(50, 3), (50, 3), (50, 3)]
    """
    folds = deal_folds(codes, cv, random_state)
    own = ensemble_members(ensemble)
    if (folds < 0).any():
        yield np.flatnonzero(folds < 0), own
    for k in range(folds.max() + 1):
        train, test = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
        part = None if sample_weight is None else np.asarray(sample_weight)[train]
        twin = weighted_fit(clone(ensemble), take_rows(X, train), y[train], part)
        members = ensemble_members(twin)[: len(own)]
        yield test, members + members[-1:] * (len(own) - len(members))


def out_of_bag_outputs(
    ensemble: Any, X: Any, y: NDArray, classes: NDArray, weights: Floats
) -> Floats:
    """Ask every member of a bagged ensemble, and put class means where it had seen the point.

    Use it where `cross_fitted_outputs` would cost five fits a member: bagging left points out of
    every sample anyway.

    Parameters
    ----------
    ensemble : fitted ensemble
        As for `out_of_bag_margins`.
    X, y : array-likes
        The very points it was fitted on.
    classes : ndarray of shape (C,)
        Sorted labels.
    weights : ndarray of shape (n,)
        Weights of the points in the class means.

    Returns
    -------
    ndarray of shape (n, T, C)

    Examples
    --------
    Twenty trees, each asked about every flower:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from lexiprog_boost.margins import out_of_bag_outputs
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> out_of_bag_outputs(forest, X, y, np.arange(3), np.ones(150)).shape
    (150, 20, 3)
    """
    members, measured = members_and_samples(ensemble, len(y))
    outputs = np.stack([probabilities(member, X, classes) for member in members], axis=1)
    codes = class_codes(y, classes)
    return np.stack(
        [
            fill_with_class_means(outputs[:, :, c], measured, codes, weights, classes)
            for c in range(len(classes))
        ],
        axis=2,
    )


def _out_of_bag(member: Member, classes: NDArray) -> Floats | None:
    outputs = getattr(last_step(member.estimator), "oob_decision_function_", None)
    if outputs is None or member.labels is not None:
        return None
    codes = class_codes(member.classes_, classes)
    aligned = np.zeros((len(outputs), len(classes)))
    aligned[:, codes] = outputs
    return aligned


def _judge(
    member: Member, X: Any, y: NDArray, train: NDArray[np.bool_], classes: NDArray, weights: Any
) -> Floats:
    """Fit a twin on some points and ask it about the others."""
    rows = np.flatnonzero(train)
    part = None if weights is None else np.asarray(weights)[rows]
    twin = weighted_fit(clone(member), take_rows(X, rows), y[rows], part)
    return probabilities(twin, take_rows(X, np.flatnonzero(~train)), classes)
