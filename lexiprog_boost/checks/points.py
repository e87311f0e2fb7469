"""What a caller gives for every point, checked: its row, its columns, its weight, its group."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

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
    >>> from lexiprog_boost.checks.points import category_columns
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
    >>> from lexiprog_boost.checks.points import warn_of_numbers_as_text
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
    >>> from lexiprog_boost.checks.points import check_no_text
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


# Take some rows of whatever scikit-learn accepts as X.


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
    >>> from lexiprog_boost.checks.points import take_rows
    >>> take_rows([[1, 2], [3, 4], [5, 6]], slice(1, 3)).tolist()
    [[3, 4], [5, 6]]
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if issparse(X):
        return X.tocsr()[rows]
    return np.asarray(X)[rows]


# Check the weights that a caller gives to points.


def check_sample_weight(sample_weight: ArrayLike | None, n_points: int) -> NDArray[np.float64]:
    """Return one finite, non-negative weight a point, as a copy, not all of them zero.

    Parameters
    ----------
    sample_weight : array-like of shape (n_points,) or None
        None stands for a weight of one each.
    n_points : int
        How many weights there have to be.

    Returns
    -------
    ndarray of shape (n_points,)
        The weights in float64; their sum is left as it was given.

    Examples
    --------
    >>> from lexiprog_boost.checks.points import check_sample_weight
    >>> check_sample_weight(None, 3).tolist()
    [1.0, 1.0, 1.0]
    >>> check_sample_weight([1, -1], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight has a negative entry at position 1; weights must be >= 0.
    """
    if sample_weight is None:
        return np.ones(n_points)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight", copy=True
    )
    if weights.shape != (n_points,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but there are {n_points} points: "
            "give one number a point."
        )
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight has a negative entry at position {int(np.argmax(weights < 0))}; "
            "weights must be >= 0."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every point; give some point a weight > 0.")
    return weights


def check_class_masses(masses: NDArray, classes: NDArray) -> None:
    """Refuse a class whose points all weigh nothing.

    Parameters
    ----------
    masses : ndarray of shape (n_classes,)
        Total weight of each class.
    classes : ndarray of shape (n_classes,)
        Their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.checks.points import check_class_masses
    >>> check_class_masses(np.array([2.0, 0.0]), np.array(["many", "rare"]))
    Traceback (most recent call last):
    ...
    ValueError: class 'rare' has no point of weight > 0; give it one, or leave the class out of y.
    """
    for label, mass in zip(classes.tolist(), masses, strict=True):
        if mass <= 0:
            raise ValueError(
                f"class {label!r} has no point of weight > 0; give it one, or leave the class "
                "out of y."
            )


# Groups of points: one for each point, and none of them missing.


def check_groups(groups: Any, n_points: int) -> NDArray:
    """Return the group of each point; groups of several types are compared as texts.

    Parameters
    ----------
    groups : array-like of shape (n_points,)
        Names or numbers.
    n_points : int
        How many points there are.

    Returns
    -------
    ndarray of shape (n_points,)

    Examples
    --------
    >>> from lexiprog_boost.checks.points import check_groups
    >>> check_groups(["north", "south"], 2).tolist()
    ['north', 'south']
    >>> check_groups(["a"], 2)
    Traceback (most recent call last):
    ...
    ValueError: groups has shape (1,); it needs one group for each of 2 points.
    """
    given = np.asarray(groups)
    if given.shape != (n_points,):
        raise ValueError(
            f"groups has shape {given.shape}; it needs one group for each of {n_points} points."
        )
    if any(_is_missing(group) for group in given.tolist()):
        raise ValueError("groups has missing values; give such points a group of their own.")
    return given.astype(str) if given.dtype == object else given


def _is_missing(group: Any) -> bool:
    """None, what differs from itself, and pandas' NA, which does not say whether it does."""
    try:
        return group is None or bool(group != group)
    except TypeError:
        return True
