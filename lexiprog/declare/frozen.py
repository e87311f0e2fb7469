"""Declarations hold what was said and cannot be changed."""

from __future__ import annotations

from typing import Any


class Frozen:
    """A class whose instances are written once, through :meth:`_declare`."""

    name: str

    def _declare(self, **fields: Any) -> None:
        for field, value in fields.items():
            if hasattr(self, field):
                raise AttributeError(f"{type(self).__name__}.{field} is declared twice.")
            object.__setattr__(self, field, value)

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be changed.")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be deleted.")
