"""Dual-LPBoost: the largest soft margin by column generation."""

from __future__ import annotations

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import ColumnGenerationVote, NuLimits


@estimator_class
class DualLPBoostClassifier(NuLimits, ColumnGenerationVote):
    """Members trained on the hardest capped point weights, weighted for the largest soft margin.

    After every round the linear program A2' finds the weights of the points for the next one::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  0 <= D_i <= D w_i

    and its multipliers weigh the members. Training stops when the edge of the next member does
    not exceed s: the soft margin is then the largest over all members that the learner finds.
    Use it where labels are noisy and few, well chosen members are wanted. A point of sample weight
    two counts as two points.

    {Parameters: estimator, n_estimators, nu, cap, tolerance, margin, point tie_break, solver,
    verbose, random_state}

    {Attributes: classes_, estimators_, multipliers, n_members_, margin_, history_ edges,
    convergence_, point_weights_, program_ merged, stopped_}

    {References: Demiriz, Ratsch}

    Examples
    --------
    No point weighs more than its cap:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.point_weights_.max() <= 1 / (0.1 * len(y)) + 1e-9)  # D = 1/(nu n)
    True
    """
