"""What every ensemble here has in common: how it is fitted, checked, shown and pickled."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.checks.frames import check_no_text
from lexiprog_boost.checks.values import check_learner
from lexiprog_boost.classifiers.shared.reports import Report, report_of
from lexiprog_boost.classifiers.shared.training_data import (
    TrainingData,
    check_points,
    check_training_data,
)


@estimator_class
class Ensemble(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier made of members; a subclass says how they are trained and asked.

    It has a method ``_train(data)`` that sets the fitted attributes, ``stopped_``, a sentence,
    among them. One without a parameter ``estimator`` says by ``_input_kinds`` what it takes.
    """

    _: KW_ONLY
    verbose: int = 0
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members and find their weights, as the class describes.

        {Parameters: training points, labels, fitted sample_weight}

        Returns
        -------
        self
        """
        self._train(self._checked_training(X, y, sample_weight))
        return self

    def report(self) -> Report:
        """Say in a few lines what was learnt: the members that count, and why training ended.

        {Returns: report}
        """
        check_is_fitted(self)
        return report_of(self)

    def _train(self, data: TrainingData) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is trained.")

    def _learner(self) -> Any:
        """The learner to boost: the given one, or a tree of depth three."""
        given = getattr(self, "estimator", None)
        return DecisionTreeClassifier(max_depth=3) if given is None else given

    def _input_kinds(self) -> tuple[bool, bool]:
        """Whether sparse points are taken, and whether missing values are."""
        inner = get_tags(check_learner(self._learner())).input_tags
        return inner.sparse, inner.allow_nan

    def _checked_training(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        if (
            getattr(self, "estimator", None) is None
        ):  # trees; a learner of the user's may know words
            check_no_text(X)
        return check_training_data(self, X, y, sample_weight)

    def _checked_points(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_points(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = self._input_kinds()
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # CVXPY's objects mean something in the process that made them only; the result stays.
        return {key: value for key, value in super().__getstate__().items() if key != "program_"}

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """scikit-learn's diagram and, once there is something to tell, the report below it."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._report_html()
        return bundle

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()
        return diagram + self._report_html()

    def _report_html(self) -> str:
        return self.report().html if hasattr(self, "stopped_") else ""
