"""LPAdaBoost: AdaBoost's members, weighted for the largest smallest margin."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.soft_margin_vote import OneProgramVote


class LPAdaBoostClassifier(OneProgramVote):
    """AdaBoost's members with the weights that make the smallest margin as large as possible.

    One linear program A1 weighs the members::

        maximise    r
        subject to  (M alpha)_i >= r  for every point i,  sum alpha = 1,  alpha >= 0

    It has no parameter to tune and lifts the worst classified points, often those of a rare class;
    one mislabelled point can decide it. Prefer `LPBoostClassifier` where labels are noisy. Sample
    weights are AdaBoost's; A1 only leaves out points of weight zero.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    pool : {"m2", "adaboost"}
        AdaBoost.M2, or scikit-learn's AdaBoost (SAMME).
    margin : {"vote", "proba"}
        Whether members vote or give probabilities.
    tie_break : {"smallest", None}
        Of all optimal weights those of smallest norm, which no solver changes, or the solver's own.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "margin" (A1 to A3), "edge" (their
        duals) and "weights" (the smallest norm), needed or not.
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
        Their weights, which sum to one.
    n_members_ : int
        How many members carry weight.
    margin_ : float
        r, the smallest margin.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, with equal rows merged and in dual form if there are many, and its
        certified optimum; a pickle leaves out the program.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    A. J. Grove and D. Schuurmans, Boosting in the limit: maximizing the margin of learned
    ensembles, AAAI 1998.

    Examples
    --------
    With the default learner:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import LPAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPAdaBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        pool: Literal["m2", "adaboost"] = "m2",
        margin: Literal["vote", "proba"] = "vote",
        tie_break: Literal["smallest"] | None = "smallest",
        solver: Any = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.pool = pool
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state
