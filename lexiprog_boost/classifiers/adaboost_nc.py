"""AdaBoost.NC: boosting that rewards members for erring on different points."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.pools.adaboost_nc import adaboost_nc_pool
from lexiprog_boost.pools.pool import rounds_shown


@estimator_class
class AdaBoostNCClassifier(WeightedVote):
    """AdaBoost.NC: negative correlation among the members, on classes oversampled to equal size.

    With p = 1 - abs(ambiguity), by which the members' disagreement on a point is penalised, round t
    computes ::

        a_t    = 1/2 log(sum over right points of D p^penalty / the same over wrong points)
        D     ~= D p^penalty exp(-a_t [right])

    and the ensemble votes with the weights a_t. Use it as a baseline that handles imbalance by
    resampling and diversity, with no cost to tune. It solves no program. Sample weights are the
    initial weights of the points, and of their copies.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. One that is not right on more than half
        of the points, which many classes make harder, ends the training.
    {n_estimators, penalty, oversample, verbose}
    random_state : int, RandomState or None
        Draws the copies, and one seed a member.

    {Attributes: classes_, estimators_}
    estimator_weights_ : ndarray of shape (n_members,)
        a_t of each, scaled to sum to one.
    {n_members_}
    history_ : dict of ndarrays
        "error" of each member: its penalised share of wrong points.
    {stopped_}

    {References: Wang}

    Examples
    --------
    Two classes of different size, made equal before the first round:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import AdaBoostNCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(AdaBoostNCClassifier(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    penalty: float = 2.0
    oversample: bool = True

    def _train(self, data: TrainingData) -> None:
        with rounds_shown(self.n_estimators, type(self).__name__, verbose=self.verbose) as tick:
            pool = adaboost_nc_pool(
                self._learner(), data.X, data.y, n_estimators=self.n_estimators,
                penalty=self.penalty, oversample=self.oversample, sample_weight=data.weights,
                on_round=tick, random_state=self.random_state,
            )  # fmt: skip
        self._remember_pool(pool)
