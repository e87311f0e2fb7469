"""The pools that estimators offer by name: AdaBoost.M2, or scikit-learn's AdaBoost."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.pools.adaboost import adaboost_pool
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.pool import Pool
from lexiprog_boost.pools.progress import rounds_shown


@described
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

    {Parameters: pool, learner, training points, labels, n_estimators}
    rule : str
        The rule of the margins that are wanted; with "proba" AdaBoost.M2 is trained on
        confidences.
    {initial weights}
    keep_distributions : bool
        Keep the point weights of every round, if the pool can.
    {verbose}
    title : str
        What stands before the bar.
    {member seeds}

    Returns
    -------
    Pool

    Examples
    --------
    Two rounds of AdaBoost.M2:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools.choice import train_pool
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
