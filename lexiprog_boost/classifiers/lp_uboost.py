"""LPUBoost: AdaBoost's members, weighted for a soft margin with uneven costs."""

from __future__ import annotations

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import OneProgramVote, UnevenLimits


@estimator_class
class LPUBoostClassifier(UnevenLimits, OneProgramVote):
    """AdaBoost's members with the weights of a soft margin that a rare class pays more for missing.

    One linear program A3 weighs the members, cost_j being beta for the target class, else 1::

        minimise    -r + D sum_i cost_j w_i xi_i                       (i in class j)
        subject to  (M alpha)_i >= r - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    Use it where the relative cost of the classes is known or can be tuned; `LexiBoostClassifier`
    needs no such cost. A point of sample weight two counts as two points.

    {Parameters: estimator, n_estimators, beta, target, uneven class_costs, nu, cap, pool, margin,
    tie_break, solver, verbose, random_state}

    {Attributes: classes_, estimators_, estimator_weights_, n_members_, margin_, program_ merged,
    stopped_}

    {References: Leskovec}

    Examples
    --------
    A miss of the rare class is worth four others:

    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost import LPUBoostClassifier
    >>> X, y = make_classification(300, weights=[0.9], class_sep=2, random_state=0)
    >>> model = LPUBoostClassifier(beta=4, random_state=0).fit(X, y)
    >>> bool(model.score(X[y == 1], y[y == 1]) > 0.9)
    True
    """
