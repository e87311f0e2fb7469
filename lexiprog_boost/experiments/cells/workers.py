"""Measure what is missing, on all cores, and keep every result as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from joblib import Parallel, delayed

from lexiprog_boost.experiments.cells.store import Store
from lexiprog_boost.pools.progress import bar_kind


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
    >>> from lexiprog_boost.experiments.cells.workers import run_missing
    >>> from lexiprog_boost.experiments.cells.store import Store
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
    except KeyboardInterrupt:  # lexiprog's Interrupted is an Exception, too
        raise
    except Exception as cause:  # noqa: BLE001 - reported by key; the other tasks go on
        seconds = time.perf_counter() - start
        return key, {"error": f"{type(cause).__name__}: {cause}", "seconds": seconds}
