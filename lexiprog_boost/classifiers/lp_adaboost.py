"""LPAdaBoost: AdaBoost's members, weighted for the largest smallest margin."""

from __future__ import annotations

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import OneProgramVote


@estimator_class
class LPAdaBoostClassifier(OneProgramVote):
    """AdaBoost's members with the weights that make the smallest margin as large as possible.

    One linear program A1 weighs the members::

        maximise    r
        subject to  (M alpha)_i >= r  for every point i,  sum alpha = 1,  alpha >= 0

    It has no parameter to tune and lifts the worst classified points, often those of a rare class;
    one mislabelled point can decide it. Prefer `LPBoostClassifier` where labels are noisy. Sample
    weights are AdaBoost's; A1 only leaves out points of weight zero.

    {Parameters: estimator, n_estimators, pool, margin, tie_break, solver, verbose, random_state}

    {Attributes: classes_, estimators_, estimator_weights_, n_members_, margin_ smallest,
    program_ merged, stopped_}

    {References: Grove}

    Examples
    --------
    With the default learner:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import LPAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPAdaBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """
