"""What facts F2, F9 and F11 look like in a fitted model: one voter, perfect pools, lost rounds.

The facts and their proofs are in docs/facts.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Facts = dict[str, float | int | bool | str | None]

# A loss below this is that of a pool without training errors.
NOTHING = 1e-9


def facts_of(model: Any, y: NDArray, X: NDArray, predicted: NDArray) -> Facts:
    """Describe a vote of weighted members; nothing for other classifiers.

    Parameters
    ----------
    model : fitted classifier
        With `estimators_` and `estimator_weights_`, or any other.
    y : ndarray of shape (n,)
        The labels it was fitted on.
    X : ndarray of shape (m, n_features)
        Points to compare the vote with its heaviest member on.
    predicted : ndarray of shape (m,)
        The vote's labels for them.

    Returns
    -------
    dict
        ``members``: how many were trained; ``weighted``: how many of them count; ``like_heaviest``:
        share of points where the vote is the heaviest member's; for the lexicographic ones
        ``perfect``: some class's best loss is zero, and ``deviation``: the worst class's regret;
        for Dual-LexiBoost ``one_class``: the largest share that a class has of the point weights
        of the second round, None if there is none, and ``stopped``: why its loop 2 ended.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost import LexiBoostClassifier
    >>> from lexiprog_boost.datasets import make_toy
    >>> from lexiprog_boost.experiments.cells.facts import facts_of
    >>> toy = make_toy()
    >>> model = LexiBoostClassifier(n_estimators=3, random_state=0).fit(toy.X, toy.y)
    >>> facts_of(model, toy.y, toy.X, model.predict(toy.X))["weighted"] <= 2
    True
    """
    weights = getattr(model, "estimator_weights_", None)
    members = getattr(model, "estimators_", None)
    if weights is None or members is None or not hasattr(members[0], "predict"):
        return {}
    weights = np.asarray(weights, dtype=np.float64)[: len(members)]
    heaviest = members[int(np.argmax(weights))]
    facts: Facts = {
        "members": len(members),
        "weighted": int(np.count_nonzero(weights > NOTHING * weights.max())),
        "like_heaviest": float(np.mean(heaviest.predict(X) == predicted)),
    }
    if hasattr(model, "class_optima_"):
        optima = np.asarray(model.class_optima_, dtype=np.float64)
        facts["perfect"] = bool(optima.min() < NOTHING)
        facts["deviation"] = float(model.deviation_)
    if hasattr(model, "loops_stopped_"):
        facts["one_class"] = _largest_share(model.point_weights_, y)
        facts["stopped"] = model.loops_stopped_[1]
    return facts


def _largest_share(point_weights: NDArray, y: NDArray) -> float | None:
    if len(point_weights) < 2:
        return None
    _, codes = np.unique(y, return_inverse=True)
    shares = np.bincount(codes, weights=point_weights[1])
    return float(shares.max() / shares.sum())
