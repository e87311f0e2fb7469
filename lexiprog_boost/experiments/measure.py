"""Measure a study: its cells, in worker processes, into its store."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

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
    return run_missing(
        tasks, measure, store_of(folder, study),
        n_jobs=n_jobs, progress=progress, label=study.name,
    )  # fmt: skip


def _measure(cell: Cell, *, study: Study, data_dir: Path | None) -> Record:
    data = load(study, cell.dataset, data_dir)
    return evaluate_cell(
        cell, data, study.settings(cell),
        choose=study.chooses(cell), keep_predictions=study.keep_predictions,
    )  # fmt: skip
