"""Groups of points: one for each point, and none of them missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_groups(groups: Any, n_points: int) -> NDArray:
    """Return the group of each point; groups of several types are compared as texts.

    Parameters
    ----------
    groups : array-like of shape (n_points,)
        Names or numbers.
    n_points : int
        How many points there are.

    Returns
    -------
    ndarray of shape (n_points,)

    Examples
    --------
    >>> from lexiprog_boost.checks.groups import check_groups
    >>> check_groups(["north", "south"], 2).tolist()
    ['north', 'south']
    >>> check_groups(["a"], 2)
    Traceback (most recent call last):
    ...
    ValueError: groups has shape (1,); it needs one group for each of 2 points.
    """
    given = np.asarray(groups)
    if given.shape != (n_points,):
        raise ValueError(
            f"groups has shape {given.shape}; it needs one group for each of {n_points} points."
        )
    if any(_is_missing(group) for group in given.tolist()):
        raise ValueError("groups has missing values; give such points a group of their own.")
    return given.astype(str) if given.dtype == object else given


def _is_missing(group: Any) -> bool:
    """None, what differs from itself, and pandas' NA, which does not say whether it does."""
    try:
        return group is None or bool(group != group)
    except TypeError:
        return True
