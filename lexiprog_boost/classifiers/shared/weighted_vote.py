"""Predictions by a weighted vote, the same for all ensembles whose members have weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.blocks.asking import asked
from lexiprog_boost.classifiers.shared.ensemble import Ensemble
from lexiprog_boost.classifiers.shared.scores import (
    class_scores,
    decisions,
    staged_class_scores,
    winners,
)
from lexiprog_boost.pools.pool import Pool

# Weights above this count as carried.
SOME_WEIGHT = 1e-6


@estimator_class
class WeightedVote(Ensemble):
    """A vote of members with weights; a subclass finds both and hands them to `_remember`.

    Members speak by their votes, or by their probabilities where ``_speaks`` says "proba".
    """

    def predict(self, X: Any) -> NDArray:
        """Return the class with the largest share of the members' weight, the first on a tie.

        {Parameters: points}

        Returns
        -------
        ndarray of shape (m,); a Dask array, if the points are one or a data frame of Dask's
        """
        return asked(self, self._predict, X)

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the members' weight that speaks for each class.

        With hard votes it is the weight of the members that vote for the class; with
        probabilities the weighted mean of theirs. It is not calibrated: where the weights balance
        the classes, a rare class gets more than its frequency.

        {Parameters: points}

        {Returns: shares}
        """
        return asked(self, self._predict_proba, X, wide=True)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: with two classes, the second one's minus the first one's.

        {Parameters: points}

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
        """
        return decisions(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray]:
        """Yield the predictions of the first t members, t = 1, 2, ..., with their final weights.

        {Parameters: points}

        Yields
        ------
        ndarray of shape (m,)
        """
        yield from map(self._winners, self._staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield what `predict_proba` would say of the first t members, with their final weights.

        {Parameters: points}

        {Yields: shares}
        """
        yield from map(self._probabilities, self._staged_scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of the first t members, t = 1, 2, ..., with their final weights.

        {Parameters: points}

        Yields
        ------
        ndarray of shape (m,) or (m, n_classes)
        """
        yield from map(decisions, self._staged_scores(X))

    @property
    def _speaks(self) -> str:
        return "proba" if getattr(self, "margin", "vote") in ("proba", "pairs") else "vote"

    def _remember(
        self, members: Sequence[Any], weights: Floats, classes: NDArray, stopped: str
    ) -> None:
        """Set the fitted attributes that every vote has; the weights sum to one."""
        self.classes_ = classes
        self.estimators_ = list(members)
        self.estimator_weights_ = weights
        self.n_members_ = int((weights > SOME_WEIGHT).sum())
        self.stopped_ = stopped

    def _remember_pool(self, pool: Pool) -> None:
        """Remember a pool with its own weights and its history."""
        weights = pool.weights / pool.weights.sum()
        self._remember(pool.estimators, weights, pool.classes, pool.stopped)
        self.history_ = dict(pool.history)

    def _predict(self, X: Any) -> NDArray:
        return self._winners(self._scores(X))

    def _predict_proba(self, X: Any) -> Floats:
        return self._probabilities(self._scores(X))

    def _scores(self, X: Any) -> Floats:
        points = self._checked_points(X)
        return class_scores(
            self.estimators_, self.estimator_weights_, points, self.classes_, self._speaks
        )

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        points = self._checked_points(X)
        return staged_class_scores(
            self.estimators_, self.estimator_weights_, points, self.classes_, self._speaks
        )

    def _winners(self, scores: Floats) -> NDArray:
        return self.classes_[winners(scores)]

    def _probabilities(self, scores: Floats) -> Floats:
        """Turn scores into what `predict_proba` returns."""
        return scores
