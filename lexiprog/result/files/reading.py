"""Make frozen records from what a file holds, or name the field that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from lexiprog.aliases import Record
from lexiprog.result.files.store import BadRecord

__all__ = ["fitted", "fitted_fields", "mapping"]


def fitted(kind: Any, value: object, place: str) -> Any:
    """The value as its annotation asks: containers and records made, numbers and texts checked."""
    origin, arguments = _origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        if value is None and NoneType in arguments:
            return None
        return _one_of([a for a in arguments if a is not NoneType], value, place)
    if origin is tuple:
        items = _asked(value, place, "a list", fits=isinstance(value, list))
        return tuple(fitted(arguments[0], item, f"{place}[{k}]") for k, item in enumerate(items))
    if origin is Mapping:
        parts = mapping(value, place).items()
        return {key: fitted(arguments[1], part, f"{place}.{key}") for key, part in parts}
    if origin is np.ndarray:
        return _asked(value, place, "an array", fits=isinstance(value, np.ndarray))
    if hasattr(kind, "from_record"):
        return kind.from_record(value, place)
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(**fitted_fields(kind, value, place))
    if isinstance(kind, type) and issubclass(kind, Enum):
        known = [member.value for member in kind]
        fits = isinstance(value, str) and value in known
        return kind(_asked(value, place, f"one of {', '.join(map(repr, known))}", fits=fits))
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(_asked(value, place, "a number", fits=number))
    if kind is int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return _asked(value, place, "a whole number", fits=whole)
    return _asked(value, place, f"of type {kind.__name__}", fits=isinstance(value, kind))


def _origin(kind: object) -> object:
    """What a generic annotation is made from; from Python 3.12 on, numpy's NDArray is an alias."""
    origin = get_origin(kind)
    meant = getattr(origin, "__value__", None)
    return origin if meant is None else _origin(meant)


def _one_of(kinds: list[object], value: object, place: str) -> Any:
    """The value as the first of the kinds that it fits."""
    for kind in kinds:
        try:
            return fitted(kind, value, place)
        except BadRecord as error:
            last = error
    raise last


def fitted_fields(kind: Any, record: object, place: str) -> Record:
    """A value for each public field of a dataclass that the record has, each fitted."""
    record = mapping(record, place)
    public = {f.name: f for f in fields(kind) if f.name[0] != "_"}
    for name in record:
        if name not in public:
            raise BadRecord(f"{place}.{name}", f"{kind.__name__} has no such field")
    for name, field in public.items():
        if name not in record and not _has_default(field):
            raise BadRecord(f"{place}.{name}", "this field is missing")
    hints = get_type_hints(kind)
    return {name: fitted(hints[name], part, f"{place}.{name}") for name, part in record.items()}


def mapping(value: object, place: str) -> Record:
    """The value, if it is a mapping."""
    found: Record = _asked(value, place, "a mapping", fits=isinstance(value, dict))
    return found


def _has_default(field: Field[object]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _asked(value: object, place: str, what: str, *, fits: bool) -> Any:
    if not fits:
        text = repr(value)
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise BadRecord(place, f"{shown} is not {what}")
    return value
