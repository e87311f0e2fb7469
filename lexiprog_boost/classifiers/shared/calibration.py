"""From balanced scores to probabilities: a slope and one offset a class, fitted by log loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from lexiprog_boost.aliases import Floats

# Scores below this count as this, since their logarithm is taken.
FLOOR = 1e-4
# The slope of a calibration may be tiny, but classes must not change their order with it.
FLATTEST = 1e-3
# Pull of the slope to one and of the offsets to zero, as if by this many points: it only matters
# where the classes are separable and the likelihood has no maximum.
PULL_SLOPE, PULL_OFFSETS = 1.0, 0.01


@dataclass(frozen=True)
class Calibration:
    """Probabilities ``softmax(slope log(score) + offsets)``.

    Attributes
    ----------
    slope : float
        Above one, if the scores are less sure than they could be.
    offsets : ndarray of shape (C,)
        What brings balanced scores back to the classes' frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.calibration import Calibration
    >>> rare = Calibration(1.0, np.log([0.9, 0.1]))
    >>> rare(np.array([[0.5, 0.5]])).round(3).tolist()
    [[0.9, 0.1]]
    """

    slope: float
    offsets: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Turn scores of shape (m, C) into probabilities."""
        return softmax(self.slope * logs_of(scores) + self.offsets, axis=1)


def calibrate(scores: Floats, codes: NDArray[np.intp], weights: Floats) -> Calibration:
    """Fit slope and offsets to scores of points that the members did not see.

    With two classes it is Platt's sigmoid on the logarithm of the scores' ratio.

    Parameters
    ----------
    scores : ndarray of shape (n, C)
        Shares of the members' weight, on the simplex.
    codes : ndarray of int, shape (n,)
        Position of the true class.
    weights : ndarray of shape (n,)
        Weights of the points.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.calibration import calibrate
    >>> scores = np.full((100, 2), 0.5)
    >>> found = calibrate(scores, np.repeat([0, 1], [90, 10]), np.ones(100))
    >>> found(scores[:1]).round(2).tolist()
    [[0.9, 0.1]]
    """
    logs, truth = logs_of(scores), np.eye(scores.shape[1])[codes]
    shares = weights * len(weights) / weights.sum()

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slope, offsets = parameters[0], parameters[1:]
        logits = log_softmax(slope * logs + offsets, axis=1)
        errors = shares[:, None] * (np.exp(logits) - truth)
        value = -(shares * logits[np.arange(len(codes)), codes]).sum()
        value += 0.5 * PULL_SLOPE * (slope - 1) ** 2 + 0.5 * PULL_OFFSETS * (offsets**2).sum()
        slopes = (errors * logs).sum() + PULL_SLOPE * (slope - 1)
        return value, np.append(slopes, errors.sum(axis=0) + PULL_OFFSETS * offsets)

    start = np.append(1.0, np.zeros(scores.shape[1]))
    bounds = [(FLATTEST, None)] + [(None, None)] * scores.shape[1]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Calibration(float(found[0]), found[1:])


def logs_of(scores: Floats) -> Floats:
    """Logarithms of scores, none of which is taken for zero."""
    return np.log(np.maximum(scores, FLOOR))
