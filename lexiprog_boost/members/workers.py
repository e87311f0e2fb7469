"""How many processes are worth starting for a training."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    >>> from lexiprog_boost.members.workers import workers_for
    >>> workers_for(np.zeros((300, 30)), 2), workers_for(np.zeros((100_000, 30)), 2)
    (1, 2)
    """
    return n_jobs if np.prod(np.shape(X), dtype=float) >= MANY_ENTRIES else 1
