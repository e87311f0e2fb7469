"""The pool of scikit-learn's AdaBoost (SAMME), and the choice of AdaBoost.M2 or it by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils import check_random_state

from lexiprog_boost.checks.points import check_sample_weight
from lexiprog_boost.members.training import prepare_learner
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.pool import Pool, rounds_shown


def adaboost_pool(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_estimators: int = 50,
    learning_rate: float = 1.0,
    sample_weight: ArrayLike | None = None,
    random_state: Any = None,
) -> Pool:
    """Take the members of scikit-learn's ``AdaBoostClassifier``.

    scikit-learn trains them and decides when to end: after a perfect member, or after one that is
    no better than chance. Use it to weigh the very members of a model you have; `adaboost_m2_pool`
    is the paper's, and stronger with many classes.

    Parameters
    ----------
    estimator : classifier
        The learner; without sample_weight it is trained on points drawn by weight.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points; sparse if the learner takes it.
    y : array-like of shape (n,)
        Labels of two classes or more.
    n_estimators : int
        Rounds at most.
    learning_rate : float
        Shrinks the members' weights.
    sample_weight : array-like of shape (n,), optional
        Initial weights of the points.
    random_state : int, RandomState or None
        Draws one seed a member.

    Returns
    -------
    Pool
        Its weights are ``estimator_weights_``; its history has "error". It keeps neither margins
        nor distributions.

    Examples
    --------
    Five stumps:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools import adaboost_pool
    >>> X, y = load_iris(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> len(adaboost_pool(stump, X, y, n_estimators=5, random_state=0).estimators)
    5
    """
    weights = None if sample_weight is None else check_sample_weight(sample_weight, len(y))
    # A state is turned into a seed, so that it is used up here as it is in the other pools.
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    boosted = AdaBoostClassifier(
        prepare_learner(estimator, X),
        n_estimators=n_estimators,
        learning_rate=learning_rate,
        random_state=seed,
    ).fit(X, y, sample_weight=weights)
    n_members = len(boosted.estimators_)
    ended_early = n_members < n_estimators
    perfect = ended_early and boosted.estimator_errors_[n_members - 1] <= 0
    reason = "perfect" if perfect else "no better than chance"
    return Pool(
        estimators=tuple(boosted.estimators_),
        weights=boosted.estimator_weights_[:n_members].copy(),
        classes=boosted.classes_,
        history={"error": boosted.estimator_errors_[:n_members].copy()},
        stopped=(
            f"scikit-learn stopped after {n_members} rounds: a member was {reason}."
            if ended_early
            else f"all {n_estimators} rounds were trained."
        ),
    )


# The pools that estimators offer by name: AdaBoost.M2, or scikit-learn's AdaBoost.


def train_pool(
    pool: str,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_estimators: int,
    rule: str = "vote",
    sample_weight: ArrayLike | None = None,
    keep_distributions: bool = False,
    verbose: int = 0,
    title: str = "AdaBoost",
    random_state: Any = None,
) -> Pool:
    """Train the members of the pool of that name.

    Parameters
    ----------
    pool : {"m2", "adaboost"}
        AdaBoost.M2, or scikit-learn's AdaBoost (SAMME).
    estimator : classifier
        The learner; without sample_weight it is trained on points drawn by weight.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points; sparse if the learner takes it.
    y : array-like of shape (n,)
        Labels of two classes or more.
    n_estimators : int
        Rounds at most.
    rule : str
        The rule of the margins that are wanted; with "proba" AdaBoost.M2 is trained on
        confidences.
    sample_weight : array-like of shape (n,), optional
        Initial weights of the points.
    keep_distributions : bool
        Keep the point weights of every round, if the pool can.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    title : str
        What stands before the bar.
    random_state : int, RandomState or None
        Draws one seed a member.

    Returns
    -------
    Pool

    Examples
    --------
    Two rounds of AdaBoost.M2:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools.adaboost import train_pool
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> train_pool("m2", stump, *load_iris(return_X_y=True), n_estimators=2).stopped
    'all 2 rounds were trained.'
    """
    shared: dict[str, Any] = {
        "n_estimators": n_estimators, "sample_weight": sample_weight, "random_state": random_state
    }  # fmt: skip
    if pool == "adaboost":
        return adaboost_pool(estimator, X, y, **shared)
    if pool != "m2":
        raise ValueError(f"unknown pool {pool!r}; it is 'm2' or 'adaboost'.")
    with rounds_shown(n_estimators, title, verbose=verbose) as tick:
        return adaboost_m2_pool(
            estimator, X, y, output="confidence" if rule == "proba" else "hard",
            keep_distributions=keep_distributions, on_round=tick, **shared,
        )  # fmt: skip
