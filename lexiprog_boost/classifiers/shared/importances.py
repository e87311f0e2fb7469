"""What each column is worth to the members of an ensemble that can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lexiprog_boost.aliases import Floats
from lexiprog_boost.members.ensembles import Member, last_step
from lexiprog_boost.members.resampled import ResampledClassifier


def weighted_importances(members: Sequence[Any], weights: Floats, n_features: int) -> Floats | None:
    """Return the mean of the members' importances by their weights; None if no member has any.

    Parameters
    ----------
    members : sequence of T fitted members
        Class offsets among them have no importances.
    weights : ndarray of shape (T,)
        If those that have importances weigh nothing, they count alike.
    n_features : int
        Columns of the points.

    Returns
    -------
    ndarray of shape (n_features,), or None
        On the simplex, unless nobody uses any column.
    """
    per_member = [_importances(member, n_features) for member in members]
    able = [t for t, found in enumerate(per_member) if found is not None]
    if not able:
        return None
    shares = weights[able] if np.any(weights[able]) else np.ones(len(able))
    mean: Floats = shares @ np.array([per_member[t] for t in able])
    return mean / mean.sum() if mean.sum() > 0 else mean


def columns_by_importance(model: Any) -> list[tuple[str, float]]:
    """List the columns of a fitted model with their importances, the largest first.

    It is empty for a model without importances. Columns that had no names are called as
    scikit-learn calls them, "x0" and so on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.classifiers.shared.importances import columns_by_importance
    >>> X, y = load_iris(return_X_y=True)
    >>> columns_by_importance(DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y))[0]
    ('x3', 1.0)
    """
    importances = getattr(model, "feature_importances_", None)
    if importances is None:
        return []
    names = column_names(model, len(importances))
    order = np.argsort(-importances, kind="stable")
    return [(names[k], float(importances[k])) for k in order]


def column_names(model: Any, n_features: int) -> list[str]:
    """The names that the columns had in training, or those that scikit-learn gives them."""
    unnamed = [f"x{k}" for k in range(n_features)]
    return [str(name) for name in getattr(model, "feature_names_in_", unnamed)]


def _importances(member: Any, n_features: int) -> Floats | None:
    """A member's own, if they are about the columns that the ensemble was given."""
    learner = member.estimator if isinstance(member, Member) else member
    if isinstance(learner, ResampledClassifier):
        learner = learner.estimator_
    importances = getattr(last_step(learner), "feature_importances_", None)
    if importances is None:
        return None
    full = np.zeros(n_features)
    features = member.features if isinstance(member, Member) else None
    columns = np.arange(n_features) if features is None else features
    if len(importances) != len(columns):  # a step before it made other columns
        return None
    full[columns] = importances
    return full
