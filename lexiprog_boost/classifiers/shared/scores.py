"""What a weighted ensemble says of a point: the share of its weight that is for each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.margins import probabilities, votes

# Sums of the same weights in another order differ by rounding; that must not decide a tie.
TIE = 1e-9


def staged_class_scores(
    members: Sequence[Any], weights: Floats, X: Any, classes: NDArray, rule: str
) -> Iterator[Floats]:
    """Yield the scores of the first member, of the first two, and so on, each on the simplex.

    Parameters
    ----------
    members : sequence of T fitted classifiers
    weights : ndarray of shape (T,)
        Not negative. A beginning without any weight speaks for all classes alike.
    X : array-like
        m points.
    classes : ndarray of shape (C,)
        Sorted labels.
    rule : {"vote", "proba", "signed"}
        With "proba", members speak by their probabilities, else by their votes.

    Yields
    ------
    ndarray of shape (m, C)
    """
    total, mass = 0.0, 0.0
    uniform = np.full((X.shape[0], len(classes)), 1 / len(classes))
    for member, weight in zip(members, weights, strict=True):
        if weight > 0:
            mass += weight
            total = total + weight * member_scores(member, X, classes, rule)
        yield tied(np.asarray(total) / mass) if mass > 0 else uniform


def class_scores(
    members: Sequence[Any], weights: Floats, X: Any, classes: NDArray, rule: str
) -> Floats:
    """Return the scores of the whole ensemble; members without weight are not asked."""
    used = np.flatnonzero(weights)
    chosen = [members[int(t)] for t in used]
    *_, scores = staged_class_scores(chosen, weights[used], X, classes, rule)
    return scores


def tied(scores: Floats) -> Floats:
    """Return scores in which classes that tie but for rounding tie exactly, for any argmax."""
    best = scores.max(axis=1, keepdims=True)
    return np.where(scores > best - TIE, best, scores)


def member_scores(member: Any, X: Any, classes: NDArray, rule: str) -> Floats:
    """Return what one member says: its probabilities, or a one at its vote."""
    if rule == "proba":
        return probabilities(member, X, classes)
    return np.eye(len(classes))[votes(member, X, classes)]


def decisions(scores: Floats) -> Floats:
    """Return scikit-learn's decision values: one column if there are two classes."""
    if scores.shape[1] > 2:
        return scores
    difference = scores[:, 1] - scores[:, 0]
    return np.where(np.abs(difference) < TIE, 0.0, difference)


def winners(scores: Floats) -> NDArray[np.intp]:
    """Return the position of the best class, the first one on a tie."""
    best = scores.max(axis=1, keepdims=True)
    return np.argmax(scores > best - TIE, axis=1)
