"""From nu, cap and costs to the limits of the point weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.programs.soft_margin import PointLimits, point_limits

Floats = NDArray[np.float64]


def limits_from_nu(
    weights: Floats, *, nu: Any, cap: Any = None, costs: Any = 1.0, lower_bound: Any = 0.0
) -> PointLimits:
    """Return limits with D = cap, or D = 1/(nu n) if there is none, n being the sum of weights.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.point_caps import limits_from_nu
    >>> limits_from_nu(np.ones(4), nu=0.5).upper.tolist()
    [0.5, 0.5, 0.5, 0.5]
    >>> limits_from_nu(np.ones(4), nu=1.5)
    Traceback (most recent call last):
    ...
    ValueError: nu is 1.5; it must lie above 0 and at most at 1, or n D = n / (nu n) is below one.
    """
    if cap is None:
        largest = float((weights * costs).sum() / weights.sum())
        if not isinstance(nu, int | float | np.number) or not 0 < nu <= largest * (1 + 1e-12):
            raise ValueError(
                f"nu is {nu!r}; it must lie above 0 and at most at {largest:.6g}, or n D = "
                "n / (nu n) is below one."
            )
        cap = 1 / (float(nu) * weights.sum())
    return point_limits(
        len(weights), cap=cap, lower_bound=lower_bound, sample_weight=weights, costs=costs
    )
