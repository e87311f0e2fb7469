"""Optima as functions of tolerances and weights: value functions, trade-offs, fronts."""
