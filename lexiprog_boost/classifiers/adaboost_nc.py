"""AdaBoost.NC: boosting that rewards members for erring on different points."""

from __future__ import annotations

from typing import Any

from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.pools.adaboost_nc import adaboost_nc_pool
from lexiprog_boost.pools.pool import rounds_shown


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
    n_estimators : int
        Rounds at most.
    penalty : float
        Strength of the penalty (lambda), at least 0; its authors use 2 and 9. 0 ignores the
        ambiguity.
    oversample : bool
        Draw copies of the points of smaller classes until all classes have the same size.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    random_state : int, RandomState or None
        Draws the copies, and one seed a member.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of fitted classifiers
        The members.
    estimator_weights_ : ndarray of shape (n_members,)
        a_t of each, scaled to sum to one.
    n_members_ : int
        How many members carry weight.
    history_ : dict of ndarrays
        "error" of each member: its penalised share of wrong points.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    S. Wang and X. Yao, Multiclass imbalance problems: analysis and potential solutions, IEEE
    Transactions on Systems, Man, and Cybernetics B 42, 2012.

    Examples
    --------
    Two classes of different size, made equal before the first round:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import AdaBoostNCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(AdaBoostNCClassifier(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        penalty: float = 2.0,
        oversample: bool = True,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.penalty = penalty
        self.oversample = oversample
        self.verbose = verbose
        self.random_state = random_state

    def _train(self, data: TrainingData) -> None:
        with rounds_shown(self.n_estimators, type(self).__name__, verbose=self.verbose) as tick:
            pool = adaboost_nc_pool(
                self._learner(), data.X, data.y, n_estimators=self.n_estimators,
                penalty=self.penalty, oversample=self.oversample, sample_weight=data.weights,
                on_round=tick, random_state=self.random_state,
            )  # fmt: skip
        self._remember_pool(pool)
