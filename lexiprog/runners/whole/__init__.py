"""Whole numbers: starts, searches, and points made whole."""
