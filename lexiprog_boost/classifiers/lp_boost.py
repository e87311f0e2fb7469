"""LPBoost: AdaBoost's members, weighted for the largest soft margin."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.soft_margin_vote import NuLimits, OneProgramVote


class LPBoostClassifier(NuLimits, OneProgramVote):
    """AdaBoost's members with the weights of the largest soft margin.

    One linear program A2 weighs the members; points may miss the margin r at a price::

        minimise    -r + D sum_i w_i xi_i
        subject to  (M alpha)_i >= r - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    Use it where labels are noisy and the classes are of similar size; `LPUBoostClassifier` has a
    price for each class. A point of sample weight two counts as two points.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    nu : float
        In (0, 1]; sets D = 1/(nu n), so that about a share nu of the points may miss the margin.
    cap : float, optional
        D itself, in place of nu, at least 1/n. Where the literature writes D = 1/nu, as the
        LexiBoost paper does, give ``cap=1/nu``: it is at least one, where a cap never acts.
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
        r, the margin that points pay for missing.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, with equal rows merged and in dual form if there are many, and its
        certified optimum; a pickle leaves out the program.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    G. Rätsch, T. Onoda and K.-R. Müller, Soft margins for AdaBoost, Machine Learning 42, 2001.

    Examples
    --------
    One point in five may miss the margin:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import LPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(nu=0.2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        nu: float = 0.1,
        cap: float | None = None,
        pool: Literal["m2", "adaboost"] = "m2",
        margin: Literal["vote", "proba"] = "vote",
        tie_break: Literal["smallest"] | None = "smallest",
        solver: Any = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.nu = nu
        self.cap = cap
        self.pool = pool
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state
