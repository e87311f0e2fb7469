"""Measure a study's cells in worker processes, and keep each on disk as soon as it is finished."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from lexiprog_boost.experiments.cell import Cell, Record, evaluate_cell
from lexiprog_boost.experiments.study import Study, load
from lexiprog_boost.pools.pool import bar_kind

# Finished cells on disk: one line each, appended as they end, so that a kill loses none.


class Store:
    """An append-only file of records by key.

    Parameters
    ----------
    path : path
        A file of JSON lines; its folder is made when the first record is written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from lexiprog_boost.experiments.measure import Store
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


# Measure what is missing, on all cores, and keep every result as soon as it is there.


def run_missing(
    tasks: Mapping[str, Any],
    measure: Callable[[Any], dict[str, Any]],
    store: Store,
    *,
    n_jobs: int = -1,
    progress: bool = True,
    label: str = "",
) -> dict[str, str]:
    """Measure the tasks whose keys the store lacks.

    A task that raises is kept with its cause under "error": the others go on, and the next run
    tries it again. Only this process writes, so a kill leaves at most one line cut short.

    Parameters
    ----------
    tasks : mapping of key -> task
        All of them, finished or not.
    measure : callable task -> dict
        Returns plain values; called in worker processes.
    store : Store
        Where finished tasks are found and kept.
    n_jobs : int
        Worker processes; -1 for all cores.
    progress : bool
        Show a bar, if tqdm is installed.
    label : str
        Of the bar.

    Returns
    -------
    dict
        The cause of every task that failed, by key.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from lexiprog_boost.experiments.measure import run_missing
    >>> from lexiprog_boost.experiments.measure import Store
    >>> store = Store(pathlib.Path(tempfile.mkdtemp(), "cells.jsonl"))
    >>> run_missing({"4": 4, "x": "x"}, lambda x: {"half": x / 2}, store, n_jobs=1, progress=False)
    {'x': "TypeError: unsupported operand type(s) for /: 'str' and 'int'"}
    >>> store.records()[0]["half"]
    2.0
    """
    done = store.finished()
    missing = {key: task for key, task in tasks.items() if key not in done}
    failures = {}
    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    results = workers(delayed(_guarded)(measure, key, task) for key, task in missing.items())
    kind = bar_kind() if progress else None
    if kind is not None:
        results = kind(
            results, total=len(tasks), initial=len(tasks) - len(missing), desc=label,
            unit="cell", smoothing=0.02,
        )  # fmt: skip
    for key, record in results:
        store.put(key, record)
        if "error" in record:
            failures[key] = record["error"]
    return failures


def _guarded(
    measure: Callable[[Any], dict[str, Any]], key: str, task: Any
) -> tuple[str, dict[str, Any]]:
    start = time.perf_counter()
    try:
        return key, measure(task)
    except Exception as cause:  # noqa: BLE001 - reported by key; the other tasks go on
        seconds = time.perf_counter() - start
        return key, {"error": f"{type(cause).__name__}: {cause}", "seconds": seconds}


def store_of(folder: Path, study: Study) -> Store:
    """Return the store of a study's cells, its parts included; a smoke run has one of its own.

    So has every table of a user's own, by what is in it: cells of a table that was changed since,
    or of another with the same name, must not be taken for those of this one.
    """
    name = replace(study, part="").label
    if study.file is not None:
        name += f"-{blake2b(study.file.read_bytes(), digest_size=8).hexdigest()}"
    return Store(folder / "cells" / f"{name}.jsonl")


def runs_of(folder: Path, study: Study) -> list[Record]:
    """Return what every run that measured cells of a study took: cells, seconds, processes."""
    return [record for record in _log(folder).records() if record["study"] == study.title]


def measure_study(
    study: Study,
    folder: Path,
    *,
    data_dir: Path | None = None,
    n_jobs: int = -1,
    progress: bool = True,
    measure: Callable[..., Record] | None = None,
) -> dict[str, str]:
    """Measure the cells of a study that its store lacks.

    Parameters
    ----------
    study : Study
        What to measure.
    folder : path
        Holds the store.
    data_dir : path, optional
        Folder of the data files.
    n_jobs, progress
        As for `run_missing`.
    measure : callable (cell, study, data_dir) -> dict, optional
        What is done for a cell; by default `measure_cell`.

    Returns
    -------
    dict
        The cause of every cell that failed, by key.
    """
    tasks = {cell.key: cell for cell in study.cells()}
    task = partial(measure or measure_cell, study=study, data_dir=data_dir)
    store = store_of(folder, study)
    before, start = len(store.finished()), time.perf_counter()
    try:
        return run_missing(tasks, task, store, n_jobs=n_jobs, progress=progress, label=study.name)
    finally:  # after Ctrl-C, too: cells are kept, and so is what they took
        seconds = time.perf_counter() - start
        _keep_run(folder, study, len(store.finished()) - before, seconds, effective_n_jobs(n_jobs))


def _log(folder: Path) -> Store:
    return Store(folder / "cells" / "runs.jsonl")


def _keep_run(folder: Path, study: Study, cells: int, seconds: float, processes: int) -> None:
    if not cells:
        return
    number = len(runs_of(folder, study))
    record = {"study": study.title, "cells": cells, "seconds": seconds, "processes": processes}
    _log(folder).put(f"{study.title}/{number}", record)


def measure_cell(cell: Cell, study: Study, data_dir: Path | None) -> Record:
    """Fit and score a cell's method on its data."""
    data = load(study, cell.dataset, data_dir)
    return evaluate_cell(
        cell, data, study.settings(cell),
        choose=study.chooses(cell), keep_predictions=study.keep_predictions,
    )  # fmt: skip
