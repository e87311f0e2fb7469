"""A table of the user's own: a csv file with a header row, the class in its last column."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.keel_format import Table, read_csv
from lexiprog_boost.datasets.labelled import labelled_set

FOLDS = 5
# What statistics programs write for a number that is missing; between words it is a word.
NO_NUMBER = {"NA", "N/A", "na", "n/a", "NULL", "null", "None"}


def load_table(file: str | Path) -> Dataset:
    r"""Load a csv file of your own, perhaps compressed, as the experiments want it.

    Rows with missing values (empty, ``?`` or ``<null>``, and ``NA`` and the like among numbers) are
    left out; a column of words becomes one indicator a word. Of two classes the rarer one is 1.

    Parameters
    ----------
    file : path
        A header row, then a row a point; the class is in the last column, or in the last but one
        before a column ``fold`` with the numbers of five test folds.

    Returns
    -------
    Dataset
        Named as the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lexiprog_boost.datasets.own_table import load_table
    >>> file = pathlib.Path(tempfile.mkdtemp(), "mine.csv")
    >>> rows = [f"{k},{'rare' if k < 5 else 'common'}" for k in range(20)]
    >>> _ = file.write_text("\n".join(["size,kind", *rows]))
    >>> load_table(file).counts
    {0: 15, 1: 5}
    """
    path = Path(file)
    data = labelled_set(table_name(path), _complete(path, _read(path)), source=str(path))
    _check(path, data)
    return data


def table_name(file: Path) -> str:
    """The file's name without its endings."""
    return file.name.removesuffix(".gz").removesuffix(".csv")


def _read(path: Path) -> Table:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; give the path of a csv file.")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty; it needs a header row, then a row a point.")
    try:
        table = read_csv(path)
    except (UnicodeDecodeError, OSError) as cause:
        raise ValueError(
            f"{path} can't be read as text: {cause}. Save the table as csv in UTF-8."
        ) from cause
    if not table.features:
        raise ValueError(
            f"{path} has one column only; it needs features, then the class, separated by commas."
        )
    return table


def _complete(path: Path, table: Table) -> Table:
    """Without the rows that have no number where the rest of the column has numbers."""
    missing = {i for column in zip(*table.rows, strict=True) for i in _no_numbers(column)}
    kept = [i for i in range(len(table.rows)) if i not in missing]
    if not kept:
        raise ValueError(f"every row of {path} has a missing value; fill them in, or drop columns.")
    return Table(
        features=table.features,
        rows=[table.rows[i] for i in kept],
        labels=[table.labels[i] for i in kept],
        folds=None if table.folds is None else table.folds[kept],
    )


def _no_numbers(column: tuple[str, ...]) -> list[int]:
    """Rows that have none, if all others of the column do."""
    without = [i for i, cell in enumerate(column) if cell in NO_NUMBER]
    if not without or len(without) == len(column):
        return []
    try:
        [float(cell) for cell in column if cell not in NO_NUMBER]
    except ValueError:
        return []
    return without


def _check(path: Path, data: Dataset) -> None:
    bad = np.flatnonzero(~np.isfinite(data.X).all(axis=0))
    if len(bad):
        raise ValueError(
            f"column {data.feature_names[bad[0]]!r} of {path} holds nan or inf; leave the cell "
            "empty to drop its row, or write a number."
        )
    if len(data.counts) < 2:
        raise ValueError(
            f"the last column of {path}, the class, has one value only; at least two are needed."
        )
    rare, count = min(data.counts.items(), key=lambda item: item[1])
    if len(data.counts) > len(data.y) / 2:
        raise ValueError(
            f"the last column of {path}, the class, has {len(data.counts)} values in "
            f"{len(data.y)} rows: is it a measurement? Put the class last."
        )
    if count < FOLDS and data.folds is None:
        raise ValueError(
            f"class {rare!r} of {path} has {count} points; {FOLDS} folds need {FOLDS} of every "
            "class. Merge it with another class, or leave it out."
        )
    folds = None if data.folds is None else np.unique(data.folds)
    if folds is not None and len(folds) != FOLDS:
        raise ValueError(
            f"column 'fold' of {path} names {len(folds)} folds; the experiments need {FOLDS}."
        )
