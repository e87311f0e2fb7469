"""One program again and again: over tolerances, over solvers."""
