"""Dual-LPBoost: the largest soft margin by column generation."""

from __future__ import annotations

from typing import Any, Literal

from lexiprog_boost.classifiers.shared.soft_margin_vote import ColumnGenerationVote, NuLimits


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
