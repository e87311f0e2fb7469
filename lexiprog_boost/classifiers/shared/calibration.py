"""From balanced scores to probabilities: a slope and one offset a class, by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import Blocks
from lexiprog_boost.margins import class_codes

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
    fitted = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Calibration(float(fitted[0]), fitted[1:])


def logs_of(scores: Floats) -> Floats:
    """Logarithms of scores, none of which is taken for zero."""
    return np.log(np.maximum(scores, FLOOR))


# The calibration of scores that come in blocks: Newton's method, a pass a step.

# Steps at most, and the share of the parameters below which one is the last.
STEPS, SMALL = 50, 1e-9


@dataclass(frozen=True)
class _Terms:
    """Loss, gradient and curvature of some points."""

    loss: float
    slopes: Floats
    curves: Floats

    def __add__(self, other: _Terms) -> _Terms:
        return _Terms(
            self.loss + other.loss, self.slopes + other.slopes, self.curves + other.curves
        )


def calibrate_by_blocks(blocks: Blocks, classes: NDArray, unit: float) -> Calibration:
    """The calibration that `calibrate` finds of all scores at once.

    Parameters
    ----------
    blocks : Blocks
        Of scores of shape (rows, C), labels and weights.
    classes : ndarray of shape (C,)
        Sorted labels.
    unit : float
        What a weight is divided by, so that they are one on average.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.blocks import Blocks
    >>> from lexiprog_boost.classifiers.shared.calibration import calibrate_by_blocks
    >>> blocks = Blocks(lambda: [(np.full((50, 2), 0.5), np.repeat([0, 1], [45, 5]), None)] * 2)
    >>> calibrate_by_blocks(blocks, np.array([0, 1]), 1.0)(np.array([[0.5, 0.5]])).round(2).tolist()
    [[0.9, 0.1]]
    """
    pulls = np.append(PULL_SLOPE, np.full(len(classes), PULL_OFFSETS))
    centre = np.append(1.0, np.zeros(len(classes)))
    at, last = centre, np.inf
    step = np.zeros_like(at)
    for _ in range(STEPS):
        terms: _Terms = blocks.total(_terms, at, classes, unit)
        loss = terms.loss + 0.5 * float(pulls @ (at - centre) ** 2)
        if loss > last:  # too far: half of the way back
            step = step / 2
            at = at - step
            continue
        slopes = terms.slopes + pulls * (at - centre)
        curves = terms.curves + np.diag(pulls)
        free = np.ones(len(at), dtype=bool)
        free[0] = at[0] > FLATTEST or slopes[0] < 0  # else held at its limit
        step = np.zeros_like(at)
        step[free] = -np.linalg.solve(curves[np.ix_(free, free)], slopes[free])
        step[0] = max(step[0], FLATTEST - at[0])
        last, at = loss, at + step
        if np.abs(step).max() <= SMALL * (1.0 + np.abs(at).max()):
            break
    return Calibration(float(at[0]), at[1:])


def _terms(
    block: tuple[NDArray, NDArray, Any], _: int, at: Floats, classes: NDArray, unit: float
) -> _Terms:
    scores, y, weights = block
    codes, logs = class_codes(y, classes), logs_of(scores)
    shares = np.ones(len(codes)) if weights is None else np.asarray(weights) / unit
    logits = log_softmax(at[0] * logs + at[1:], axis=1)
    chances = np.exp(logits)
    errors = shares[:, None] * (chances - np.eye(len(classes))[codes])
    # The logits' derivatives: by the slope their logs, by each offset a one.
    mean = (chances * logs).sum(axis=1)
    spread = (chances * logs**2).sum(axis=1) - mean**2
    cross = (shares[:, None] * chances * (logs - mean[:, None])).sum(axis=0)
    inner = np.diag((shares[:, None] * chances).sum(axis=0))
    inner -= (shares[:, None] * chances).T @ chances
    curves = np.block([[np.array([[shares @ spread]]), cross[None]], [cross[:, None], inner]])
    slopes = np.append((errors * logs).sum(), errors.sum(axis=0))
    return _Terms(-float(shares @ logits[np.arange(len(codes)), codes]), slopes, curves)
