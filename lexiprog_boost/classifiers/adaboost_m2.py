"""AdaBoost.M2: boosting for any number of classes, without a program."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Literal

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.pool import rounds_shown


@estimator_class
class AdaBoostM2Classifier(WeightedVote):
    """AdaBoost.M2: every pair of a point and a wrong class has a weight of its own.

    A member h with the pseudo-loss ::

        epsilon = 1/2 sum_i sum_{c != y_i} w_ic (1 - h(x_i, y_i) + h(x_i, c))

    has the weight log((1 - epsilon) / epsilon), and pairs that it tells apart lose weight. Use it
    as the baseline to compare with: it is the pool whose members LexiBoost weighs anew. With two
    classes and hard outputs it is AdaBoost.M1. Sample weights are the initial weights of the
    points.

    {Parameters: estimator, n_estimators, output, verbose, random_state}

    {Attributes: classes_, estimators_}
    estimator_weights_ : ndarray of shape (n_members,)
        log(1 / beta) of each, scaled to sum to one.
    {n_members_}
    history_ : dict of ndarrays
        "pseudo_loss" and "error" of each member.
    {stopped_}

    References
    ----------
    Y. Freund and R. E. Schapire, Experiments with a new boosting algorithm, ICML 1996.

    Examples
    --------
    Three classes, ten trees:

    >>> from sklearn.datasets import load_iris
    >>> from lexiprog_boost import AdaBoostM2Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(AdaBoostM2Classifier(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    output: Literal["hard", "confidence"] = "hard"

    @property
    def _speaks(self) -> str:
        return "vote" if self.output == "hard" else "proba"

    def _train(self, data: TrainingData) -> None:
        with rounds_shown(self.n_estimators, type(self).__name__, verbose=self.verbose) as tick:
            pool = adaboost_m2_pool(
                self._learner(), data.X, data.y, n_estimators=self.n_estimators,
                output=self.output, sample_weight=data.weights, on_round=tick,
                random_state=self.random_state,
            )  # fmt: skip
        self._remember_pool(pool)
