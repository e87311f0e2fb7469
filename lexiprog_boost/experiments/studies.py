"""The paper's five studies: data sets, base learners, contenders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from lexiprog_boost.datasets import (
    GAUSSIAN_SETS,
    KEEL_MULTI_CLASS,
    KEEL_TWO_CLASS,
    SCENES,
    load_cifar_features,
    load_keel,
    load_scene,
    make_gaussians,
)
from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.cells.cell import Cell
from lexiprog_boost.experiments.cells.contenders import (
    CONTENDERS,
    LEARNERS,
    OWN,
    RIVALS,
    SWEEP,
    Contender,
    Setting,
)

FOLDS = 5
# A smoke run looks at about so many pixels and at every fortieth feature of the image studies,
MOST_POINTS, FEWER_FEATURES = 300, 40
# at sets that are small, and at rivals that are fast.
QUICK_SETS = {
    "keel-two-class": ("new-thyroid1", "new-thyroid2"),
    "keel-multi-class": ("wine", "new-thyroid"),
}
QUICK_RIVALS = ("RUSBoost", "BalancedRandomForest")


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
    contenders : tuple of Contender
        All of them, ranked or not.
    choose : bool
        Whether settings are also chosen inside the training folds.
    folds : int
        How many of the five folds are measured.
    keep_predictions : bool
        Whether predicted labels are kept, for maps.
    quick : bool
        A smoke run: few sets, folds and settings.
    """

    name: str
    datasets: tuple[str, ...]
    learners: dict[str, tuple[Setting, ...]]
    contenders: tuple[Contender, ...]
    choose: bool = False
    folds: int = FOLDS
    keep_predictions: bool = False
    quick: bool = False

    def cells(self) -> Iterator[Cell]:
        """Every cell, fold by fold, so that an interrupted run has whole folds."""
        for dataset in self.datasets:
            for fold in range(self.folds):
                for contender in self.contenders:
                    learners = [OWN] if contender.role == "rival" else list(self.learners)
                    for learner in learners:
                        yield Cell(self.name, dataset, learner, contender.name, fold)

    def settings(self, cell: Cell) -> list[Setting]:
        """All settings of the cell's contender and learner."""
        learners = self.learners.get(cell.learner, ({},))
        if self._contender(cell).role == "sweep":  # it answers for costs: one learner will do
            learners = learners[len(learners) // 2 :][:1]
        return list(self._contender(cell).settings(learners))

    def chooses(self, cell: Cell) -> bool:
        """Whether a setting is also chosen inside the training fold."""
        return self.choose and self._contender(cell).role != "sweep"

    def _contender(self, cell: Cell) -> Contender:
        return next(one for one in self.contenders if one.name == cell.contender)


KNN = {"kNN": LEARNERS["kNN"]}
MULTI_CLASS = tuple(one for one in (*CONTENDERS, *RIVALS) if not one.two_class_only)
IMAGES = ("cifar8", "cifar9", "cifar10")

STUDIES = {
    "artificial": Study(
        "artificial", tuple(spec.name for spec in GAUSSIAN_SETS), KNN, (*CONTENDERS, *RIVALS)
    ),
    "keel-two-class": Study(
        "keel-two-class", KEEL_TWO_CLASS, LEARNERS, (*CONTENDERS, *RIVALS, SWEEP), choose=True
    ),
    "keel-multi-class": Study(
        "keel-multi-class", KEEL_MULTI_CLASS, LEARNERS, MULTI_CLASS, choose=True
    ),
    "hyperspectral": Study(
        "hyperspectral", SCENES, {"kNN": ({"k": 10},)}, MULTI_CLASS, keep_predictions=True
    ),
    "images": Study("images", IMAGES, KNN, MULTI_CLASS),
}


def study(name: str, *, quick: bool = False, data_dir: Path | None = None) -> Study:
    """Return a study, without the sets that need a data folder if there is none.

    Parameters
    ----------
    name : str
        One of `STUDIES`.
    quick : bool
        Two sets, two folds, one neighbourhood, two settings and two rivals.
    data_dir : path, optional
        Folder of the data files.

    Returns
    -------
    Study

    Examples
    --------
    >>> from lexiprog_boost.experiments.studies import study
    >>> len(study("artificial").datasets), study("hyperspectral").datasets
    (54, ('indian_pines',))
    """
    whole = STUDIES[name]
    if data_dir is None:
        packaged = {"hyperspectral": ("indian_pines",), "images": ()}
        whole = replace(whole, datasets=packaged.get(name, whole.datasets))
    return _smoke(whole) if quick else whole


def load(of: Study, dataset: str, data_dir: Path | None) -> Dataset:
    """Load a set of a study; a smoke run gets fewer points of those that are large."""
    data = _read(of.name, dataset, data_dir)
    if of.quick and data.X.shape[1] > FEWER_FEATURES:
        step = thinning(len(data.y))
        X, y = data.X[::step, ::FEWER_FEATURES], data.y[::step]
        return replace(data, X=X, y=y, feature_names=data.feature_names[::FEWER_FEATURES])
    return data


def thinning(points: int) -> int:
    """Every how many-th point a smoke run keeps of a large set."""
    return max(1, points // MOST_POINTS)


@lru_cache(maxsize=4)
def _read(study_name: str, dataset: str, data_dir: Path | None) -> Dataset:
    """Read a set once in every process."""
    if study_name == "artificial":
        return make_gaussians(next(spec for spec in GAUSSIAN_SETS if spec.name == dataset))
    if study_name == "hyperspectral":
        return load_scene(dataset, data_dir=data_dir)
    if study_name == "images":
        if data_dir is None:
            raise ValueError(f"{dataset} comes with no package; give a data_dir with its file.")
        return load_cifar_features(int(dataset.removeprefix("cifar")), data_dir=data_dir)
    return load_keel(dataset, data_dir=data_dir)


def _smoke(whole: Study) -> Study:
    sets = QUICK_SETS.get(whole.name, whole.datasets[:2])
    learners = {name: grid[len(grid) // 2 :][:1] for name, grid in whole.learners.items()}
    contenders = tuple(
        replace(one, grid=_few(one))
        for one in whole.contenders
        if one.role != "rival" or one.name in QUICK_RIVALS
    )
    return replace(
        whole, datasets=sets, learners=learners, contenders=contenders, folds=2, quick=True
    )


def _few(one: Contender) -> tuple[Setting, ...]:
    """Two settings, for a sweep those in the middle: cost 1 is what the others are held against."""
    middle = one.grid.index({"cost": 1.0}) if one.role == "sweep" else 0
    return one.grid[middle:][:2]
