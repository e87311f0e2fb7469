"""LexiBoost: AdaBoost's members, weighted by the lexicographic program (Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state

from lexiprog_boost.classifiers.shared.fitting import (
    check_options,
    find_weights,
    measure_margins,
    remember,
    rounds_shown,
)
from lexiprog_boost.classifiers.shared.lexi_mixin import LexiMixin
from lexiprog_boost.classifiers.shared.training_data import check_training_data
from lexiprog_boost.pools import Pool, adaboost_m2_pool, adaboost_pool


class LexiBoostClassifier(LexiMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Boosting for imbalanced classes without costs to tune.

    AdaBoost trains the members. Then each class by itself finds the least mean hinge loss L_j that
    any weights of the members give it, and the final weights are those that bring every class as
    near as possible to its own L_j: see `lexiboost_program` for both stages.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a decision tree of depth 3. Without sample_weight it is trained on
        points drawn by weight.
    n_estimators : int
        Rounds at most.
    pool : {"m2", "adaboost"}
        AdaBoost.M2, or scikit-learn's AdaBoost (SAMME).
    margin : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
    margins_from : {"train", "oob", "cross"}
        Where margins are measured: on the training data; on the points that a member trained by
        resampling did not draw; or by cross-fitting, five fits a member. Learners that are right on
        all their training points need one of the last two.
    class_offsets : bool
        Add a member a class that always votes for it: the program then sets thresholds too. Of
        use with a margin target below 1 and honest margins.
    class_costs : mapping or sequence, optional
        What a unit of each class's deviation costs, by label or in the order of the classes.
    margin_target : float
        theta in (0, 1]; a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling.
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.
    tie_break : {"smallest", "leximax", "closest"} or ("closest", tolerance)
        Which of the optimal weights: those of smallest norm; those whose second largest deviation
        is least, and so on; or those nearest to AdaBoost's own that give up 0.01 (or `tolerance`)
        of the deviation.
    reduce : {"auto", False}
        Use exact reductions, or solve the full programs; the model is the same.
    solver : optional
        For ``lexiprog.Program.solve``: a name, a `lexiprog.Solver`, or a mapping from the stages
        "classes", "balance" and "weights" to these.
    n_jobs : int, optional
        Workers of the cross-fitting.
    verbose : int
        Show the rounds as they are trained (needs tqdm).
    random_state : int, RandomState or None
        An integer makes `fit` repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of fitted classifiers
        The members, class offsets last.
    estimator_weights_ : ndarray
        Their weights, which sum to one.
    n_members_ : int
        How many of them carry weight. A vertex of the paper's program has at most one a class.
    class_optima_, class_losses_ : ndarray of shape (n_classes,)
        L_j, and each class's mean loss with the weights.
    deviation_, chi_ : float
        The least worst costed deviation, not negative; and as solved for, with its sign.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, and its certified optima. Pickling keeps the result only.
    reduction_, pool_stopped_ : str
        Which reduction was used, and why training ended.

    References
    ----------
    S. Datta, S. Nag and S. Das, Boosting with Lexicographic Programming: Addressing Class
    Imbalance without Cost Tuning, IEEE Transactions on Knowledge and Data Engineering.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost import LexiBoostClassifier
    >>> X, y = make_classification(600, weights=[0.9], flip_y=0.05, random_state=0)
    >>> model = LexiBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> bool(abs(model.estimator_weights_.sum() - 1) < 1e-9)
    True
    >>> model.n_members_ <= 10
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        pool: str = "m2",
        margin: Any = "vote",
        margins_from: str = "train",
        class_offsets: bool = False,
        class_costs: Any = None,
        margin_target: float = 1.0,
        weight_cap: float | None = None,
        tie_break: Any = "smallest",
        reduce: Any = "auto",
        solver: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.pool = pool
        self.margin = margin
        self.margins_from = margins_from
        self.class_offsets = class_offsets
        self.class_costs = class_costs
        self.margin_target = margin_target
        self.weight_cap = weight_cap
        self.tie_break = tie_break
        self.reduce = reduce
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LexiBoostClassifier:
        """Train the pool, measure margins, solve for the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points, in the pool and inside their classes.

        Returns
        -------
        LexiBoostClassifier
            self
        """
        X, y, weights = check_training_data(self, X, y, sample_weight)
        check_options(self, y)
        rng = check_random_state(self.random_state)
        pool = self._train_pool(X, y, weights, rng)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        margins = measure_margins(self, pool, X, y, weights, seed=seed)
        found = find_weights(self, margins, y, weights, pool.weights)
        remember(self, list(pool.estimators), found, pool.stopped)
        return self

    def _train_pool(self, X: Any, y: Any, weights: Any, rng: Any) -> Pool:
        learner = self._learner()
        shared = {"n_estimators": self.n_estimators, "sample_weight": weights, "random_state": rng}
        if self.pool == "adaboost":
            return adaboost_pool(learner, X, y, **shared)
        if self.pool != "m2":
            raise ValueError(f"unknown pool {self.pool!r}; it is 'm2' or 'adaboost'.")
        with rounds_shown(self, self.n_estimators, "LexiBoost") as tick:
            return adaboost_m2_pool(
                learner, X, y, output="confidence" if self.margin == "proba" else "hard",
                keep_distributions=self.margins_from == "cross", on_round=tick, **shared,
            )  # fmt: skip
