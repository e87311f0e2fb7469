"""The weighted vote of members that a learner was boosted to: what the family shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.classifiers.shared.training_data import learner_of
from lexiprog_boost.classifiers.shared.vote_mixin import WeightedVoteMixin
from lexiprog_boost.pools.pool import Pool

Floats = NDArray[np.float64]


class BoostedVote(WeightedVoteMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A vote with the weights of `fit`; a subclass says how its members and weights are found."""

    estimator: Any

    @property
    def _output(self) -> Literal["vote", "proba"]:
        """Whether members speak by votes or by probabilities."""
        return getattr(self, "margin", "vote")

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the shares of the first t members, t = 1, 2, ..., with their final weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Yields
        ------
        ndarray of shape (m, n_classes)
        """
        yield from self._staged_scores(X)

    def report(self) -> str:
        """Say in a few lines what was learnt: the members that count and why training ended."""
        check_is_fitted(self)
        weights = self.estimator_weights_
        heavy = np.argsort(-weights, kind="stable")[: min(self.n_members_, 5)]
        shown = ", ".join(f"{weights[t]:.3f} (member {t})" for t in heavy)
        lines = [
            f"{type(self).__name__}: {self.n_members_} of {len(weights)} members carry weight",
            f"  weights: {shown}{', ...' if self.n_members_ > len(heavy) else ''}",
            f"  training: {self.stopped_}",
        ]
        if hasattr(self, "margin_"):
            lines.append(f"  margin r: {self.margin_:.4f}")
        if hasattr(self, "convergence_"):
            lines.append(f"  {self.convergence_}")
        return "\n".join(lines)

    def __getstate__(self) -> dict[str, Any]:
        # CVXPY's objects mean something in the process that made them only; the result stays.
        return {key: value for key, value in super().__getstate__().items() if key != "program_"}

    def _points(self, X: Any) -> Any:
        return validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, reset=False,
            ensure_all_finite="allow-nan" if get_tags(self).input_tags.allow_nan else True,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(learner_of(self)).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def remember_members(model: Any, pool: Pool, weights: Floats) -> None:
    """Set the fitted attributes that every vote has; weights are scaled to sum to one."""
    model.classes_ = pool.classes
    model.estimators_ = list(pool.estimators)
    model.estimator_weights_ = weights / weights.sum()
    model.n_members_ = int(np.count_nonzero(weights))
    model.stopped_ = pool.stopped
