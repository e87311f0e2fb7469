"""Points from images: hyperspectral scenes, one a labelled pixel, and features of pictures."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from lexiprog_boost.datasets.dataset import Dataset

SCENES = ("indian_pines", "salinas_a", "jasper_ridge", "samson")


def load_scene(name: str, *, data_dir: str | Path | None = None) -> Dataset:
    """Load the labelled pixels of a hyperspectral scene.

    Use it for many correlated features and up to sixteen classes of very different sizes.

    Parameters
    ----------
    name : str
        One of `SCENES`.
    data_dir : path, optional
        A folder with ``<name>.npz``, itself or in its subfolders: arrays X (pixels x bands) and y.
        Indian Pines may also come from the package tensorly (data: CC BY 3.0); the others have
        no package.

    Returns
    -------
    Dataset
        Labels as published; unlabelled pixels (0) are left out.

    Examples
    --------
    A scene of two bands and three pixels, one of them without a label:

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from lexiprog_boost.datasets import load_scene
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.savez(folder / "samson.npz", X=[[1, 2], [3, 4], [5, 6]], y=[2, 0, 1])
    >>> load_scene("samson", data_dir=folder).X.tolist()
    [[1.0, 2.0], [5.0, 6.0]]
    >>> load_scene("moon")
    Traceback (most recent call last):
    ...
    ValueError: unknown scene 'moon'; the scenes are indian_pines, salinas_a, jasper_ridge, samson.
    """
    if name not in SCENES:
        raise ValueError(f"unknown scene {name!r}; the scenes are {', '.join(SCENES)}.")
    if data_dir is not None:
        path = find_npz(name, Path(data_dir))
        with np.load(path) as arrays:
            return _scene(name, arrays["X"], arrays["y"], str(path))
    if name != "indian_pines":
        raise ValueError(f"{name} comes with no package; give a data_dir that holds {name}.npz.")
    if find_spec("tensorly") is None:
        raise ImportError(
            "indian_pines comes with the package tensorly, which is not installed: "
            "pip install 'lexiprog[data]', or give a data_dir."
        )
    pines = import_module("tensorly.datasets").load_indian_pines()
    cube, labels = np.asarray(pines["tensor"]), np.asarray(pines["ticks"][0])
    return _scene(name, cube.reshape(-1, cube.shape[-1]), labels.ravel(), "tensorly")


def find_npz(name: str, folder: Path) -> Path:
    """Find a file in a folder or below it."""
    files = sorted(folder.rglob(f"{name}.npz"))
    if not files:
        raise FileNotFoundError(f"there is no {name}.npz in {folder} or below it.")
    return files[0]


def _scene(name: str, X: np.ndarray, y: np.ndarray, source: str) -> Dataset:
    labelled = np.flatnonzero(y)
    bands = tuple(f"band {k + 1}" for k in range(X.shape[1]))
    points = X[labelled].astype(np.float64)
    return Dataset(name, points, y[labelled].astype(np.int64), bands, source=source)


# Image features with class imbalance, in place of the paper's ImageNet subsets.

FILE = "cifar10imb_effnetlite0"


def load_cifar_features(n_classes: int = 8, *, data_dir: str | Path) -> Dataset:
    """Load EfficientNet-Lite0 features of an imbalanced part of CIFAR-10.

    Use it for many classes and over a thousand features; no package brings the file.

    Parameters
    ----------
    n_classes : {8, 9, 10}
        8 keeps the first eight classes, 9 makes one class of the last two, 10 keeps all.
    data_dir : path
        A folder with ``cifar10imb_effnetlite0.npz``, itself or in its subfolders: X, y from 0 to 9.

    Returns
    -------
    Dataset
        With the features of the images, unscaled.

    Examples
    --------
    A file of the same layout, one image a class:

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from lexiprog_boost.datasets import load_cifar_features
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.savez(folder / "cifar10imb_effnetlite0.npz", X=np.eye(10), y=np.arange(10))
    >>> load_cifar_features(8, data_dir=folder).X.shape
    (8, 10)
    >>> load_cifar_features(9, data_dir=folder).counts[8]
    2
    """
    if n_classes not in (8, 9, 10):
        raise ValueError(f"n_classes is {n_classes}; it must be 8, 9 or 10.")
    path = find_npz(FILE, Path(data_dir))
    with np.load(path) as arrays:
        X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.int64)
    if n_classes == 8:
        X, y = X[y < 8], y[y < 8]
    elif n_classes == 9:
        y = np.minimum(y, 8)
    names = tuple(f"feature {k + 1}" for k in range(X.shape[1]))
    return Dataset(f"cifar{n_classes}", X, y, names, source=str(path))
