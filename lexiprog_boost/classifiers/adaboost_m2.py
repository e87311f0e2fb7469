"""AdaBoost.M2: boosting for any number of classes, without a program."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.pool import rounds_shown


class AdaBoostM2Classifier(WeightedVote):
    """AdaBoost.M2: every pair of a point and a wrong class has a weight of its own.

    A member h with the pseudo-loss ::

        epsilon = 1/2 sum_i sum_{c != y_i} w_ic (1 - h(x_i, y_i) + h(x_i, c))

    has the weight log((1 - epsilon) / epsilon), and pairs that it tells apart lose weight. Use it
    as the baseline to compare with: it is the pool whose members LexiBoost weighs anew. With two
    classes and hard outputs it is AdaBoost.M1. Sample weights are the initial weights of the
    points.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    output : {"hard", "confidence"}
        Whether h(x, y) is the vote of ``predict`` or the probability of ``predict_proba``.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    random_state : int, RandomState or None
        Draws one seed a member; an integer makes `fit` repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of fitted classifiers
        The members.
    estimator_weights_ : ndarray of shape (n_members,)
        log(1 / beta) of each, scaled to sum to one.
    n_members_ : int
        How many members carry weight.
    history_ : dict of ndarrays
        "pseudo_loss" and "error" of each member.
    stopped_ : str
        A sentence that says why training ended.

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

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        output: Literal["hard", "confidence"] = "hard",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.output = output
        self.verbose = verbose
        self.random_state = random_state

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
