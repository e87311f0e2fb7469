"""The data sets of a study, each read once in every process."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lexiprog_boost.datasets import (
    GAUSSIAN_SETS,
    load_cifar_features,
    load_keel,
    load_scene,
    make_gaussians,
)
from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.own_table import load_table
from lexiprog_boost.experiments.study import Study

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
