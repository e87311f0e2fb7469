"""One program for many parameter values, or with several solvers."""
