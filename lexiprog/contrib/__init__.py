"""Bridges to packages whose work these hierarchies do; each module is named for its package.

Nothing of a package is imported before a function here is called with its objects.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def package(module: str, distribution: str) -> ModuleType:
    """A module of another package, or a sentence that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this needs {distribution}, which is not installed: pip install 'lexiprog[clients]'."
        ) from error
