"""Read tables of labelled points: KEEL's .dat, csv with a header, UCI's plain columns."""

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MISSING = {"?", "<null>", ""}


@dataclass(frozen=True)
class Table:
    """Cells as text: one row a point, the class apart."""

    features: tuple[str, ...]
    rows: list[list[str]]
    labels: list[str]
    folds: NDArray[np.int64] | None = None


def read_keel(path: Path) -> Table:
    r"""Read a .dat file: ``@attribute`` lines, ``@data``, then rows with the class last.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lexiprog_boost.datasets.keel_format import read_keel
    >>> file = Path(tempfile.mkdtemp(), "tiny.dat")
    >>> text = "@relation t\n@attribute a real [0, 1]\n@attribute c {p, n}\n@data\n0.5, p\n"
    >>> _ = file.write_text(text)
    >>> read_keel(file)
    Table(features=('a',), rows=[['0.5']], labels=['p'], folds=None)
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
    >>> from lexiprog_boost.datasets.keel_format import Table, as_numbers
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
    )
