"""Derivatives of optima by the parameters of a program."""
