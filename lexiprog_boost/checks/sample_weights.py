"""Check the weights that a caller gives to points."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array


def check_sample_weight(sample_weight: ArrayLike | None, n_points: int) -> NDArray[np.float64]:
    """Return one finite, non-negative weight a point, as a copy, not all of them zero.

    Parameters
    ----------
    sample_weight : array-like of shape (n_points,) or None
        None stands for a weight of one each.
    n_points : int
        How many weights there have to be.

    Returns
    -------
    ndarray of shape (n_points,)
        The weights in float64; their sum is left as it was given.

    Examples
    --------
    >>> from lexiprog_boost.checks.sample_weights import check_sample_weight
    >>> check_sample_weight(None, 3).tolist()
    [1.0, 1.0, 1.0]
    >>> check_sample_weight([1, -1], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight has a negative entry at position 1; weights must be >= 0.
    """
    if sample_weight is None:
        return np.ones(n_points)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight", copy=True
    )
    if weights.shape != (n_points,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but there are {n_points} points: "
            "give one number a point."
        )
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight has a negative entry at position {int(np.argmax(weights < 0))}; "
            "weights must be >= 0."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every point; give some point a weight > 0.")
    return weights


def check_class_masses(masses: NDArray, classes: NDArray) -> None:
    """Refuse a class whose points all weigh nothing.

    Parameters
    ----------
    masses : ndarray of shape (n_classes,)
        Total weight of each class.
    classes : ndarray of shape (n_classes,)
        Their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.checks.sample_weights import check_class_masses
    >>> check_class_masses(np.array([2.0, 0.0]), np.array(["many", "rare"]))
    Traceback (most recent call last):
    ...
    ValueError: class 'rare' has no point of weight > 0; give it one, or leave the class out of y.
    """
    for label, mass in zip(classes.tolist(), masses, strict=True):
        if mass <= 0:
            raise ValueError(
                f"class {label!r} has no point of weight > 0; give it one, or leave the class "
                "out of y."
            )
