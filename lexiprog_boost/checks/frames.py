"""What the columns of a data frame hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse


def is_frame(X: Any) -> bool:
    """Whether this is a data frame, of pandas or like it."""
    return hasattr(X, "iloc") and hasattr(X, "dtypes")


def category_columns(X: Any) -> list[Any]:
    """Names of the columns of a data frame that do not hold numbers; none for arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> from lexiprog_boost.checks.frames import category_columns
    >>> category_columns(pd.DataFrame({"size": [1.5], "city": ["Rome"], "new": [True]}))
    ['city']
    """
    if not is_frame(X):
        return []
    kinds = {name: getattr(kind, "kind", "O") for name, kind in X.dtypes.items()}
    for name, kind in kinds.items():
        if kind in "mM":
            raise TypeError(
                f"column {name!r} holds dates or times; turn them into numbers first, such as "
                "days since the first, or into categories, such as the month."
            )
    return [name for name, kind in kinds.items() if kind not in "biuf"]


def check_no_text(X: Any) -> None:
    """Refuse texts among the numbers of an array-like, and say in which column they stand.

    Examples
    --------
    >>> from lexiprog_boost.checks.frames import check_no_text
    >>> check_no_text([[1.5, "Rome"]])
    Traceback (most recent call last):
    ...
    ValueError: column 1 holds the text 'Rome'; turn it into numbers first, by OneHotEncoder for \
example, or give LexiEnsembleClassifier() a data frame, whose categories it takes.
    """
    names = list(X.columns) if is_frame(X) else None
    table = np.empty(0) if issparse(X) else np.asarray(X)
    if table.dtype.kind not in "OUS" or table.ndim != 2:
        return
    for j, column in enumerate(table.T):
        text = next((value for value in column if _is_text(value)), None)
        if text is not None:
            name = repr(names[j]) if names else j
            raise ValueError(
                f"column {name} holds the text {str(text)!r}; turn it into numbers first, by "
                "OneHotEncoder for example, or give LexiEnsembleClassifier() a data frame, whose "
                "categories it takes."
            )


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False
