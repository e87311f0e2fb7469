"""Write plain records of numbers, texts and arrays to JSON, exactly and without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from lexiprog.aliases import Record, Value
from lexiprog.errors import LexiprogError
from lexiprog.result.files.atomic import replace_file

if TYPE_CHECKING:
    import os

__all__ = ["BadFile", "BadRecord", "read", "write"]

FORMAT = "lexiprog result 2"
EARLIER = ("lexiprog result 1",)  # without digests: can be read, but not connected


_SPECIAL = ({"array", "shape", "dtype"}, {"float"}, {"fraction"}, {"pairs"})


class BadFile(LexiprogError, ValueError):
    """A file holds no result, or not a whole one."""


class BadRecord(ValueError):
    """Something in a record is not what its place asks for."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def write(record: Record, path: str | os.PathLike[str]) -> None:
    """Save ``record`` at ``path``, all of it or nothing."""
    parts = {key: _encode(part) for key, part in record.items()}
    text = json.dumps({"format": FORMAT} | parts, indent=1, allow_nan=False)
    replace_file(path, text)


def read(path: str | os.PathLike[str]) -> Record:
    """Load what :func:`write` saved."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        record = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path} is not a saved result: {error}.") from error
    found = record.get("format") if isinstance(record, dict) else None
    if found not in (FORMAT, *EARLIER):
        raise BadFile(
            f"{path} is not a saved result of this version: its format is {found!r}, not "
            f"{FORMAT!r}."
        )
    try:
        return {key: _decode(part, key) for key, part in record.items() if key != "format"}
    except BadRecord as error:
        raise BadFile(f"{path} is not a whole result: at {error}.") from error


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _encode(value: object) -> object:
    """JSON for numbers, texts, arrays and their containers; anything else by its ``repr``."""
    if isinstance(value, np.ndarray):
        flat = value.reshape(-1)
        if np.iscomplexobj(value):
            flat = flat.view(flat.real.dtype)
        return {
            "array": [_encode(number) for number in flat.tolist()],
            "shape": list(value.shape),
            "dtype": str(value.dtype),
        }
    if isinstance(value, Mapping):
        pairs = {str(key): _encode(part) for key, part in value.items()}
        # A variable may be called "float": such a mapping must not pass for a number.
        return {"pairs": list(pairs.items())} if set(pairs) in _SPECIAL else pairs
    if isinstance(value, list | tuple):
        return [_encode(part) for part in value]
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)


def _decode(value: object, place: str) -> object:
    if isinstance(value, list):
        return [_decode(part, f"{place}[{k}]") for k, part in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) not in _SPECIAL:
        return {key: _decode(part, f"{place}.{key}") for key, part in value.items()}
    try:
        if "array" in value:
            return _array(value["array"], value["shape"], value["dtype"])
        if "pairs" in value:
            return {str(key): _decode(part, f"{place}.{key}") for key, part in value["pairs"]}
        return _number(value)
    except BadRecord:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise BadRecord(place, str(error)) from error


def _number(value: object) -> Fraction | float:
    """A plain number, or what stands for one that JSON does not have."""
    if isinstance(value, dict) and set(value) == {"float"}:
        return float(value["float"])
    if isinstance(value, dict) and set(value) == {"fraction"}:
        return Fraction(value["fraction"])
    if not isinstance(value, bool | int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def _array(entries: list[object], shape: list[int], dtype: str) -> Value:
    """The array of such entries, which are flat and, if complex, in pairs."""
    kind = np.dtype(dtype)
    if kind.kind not in "biufcO":
        raise TypeError(f"{kind} is no type of number")
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        raise ValueError(f"the shape of an array cannot be {shape!r}")
    numbers = [_number(entry) for entry in entries]
    array = np.array(numbers, dtype=np.zeros(0, kind).real.dtype).view(kind)
    if array.size != prod(shape):
        raise ValueError(f"{array.size} numbers don't fill the shape {tuple(shape)}")
    return array.reshape(shape)
