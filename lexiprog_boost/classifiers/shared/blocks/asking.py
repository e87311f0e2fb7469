"""Ask a fitted model about points that come in blocks; the answers come in blocks too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.blocks import is_dask
from lexiprog_boost.classifiers.shared.blocks.fitting import check_block_points


def asked(model: Any, ask: Callable[[Any], Any], X: Any, *, wide: bool = False) -> Any:
    """What a method says of points, as an array of Dask's if the points are one.

    Parameters
    ----------
    model : estimator
        Fitted.
    ask : callable
        A method of it that takes points in memory.
    X : array-like, Dask array or data frame
        Points.
    wide : bool
        Whether the answer has a number for each class, or is a class.
    """
    if not is_dask(X):
        return ask(X)
    import dask.array as da
    from dask.delayed import delayed

    check_is_fitted(model)
    check_block_points(model, X)
    kind = np.dtype(np.float64) if wide else model.classes_.dtype
    width = (len(model.classes_),) if wide else ()
    frame = hasattr(X, "columns")
    points = X if frame or X.numblocks[1] == 1 else X.rechunk({1: -1})
    parts = points.to_delayed() if frame else points.to_delayed()[:, 0]
    sizes = [np.nan] * len(parts) if frame else points.chunks[0]
    call = delayed(ask, pure=False)
    arrays = [
        da.from_delayed(call(part), (size, *width), dtype=kind)
        for part, size in zip(parts, sizes, strict=True)
    ]
    return da.concatenate(arrays)
