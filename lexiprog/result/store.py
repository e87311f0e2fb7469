"""Write plain records of numbers, texts and arrays to JSON, exactly and without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog.errors import LexiprogError

if TYPE_CHECKING:
    import os

FORMAT = "lexiprog result 1"


def write(record: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Save ``record`` at ``path``."""
    text = json.dumps({"format": FORMAT} | _encode(record), indent=1, allow_nan=False)
    Path(path).write_text(text, encoding="utf-8")


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Load what :func:`write` saved."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise LexiprogError(f"{path} is not a saved result: {error}") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise LexiprogError(f"{path} is not a saved result of this version ({FORMAT!r}).")
    return {key: _decode(part) for key, part in record.items() if key != "format"}


def _encode(value: Any) -> Any:
    """JSON for numbers, texts, arrays and their containers; anything else by its ``repr``."""
    if isinstance(value, np.ndarray):
        flat = value.reshape(-1)
        if np.iscomplexobj(value):
            flat = flat.view(float)
        return {
            "array": [_encode(number) for number in flat.tolist()],
            "shape": list(value.shape),
            "dtype": str(value.dtype),
        }
    if isinstance(value, Mapping):
        return {str(key): _encode(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_encode(part) for part in value]
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)


def _decode(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"float"}:
        return float(value["float"])
    if isinstance(value, dict) and value.keys() == {"array", "shape", "dtype"}:
        numbers = [_decode(number) for number in value["array"]]
        dtype = np.dtype(value["dtype"])
        if dtype.kind == "c":
            return np.array(numbers, dtype=float).view(dtype).reshape(value["shape"])
        return np.array(numbers, dtype=dtype).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: _decode(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_decode(part) for part in value]
    return value
