"""Solves on other machines: numbers go, numbers come back, and nobody there is believed."""
