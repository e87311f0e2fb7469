"""Fit one learner: a clone with its chance fixed, weighted if it can be, in enough processes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def seeded_clone(estimator: Any, rng: np.random.RandomState) -> Any:
    """Clone a learner and give each of its `random_state` parameters an integer of its own.

    Nested parameters are set too, in the order of their names, as scikit-learn's ensembles do.

    Parameters
    ----------
    estimator : estimator
        Left as it is.
    rng : RandomState
        Draws the integers; an equal state gives an equal clone.

    Returns
    -------
    estimator
        Not fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.members.fitting import seeded_clone
    >>> rngs = np.random.RandomState(0), np.random.RandomState(0)
    >>> first, second = (seeded_clone(DecisionTreeClassifier(), rng) for rng in rngs)
    >>> first.random_state == second.random_state
    True
    """
    copy = clone(estimator)
    names = [
        name
        for name in sorted(copy.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    seeds = {name: int(rng.randint(np.iinfo(np.int32).max)) for name in names}
    return copy.set_params(**seeds) if seeds else copy


# Fit a learner with point weights, if it can use them.


def weighted_fit(learner: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit with the weights where the learner, or the last step of a pipeline, takes them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from lexiprog_boost.members.fitting import weighted_fit
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


# How many processes are worth starting for a training.

# Below so many entries a process takes longer to start than the members take to train.
MANY_ENTRIES = 1_000_000


def workers_for(X: Any, n_jobs: int | None) -> int | None:
    """As many workers as were asked for; one for small data.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        What is trained on.
    n_jobs : int or None
        As for joblib.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.members.fitting import workers_for
    >>> workers_for(np.zeros((300, 30)), 2), workers_for(np.zeros((100_000, 30)), 2)
    (1, 2)
    """
    return n_jobs if np.prod(np.shape(X), dtype=float) >= MANY_ENTRIES else 1
