"""Outlines as HTML and as text."""
