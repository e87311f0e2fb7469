"""A study: data sets, base learners, methods; its data sets, each read once in every process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from lexiprog_boost.datasets import (
    GAUSSIAN_SETS,
    load_cifar_features,
    load_keel,
    load_scene,
    make_gaussians,
)
from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.table_files import load_table
from lexiprog_boost.experiments.cell import Cell
from lexiprog_boost.experiments.methods import OWN, Method, Setting

FOLDS = 5
# Studies of a handful of data sets: tests over the folds of each, as in the paper.
FEW_SETS = ("hyperspectral", "images")


@dataclass(frozen=True)
class Study:
    """One of the paper's experiments.

    Attributes
    ----------
    name : str
        As on the command line.
    datasets : tuple of str
        Names that `load` knows.
    learners : dict
        Settings of each base learner.
    methods : tuple of Method
        All of them, ranked or not.
    many_classes : bool
        Whether the paper leaves its two-class methods out.
    choose : bool
        Whether settings are also chosen inside the training folds.
    folds : int
        How many of the five folds are measured.
    keep_predictions : bool
        Whether predicted labels are kept, for maps.
    quick : bool
        A smoke run: few sets, folds and settings.
    part : str
        One of `PARTS` if only some of the methods are measured.
    file : path, optional
        The user's own table, in place of the paper's sets.
    """

    name: str
    datasets: tuple[str, ...]
    learners: dict[str, tuple[Setting, ...]]
    methods: tuple[Method, ...]
    many_classes: bool = False
    choose: bool = False
    folds: int = FOLDS
    keep_predictions: bool = False
    quick: bool = False
    part: str = ""
    file: Path | None = None

    @property
    def label(self) -> str:
        """The study's name with what is left of it."""
        table = "" if self.file is None else self.datasets[0]
        words = (self.name, table, self.part, "quick" * self.quick)
        return "-".join(word for word in words if word)

    @property
    def title(self) -> str:
        """The name of its report: the label, for a table of a user's own with a digest of its path.

        So tables of one name in several folders have a report each.
        """
        if self.file is None:
            return self.label
        where = blake2b(str(self.file.resolve()).encode(), digest_size=2).hexdigest()
        return f"{self.label}-{where}"

    @property
    def few_sets(self) -> bool:
        """Whether tests are over the folds of each set, as the paper's on scenes and images."""
        return self.name in FEW_SETS or len(self.datasets) < 2

    def cells(self) -> Iterator[Cell]:
        """Every cell, fold by fold, so that an interrupted run has whole folds."""
        for dataset in self.datasets:
            for fold in range(self.folds):
                for method in self.methods:
                    learners = [OWN] if method.role == "baseline" else list(self.learners)
                    for learner in learners:
                        yield Cell(self.name, dataset, learner, method.name, fold)

    def settings(self, cell: Cell) -> list[Setting]:
        """All settings of the cell's method and learner."""
        learners = self.learners.get(cell.learner, ({},))
        if self._method(cell).role == "sweep":  # it answers for costs: one learner will do
            learners = learners[len(learners) // 2 :][:1]
        return list(self._method(cell).settings(learners))

    def chooses(self, cell: Cell) -> bool:
        """Whether a setting is also chosen inside the training fold."""
        return self.choose and self._method(cell).role != "sweep"

    def _method(self, cell: Cell) -> Method:
        return next(method for method in self.methods if method.name == cell.method)


# The data sets of a study, each read once in every process.

# A smoke run looks at about so many pixels and at every fortieth feature of the image studies.
MOST_POINTS, FEWER_FEATURES = 200, 40


def load(of: Study, dataset: str, data_dir: Path | None) -> Dataset:
    """Load a set of a study; a smoke run gets fewer points of those that are large."""
    data = _read(of.name, dataset, data_dir) if of.file is None else read_file(of.file)
    if of.quick and data.X.shape[1] > FEWER_FEATURES:
        step = thinning(len(data.y))
        X, y = data.X[::step, ::FEWER_FEATURES], data.y[::step]
        return replace(data, X=X, y=y, feature_names=data.feature_names[::FEWER_FEATURES])
    return data


def thinning(points: int) -> int:
    """Every how many-th point a smoke run keeps of a large set."""
    return max(1, points // MOST_POINTS)


@lru_cache(maxsize=1)
def read_file(file: Path) -> Dataset:
    """Read the user's own table."""
    return load_table(file)


@lru_cache(maxsize=4)
def _read(study_name: str, dataset: str, data_dir: Path | None) -> Dataset:
    if study_name == "artificial":
        return make_gaussians(next(spec for spec in GAUSSIAN_SETS if spec.name == dataset))
    if study_name == "hyperspectral":
        return load_scene(dataset, data_dir=data_dir)
    if study_name == "images":
        if data_dir is None:
            raise ValueError(f"{dataset} comes with no package; give a data_dir with its file.")
        return load_cifar_features(int(dataset.removeprefix("cifar")), data_dir=data_dir)
    return load_keel(dataset, data_dir=data_dir)
