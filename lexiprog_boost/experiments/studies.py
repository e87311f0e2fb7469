"""The paper's five studies, and that of a user's own table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lexiprog_boost.datasets import GAUSSIAN_SETS, KEEL_MULTI_CLASS, KEEL_TWO_CLASS, SCENES
from lexiprog_boost.datasets.table_files import table_name
from lexiprog_boost.experiments.methods import (
    BASELINES,
    CONTROLS,
    ENSEMBLE,
    LEARNERS,
    METHODS,
    SWEEPS,
    Method,
    Setting,
)
from lexiprog_boost.experiments.study import Study, read_file

# A smoke run looks at sets that are small and at baselines that are fast.
QUICK_SETS = {
    "keel-two-class": ("new-thyroid1", "new-thyroid2"),
    "keel-multi-class": ("new-thyroid",),
}
QUICK_BASELINES = ("RUSBoost", "BalancedRandomForest", "LexiEnsemble")

ALL = (*METHODS, *BASELINES, *CONTROLS, *SWEEPS)
TWO_CLASS = tuple(one for one in ALL if not one.many_class_only)
MULTI_CLASS = tuple(one for one in ALL if not one.two_class_only)
IMAGES = ("cifar8", "cifar9", "cifar10")
OWN_DATA = "own-data"
# What can be measured alone: the roles that belong to it, and who they are held against.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "controls": ("control", ("Dual-LexiBoost",)),
    "costs": ("sweep", ()),
}
# What can be left out of the whole: everything but the paper's own methods.
BESIDES = {"rivals": "baseline", "controls": "control", "costs": "sweep"}

STUDIES = {
    "artificial": Study(
        "artificial", tuple(spec.name for spec in GAUSSIAN_SETS), LEARNERS, TWO_CLASS
    ),
    "keel-two-class": Study("keel-two-class", KEEL_TWO_CLASS, LEARNERS, TWO_CLASS, choose=True),
    "keel-multi-class": Study(
        "keel-multi-class", KEEL_MULTI_CLASS, LEARNERS, MULTI_CLASS, many_classes=True, choose=True
    ),
    "hyperspectral": Study(
        "hyperspectral", SCENES, {"C4.5": ({},), "kNN": ({"k": 10},)}, MULTI_CLASS,
        many_classes=True, keep_predictions=True,
    ),
    "images": Study("images", IMAGES, LEARNERS, MULTI_CLASS, many_classes=True),
}  # fmt: skip


def study(
    name: str, *, quick: bool = False, data_dir: Path | None = None, part: str = "",
    sets: Sequence[str] = (), without: Sequence[str] = (),
) -> Study:  # fmt: skip
    """Return a study, without the sets that need a data folder if there is none.

    Parameters
    ----------
    name : str
        One of `STUDIES`.
    quick : bool
        Two sets, two folds, one neighbourhood, two settings and two baselines.
    data_dir : path, optional
        Folder of the data files.
    part : str
        One of `PARTS`, to leave the other methods out.
    sets : sequence of str
        The data sets to measure; all of the study's if none are named.
    without : sequence of str
        Some of `BESIDES`, to leave these methods out.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If the study has no set of such a name.

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
    unknown = [dataset for dataset in sets if dataset not in whole.datasets]
    if unknown:
        raise ValueError(f"{name} has no set {unknown[0]!r}; it has {', '.join(whole.datasets)}.")
    if sets:
        whole = replace(
            whole, datasets=tuple(dataset for dataset in whole.datasets if dataset in sets)
        )
    return _narrowed(whole, quick=quick, part=part, without=without)


def study_of_file(
    file: Path, *, quick: bool = False, part: str = "", without: Sequence[str] = ()
) -> Study:
    """Return the study of a user's own table: every method that its classes allow.

    Parameters
    ----------
    file : path
        As for `load_table`, which explains what is wrong with a file that can't be used.
    quick, part, without
        As for `study`.

    Returns
    -------
    Study
    """
    many = len(read_file(file).counts) > 2
    whole = Study(
        OWN_DATA, (table_name(file),), LEARNERS, (*(MULTI_CLASS if many else TWO_CLASS), ENSEMBLE),
        many_classes=many, choose=True, file=file,
    )  # fmt: skip
    return _narrowed(whole, quick=quick, part=part, without=without)


def _narrowed(whole: Study, *, quick: bool, part: str, without: Sequence[str]) -> Study:
    left_out = {BESIDES[method] for method in without}
    kept = tuple(method for method in whole.methods if method.role not in left_out)
    whole = replace(whole, methods=kept)
    if part:
        role, others = PARTS[part]
        kept = tuple(
            method for method in whole.methods if method.role == role or method.name in others
        )
        alone = all(method.name in others for method in kept)  # nothing to hold against them
        whole = replace(whole, methods=() if alone else kept, part=part)
    return _smoke(whole) if quick else whole


def _smoke(whole: Study) -> Study:
    usual = QUICK_SETS.get(whole.name, whole.datasets)
    sets = tuple(dataset for dataset in usual if dataset in whole.datasets) or whole.datasets
    learners = {
        name: grid[len(grid) // 2 :][:1]
        for name, grid in whole.learners.items()
        if name == "kNN" or whole.choose
    }
    methods = tuple(
        replace(dataset, grid=_few(dataset))
        for dataset in whole.methods
        if dataset.role != "baseline" or dataset.name in QUICK_BASELINES
    )
    return replace(
        whole, datasets=sets[:2], learners=learners, methods=methods, folds=2, quick=True
    )


def _few(method: Method) -> tuple[Setting, ...]:
    """Two settings, for a sweep those in the middle: cost 1 is what the others are held against."""
    middle = method.grid.index({"cost": 1.0}) if method.role == "sweep" else 0
    return method.grid[middle:][:2]
