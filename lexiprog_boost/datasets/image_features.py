"""Image features with class imbalance, in place of the paper's ImageNet subsets."""

from pathlib import Path

import numpy as np

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.datasets.scenes import find_npz

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
