"""Finished cells on disk: one line each, appended as they end, so that a kill loses none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class Store:
    """An append-only file of records by key.

    Parameters
    ----------
    path : path
        A file of JSON lines; its folder is made when the first record is written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from lexiprog_boost.experiments.cells.store import Store
    >>> store = Store(pathlib.Path(tempfile.mkdtemp(), "cells.jsonl"))
    >>> store.put("a", {"value": 1})
    >>> store.finished(), store.records()
    ({'a'}, [{'value': 1}])
    """

    def __init__(self, path: Path):
        self.path = path

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Append a record and see it to the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"key": key, "record": record}, allow_nan=False)
        # A line that a kill cut short is closed first: it must not swallow this one.
        start = "" if _ends_well(self.path) else "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{start}{line}\n")
            file.flush()
            os.fsync(file.fileno())

    def finished(self) -> set[str]:
        """Keys of the records that are no failures."""
        return {key for key, record in dict(self._entries()).items() if "error" not in record}

    def items(self) -> list[tuple[str, dict[str, Any]]]:
        """All keys and records but failures, in the order of the keys."""
        entries = sorted(dict(self._entries()).items())
        return [(key, record) for key, record in entries if "error" not in record]

    def records(self) -> list[dict[str, Any]]:
        """All records but failures in the order of their keys, whatever order they came in."""
        return [record for _, record in self.items()]

    def failures(self) -> dict[str, str]:
        """The cause of every failure that no later record has replaced, by key."""
        entries = sorted(dict(self._entries()).items())
        return {key: record["error"] for key, record in entries if "error" in record}

    def _entries(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # cut short by a kill: that cell is measured again
            yield entry["key"], entry["record"]


def _ends_well(path: Path) -> bool:
    if not path.exists() or not path.stat().st_size:
        return True
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
