"""The points that a rule is found on, and the rule: claims in turn, then offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes, Floats, Mask


@dataclass(frozen=True)
class ScoredPoints:
    """Scores of points that the estimator has not seen.

    Attributes
    ----------
    logs : ndarray of shape (n, C)
        Logarithms of probabilities, or other scores.
    codes : ndarray of int, shape (n,)
        The class of each point.
    classes : ndarray of shape (C,)
        Sorted labels.
    shares : ndarray of shape (C,)
        How frequent the classes are where the rule will be used.
    groups : mapping from a column to (names, codes of the points)
        Of the columns that priorities name.
    offsets : ndarray of shape (C,)
        What is added to scores before classes are compared, where nothing is known better:
        ``-log(shares)`` for probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds import ScoredPoints
    >>> halves = np.full(2, 0.5)
    >>> points = ScoredPoints(
    ...     np.log([[0.9, 0.1]]), np.array([0]), np.array(["a", "b"]), halves, -np.log(halves)
    ... )
    >>> [(code, rows.tolist()) for code, _, rows in points.cells(None)]
    [(0, [True]), (1, [False])]
    """

    logs: Floats
    codes: Codes
    classes: NDArray
    shares: Floats
    offsets: Floats
    groups: dict[Any, tuple[list[Any], Codes]] = field(default_factory=dict)

    def cells(self, column: Any) -> list[tuple[int, str, Mask]]:
        """Every class, or every class in every group of a column: code, where, points."""
        found = []
        for code in range(len(self.classes)):
            mine = self.codes == code
            if column is None:
                found.append((code, "", mine))
                continue
            names, groups = self.groups[column]
            for g, name in enumerate(names):
                found.append((code, f" where {column} = {name}", mine & (groups == g)))
        return found


@dataclass(frozen=True)
class DecisionRule:
    """Which class a point gets: claims in turn, then the largest score with its offset.

    Attributes
    ----------
    order : tuple of int
        Classes that claim points before the others are asked.
    thresholds : tuple of float
        By how much each of them must exceed the best later class, whose `rivals` are added.
    offsets : ndarray of shape (C,)
        Of the classes that are left; minus infinity for those that have claimed.
    rivals : ndarray of shape (C,)
        Offsets that the claims compare with.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds import DecisionRule
    >>> rule = DecisionRule((1,), (-1.0,), np.array([0.0, -np.inf]), np.zeros(2))
    >>> rule(np.array([[0.0, -0.5], [0.0, -2.0]])).tolist()
    [1, 0]
    """

    order: tuple[int, ...]
    thresholds: tuple[float, ...]
    offsets: Floats
    rivals: Floats

    def claim_scores(self, logs: Floats, place: int) -> Floats:
        """By how much the class at a place of the order exceeds the best of those after it."""
        return claim_scores(logs, self.order, place, self.rivals)

    def scores(self, logs: Floats) -> Floats:
        """Scores of the classes whose largest is the rule's class."""
        scores = logs + self.offsets
        best = _largest(scores, self.order)
        for place in reversed(range(len(self.order))):
            excess = self.claim_scores(logs, place) - self.thresholds[place]
            # A score at its threshold passes it; one just below is not rounded up to it.
            claim = np.where(
                excess >= 0,
                np.maximum(best + excess, np.nextafter(best, np.inf)),
                np.minimum(best + excess, np.nextafter(best, -np.inf)),
            )
            scores[:, self.order[place]] = claim
            best = np.maximum(best, claim)
        return scores

    def __call__(self, logs: Floats) -> Codes:
        """The code of each point's class."""
        return np.argmax(self.scores(logs), axis=1)


def claim_scores(logs: Floats, order: Sequence[int], place: int, rivals: Floats) -> Floats:
    """By how much the class at a place of the order exceeds the best of those after it."""
    return np.asarray(logs[:, order[place]] - _largest(logs + rivals, order[: place + 1]))


def _largest(scores: Floats, without: Sequence[int]) -> Floats:
    """The largest score of each point; column by column, since numpy reduces short rows slowly."""
    largest = np.full(len(scores), -np.inf)
    for c in set(range(scores.shape[1])).difference(without):
        np.maximum(largest, scores[:, c], out=largest)
    return largest
