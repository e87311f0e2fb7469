"""Levels that are not convex: quasiconvex ones by proved bisection, others by local search."""
