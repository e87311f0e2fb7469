"""Write plain records of numbers, texts and arrays to JSON, exactly and without pickle."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from math import prod
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeGuard, Union, get_args, get_origin, get_type_hints

import numpy as np

from lexiprog.errors import LexiprogError
from lexiprog.typing import Record, Value

LONGEST_START = 200


def replace_file(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` to ``path`` as :func:`replace_bytes` does."""
    replace_bytes(path, text.encode())


def replace_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path`` so that no crash, kill or full disk leaves half of it there.

    It is written beside the file under another name, brought to the disk and renamed. A process
    that is killed in between leaves that other file, ``.name.….tmp``, behind.
    """
    target = Path(os.path.realpath(path))  # a link stays one; what it points to is replaced
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)  # a device or a pipe cannot be replaced
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    # Names end at 255 bytes in most file systems: of a long one the beginning will do.
    start = os.fsencode(target.name)[:LONGEST_START].decode(errors="ignore")
    beside = target.with_name(f".{start}.{secrets.token_hex(8)}.tmp")
    try:
        # The mode is the one that plain writing would give, by the user's own mask.
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(stat.S_IMODE(mode))
        beside.replace(target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and mode is not None:
            error.add_note(f"{target} is still what it was before.")
        raise
    _settle(target.parent)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _settle(folder: Path) -> None:
    """Bring the renaming itself to the disk, where the system lets folders be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse, and rename durably by themselves
        pass
    finally:
        os.close(handle)


FORMAT = "lexiprog result 3"
# Without a checksum; the first also without digests: it can be read, but not connected.
EARLIER = ("lexiprog result 2", "lexiprog result 1")

# A fraction is digits over digits; long ones, which Python would take ages to read, are in
# hexadecimal digits. Words such as 1e400000000 are no fractions here.
DECIMAL_DIGITS, HEX_DIGITS = 4000, 1_000_000
_FRACTION = re.compile(
    rf"-?[0-9]{{1,{DECIMAL_DIGITS}}}(/[0-9]{{1,{DECIMAL_DIGITS}}})?"
    rf"|-?0x[0-9a-f]{{1,{HEX_DIGITS}}}/0x[0-9a-f]{{1,{HEX_DIGITS}}}"
)
_WORDS = {"nan", "inf", "-inf"}
_SPECIAL = ({"array", "shape", "dtype"}, {"float"}, {"fraction"}, {"pairs"})


class BadFile(LexiprogError, ValueError):
    """A file holds no result, or not a whole one."""


class BadRecord(ValueError):
    """Something in a record is not what its place asks for."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def write(record: Record, path: str | os.PathLike[str]) -> None:
    """Save ``record`` at ``path``, all of it or nothing."""
    body = {key: _encode(part) for key, part in record.items()}
    marks = {"format": FORMAT, "checksum": checksum(body)}
    replace_file(path, json.dumps(marks | body, indent=1, allow_nan=False))


def checksum(body: Mapping[str, object]) -> str:
    """SHA-256 of everything in a file but its format and this, as JSON in one order of keys."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return sha256(text.encode()).hexdigest()


# What malformed content can make Python raise.
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def read(path: str | os.PathLike[str]) -> Record:
    """Load what :func:`write` saved, if nobody has changed it since."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        record = json.loads(text, parse_constant=_refuse)
        if "\\ud" in text.lower():  # halves of characters, which no file can be written with
            json.dumps(record, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path} is not a saved result: {error}.") from error
    written = record.pop("format", None) if isinstance(record, dict) else None
    if written not in (FORMAT, *EARLIER):
        raise BadFile(
            f"{path} is not a saved result of this version: its format is {written!r}, not "
            f"{FORMAT!r}."
        )
    try:
        told = record.pop("checksum", None)
        if told != (checksum(record) if written == FORMAT else None):
            raise BadFile(
                f"{path} is not as it was saved: its content has changed, as its checksum shows. "
                "Take another copy, or solve again."
            )
        return _of_today({key: _decode(part, key) for key, part in record.items()})
    except BadRecord as error:
        raise BadFile(f"{path} is not a whole result: at {error}.") from error
    except BadFile:
        raise
    except MALFORMED as error:
        raise BadFile(f"{path} is not a whole result: {error}.") from error


# What the measures of certificates were called in earlier files; some are no more.
_NAMES = {"primal": "rows", "dual": "columns", "cone": "cones", "radius": ""}


def _of_today(record: Record) -> Record:
    """The record with certificates whose fields have the names of today."""
    for solution in record.get("solutions", ()):
        certificate = solution.get("certificate") if isinstance(solution, dict) else None
        if isinstance(certificate, dict):
            named = {_NAMES.get(name, name): part for name, part in certificate.items()}
            solution["certificate"] = {name: part for name, part in named.items() if name}
    return record


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
        return {"fraction": _digits(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)


def _digits(value: Fraction) -> str:
    over, under = value.numerator, value.denominator
    if max(abs(over), under).bit_length() < 3 * DECIMAL_DIGITS:  # three bits a digit, and more
        return f"{over}/{under}"
    return f"{over:#x}/{under:#x}"


def _fraction(text: object) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError(f"{shown(text)} is no fraction: digits over digits")
    return Fraction(*(int(part, 0 if "x" in part else 10) for part in text.split("/")))


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
        if value["float"] not in _WORDS:
            raise ValueError(f"{shown(value['float'])} is no number")
        return float(value["float"])
    if isinstance(value, dict) and set(value) == {"fraction"}:
        return _fraction(value["fraction"])
    if not isinstance(value, bool | int | float):
        raise TypeError(f"{shown(value)} is no number")
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


# Frozen records are made from what a file holds, or the field that does not fit is named.


def fitted(kind: Any, value: object, place: str) -> Any:
    """The value as its annotation asks: containers and records made, numbers and texts checked."""
    origin, arguments = _origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        if value is None and NoneType in arguments:
            return None
        return _first_that_fits([a for a in arguments if a is not NoneType], value, place)
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
    return _fitted_scalar(kind, value, place)


def _fitted_scalar(kind: Any, value: object, place: str) -> Any:
    """A number, a text, or what an enumeration calls so."""
    if issubclass(kind, Enum):
        words = [member.value for member in kind]
        fits = isinstance(value, str) and value in words
        return kind(_asked(value, place, f"one of {', '.join(map(repr, words))}", fits=fits))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float:
        # A whole number may be beyond all floats.
        fits = number and not _is_huge(value)
        return float(_asked(value, place, "a number", fits=fits))
    if kind is int:
        return _asked(value, place, "a whole number", fits=number and isinstance(value, int))
    return _asked(value, place, f"of type {kind.__name__}", fits=isinstance(value, kind))


def _origin(kind: object) -> object:
    """What a generic annotation is made from; from Python 3.12 on, numpy's NDArray is an alias."""
    origin = get_origin(kind)
    alias = getattr(origin, "__value__", None)
    return origin if alias is None else _origin(alias)


def _first_that_fits(kinds: list[object], value: object, place: str) -> Any:
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
    record: Record = _asked(value, place, "a mapping", fits=isinstance(value, dict))
    return record


def _has_default(field: Field[object]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _asked(value: object, place: str, what: str, *, fits: bool) -> Any:
    if not fits:
        raise BadRecord(place, f"{shown(value)} is not {what}")
    return value


def shown(value: object) -> str:
    """A value in a message: not more of it than tells it apart."""
    text = f"a number of {value.bit_length()} bits" if _is_huge(value) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_huge(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and value.bit_length() > 1023


def finite(value: Any, place: str) -> None:
    """Refuse an array or a number that is not finite, or not of numbers at all."""
    entries = np.asarray(value)
    if entries.dtype.kind not in "biufc" or not np.isfinite(entries).all():
        raise BadRecord(place, "a number here is not finite")
