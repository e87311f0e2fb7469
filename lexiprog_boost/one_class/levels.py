"""What the scores of a group say: the mean of its lowest ones, and the level the others reach."""

from __future__ import annotations

import warnings

import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats

# A count is whole but for this, and what is less is nothing.
ROUNDING = 1e-9


def lowest_mean(scores: Floats, nu: float) -> float:
    """Mean of the lowest share nu of sorted scores, a part of a point counting in part.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.levels import lowest_mean
    >>> lowest_mean(np.array([0.0, 1.0, 2.0, 3.0]), 0.375)
    0.3333333333333333
    """
    room = nu * len(scores)
    shares = np.clip(room - np.arange(len(scores)), 0.0, 1.0)
    return float(shares @ scores / room)


def level(scores: Floats, nu: float) -> float:
    """The score that all but a share nu of sorted scores reach.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.levels import level
    >>> level(np.array([0.0, 1.0, 2.0, 3.0]), 0.25), level(np.array([0.0, 1.0, 2.0, 3.0]), 0.2)
    (1.0, 0.0)
    """
    below = int(np.floor(nu * len(scores) + ROUNDING))
    return float(scores[min(below, len(scores) - 1)])


def threshold(levels: Floats) -> float:
    """The score from which on a point is normal: the lowest level, so that no group loses more.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.levels import threshold
    >>> round(threshold(np.array([0.5, 0.2])), 6)
    0.2
    """
    lowest = float(levels.min())
    if lowest < ROUNDING:
        warnings.warn(
            "more than a share nu of a group looks normal to no hypothesis, so that the threshold "
            "calls every point normal; more hypotheses (n_hypotheses), wider ones (width) or a "
            "larger nu would raise it.",
            lx.LexiprogWarning,
            stacklevel=3,
        )
    return lowest - ROUNDING  # a point at the level itself is normal
