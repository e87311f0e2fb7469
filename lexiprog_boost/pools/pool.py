"""What a pool returns: fitted members, weights for them, a history; its rounds are shown."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
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


class KeptRounds:
    """The rounds that a training keeps, until a pool is made of them.

    Parameters
    ----------
    n_rounds : int
        Rounds at most.

    Attributes
    ----------
    members : list
        Fitted classifiers.
    columns : list of ndarray
        Their margins, where training looks at them.
    stopped : str
        Why training ended; a loop that ends early says so.
    """

    def __init__(self, n_rounds: int) -> None:
        self.members: list[Any] = []
        self.columns: list[NDArray] = []
        self.stopped = f"all {n_rounds} rounds were trained."
        self._distributions: list[Floats] = []
        self._history: dict[str, list[float]] = {}

    def add(
        self,
        member: Any,
        *,
        column: NDArray | None = None,
        distribution: Floats | None = None,
        **history: float,
    ) -> None:
        """Keep a member, its margins, what it was trained with, and figures for the history."""
        self.members.append(member)
        if column is not None:
            self.columns.append(column)
        if distribution is not None:
            self._distributions.append(distribution)
        for name, value in history.items():
            self._history.setdefault(name, []).append(value)

    def history(self, name: str) -> Floats:
        """A figure of every round that was kept."""
        return np.array(self._history[name], dtype=np.float64)

    def pool(self, weights: Floats, classes: NDArray, margin_rule: str | None = None) -> Pool:
        """The members with these weights."""
        return Pool(
            estimators=tuple(self.members),
            weights=weights,
            classes=classes,
            history={name: self.history(name) for name in self._history},
            stopped=self.stopped,
            margins=np.column_stack(self.columns) if self.columns else None,
            margin_rule=margin_rule,
            distributions=np.array(self._distributions) if self._distributions else None,
        )


# Show the rounds of a training as they end.


def bar_kind() -> Any:
    """Return tqdm's bar, without a warning where a notebook lacks widgets; None if it is missing.

    Examples
    --------
    >>> from lexiprog_boost.pools.pool import bar_kind
    >>> bar = bar_kind()
    >>> bar is None or [k for k in bar(range(2), disable=True)] == [0, 1]
    True
    """
    try:
        with warnings.catch_warnings():
            # In a notebook without ipywidgets it draws with letters, and says so.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


@contextmanager
def rounds_shown(
    n_rounds: int, title: str, *, verbose: int
) -> Iterator[Callable[[int, float], None]]:
    """Give a function to be called after every round: it moves a bar, or does nothing.

    Parameters
    ----------
    n_rounds : int
        The length of the bar.
    title : str
        What stands before it.
    verbose : int
        0 shows nothing, as does a missing tqdm.

    Yields
    ------
    callable (round, error)

    Examples
    --------
    >>> from lexiprog_boost.pools.pool import rounds_shown
    >>> with rounds_shown(3, "AdaBoost", verbose=0) as tick:
    ...     tick(1, 0.25)
    """
    kind = bar_kind() if verbose else None
    if kind is None:
        yield lambda _round, _error: None
        return
    with kind(total=n_rounds, desc=title) as bar:
        yield lambda _round, _error: bar.update()
