"""What each column is worth to an ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.classifiers.shared.listed.importances import (
    column_names,
    columns_by_importance,
)
from lexiprog_boost.plots.canvas import ACCENT, MAIN, canvas_axes, short_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = 0.28  # inches


def feature_importances(
    model: Any, importances: Any = None, *, most: int = 15, ax: Axes | None = None
) -> Axes:
    """Draw the columns that matter most, the most important on top.

    Without `importances` they are the model's ``feature_importances_``: what the splits of its
    trees are worth, on the training data and to those members only that have any. Hand over
    scikit-learn's ``permutation_importance`` on points kept back to see what the columns are worth
    to the predictions of the whole ensemble; its spread is drawn as a line.

    Parameters
    ----------
    model : fitted classifier
        With ``feature_importances_``, if no others are given.
    importances : Bunch or array-like of shape (n_features,), optional
        What ``permutation_importance`` returns, or a number a column.
    most : int
        So many columns at most.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a bar a column.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost import plots
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plots.feature_importances(DecisionTreeClassifier(random_state=0).fit(X, y), most=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['petal length (cm)', 'petal width (cm)']
    """
    check_is_fitted(model)
    columns, spreads, text = _ranked(model, importances)
    columns, spreads = columns[:most][::-1], spreads[:most][::-1]
    values = [value for _, value in columns]
    ax = canvas_axes(ax, height=1.2 + BAR * len(columns))
    places = np.arange(len(columns))
    ax.barh(places, values, height=0.7, color=MAIN)
    if any(spreads):
        ends = np.subtract(values, spreads), np.add(values, spreads)
        ax.hlines(places, *ends, color=ACCENT, linewidth=2)
    ax.set_yticks(places, [short_label(name) for name, _ in columns])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(text)
    ax.set_title("What the columns are worth", loc="left")
    return ax


def _ranked(model: Any, given: Any) -> tuple[list[tuple[str, float]], list[float], str]:
    """Columns with their importances and spreads, the largest first, and what they are."""
    if given is None:
        columns = columns_by_importance(model)
        if not columns:
            raise ValueError(
                f"this {type(model).__name__} has no feature_importances_; hand over those of "
                "sklearn.inspection.permutation_importance."
            )
        return columns, [0.0] * len(columns), "share of the importance of all columns"
    means = np.asarray(getattr(given, "importances_mean", given), dtype=float)
    if means.shape != (model.n_features_in_,):
        raise ValueError(
            f"importances has shape {means.shape}; give one number for each of the "
            f"{model.n_features_in_} columns."
        )
    spreads = np.asarray(getattr(given, "importances_std", np.zeros(len(means))), dtype=float)
    names = column_names(model, len(means))
    order = np.argsort(-means, kind="stable")
    shuffled = hasattr(given, "importances_mean")
    text = "loss of score when the column is shuffled" if shuffled else "importance"
    return [(names[k], float(means[k])) for k in order], spreads[order].tolist(), text
