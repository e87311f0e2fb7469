"""Summaries as HTML for notebooks and reports; importing it registers them all."""

from lexiprog.display import diagram, table, views

__all__ = ["diagram", "table", "views"]
