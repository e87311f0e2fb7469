"""What LexiBoost's classifiers share beyond the vote: the report, the default learner."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.classifiers.shared.report import Report, report
from lexiprog_boost.classifiers.shared.vote_mixin import WeightedVoteMixin


class LexiMixin(WeightedVoteMixin):
    """For classifiers with the parameters ``estimator`` and ``margin`` and LexiBoost's results."""

    estimator: Any
    margin: Any

    def report(self) -> Report:
        """Say in a few lines what was learnt: members that count, and each class's loss.

        Returns
        -------
        str
            In a notebook it shows itself as tables.
        """
        check_is_fitted(self)
        return report(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """scikit-learn's diagram and, once there is something to tell, the report below it."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._report_html()
        return bundle

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return diagram + self._report_html()

    def _report_html(self) -> str:
        return report(self).html if hasattr(self, "class_losses_") else ""

    @property
    def _output(self) -> str:
        return "proba" if self.margin in ("proba", "pairs") else "vote"

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
