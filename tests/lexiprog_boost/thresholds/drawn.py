"""Points of classes around a circle, with the scores of a model that knows where they are."""

import numpy as np
from scipy.special import log_softmax

from lexiprog_boost.thresholds import ScoredPoints


def draw(seed, counts, *, spread=1.5, steps=None):
    """Points with log probabilities; with `steps`, scores are rounded to so many values."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(counts)), counts)
    angles = 2 * np.pi * np.arange(len(counts)) / len(counts)
    centres = spread * np.column_stack([np.cos(angles), np.sin(angles)])
    X = centres[codes] + rng.normal(size=(len(codes), 2))
    logs = np.maximum(log_softmax(X @ centres.T, axis=1), np.log(1e-6))
    if steps:
        logs = np.round(logs * steps) / steps
    shares = np.full(len(counts), 1 / len(counts))
    return ScoredPoints(logs, codes, np.arange(len(counts)), shares, -np.log(shares))


def recalls(points, rule):
    right = rule(points.logs) == points.codes
    counts = np.bincount(points.codes)
    return np.bincount(points.codes, right) / counts
