"""LPBoost: AdaBoost's members, weighted for the largest soft margin."""

from __future__ import annotations

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import NuLimits, OneProgramVote


@estimator_class
class LPBoostClassifier(NuLimits, OneProgramVote):
    """AdaBoost's members with the weights of the largest soft margin.

    One linear program A2 weighs the members; points may miss the margin r at a price::

        minimise    -r + D sum_i w_i xi_i
        subject to  (M alpha)_i >= r - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    Use it where labels are noisy and the classes are of similar size; `LPUBoostClassifier` has a
    price for each class. A point of sample weight two counts as two points.

    {Parameters: estimator, n_estimators, nu, cap, pool, margin, tie_break, solver, verbose,
    random_state}

    {Attributes: classes_, estimators_, estimator_weights_, n_members_, margin_, program_ merged,
    stopped_}

    {References: Ratsch}

    Examples
    --------
    One point in five may miss the margin:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import LPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(nu=0.2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """
