"""One loop of Dual-LexiBoost: members trained on the weights that a dual program gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_rounds
from lexiprog_boost.margins import class_codes, votes
from lexiprog_boost.margins.matrix import Rule, margins_of, vote_margins
from lexiprog_boost.members.training import fit_member
from lexiprog_boost.pools.point_weights import NextWeights
from lexiprog_boost.pools.pool import KeptRounds, Pool

REPEATS = "repeats an earlier one"


def dual_loop_pool(
    learner: Any,
    X: Any,
    y: NDArray,
    reweigh: Callable[[NDArray], NextWeights],
    *,
    start: Floats,
    n_estimators: int,
    error_limit: float,
    repeats: str = "stop",
    rule: Rule = "vote",
    on_round: Callable[[int, float], None] | None = None,
    rng: np.random.RandomState,
) -> Pool:
    """Train members in turn, each on the weights that follow from the margins of all before it.

    The loop ends before `n_estimators` members if one has a weighted error above `error_limit`
    (it is dropped, unless it is the first), if one repeats the margins of an earlier member (unless
    `repeats` says otherwise), if its edge does not exceed the dual's limit, or if no point has
    weight any more.

    Parameters
    ----------
    learner : classifier
        From `prepare_learner`.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points; sparse if the learner takes it.
    y : array-like of shape (n,)
        Labels of two classes or more.
    reweigh : callable (margins of shape (n, t)) -> NextWeights
        The dual program.
    start : ndarray of shape (n,)
        Weights for the first member.
    n_estimators : int
        Members at most.
    error_limit : float
        Largest weighted share of wrong votes.
    repeats : {"stop", "retry"}
        What a repeated member does: it ends the loop, or the round is lost and the next one trains
        on the same weights with another seed.
    rule : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.
    on_round : callable (round, error), optional
        Called after every round, the first one being 1.
    rng : RandomState
        Draws one seed a member.

    Returns
    -------
    Pool
        With margins and distributions; its own weights are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools.dual_lexiboost import dual_loop_pool
    >>> from lexiprog_boost.pools.point_weights import NextWeights
    >>> X, y = np.arange(4.0)[:, None], np.array([0, 1, 0, 1])
    >>> even = np.full(4, 0.25)
    >>> pool = dual_loop_pool(
    ...     DecisionTreeClassifier(max_depth=1), X, y, lambda margins: NextWeights(even),
    ...     start=even, n_estimators=3, error_limit=0.5, rng=np.random.RandomState(0))
    >>> pool.stopped
    'the member of round 2 repeats an earlier one and was dropped.'
    """
    check_rounds(n_estimators)
    classes = np.unique(y)
    counted = start > 0
    codes = class_codes(y, classes)
    kept = KeptRounds(n_estimators)
    distribution, wanted = start, NextWeights(start)
    for t in range(1, n_estimators + 1):
        member = fit_member(learner, X, y, distribution, rng)
        right = votes(member, X, classes) == codes
        error = float(distribution @ ~right)
        column = (
            margins_of(member, X, codes, classes, rule)
            if rule == "proba"
            else vote_margins(right, len(classes), rule)
        )
        if on_round is not None:
            on_round(t, error)
        earlier = [other[counted] for other in kept.columns]
        reason = _reason_to_stop(column[counted], earlier, error, error_limit)
        if reason == REPEATS and repeats == "retry":
            continue
        if not reason and kept.columns and not wanted.wants(column):
            reason = "has no edge over the limit of the dual"
        if reason and t > 1:
            kept.stopped = f"the member of round {t} {reason} and was dropped."
            break
        kept.add(member, column=column, distribution=distribution, error=error)
        if reason:
            warnings.warn(
                f"the first {type(member).__name__} {reason}; it is kept, alone. "
                f"{_way_out(len(classes))}",
                lx.LexiprogWarning,
                stacklevel=2,
            )
            kept.stopped = f"the member of round 1 {reason}; it is kept, alone."
            break
        if t < n_estimators:
            wanted = reweigh(np.column_stack(kept.columns))
            if wanted.distribution is None:
                kept.stopped = f"no point has weight after round {t}: the members are perfect."
                break
            distribution = wanted.distribution
    return kept.pool(np.ones(len(kept.members)), classes, rule)


def _reason_to_stop(column: Floats, earlier: list[Floats], error: float, limit: float) -> str:
    if error > limit + 1e-12:
        return f"has the weighted error {error:.3f} > {limit:.3f}"
    if any(np.array_equal(column, other) for other in earlier):
        return REPEATS
    return ""


def check_repeats(repeats: str) -> str:
    """Return what a repeated member does, if there is such a choice.

    Examples
    --------
    >>> from lexiprog_boost.pools.dual_lexiboost import check_repeats
    >>> check_repeats("retry")
    'retry'
    """
    if repeats not in ("stop", "retry"):
        raise ValueError(f"unknown repeats {repeats!r}; it is 'stop' or 'retry'.")
    return repeats


def _way_out(n_classes: int) -> str:
    """What would let the loop go on; with two classes both limits are the same."""
    if n_classes == 2:
        return "A stronger learner lets the loop go on."
    return (
        "A stronger learner lets the loop go on. So does error_limit='chance', which changes "
        "little: on ten multi-class data sets it kept 8 members instead of 4, and the same "
        "G-Mean (0.518 and 0.520, benchmarks/error_limit.py)."
    )


def check_error_limit(error_limit: str, n_classes: int) -> float:
    """Return the largest weighted error of a member: 1/C as printed, or that of chance.

    Examples
    --------
    >>> from lexiprog_boost.pools.dual_lexiboost import check_error_limit
    >>> check_error_limit("paper", 4), check_error_limit("chance", 4)
    (0.25, 0.75)
    """
    limits = {"paper": 1 / n_classes, "chance": 1 - 1 / n_classes}
    if error_limit not in limits:
        raise ValueError(f"unknown error_limit {error_limit!r}; it is 'paper' or 'chance'.")
    return limits[error_limit]
