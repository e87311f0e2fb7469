"""Outlines as HTML without scripts, for notebooks and reports."""
