"""Dual-LexiBoost: the duals of the lexicographic program also weigh the points (Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
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
from lexiprog_boost.margins.matrix import check_rule
from lexiprog_boost.pools import Pool, prepare_learner
from lexiprog_boost.pools.dual_lexiboost import dual_loop_pool
from lexiprog_boost.pools.point_weights import (
    NextWeights,
    balance_point_weights,
    class_point_weights,
    solver_of_stage,
)
from lexiprog_boost.programs.dual_class import check_form
from lexiprog_boost.programs.inputs import Inputs, check_inputs
from lexiprog_boost.weights import least_class_losses

Floats = NDArray[np.float64]
Reweigh = Callable[[Inputs], NextWeights]


class DualLexiBoostClassifier(LexiMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """LexiBoost that also chooses the weights of the points from round to round.

    Loop 1 trains each member on the weights that the duals of P_j give to the points, and its
    members yield the class optima L_j. Loop 2 starts again, with the dual of Q and these optima;
    its members are the ensemble, and Q with the optima of loop 1 gives their weights. See
    `dual_class_program` and `dual_balance_program`.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a decision tree of depth 3. Without sample_weight it is trained on
        points drawn by weight.
    n_estimators : int
        Members of each loop at most.
    dual : {"paper", "exact"}
        The printed duals, whose second loop weighs the points of a class alike (F3) and after the
        first round one class only (F11); or the unmodified duals, which weigh points of one class
        differently if `margin_target` is below 1, and end a loop when no member would help.
    error_limit : {"paper", "chance"}
        A member with a weighted error above 1/C ("paper") or 1 - 1/C ("chance") ends its loop and
        is dropped, unless it is the first.
    margin, margins_from, class_offsets, class_costs, margin_target, weight_cap, tie_break, \
reduce, solver, n_jobs, verbose, random_state
        As for `LexiBoostClassifier`. Inside the loops margins are those on the training data.
        "closest" is close to equal weights.

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, n_members_, class_losses_, program_, result_, \
reduction_
        As for `LexiBoostClassifier`; the members are those of loop 2.
    class_optima_ : ndarray of shape (n_classes,)
        L_j of loop 1's members.
    chi_, deviation_ : float
        The least worst costed deviation; it may be negative, since the optima are of other
        members; and the paper's, which is not.
    loop_sizes_ : tuple of int
        Members of the two loops, no two of which are the same.
    loops_stopped_ : tuple of str
        Why each loop ended.
    point_weights_ : ndarray of shape (n_members, n)
        What each member of loop 2 was trained on.

    References
    ----------
    S. Datta, S. Nag and S. Das, Boosting with Lexicographic Programming: Addressing Class
    Imbalance without Cost Tuning, IEEE Transactions on Knowledge and Data Engineering.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from lexiprog_boost import DualLexiBoostClassifier
    >>> X, y = make_classification(300, weights=[0.85], flip_y=0.1, random_state=1)
    >>> model = DualLexiBoostClassifier(n_estimators=4, random_state=0).fit(X, y)
    >>> all(size >= 1 for size in model.loop_sizes_)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        dual: Any = "paper",
        error_limit: str = "paper",
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
        self.dual = dual
        self.error_limit = error_limit
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DualLexiBoostClassifier:
        """Run both loops and solve Q for the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points inside their classes.

        Returns
        -------
        DualLexiBoostClassifier
            self
        """
        X, y, weights = check_training_data(self, X, y, sample_weight)
        check_options(self, y)
        check_rule(self.margin, len(np.unique(y)))
        check_form(self.dual)
        rng = check_random_state(self.random_state)
        learner = prepare_learner(self._learner(), X)
        shared = {"form": self.dual, "reduce": self.reduce == "auto"}

        def by_class(inputs: Inputs) -> NextWeights:
            solver = solver_of_stage(self.solver, "classes")
            return class_point_weights(inputs, solver=solver, **shared)

        first = self._loop("Dual-LexiBoost, loop 1", learner, X, y, weights, by_class, rng)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        optima = least_class_losses(
            measure_margins(self, first, X, y, weights, seed=seed),
            y,
            sample_weight=weights,
            margin_target=self.margin_target,
            weight_cap=self._cap(len(first.estimators)),
            solver=solver_of_stage(self.solver, "classes"),
        )

        def by_balance(inputs: Inputs) -> NextWeights:
            solver = solver_of_stage(self.solver, "balance")
            return balance_point_weights(inputs, optima, solver=solver, **shared)

        second = self._loop("Dual-LexiBoost, loop 2", learner, X, y, weights, by_balance, rng)
        margins = measure_margins(self, second, X, y, weights, seed=seed)
        found = find_weights(
            self, margins, y, weights, second.weights, optima,
            weight_cap=self._cap(len(second.estimators)),
        )  # fmt: skip
        self.loop_sizes_ = (len(first.estimators), len(second.estimators))
        self.loops_stopped_ = (first.stopped, second.stopped)
        self.point_weights_ = second.distributions
        remember(self, list(second.estimators), found, second.stopped)
        return self

    def _loop(
        self, title: str, learner: Any, X: Any, y: NDArray, weights: Floats, reweigh: Reweigh,
        rng: np.random.RandomState,
    ) -> Pool:  # fmt: skip
        n_classes = len(np.unique(y))
        limits = {"paper": 1 / n_classes, "chance": 1 - 1 / n_classes}
        if self.error_limit not in limits:
            raise ValueError(
                f"unknown error_limit {self.error_limit!r}; it is 'paper' or 'chance'."
            )
        options = {"class_costs": self.class_costs, "margin_target": self.margin_target}

        def next_weights(margins: NDArray) -> NextWeights:
            cap = self._cap(margins.shape[1])
            return reweigh(
                check_inputs(margins, y, sample_weight=weights, weight_cap=cap, **options)
            )

        inside = check_inputs(np.ones((len(y), 1)), y, sample_weight=weights).weights
        with rounds_shown(self, self.n_estimators, title) as tick:
            return dual_loop_pool(
                learner, X, y, next_weights, start=inside / n_classes, rng=rng,
                n_estimators=self.n_estimators, error_limit=limits[self.error_limit],
                rule=self.margin, on_round=tick,
            )  # fmt: skip

    def _cap(self, n_members: int) -> float | None:
        """The cap, as far as so many members can keep it: the first ones cannot."""
        n_columns = n_members + (0 if not self.class_offsets else 1)
        return None if self.weight_cap is None else max(self.weight_cap, 1 / n_columns)
