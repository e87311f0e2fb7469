"""Outlines as HTML without scripts, for notebooks and reports; importing it registers them all."""

from lexiprog.show.html import diagram, failure, solution, table

__all__ = ["diagram", "failure", "solution", "table"]
