"""Balanced scores become probabilities at the classes' frequencies."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import log_loss

from lexiprog_boost.classifiers.shared.calibration import FLATTEST, calibrate

RNG = np.random.default_rng(0)


def sharpened(n):
    """Scores that are too unsure, at odds that do not know that the second class is rare."""
    odds = RNG.normal(0, 2, n)
    truth = (RNG.random(n) < 1 / (1 + np.exp(-(odds - 3)))).astype(int)
    score = 1 / (1 + np.exp(-odds / 2))
    return np.column_stack([1 - score, score]), truth


def test_slope_and_offset_are_those_that_made_the_labels():
    scores, truth = sharpened(40_000)
    found = calibrate(scores, truth, np.ones(len(truth)))
    assert found.slope == pytest.approx(2, rel=0.05)
    assert found.offsets[1] - found.offsets[0] == pytest.approx(-3, rel=0.05)


def test_new_points_have_a_smaller_log_loss():
    scores, truth = sharpened(2000)
    found = calibrate(scores[:1000], truth[:1000], np.ones(1000))
    probabilities = found(scores[1000:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert log_loss(truth[1000:], probabilities) < 0.7 * log_loss(truth[1000:], scores[1000:])


def test_the_gradient_leads_to_the_optimum_of_the_loss():
    scores, truth = sharpened(300)
    weights = RNG.uniform(0.5, 2, 300)
    found = calibrate(scores, truth, weights)
    shares = weights * 300 / weights.sum()

    def loss(parameters):
        logits = parameters[0] * np.log(np.maximum(scores, 1e-4)) + parameters[1:]
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        value = -(shares * logits[np.arange(300), truth]).sum()
        return value + 0.5 * (parameters[0] - 1) ** 2 + 0.005 * (parameters[1:] ** 2).sum()

    best = minimize(loss, [1.0, 0.0, 0.0], method="Nelder-Mead", tol=1e-10).fun
    assert loss(np.append(found.slope, found.offsets)) <= best + 1e-4


def test_separable_points_have_finite_probabilities_and_useless_ones_the_frequencies():
    sure = np.eye(2)[[0, 0, 0, 1]]
    found = calibrate(sure, np.array([0, 0, 0, 1]), np.ones(4))
    assert np.isfinite(found(sure)).all()
    assert found.slope >= FLATTEST
    wrong = calibrate(sure[::-1], np.array([0, 0, 0, 1]), np.ones(4))
    assert wrong.slope >= FLATTEST


def test_a_weight_of_two_counts_as_two_points():
    scores, truth = sharpened(100)
    twice = calibrate(np.vstack([scores, scores]), np.tile(truth, 2), np.ones(200))
    doubled = calibrate(scores, truth, np.full(100, 2.0))
    assert np.isfinite([twice.slope, doubled.slope]).all()
    once = calibrate(scores, truth, np.ones(100))
    assert doubled.slope == pytest.approx(once.slope)
