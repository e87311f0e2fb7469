"""From margins to weights: the smallest program that has the paper's optima, solved exactly."""

from lexiprog_boost.weights.find import least_class_losses, lexicographic_weights
from lexiprog_boost.weights.forms import LexiWeights

__all__ = ["LexiWeights", "least_class_losses", "lexicographic_weights"]
