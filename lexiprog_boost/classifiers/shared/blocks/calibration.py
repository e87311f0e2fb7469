"""The calibration of scores that come in blocks: Newton's method, a pass a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import Blocks
from lexiprog_boost.classifiers.shared.calibration import (
    FLATTEST,
    PULL_OFFSETS,
    PULL_SLOPE,
    Calibration,
    logs_of,
)
from lexiprog_boost.margins import class_codes

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
    >>> from lexiprog_boost.classifiers.shared.blocks.calibration import calibrate_by_blocks
    >>> blocks = Blocks(lambda: [(np.full((50, 2), 0.5), np.repeat([0, 1], [45, 5]), None)] * 2)
    >>> calibrate_by_blocks(blocks, np.array([0, 1]), 1.0)(np.array([[0.5, 0.5]])).round(2).tolist()
    [[0.9, 0.1]]
    """
    pulls = np.append(PULL_SLOPE, np.full(len(classes), PULL_OFFSETS))
    centre = np.append(1.0, np.zeros(len(classes)))
    at, last = centre, np.inf
    step = np.zeros_like(at)
    for _ in range(STEPS):
        found: _Terms = blocks.total(_terms, at, classes, unit)
        loss = found.loss + 0.5 * float(pulls @ (at - centre) ** 2)
        if loss > last:  # too far: half of the way back
            step = step / 2
            at = at - step
            continue
        slopes = found.slopes + pulls * (at - centre)
        curves = found.curves + np.diag(pulls)
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
