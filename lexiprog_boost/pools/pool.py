"""What a pool hands over: fitted members, its own weights for them, and its history."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats


@dataclass(frozen=True)
class Pool:
    """Fitted members and what their training left behind: what every pool returns.

    Make one yourself of members trained in a way of your own.

    Attributes
    ----------
    estimators : tuple of T fitted classifiers
        The members, in the order of training.
    weights : ndarray of shape (T,)
        The pool's own weights for them, as its algorithm defines them: not scaled.
    classes : ndarray of shape (n_classes,)
        Sorted labels; a member may know fewer.
    history : mapping of str to ndarray
        One value a round that was kept; the pool's docstring names them.
    stopped : str
        A sentence that says why training ended.
    margins : ndarray of shape (n, T) or None
        Margins on the training data, if training had to look at them anyway. Votes are kept as
        bytes (-1 and 1): convert before adding them up.
    margin_rule : str or None
        The rule of `margins`.
    distributions : ndarray of shape (T, n) or None
        The point weights that each member was trained with, summing to one, if asked for.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools import adaboost_m2_pool
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> pool = adaboost_m2_pool(stump, [[0], [1], [2]], [0, 1, 0], n_estimators=3, random_state=0)
    >>> len(pool.estimators), pool.margins.shape, pool.stopped
    (3, (3, 3), 'all 3 rounds were trained.')
    """

    estimators: tuple[Any, ...]
    weights: Floats
    classes: NDArray
    history: Mapping[str, Floats]
    stopped: str
    margins: NDArray | None = None
    margin_rule: str | None = None
    distributions: Floats | None = None
