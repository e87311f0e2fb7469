"""What the scores of a group say: the mean of its lowest ones, and the level the others reach."""

from __future__ import annotations

import numpy as np

from lexiprog_boost.aliases import Floats

# A count is whole but for this.
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
