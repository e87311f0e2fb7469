"""Figures are closed after every test here."""

from tests.pictures import closed_figures  # noqa: F401 - pytest finds it by its name
