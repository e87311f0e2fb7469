"""Data sets of the paper's experiments: loaded from installed packages or files, or made here."""

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.images import SCENES, load_cifar_features, load_scene
from lexiprog_boost.datasets.keel import KEEL_MULTI_CLASS, KEEL_TWO_CLASS, load_keel
from lexiprog_boost.datasets.synthetic import GAUSSIAN_SETS, GaussianSpec, make_gaussians, make_toy

__all__ = [
    "GAUSSIAN_SETS",
    "KEEL_MULTI_CLASS",
    "KEEL_TWO_CLASS",
    "SCENES",
    "Dataset",
    "GaussianSpec",
    "load_cifar_features",
    "load_keel",
    "load_scene",
    "make_gaussians",
    "make_toy",
]
