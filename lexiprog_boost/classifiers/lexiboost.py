"""LexiBoost: AdaBoost's members, weighted by the lexicographic program (Algorithm 1)."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.lexi_vote import LexiVote
from lexiprog_boost.pools.adaboost import train_pool


@estimator_class
class LexiBoostClassifier(LexiVote):
    """Boosting for imbalanced classes without costs to tune.

    AdaBoost trains the members. Then each class by itself finds the least mean hinge loss L_j that
    any weights of the members give it, and the final weights are those that bring every class as
    near as possible to its own L_j: see `lexiboost_program` for both stages. Use it to study the
    paper's method, or where few members with an account of every class are wanted; to predict,
    `LexiEnsembleClassifier` is the better start. Sample weights are those of the pool, and of the
    points inside their classes.

    {Parameters: estimator, n_estimators, pool, margin rule, margins_from, class_offsets,
    estimator class_costs, margin_target, weight_cap, lexicographic tie_break, reduce, stage solver,
    n_jobs, verbose, random_state}

    {Attributes: classes_, estimators_ and offsets, estimator_weights_}
    n_members_ : int
        How many members carry weight. A vertex of the paper's program has at most one a class
        (fact F2, docs/facts.md).
    {class_optima_, class_losses_, deviation_, program_, reduction_, stopped_}

    {References: Datta}

    Examples
    --------
    Nine points of the many for one of the rare, and no cost to choose:

    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost import LexiBoostClassifier
    >>> X, y = make_classification(600, weights=[0.9], flip_y=0.05, random_state=0)
    >>> model = LexiBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> bool(abs(model.estimator_weights_.sum() - 1) < 1e-9)
    True
    >>> model.n_members_ <= 10
    True
    """

    estimator: Any = None
    n_estimators: int = 50
    _: KW_ONLY
    pool: str = "m2"

    @classmethod
    def modern(cls, estimator: Any = None, **options: Any) -> LexiBoostClassifier:
        """One with what its successors taught: probabilities, unseen points, thresholds.

        Its margins are probabilities (``margin="proba"``), measured by cross-fitting
        (``margins_from="cross"``), with class offsets and a margin target of 0.3. The defaults of
        the class are the paper's; this is what to compare with other boosters.

        Parameters
        ----------
        estimator : classifier, optional
            As for the class.
        **options
            Whatever else the class takes; these options come before the above.

        Returns
        -------
        LexiBoostClassifier

        Examples
        --------
        >>> from lexiprog_boost import LexiBoostClassifier
        >>> LexiBoostClassifier.modern(n_estimators=20, margin_target=0.2).margins_from
        'cross'
        """
        newer: dict[str, Any] = {
            "margin": "proba", "margins_from": "cross", "class_offsets": True, "margin_target": 0.3
        }  # fmt: skip
        return cls(estimator, **(newer | options))

    def _train(self, data: TrainingData) -> None:
        self._check_options(data.classes)
        rng = check_random_state(self.random_state)
        pool = train_pool(
            self.pool, self._learner(), data.X, data.y, n_estimators=self.n_estimators,
            rule=self.margin, sample_weight=data.weights, verbose=self.verbose, title="LexiBoost",
            keep_distributions=self.margins_from == "cross", random_state=rng,
        )  # fmt: skip
        seed = int(rng.randint(np.iinfo(np.int32).max))
        margins = self._pool_margins(pool, data, seed=seed)
        found = self._find_weights(margins, data.y, data.weights, pool.weights)
        self._remember_weights(pool.estimators, found, pool.stopped, measured_on=self.margins_from)
