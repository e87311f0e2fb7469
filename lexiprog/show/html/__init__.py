"""Outlines as HTML for notebooks and reports; importing it registers them all."""

from lexiprog.show.html import diagram, explorer, failure, solution, table

__all__ = ["diagram", "explorer", "failure", "solution", "table"]
