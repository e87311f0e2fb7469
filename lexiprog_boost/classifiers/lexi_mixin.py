"""What LexiBoost's classifiers share beyond the vote: the report, the default learner."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.classifiers.report import report
from lexiprog_boost.classifiers.vote_mixin import WeightedVoteMixin


class LexiMixin(WeightedVoteMixin):
    """For classifiers with the parameters ``estimator`` and ``margin`` and LexiBoost's results."""

    estimator: Any
    margin: Any

    def report(self) -> str:
        """Say in a few lines what was learnt: members that count, and each class's loss."""
        check_is_fitted(self)
        return report(self)

    @property
    def _output(self) -> str:
        return "proba" if self.margin == "proba" else "vote"

    def _learner(self) -> Any:
        return DecisionTreeClassifier(max_depth=3) if self.estimator is None else self.estimator

    def _points(self, X: Any) -> Any:
        allow_nan = get_tags(self).input_tags.allow_nan
        return validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, reset=False,
            ensure_all_finite="allow-nan" if allow_nan else True,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        inner = get_tags(self._learner()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags
