"""Predictions by a weighted vote, the same for all ensembles whose members have weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import is_dask
from lexiprog_boost.classifiers.shared.block_fitting import check_block_points
from lexiprog_boost.classifiers.shared.ensemble import Ensemble
from lexiprog_boost.classifiers.shared.importances import weighted_importances
from lexiprog_boost.margins import probabilities, votes
from lexiprog_boost.pools.pool import Pool

# What a weighted ensemble says of a point: the share of its weight that is for each class.

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


# Ask a fitted model about points that come in blocks; the answers come in blocks too.


def asked(model: Any, ask: Callable[[Any], Any], X: Any, *, wide: bool = False) -> Any:
    """What a method says of points, as an array of Dask's if the points are one.

    Parameters
    ----------
    model : estimator
        Fitted.
    ask : callable
        A method of it that takes points in memory.
    X : array-like, Dask array or data frame
        Points.
    wide : bool
        Whether the answer has a number for each class, or is a class.
    """
    if not is_dask(X):
        return ask(X)
    import dask.array as da
    from dask.delayed import delayed

    check_is_fitted(model)
    check_block_points(model, X)
    kind = np.dtype(np.float64) if wide else model.classes_.dtype
    width = (len(model.classes_),) if wide else ()
    frame = hasattr(X, "columns")
    points = X if frame or X.numblocks[1] == 1 else X.rechunk({1: -1})
    parts = points.to_delayed() if frame else points.to_delayed()[:, 0]
    sizes = [np.nan] * len(parts) if frame else points.chunks[0]
    call = delayed(ask, pure=False)
    arrays = [
        da.from_delayed(call(part), (size, *width), dtype=kind)
        for part, size in zip(parts, sizes, strict=True)
    ]
    return da.concatenate(arrays)


# Weights above this count as carried.
SOME_WEIGHT = 1e-6


class WeightedVote(Ensemble):
    """A vote of members with weights; a subclass finds both and hands them to `_remember`.

    Members speak by their votes, or by their probabilities where ``_speaks`` says "proba".
    """

    def predict(self, X: Any) -> NDArray:
        """Return the class with the largest share of the members' weight, the first on a tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

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

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        return asked(self, self._predict_proba, X, wide=True)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: with two classes, the second one's minus the first one's.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
        """
        return decisions(self._decided(self._scores(X)))

    def staged_predict(self, X: Any) -> Iterator[NDArray]:
        """Yield the predictions of the first t members, t = 1, 2, ..., with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m,)
        """
        yield from map(self._winners, self._staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield what `predict_proba` would say of the first t members, with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        yield from map(self._probabilities, self._staged_scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of the first t members, t = 1, 2, ..., with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m,) or (m, n_classes)
        """
        for scores in self._staged_scores(X):
            yield decisions(self._decided(scores))

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the columns, by those members that have them; they sum to one."""
        check_is_fitted(self)
        importances = weighted_importances(
            self.estimators_, self.estimator_weights_, self.n_features_in_
        )
        if importances is None:
            raise AttributeError(
                "no member has feature_importances_ for the columns as they were given: use "
                "sklearn.inspection.permutation_importance, which needs none."
            )
        return importances

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
        return self.classes_[winners(self._decided(scores))]

    def _decided(self, scores: Floats) -> Floats:
        """Turn scores into those whose largest is the predicted class."""
        return scores

    def _probabilities(self, scores: Floats) -> Floats:
        """Turn scores into what `predict_proba` returns."""
        return scores
