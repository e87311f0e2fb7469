"""Fields of a record that are worked out when somebody wants them."""

from __future__ import annotations

from typing import Any

__all__ = ["MadeWhenAsked"]


class MadeWhenAsked:
    """A field that may be given as a function: it is called when somebody wants the value."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, _: type) -> Any:
        if instance is None:
            return None  # the field's default
        value = vars(instance)[self._name]
        if callable(value):
            value = vars(instance)[self._name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value
