"""Dual-LPAdaBoost, Dual-LPBoost and Dual-LPUBoost: members found by column generation."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.soft_margin_vote import (
    ColumnGenerationVote,
    NuLimits,
    UnevenLimits,
)


class DualLPAdaBoostClassifier(ColumnGenerationVote):
    """Members trained on the hardest point weights, weighted for the largest smallest margin.

    After every round the linear program A1' finds the weights of the points for the next one::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  D >= 0

    and its multipliers weigh the members. The printed rule, to stop when s meets the margin of
    A1, holds after every round by strong duality; training stops when the edge of the next member
    does not exceed s, which proves that no member of the learner could help. Use it to see the
    limit of `LPAdaBoostClassifier`, whose members come from AdaBoost's weights. Sample weights
    are those of the first member; A1' only leaves out points of weight zero.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Rounds at most.
    tolerance : float
        By how much the edge of a new member must exceed s.
    margin : {"vote", "proba"}
        Whether members vote or give probabilities.
    tie_break : {"smallest", None}
        Of all optimal point weights those with the smallest sum of D_i^2 / w_i, and of all
        multipliers the smallest, which no solver changes; or the solver's own.
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
        The multipliers of the last program, which sum to one.
    n_members_ : int
        How many members carry weight.
    margin_ : float
        r, the smallest margin.
    history_ : dict of ndarrays
        One entry a member: "edge" on the weights it was trained with, then "s" and "rho" of the
        program with it.
    convergence_ : Convergence
        The edge of the best next member against s; ``reached`` says that no further member of
        this learner helps.
    point_weights_ : ndarray of shape (n,)
        The last point weights.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, with equal rows merged and in dual form if there are many, and its
        certified optimum; a pickle leaves out the program.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    A. J. Grove and D. Schuurmans, Boosting in the limit: maximizing the margin of learned
    ensembles, AAAI 1998.
    A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
    generation, Machine Learning 46, 2002.

    Examples
    --------
    Together the members are right on every point:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPAdaBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.margin_ > 0)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        tolerance: float = 1e-6,
        margin: Literal["vote", "proba"] = "vote",
        tie_break: Literal["smallest"] | None = "smallest",
        solver: Any = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.tolerance = tolerance
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state


class DualLPBoostClassifier(NuLimits, ColumnGenerationVote):
    """Members trained on the hardest capped point weights, weighted for the largest soft margin.

    After every round the linear program A2' finds the weights of the points for the next one::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  0 <= D_i <= D w_i

    and its multipliers weigh the members. Training stops when the edge of the next member does
    not exceed s: the soft margin is then the largest over all members that the learner finds.
    Use it where labels are noisy and few, well chosen members are wanted. A point of sample weight
    two counts as two points.

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
    tolerance : float
        By how much the edge of a new member must exceed s.
    margin : {"vote", "proba"}
        Whether members vote or give probabilities.
    tie_break : {"smallest", None}
        Of all optimal point weights those with the smallest sum of D_i^2 / w_i, and of all
        multipliers the smallest, which no solver changes; or the solver's own.
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
        The multipliers of the last program, which sum to one.
    n_members_ : int
        How many members carry weight.
    margin_ : float
        r, the margin that points pay for missing.
    history_ : dict of ndarrays
        One entry a member: "edge" on the weights it was trained with, then "s" and "rho" of the
        program with it.
    convergence_ : Convergence
        The edge of the best next member against s; ``reached`` says that no further member of
        this learner helps.
    point_weights_ : ndarray of shape (n,)
        The last point weights.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, with equal rows merged and in dual form if there are many, and its
        certified optimum; a pickle leaves out the program.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
    generation, Machine Learning 46, 2002.
    G. Rätsch, T. Onoda and K.-R. Müller, Soft margins for AdaBoost, Machine Learning 42, 2001.

    Examples
    --------
    No point weighs more than its cap:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPBoostClassifier(random_state=0).fit(X, y)
    >>> bool(model.point_weights_.max() <= 1 / (0.1 * len(y)) + 1e-9)  # D = 1/(nu n)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        nu: float = 0.1,
        cap: float | None = None,
        tolerance: float = 1e-6,
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
        self.tolerance = tolerance
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state


class DualLPUBoostClassifier(UnevenLimits, ColumnGenerationVote):
    """Members trained on the hardest point weights between bounds that differ by class.

    After every round the linear program A3' finds the weights of the points for the next one,
    cost_j being beta for the target class, else 1, and b the lower bound::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,
                    b D cost_j w_i <= D_i <= D cost_j w_i       (i in class j)

    and its multipliers weigh the members. Training stops when the edge of the next member does
    not exceed s. The lower bounds let no point be forgotten. Use it where the relative cost of
    the classes is known or can be tuned; `DualLexiBoostClassifier` needs no such cost. A point of
    sample weight two counts as two points.

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
    lower_bound : float
        b, the smallest weight of a point as a share of its largest. The LexiBoost paper's D_LB of
        25, 50 and 100 is read as 1/25, 1/50 and 1/100: as a percentage it would never be feasible.
    nu : float
        In (0, 1]; sets D = 1/(nu n), so that about a share nu of the points may miss the margin.
    cap : float, optional
        D itself, in place of nu, at least 1/n. Where the literature writes D = 1/nu, as the
        LexiBoost paper does, give ``cap=1/nu``: it is at least one, where a cap never acts.
    tolerance : float
        By how much the edge of a new member must exceed s.
    margin : {"vote", "proba"}
        Whether members vote or give probabilities.
    tie_break : {"smallest", None}
        Of all optimal point weights those with the smallest sum of D_i^2 / w_i, and of all
        multipliers the smallest, which no solver changes; or the solver's own.
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
        The multipliers of the last program, which sum to one.
    n_members_ : int
        How many members carry weight.
    margin_ : float
        r, the margin that points pay for missing.
    history_ : dict of ndarrays
        One entry a member: "edge" on the weights it was trained with, then "s" and "rho" of the
        program with it.
    convergence_ : Convergence
        The edge of the best next member against s; ``reached`` says that no further member of
        this learner helps.
    point_weights_ : ndarray of shape (n,)
        The last point weights.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, with equal rows merged and in dual form if there are many, and its
        certified optimum; a pickle leaves out the program.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    J. Leskovec and J. Shawe-Taylor, Linear programming boosting for uneven datasets, ICML 2003.
    A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
    generation, Machine Learning 46, 2002.

    Examples
    --------
    The lower bounds at work:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import DualLPUBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualLPUBoostClassifier(beta=4, random_state=0).fit(X, y)
    >>> bool(model.point_weights_.min() > 0)  # no point is forgotten
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
        lower_bound: float = 0.02,
        nu: float = 0.1,
        cap: float | None = None,
        tolerance: float = 1e-6,
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
        self.lower_bound = lower_bound
        self.nu = nu
        self.cap = cap
        self.tolerance = tolerance
        self.margin = margin
        self.tie_break = tie_break
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state
