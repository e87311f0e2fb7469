"""Whole curves, fronts and sweeps of one linear or integer program, from bare numbers alone."""
