"""LPAdaBoost, LPBoost and LPUBoost: AdaBoost's members, weighted by one linear program."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.soft_margin_vote import (
    NuLimits,
    OneProgramVote,
    UnevenLimits,
)


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


class LPUBoostClassifier(UnevenLimits, OneProgramVote):
    """AdaBoost's members with the weights of a soft margin that a rare class pays more for missing.

    One linear program A3 weighs the members, cost_j being beta for the target class, else 1::

        minimise    -r + D sum_i cost_j w_i xi_i                       (i in class j)
        subject to  (M alpha)_i >= r - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    Use it where the relative cost of the classes is known or can be tuned; `LexiBoostClassifier`
    needs no such cost. A point of sample weight two counts as two points.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    beta : float
        Cost of the target class, the others having 1; the LexiBoost paper tries 2, 4 and 8.
    target : object, optional
        The target class; by default the rarest one, by weight.
    class_costs : mapping or sequence, optional
        A cost for every class, by label or in the order of the sorted labels, in place of `beta`
        and `target`.
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
    J. Leskovec and J. Shawe-Taylor, Linear programming boosting for uneven datasets, ICML 2003.

    Examples
    --------
    A miss of the rare class is worth four others:

    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost import LPUBoostClassifier
    >>> X, y = make_classification(300, weights=[0.9], class_sep=2, random_state=0)
    >>> model = LPUBoostClassifier(beta=4, random_state=0).fit(X, y)
    >>> bool(model.score(X[y == 1], y[y == 1]) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        beta: float = 2.0,
        target: Any = None,
        class_costs: Any = None,
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
        self.beta = beta
        self.target = target
        self.class_costs = class_costs
        self.nu = nu
        self.cap = cap
        self.pool = pool
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state
