"""Fit a learner with point weights, if it can use them."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def weighted_fit(learner: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit with the weights where the learner, or the last step of a pipeline, takes them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from lexiprog_boost.members.weighted import weighted_fit
    >>> learner = make_pipeline(StandardScaler(), LogisticRegression())
    >>> weighted_fit(learner, [[0], [1], [2]], [0, 0, 1], [1, 1, 9]).predict([[1.4]]).tolist()
    [1]
    """
    if sample_weight is None:
        return learner.fit(X, y)
    if has_fit_parameter(learner, "sample_weight"):
        return learner.fit(X, y, sample_weight=sample_weight)
    # With metadata routing on, the pipeline's owner says what is passed, and under which name.
    if isinstance(learner, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = learner.steps[-1]
        if has_fit_parameter(last, "sample_weight"):
            return learner.fit(X, y, **{f"{name}__sample_weight": sample_weight})
    return learner.fit(X, y)
