"""Fields of a record that are worked out when somebody wants them."""

from __future__ import annotations

from typing import Any

__all__ = ["MadeWhenAsked"]


class MadeWhenAsked:
    """A field that may be given as a function: it is called when somebody wants the value."""

    def __init__(self, default: object = None) -> None:
        self._default = default

    def __set_name__(self, _: type, name: str) -> None:
        self._kept = f"_{name}_or_how_to_make_it"

    def __get__(self, instance: object | None, _: type) -> Any:
        if instance is None:
            return self._default
        value = getattr(instance, self._kept)
        if callable(value):
            value = value()
            self.__set__(instance, value)
        return value

    def __set__(self, instance: object, value: object) -> None:
        if value is self:  # the default of a field with wishes of its own
            value = self._default
        object.__setattr__(instance, self._kept, value)
