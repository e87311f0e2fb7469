"""Fronts of several objectives, by the kind of the problem."""
