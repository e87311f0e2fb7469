"""Curved problems: what is done with an interior point."""
