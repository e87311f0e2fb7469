"""Dual-LexiBoost: the duals of the lexicographic program also weigh the points (Algorithm 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lexiprog_boost.checks.values import reachable_cap, solver_of
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.lexi_vote import LexiVote
from lexiprog_boost.margins.matrix import check_rule
from lexiprog_boost.members.training import prepare_learner
from lexiprog_boost.pools.dual_lexiboost import check_error_limit, check_repeats, dual_loop_pool
from lexiprog_boost.pools.point_weights import DualPrograms
from lexiprog_boost.pools.pool import Pool, rounds_shown
from lexiprog_boost.programs.dual_lexiboost import check_form
from lexiprog_boost.weights import least_class_losses


class DualLexiBoostClassifier(LexiVote):
    """LexiBoost that also chooses the weights of the points from round to round.

    Loop 1 trains each member on the weights that the duals of P_j give to the points, and its
    members yield the class optima L_j. Loop 2 starts again, with the dual of Q and these optima;
    its members are the ensemble, and Q with the optima of loop 1 gives their weights. See
    `dual_class_program` and `dual_balance_program`. Use it to study the paper's second method, or
    with ``dual="exact"`` and a margin target below 1 where few, well chosen members are wanted.
    Sample weights are those of the points inside their classes.

    Parameters
    ----------
    estimator : classifier, optional
        The learner; by default a tree of depth three. Without sample_weight it is trained on points
        drawn by weight.
    n_estimators : int
        Members of each loop at most.
    dual : {"paper", "exact"}
        The printed duals, whose second loop weighs the points of a class alike (fact F3,
        docs/facts.md) and after the first round one class only (fact F11, docs/facts.md); or the
        unmodified duals, which weigh points of one class differently if `margin_target` is below
        1, and end a loop when no member would help.
    error_limit : {"paper", "chance"}
        A member with a weighted error above 1/C ("paper") or 1 - 1/C ("chance") ends its loop and
        is dropped, unless it is the first. With more than two classes "chance" keeps twice as many
        members and, with neighbours, the same G-Mean (``benchmarks/error_limit.py``) and a better
        AUC (docs/what-we-found.md).
    repeats : {"stop", "retry"}
        A member with the same margins as an earlier one ends its loop ("stop"); with "retry" only
        its round is lost, and the next one tries again with another seed. That helps learners
        that draw something at random, such as those trained on resampled points.
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
        How many members carry weight.
    class_optima_ : ndarray of shape (n_classes,)
        L_j of loop 1's members.
    class_losses_ : ndarray of shape (n_classes,)
        Each class's mean loss with the weights.
    deviation_, chi_ : float
        The least worst costed deviation from `class_optima_`: the paper's, which is not negative,
        and as solved for, with its sign.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, and its certified optima; a pickle leaves out the program.
    reduction_ : str
        Which exact reduction was used.
    loop_sizes_ : tuple of int
        Members of the two loops, no two of which are the same.
    loops_stopped_ : tuple of str
        Why each loop ended.
    stopped_ : str
        Why loop 2 ended.
    point_weights_ : ndarray of shape (n_members, n)
        What each member of loop 2 was trained on.

    Notes
    -----
    Inside the loops margins are those on the training data, whatever `margins_from` says, and a
    `weight_cap` is raised to what the members so far can keep. The pool has equal weights of its
    own, which ``tie_break="closest"`` is close to. `chi_` may be negative, since the optima are
    those of other members (fact F10, docs/facts.md).

    References
    ----------
    S. Datta, S. Nag and S. Das, Boosting with Lexicographic Programming: Addressing Class
    Imbalance without Cost Tuning, IEEE Transactions on Knowledge and Data Engineering.

    Examples
    --------
    Both loops find members:

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
        repeats: str = "stop",
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
        self.dual = dual
        self.error_limit = error_limit
        self.repeats = repeats
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

    def _train(self, data: TrainingData) -> None:
        self._check_options(data.classes)
        check_rule(self.margin, len(data.classes))
        check_form(self.dual)
        check_repeats(self.repeats)
        rng = check_random_state(self.random_state)
        learner = prepare_learner(self._learner(), data.X)
        duals = DualPrograms(
            data.y, data.weights, class_costs=self._costs(data.y, data.weights),
            margin_target=self.margin_target, weight_cap=self.weight_cap, form=self.dual,
            reduce=self.reduce == "auto", solver=self.solver,
        )  # fmt: skip
        first = self._loop("Dual-LexiBoost, loop 1", learner, data, duals, rng)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        margins = self._pool_margins(first, data, seed=seed)
        optima = least_class_losses(
            margins,
            data.y,
            sample_weight=data.weights,
            margin_target=self.margin_target,
            weight_cap=reachable_cap(self.weight_cap, margins.shape[1]),
            solver=solver_of(self.solver, "classes"),
        )
        duals = replace(duals, optima=optima)
        second = self._loop("Dual-LexiBoost, loop 2", learner, data, duals, rng)
        margins = self._pool_margins(second, data, seed=seed)
        solution = self._find_weights(
            margins, data.y, data.weights, second.weights, class_optima=optima,
            weight_cap=reachable_cap(self.weight_cap, margins.shape[1]),
        )  # fmt: skip
        self.loop_sizes_ = (len(first.estimators), len(second.estimators))
        self.loops_stopped_ = (first.stopped, second.stopped)
        self.point_weights_ = second.distributions
        self._remember_weights(
            second.estimators, solution, second.stopped, measured_on=self.margins_from
        )

    def _loop(
        self, title: str, learner: Any, data: TrainingData, duals: DualPrograms,
        rng: np.random.RandomState,
    ) -> Pool:  # fmt: skip
        """Train members on the weights that the duals give, from equal weights of the classes."""
        limit = check_error_limit(self.error_limit, len(data.classes))
        masses = np.bincount(data.codes, data.weights)
        start = data.weights / masses[data.codes] / len(data.classes)
        with rounds_shown(self.n_estimators, title, verbose=self.verbose) as tick:
            return dual_loop_pool(
                learner, data.X, data.y, duals.next_weights, start=start, error_limit=limit,
                n_estimators=self.n_estimators, repeats=self.repeats, rule=self.margin,
                on_round=tick, rng=rng,
            )  # fmt: skip
