"""What travels: a function's name with numbers there, plain values back, and the versions."""

from __future__ import annotations

import io
import os
import pickle
import platform
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

import cvxpy as cp
import numpy as np

__all__ = ["Reply", "opened", "pack", "plain", "versions"]

# Whose versions decide what is found; everything else only carries it.
PACKAGES = ("lexiprog", "numpy", "scipy", "cvxpy", "highspy", "clarabel")
_DECLARED = (cp.Problem, cp.expressions.expression.Expression, cp.Minimize, cp.Maximize)
_CONSTRAINT = cp.constraints.constraint.Constraint


@dataclass(frozen=True)
class Reply:
    """What a worker sends back: a value or what was raised, and who it is."""

    value: object = None
    raised: BaseException | None = None
    worker: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


class _NumbersOnly(pickle.Pickler):
    """A pickler that lets no object of a declared problem pass."""

    def reducer_override(self, obj: object) -> Any:
        if isinstance(obj, (*_DECLARED, _CONSTRAINT)):
            raise TypeError(f"{type(obj).__name__} objects do not travel, only numbers do.")
        return NotImplemented


def pack(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    """The call as bytes; refused if anything of a declared problem is among the arguments."""
    buffer = io.BytesIO()
    _NumbersOnly(buffer, protocol=5).dump((function, arguments))
    return buffer.getvalue()


def opened(parcel: bytes, _ticket: str = "") -> bytes:
    """Do what a parcel asks for, wherever this runs; what is raised travels as well.

    ``_ticket`` makes each try a call of its own: schedulers remember calls that they have seen.
    """
    try:
        function, arguments = pickle.loads(parcel)
        reply = Reply(function(*arguments), None, _name(), versions())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a native panic is no Exception; all is told
        reply = Reply(None, _portable(error), _name(), versions())
    return pickle.dumps(reply, protocol=5)


def plain(found: object) -> object:
    """A solver's native result as plain values with the same attributes, if it cannot travel."""
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        if found and all(isinstance(value, float) for value in found):
            return np.array(found)
        return type(found)(plain(value) for value in found)
    try:
        pickle.dumps(found, protocol=5)
    except Exception:  # noqa: BLE001 - whatever the reason, its attributes are tried
        public = [name for name in dir(found) if not name.startswith("_")]
        values = {name: getattr(found, name, None) for name in public}
        parts = {
            name: plain(value)
            for name, value in values.items()
            if not callable(value) and type(value) is not type(found)  # a word has its kind's words
        }
        return _Native(str(found), **parts)
    return found


class _Native(SimpleNamespace):
    """A native object's attributes, which prints as the object did."""

    def __init__(self, text: str = "", **parts: object) -> None:
        super().__init__(**parts)
        self._text = text

    def __str__(self) -> str:
        return self._text


@cache
def versions() -> dict[str, str]:
    """The versions here of all that decides what is found."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def _name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _portable(error: BaseException) -> BaseException:
    """The error itself if it survives the journey, else its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever the reason
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error if isinstance(error, Exception) else RuntimeError(repr(error))
