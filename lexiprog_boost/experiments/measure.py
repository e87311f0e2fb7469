"""Measure a study: its cells, in worker processes, into its store."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

from joblib import effective_n_jobs

from lexiprog_boost.experiments.cells.cell import Cell, Record, evaluate_cell
from lexiprog_boost.experiments.cells.store import Store
from lexiprog_boost.experiments.cells.workers import run_missing
from lexiprog_boost.experiments.loading import load
from lexiprog_boost.experiments.study import Study


def store_of(folder: Path, study: Study) -> Store:
    """Return the store of a study's cells, its parts included; a smoke run has one of its own.

    So has every table of a user's own, by what is in it: cells of a table that was changed since,
    or of another with the same name, must not be taken for those of this one.
    """
    name = replace(study, part="").title
    if study.file is not None:
        name += f"-{blake2b(study.file.read_bytes(), digest_size=8).hexdigest()}"
    return Store(folder / "cells" / f"{name}.jsonl")


def runs_of(folder: Path, study: Study) -> list[Record]:
    """Return what every run that measured cells of a study took: cells, seconds, processes."""
    return [one for one in _log(folder).records() if one["study"] == study.title]


def measure_study(
    study: Study,
    folder: Path,
    *,
    data_dir: Path | None = None,
    n_jobs: int = -1,
    progress: bool = True,
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

    Returns
    -------
    dict
        The cause of every cell that failed, by key.
    """
    tasks = {cell.key: cell for cell in study.cells()}
    measure = partial(_measure, study=study, data_dir=data_dir)
    store = store_of(folder, study)
    before, start = len(store.finished()), time.perf_counter()
    try:
        return run_missing(
            tasks, measure, store, n_jobs=n_jobs, progress=progress, label=study.name
        )
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


def _measure(cell: Cell, *, study: Study, data_dir: Path | None) -> Record:
    data = load(study, cell.dataset, data_dir)
    return evaluate_cell(
        cell, data, study.settings(cell),
        choose=study.chooses(cell), keep_predictions=study.keep_predictions,
    )  # fmt: skip
