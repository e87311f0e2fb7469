"""Margins between the true class and each rival: a point is a row against every other class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes


@dataclass(frozen=True)
class PairMargins:
    """One row a point and rival class, as `pair_margins` finds them.

    Programs take the rows like those of a margin matrix, with the label of each row's point.

    Attributes
    ----------
    margins : ndarray of shape (n (C - 1), T)
        ``f_y - f_k``, from -1 to 1, by which each member prefers the true class to rival k.
    points : ndarray of int, shape (n (C - 1),)
        The point that each row is about.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins import PairMargins
    >>> PairMargins(np.ones((2, 1)), np.array([0, 0])).margins.shape
    (2, 1)
    """

    margins: NDArray[np.float64]
    points: NDArray[np.intp]


def pair_margins(outputs: Any, codes: Codes) -> PairMargins:
    """Compare the true class with every other one, in each member's probabilities.

    A vote with weights alpha is right exactly where all rows of the point are positive, whereas
    ``2 f_y - 1`` of `margin_matrix` asks for more than half of the probability, which is hard
    to come by with many classes. With two classes both are the same. Use it with three classes or
    more, for members that give probabilities.

    Parameters
    ----------
    outputs : array-like of shape (n, T, C)
        Each member's probabilities.
    codes : ndarray of int, shape (n,)
        Position of the true class among the C.

    Returns
    -------
    PairMargins

    Examples
    --------
    One point and one member, which prefers the true class to both rivals:

    >>> import numpy as np
    >>> from lexiprog_boost.margins import pair_margins
    >>> found = pair_margins([[[0.4, 0.35, 0.25]]], np.array([0]))
    >>> found.margins.round(2).tolist(), found.points.tolist()
    ([[0.05], [0.15]], [0, 0])
    """
    table = np.asarray(outputs, dtype=np.float64)
    n_points, n_members, n_classes = table.shape
    own = np.take_along_axis(table, codes[:, None, None], axis=2)
    rivals = ~np.eye(n_classes, dtype=bool)[codes]
    differences = np.moveaxis(own - table, 2, 1)[rivals]
    return PairMargins(
        differences.reshape(-1, n_members), np.repeat(np.arange(n_points), n_classes - 1)
    )
