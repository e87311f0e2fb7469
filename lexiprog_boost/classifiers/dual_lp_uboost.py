"""Dual-LPUBoost: a soft margin with uneven costs by column generation."""

from __future__ import annotations

from dataclasses import KW_ONLY

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.soft_margin_vote import ColumnGenerationVote, UnevenLimits


@estimator_class
class DualLPUBoostClassifier(UnevenLimits, ColumnGenerationVote):
    """Members trained on the hardest point weights between bounds that differ by class.

    After every round the linear program A3' finds the weights of the points for the next one,
    cost_j being beta for the target class, else 1, and b the lower bound::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,
                    b D cost_j w_i <= D_i <= D cost_j w_i       (i in class j)

    and its multipliers weigh the members. Training stops when the edge of the next member does
    not exceed s. The lower bounds let no point be forgotten. Use it where the relative cost of
    the classes is known or can be tuned; `DualLexiBoostClassifier` needs no such cost. A point of
    sample weight two counts as two points.

    {Parameters: estimator, n_estimators, beta, target, uneven class_costs, lower_bound, nu, cap,
    tolerance, margin, point tie_break, solver, verbose, random_state}

    {Attributes: classes_, estimators_, multipliers, n_members_, margin_, history_ edges,
    convergence_, point_weights_, program_ merged, stopped_}

    {References: Leskovec, Demiriz}

    Examples
    --------
    The lower bounds at work:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPUBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPUBoostClassifier(beta=4, random_state=0).fit(X, y)
    >>> bool(model.point_weights_.min() > 0)  # no point is forgotten
    True
    """

    _: KW_ONLY
    lower_bound: float = 0.02
