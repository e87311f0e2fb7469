"""Tables of labelled points from files: KEEL's .dat, UCI's columns, and a csv of the user's own."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets.dataset import Dataset

MISSING = {"?", "<null>", ""}


@dataclass(frozen=True)
class Table:
    """Cells as text: one row a point, the class apart."""

    features: tuple[str, ...]
    rows: list[list[str]]
    labels: list[str]
    folds: NDArray[np.int64] | None = None
    left_out: int = 0  # rows with missing values


def read_keel(path: Path) -> Table:
    r"""Read a .dat file: ``@attribute`` lines, ``@data``, then rows with the class last.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lexiprog_boost.datasets.table_files import read_keel
    >>> file = Path(tempfile.mkdtemp(), "tiny.dat")
    >>> text = "@relation t\n@attribute a real [0, 1]\n@attribute c {p, n}\n@data\n0.5, p\n"
    >>> _ = file.write_text(text)
    >>> read_keel(file)
    Table(features=('a',), rows=[['0.5']], labels=['p'], folds=None, left_out=0)
    """
    names: list[str] = []
    rows: list[list[str]] = []
    in_data = False
    for line in path.read_text().splitlines():
        text = line.strip()
        if in_data and text:
            rows.append([cell.strip() for cell in text.split(",")])
        elif text.lower().startswith("@attribute"):
            names.append(text.split(None, 1)[1].split("{")[0].split()[0])
        elif text.lower().startswith("@data"):
            in_data = True
    return _table(path, names, rows)


def read_csv(path: Path) -> Table:
    """Read a csv file, perhaps compressed, whose columns end with Class or with Class, fold."""
    opener = gzip.open if path.suffix == ".gz" else open
    # Some programs begin a file with a mark of its encoding, which is no part of the first name.
    with opener(path, "rt", newline="", encoding="utf-8-sig") as file:
        lines = [[cell.strip() for cell in row] for row in csv.reader(file)]
    names, *rows = [row for row in lines if any(row)] or [[""]]
    if names[-1] != "fold":
        return _table(path, names, rows)
    folds = np.array([int(row[-1]) for row in rows])
    # 0 marks a set without a valid partition.
    valid = (folds > 0).all()
    return _table(path, names[:-1], [row[:-1] for row in rows], folds if valid else None)


def read_columns(path: Path, features: tuple[str, ...]) -> Table:
    """Read rows of an identifier, the features and the class, separated by spaces or commas."""
    lines = path.read_text().split("\n")
    rows = [line.replace(",", " ").split()[1:] for line in lines if line.strip()]
    return _table(path, [*features, "Class"], rows)


def as_numbers(table: Table) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Turn the cells into numbers; a column of words becomes one indicator a word.

    Examples
    --------
    >>> from lexiprog_boost.datasets.table_files import Table, as_numbers
    >>> X, names = as_numbers(Table(("Sex", "Size"), [["M", "1"], ["F", "2"]], ["p", "n"]))
    >>> names, X.tolist()
    (('Sex=F', 'Sex=M', 'Size'), [[0.0, 1.0, 1.0], [1.0, 0.0, 2.0]])
    """
    columns, names = [], []
    for name, cells in zip(table.features, zip(*table.rows, strict=True), strict=True):
        try:
            columns.append(np.array(cells, dtype=np.float64))
            names.append(name)
        except ValueError:
            for word in sorted(set(cells)):
                columns.append(np.array([float(cell == word) for cell in cells]))
                names.append(f"{name}={word}")
    return np.column_stack(columns), tuple(names)


def _table(
    path: Path, names: list[str], rows: list[list[str]], folds: NDArray[np.int64] | None = None
) -> Table:
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if not rows or wrong is not None:
        problem = "no rows" if wrong is None else f"{len(rows[wrong])} cells in row {wrong + 1}"
        raise ValueError(f"{path} has {problem} for {len(names)} columns; is the file damaged?")
    complete = [i for i, row in enumerate(rows) if not MISSING.intersection(row)]
    return Table(
        features=tuple(names[:-1]),
        rows=[rows[i][:-1] for i in complete],
        labels=[rows[i][-1] for i in complete],
        folds=None if folds is None else folds[complete],
        left_out=len(rows) - len(complete),
    )


# From a table of text to a labelled set of numbers.


def labelled_set(name: str, table: Table, *, source: str) -> Dataset:
    """Return the table's points with their labels; of two classes the rarer one is 1.

    Examples
    --------
    >>> from lexiprog_boost.datasets.table_files import Table
    >>> from lexiprog_boost.datasets.table_files import labelled_set
    >>> labelled_set("t", Table(("a",), [["1"], ["2"], ["3"]], ["n", "p", "n"]), source="").y
    array([0, 1, 0])
    """
    X, feature_names = as_numbers(table)
    labels = _labels(table.labels)
    return Dataset(name, X, labels, feature_names, table.folds, source, table.left_out)


def _labels(words: list[str]) -> NDArray:
    classes, codes, counts = np.unique(words, return_inverse=True, return_counts=True)
    if len(classes) == 2:
        return (codes == np.argmin(counts)).astype(np.int64)
    try:
        return np.array(words, dtype=np.int64)
    except ValueError:
        return np.array(words)


# A table of the user's own: a csv file with a header row, the class in its last column.

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
    >>> from lexiprog_boost.datasets.table_files import load_table
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
        left_out=table.left_out + len(missing),
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
