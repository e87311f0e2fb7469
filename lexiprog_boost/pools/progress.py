"""Show the rounds of a training as they end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def bar_kind() -> Any:
    """Return tqdm's bar, without a warning where a notebook lacks widgets; None if it is missing.

    Examples
    --------
    >>> from lexiprog_boost.pools.progress import bar_kind
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
    >>> from lexiprog_boost.pools.progress import rounds_shown
    >>> with rounds_shown(3, "AdaBoost", verbose=0) as tick:
    ...     tick(1, 0.25)
    """
    kind = bar_kind() if verbose else None
    if kind is None:
        yield lambda _round, _error: None
        return
    with kind(total=n_rounds, desc=title) as bar:
        yield lambda _round, _error: bar.update()
