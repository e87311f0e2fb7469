"""Dual-LPAdaBoost: the largest smallest margin by column generation."""

from __future__ import annotations

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import ColumnGenerationVote


@estimator_class
class DualLPAdaBoostClassifier(ColumnGenerationVote):
    """Members trained on the hardest point weights, weighted for the largest smallest margin.

    After every round the linear program A1' finds the weights of the points for the next one::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  D >= 0

    and its multipliers weigh the members. The printed rule, to stop when s meets the margin of
    A1, holds after every round by strong duality; training stops when the edge of the next member
    does not exceed s, which proves that no member of the learner could help. Use it to see the
    limit of `LPAdaBoostClassifier`, whose members come from AdaBoost's weights. Sample weights
    are those of the first member; A1' only leaves out points of weight zero.

    {Parameters: estimator, n_estimators, tolerance, margin, point tie_break, solver, verbose,
    random_state}

    {Attributes: classes_, estimators_, multipliers, n_members_, margin_ smallest, history_ edges,
    convergence_, point_weights_, program_ merged, stopped_}

    {References: Grove, Demiriz}

    Examples
    --------
    Together the members are right on every point:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPAdaBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.margin_ > 0)
    True
    """
