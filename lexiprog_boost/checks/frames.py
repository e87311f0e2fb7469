"""What the columns of a data frame hold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

# So many different texts, and of these so large a share of numbers, are hardly categories.
MANY_TEXTS, MOSTLY = 20, 0.9


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


def warn_of_numbers_as_text(X: Any) -> None:
    """Warn of columns of a data frame whose numbers were read as texts, hence as categories.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from lexiprog_boost.checks.frames import warn_of_numbers_as_text
    >>> table = pd.DataFrame({"size": [f"{n}.5" for n in range(30)] + ["n/a"]})
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     warn_of_numbers_as_text(table)
    >>> print(str(said[0].message)[:76])
    column 'size' holds texts most of which are numbers, such as '0.5', and is t
    """
    for name in category_columns(X):
        if getattr(X.dtypes[name], "name", "") == "category":
            continue
        texts = [value for value in X[name].dropna().unique() if isinstance(value, str)]
        numbers = [text for text in texts if not _is_text(text)]
        if len(texts) > MANY_TEXTS and len(numbers) >= MOSTLY * len(texts):
            warnings.warn(
                f"column {name!r} holds texts most of which are numbers, such as {numbers[0]!r}, "
                "and is taken for categories. If they are amounts, turn them into numbers first, "
                f'by pandas.to_numeric(X[{name!r}], errors="coerce") for example; if they are '
                f'codes, X[{name!r}].astype("category") says so.',
                UserWarning,
                stacklevel=5,
            )


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
