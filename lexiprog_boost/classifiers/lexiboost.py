"""LexiBoost: AdaBoost's members, weighted by the lexicographic program (Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.lexi_vote import LexiVote
from lexiprog_boost.pools.adaboost import train_pool


class LexiBoostClassifier(LexiVote):
    """Boosting for imbalanced classes without costs to tune.

    AdaBoost trains the members. Then each class by itself finds the least mean hinge loss L_j that
    any weights of the members give it, and the final weights are those that bring every class as
    near as possible to its own L_j: see `lexiboost_program` for both stages. Use it to study the
    paper's method, or where few members with an account of every class are wanted; to predict,
    `LexiEnsembleClassifier` is the better start. Sample weights are those of the pool, and of the
    points inside their classes.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    pool : {"m2", "adaboost"}
        AdaBoost.M2, or scikit-learn's AdaBoost (SAMME).
    margin : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
    margins_from : {"train", "oob", "cross"}
        Where margins are measured: on the training data; on the points that a member trained by
        resampling did not draw; or by cross-fitting, five fits a member. Learners that are right on
        all their training points need one of the last two (fact F9, docs/facts.md).
    class_offsets : bool
        Add a member a class that always votes for it: the program then sets thresholds too. Of
        use with a margin target below 1 and honest margins (fact F13, docs/facts.md).
    class_costs : mapping, sequence or "balanced", optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 by default, and for classes that are not named. "balanced": the largest class's weight
        over the class's own, which puts rare classes before the others, beyond the balance that
        class means give them anyway.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.
    tie_break : {"smallest", "leximax", "closest"} or ("closest", tolerance)
        Which of the optimal weights: those of smallest norm; those whose second largest deviation
        is least, and so on; or those nearest to the pool's own that give up 0.01 (or `tolerance`)
        of the deviation.
    reduce : {"auto", False}
        "auto": solve a smaller program with the same optimum and weights where there is one (equal
        rows merged, class means); False: the program as it is written, to compare.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "classes", "balance", "weights" or a
        subproblem, whether or not a reduction makes it unnecessary.
    n_jobs : int, optional
        Workers of the cross-fitting.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    random_state : int, RandomState or None
        Draws one seed a member; an integer makes `fit` repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of fitted classifiers
        The members, class offsets last.
    estimator_weights_ : ndarray of shape (n_members,)
        Their weights, which sum to one.
    n_members_ : int
        How many members carry weight. A vertex of the paper's program has at most one a class
        (fact F2, docs/facts.md).
    class_optima_ : ndarray of shape (n_classes,)
        L_j, the least mean loss that any weights of the members give to each class by itself.
    class_losses_ : ndarray of shape (n_classes,)
        Each class's mean loss with the weights.
    deviation_, chi_ : float
        The least worst costed deviation from `class_optima_`: the paper's, which is not negative,
        and as solved for, with its sign.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, and its certified optima; a pickle leaves out the program.
    reduction_ : str
        Which exact reduction was used.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    S. Datta, S. Nag and S. Das, Boosting with Lexicographic Programming: Addressing Class
    Imbalance without Cost Tuning, IEEE Transactions on Knowledge and Data Engineering.

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
    ) -> None:
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
        solution = self._find_weights(margins, data.y, data.weights, pool.weights)
        self._remember_weights(
            pool.estimators, solution, pool.stopped, measured_on=self.margins_from
        )
