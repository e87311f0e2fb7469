"""A clone of a learner whose every source of chance is fixed."""

from typing import Any

import numpy as np
from sklearn.base import clone


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
    >>> from lexiprog_boost.members.seeding import seeded_clone
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
