"""Figures of a study (needs matplotlib: ``pip install 'lexiprog[plot]'``)."""
