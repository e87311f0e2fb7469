"""Hierarchies of least squares as bare numbers: one active set over all levels, and its check."""
