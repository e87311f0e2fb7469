"""The pool of column generation: every member is trained where all members so far do worst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_rounds
from lexiprog_boost.margins import class_codes
from lexiprog_boost.margins.matrix import Rule, check_rule, margins_of
from lexiprog_boost.members.training import fit_member, prepare_learner
from lexiprog_boost.pools.pool import KeptRounds, Pool
from lexiprog_boost.programs.soft_margin import PointLimits
from lexiprog_boost.reductions.merged_soft_margin import (
    PointWeights,
    soft_margin_point_weights,
    soft_margin_weights,
)


@dataclass(frozen=True)
class Convergence:
    """Whether any further member could help, as far as the learner can tell.

    Read it after column generation: ``reached`` proves the optimum, anything else asks for more
    rounds.

    Attributes
    ----------
    next_edge : float or None
        Edge of the member that the learner found on the last point weights; None if the rounds
        ended before it was trained.
    s : float
        The largest edge of the members that were kept.
    tolerance : float
        By how much an edge must exceed s to count.

    Examples
    --------
    >>> from lexiprog_boost.pools import Convergence
    >>> Convergence(0.25, 0.25, 1e-9).reached, Convergence(None, 0.25, 1e-9).reached
    (True, False)
    """

    next_edge: float | None
    s: float
    tolerance: float

    @property
    def reached(self) -> bool:
        """Whether the next edge is no larger: then s is the optimum over all the learner finds."""
        return self.next_edge is not None and self.next_edge <= self.s + self.tolerance


@dataclass(frozen=True)
class Generated:
    """The pool, its last point weights and the certificate."""

    pool: Pool
    last: PointWeights
    convergence: Convergence


def column_generation_pool(
    estimator: Any,
    X: Any,
    y: NDArray,
    limits: PointLimits,
    *,
    n_estimators: int = 10,
    rule: Rule = "vote",
    tolerance: float = 1e-6,
    tie_break: str | None = "smallest",
    solver: Any = None,
    on_round: Callable[[int, float], None] | None = None,
    random_state: Any = None,
) -> Generated:
    """Train members on the point weights that A1', A2' or A3' finds for those before.

    Each round adds a constraint to the dual program, a column to the primal one. A member whose
    edge on the present point weights does not exceed s violates no constraint: it is dropped and
    training ends, since the program over all members that the learner finds is then solved. Use it
    where few, well chosen members are wanted, and a proof that no other helps.

    Parameters
    ----------
    estimator : classifier
        The learner; without sample_weight it is trained on points drawn by weight.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points; sparse if the learner takes it.
    y : array-like of shape (n,)
        Labels of two classes or more.
    limits : PointLimits
        Of the points; the first member is trained on its weights.
    n_estimators : int
        Members at most.
    rule : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
    tolerance : float
        By how much the edge of a new member must exceed s.
    tie_break : {"smallest", None}
        Of all optimal point weights those with the smallest sum of D_i^2 / w_i, and of all
        multipliers the smallest, which no solver changes; or the solver's own.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "margin" (A1 to A3), "edge" (their
        duals) and "weights" (the smallest norm), needed or not.
    on_round : callable (round, error), optional
        Called after every round, the first one being 1.
    random_state : int, RandomState or None
        Draws one seed a member.

    Returns
    -------
    Generated
        The pool's weights are the multipliers of the last program, the smallest of them if ties are
        broken; its history has "edge" (of the member on the weights it was trained with), "s" and
        "rho" (r, the margin in the primal).

    References
    ----------
    A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
    generation, Machine Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools import column_generation_pool
    >>> from lexiprog_boost.programs.soft_margin import point_limits
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 0])
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> found = column_generation_pool(stump, X, y, point_limits(6), random_state=0)
    >>> round(float(found.pool.history["s"][-1]), 6), found.convergence.reached
    (0.333333, True)
    """
    check_rounds(n_estimators)
    classes = np.unique(y)
    check_rule(rule, len(classes))
    codes = class_codes(y, classes)
    learner, rng = prepare_learner(estimator, X), check_random_state(random_state)
    kept = KeptRounds(n_estimators)
    rounds: list[PointWeights] = []
    next_edge: float | None = None
    D = limits.weights / limits.weights.sum()
    for t in range(1, n_estimators + 1):
        member = fit_member(learner, X, y, D, rng)
        column = margins_of(member, X, codes, classes, rule)
        edge = float(D @ column)
        if on_round is not None:
            on_round(t, edge)
        if rounds and edge <= rounds[-1].edge + tolerance:
            next_edge = edge
            kept.stopped = f"the member of round {t} has no larger edge than those before."
            break
        margins = np.column_stack([*kept.columns, column])
        dual = soft_margin_point_weights(margins, limits, tie_break=tie_break, solver=solver)
        kept.add(member, column=column, edge=edge, s=dual.edge, rho=dual.margin)
        rounds.append(dual)
        D = dual.D
    last = rounds[-1]
    pool = kept.pool(_multipliers(last, margins, limits, tie_break, solver), classes, rule)
    return Generated(pool, last, Convergence(next_edge, last.edge, tolerance))


def _multipliers(
    last: PointWeights, margins: Floats, limits: PointLimits, tie_break: str | None, solver: Any
) -> Floats:
    """The multipliers of the last program; of several sets, the one of smallest norm."""
    if tie_break is None:
        return last.alpha
    # The optimal multipliers of the dual program are the optimal weights of the primal one.
    return soft_margin_weights(margins, limits, tie_break=tie_break, solver=solver).alpha
