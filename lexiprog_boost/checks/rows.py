"""Take some rows of whatever scikit-learn accepts as X."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


def take_rows(X: Any, rows: slice | NDArray) -> Any:
    """Return the given rows of an array, a memory map, a sparse matrix, a data frame or a list.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Points; only the rows asked for are read.
    rows : slice or ndarray of int
        Positions.

    Returns
    -------
    The same kind of thing as `X`, an array for a list.

    Examples
    --------
    >>> from lexiprog_boost.checks.rows import take_rows
    >>> take_rows([[1, 2], [3, 4], [5, 6]], slice(1, 3)).tolist()
    [[3, 4], [5, 6]]
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if issparse(X):
        return X.tocsr()[rows]
    return np.asarray(X)[rows]
