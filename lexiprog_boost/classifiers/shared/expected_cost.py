"""Costs of wrong predictions as a matrix, and samples for training and calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.values import check_class_costs


def cost_matrix(class_costs: Any, classes: NDArray, masses: Floats) -> Floats:
    """Return the cost of predicting class k for a point of class j at [j, k].

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.expected_cost import cost_matrix
    >>> cost_matrix("balanced", np.array(["many", "rare"]), np.array([90.0, 10.0])).tolist()
    [[0.0, 1.0], [9.0, 0.0]]
    """
    if not isinstance(class_costs, str) and np.ndim(class_costs) == 2:
        return _checked_matrix(class_costs, classes)
    costs = check_class_costs(class_costs, classes, masses)
    return costs[:, None] * (1 - np.eye(len(classes)))


def two_samples(
    codes: Codes, size: Any, second: str, rng: np.random.RandomState
) -> tuple[Codes, Codes]:
    """Return the rows of two samples: a share of each class, then another or what is left.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.expected_cost import two_samples
    >>> codes = np.array([0] * 10 + [1] * 5)
    >>> first, second = two_samples(codes, 0.8, "rest", np.random.RandomState(0))
    >>> len(first), len(second), len(np.intersect1d(first, second))
    (12, 3, 0)
    """
    if second not in ("sample", "rest"):
        raise ValueError(f"unknown calibrate_on {second!r}; it is 'sample' or 'rest'.")
    if not isinstance(size, int | float | np.number) or not 0 < size < 1:
        raise ValueError(f"sample_size is {size!r}; it must lie above 0 and below 1.")
    first_rows, second_rows = [], []
    for j in range(codes.max() + 1):
        mine = np.flatnonzero(codes == j)
        count = max(1, round(size * len(mine)))
        if second == "rest":
            count = min(count, max(1, len(mine) - 1))
        order = rng.permutation(mine)
        first_rows.append(order[:count])
        if second == "sample":
            second_rows.append(rng.permutation(mine)[:count])
        else:
            # The only point of a class serves twice: both steps have to know the class.
            second_rows.append(order[count:] if len(mine) > 1 else order)
    return np.sort(np.concatenate(first_rows)), np.sort(np.concatenate(second_rows))


def _checked_matrix(costs: Any, classes: NDArray) -> Floats:
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (len(classes), len(classes)):
        raise ValueError(
            f"class_costs has shape {matrix.shape}; as a matrix it has one row and one column for "
            f"each of {classes.tolist()}."
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise ValueError("class_costs has an entry below 0 or not finite; costs are at least 0.")
    return matrix
