"""Columns of any kind as numbers: a data frame's categories become columns or codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.checks.points import category_columns, is_frame

WAYS = ("one-hot", "ordinal", "categories")
# What gradient boosting takes as categories of one column.
MOST_CATEGORIES = 255


class TableColumns(TransformerMixin, BaseEstimator):
    """Numbers from a data frame; an array, or a frame of numbers, is taken as it is.

    Use it before a learner that takes numbers only. Categories are the columns that are not
    numeric; those that were not seen in training count as missing, or as none of the known ones.

    Parameters
    ----------
    categories : {"one-hot", "ordinal", "categories"}
        A column for each category; its number; or its number in a data frame whose columns say
        that they are categories, as scikit-learn's gradient boosting takes them.

    Attributes
    ----------
    categories_in_ : list
        Names of the columns that hold categories; empty for arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> from lexiprog_boost.learners import TableColumns
    >>> table = pd.DataFrame({"size": [1.5, 2.0], "city": ["Rome", "Oslo"]})
    >>> TableColumns().fit_transform(table).tolist()
    [[1.5, 0.0, 1.0], [2.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        categories: str = "one-hot",
    ) -> None:
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> TableColumns:  # noqa: ARG002
        """Find which columns hold categories, and which there are.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points; missing values are allowed.
        y : ignored

        Returns
        -------
        TableColumns
            self
        """
        if self.categories not in WAYS:
            choices = ", ".join(map(repr, WAYS))
            raise ValueError(f"unknown categories {self.categories!r}; it is one of {choices}.")
        self.categories_in_ = category_columns(X)
        if not self.categories_in_:
            validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
            return self
        validate_data(self, X, skip_check_array=True)
        if self.categories == "one-hot":
            coder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        else:
            coder = OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=np.nan,
                max_categories=MOST_CATEGORIES if self.categories == "categories" else None,
            )  # fmt: skip
        self.coder_ = coder.fit(_texts(X[self.categories_in_]))
        return self

    def transform(self, X: Any) -> Any:
        """Return numbers: columns in their order, those for categories at the end if one-hot."""
        check_is_fitted(self)
        if not self.categories_in_:
            return validate_data(
                self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False
            )
        if not is_frame(X):
            raise TypeError(
                f"the training points were a data frame with the column {self.categories_in_[0]!r} "
                "of categories; give a data frame with the same columns."
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        plain = X.drop(columns=self.categories_in_).to_numpy(dtype=np.float64, na_value=np.nan)
        codes = np.asarray(self.coder_.transform(_texts(X[self.categories_in_])), dtype=float)
        if self.categories == "one-hot":
            return np.hstack([plain, codes])
        coded = X.columns.isin(self.categories_in_)
        numbers = np.empty(X.shape)
        numbers[:, ~coded], numbers[:, coded] = plain, codes
        return numbers if self.categories == "ordinal" else _marked(numbers, coded)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _texts(frame: Any) -> NDArray:
    """Categories as texts, so that any two can be compared; missing ones are a category too."""
    return frame.astype(object).where(frame.notna(), "").astype(str).to_numpy(dtype=object)


def _marked(numbers: NDArray, coded: NDArray[np.bool_]) -> Any:
    """A data frame in which the columns of codes are said to be categories."""
    import pandas as pd  # given a data frame, it is there

    names = [f"x{j}" for j in range(numbers.shape[1])]
    table = pd.DataFrame(numbers, columns=names)
    return table.astype(
        {name: "category" for name, is_code in zip(names, coded, strict=True) if is_code}
    )
