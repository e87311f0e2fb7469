"""Score predictions so that a rare class counts as much as an abundant one."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.utils import check_array, check_consistent_length, column_or_1d

__all__ = ["average_auc_score", "geometric_mean_score"]


def geometric_mean_score(
    y_true: Any,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the C-th root of the product of the recalls of the C classes (G-Mean).

    One class that is never recognised makes it zero, however small that class is. Use it in place
    of accuracy where every class matters.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels. A label that only `y_pred` has is a plain mistake.
    labels : array-like, optional
        The classes that count; by default those of `y_true`.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    Recalls 1/2 and 1: the root of their product.

    >>> from lexiprog_boost.metrics import geometric_mean_score
    >>> round(geometric_mean_score([0, 0, 1, 1], [0, 1, 1, 1]), 4)
    0.7071
    """
    classes = _classes_present(y_true, labels)
    recalls = recall_score(
        y_true,
        y_pred,
        labels=classes,
        average=None,
        sample_weight=sample_weight,
        zero_division=np.nan,
    )
    if np.isnan(recalls).any():
        empty = classes[np.isnan(recalls)].tolist()
        raise ValueError(f"the points of class {empty[0]!r} weigh nothing, so it has no recall.")
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(recalls).mean()))


def average_auc_score(
    y_true: Any,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean AUC over all pairs of classes (Hand and Till's M, "Avg-AUC").

    For a pair (j, k), only the points of j and k are ranked: once by the score for j, once by the
    score for k; the two areas are averaged. With two classes and complementary scores it is the
    ordinary AUC. Unlike ``roc_auc_score(multi_class="ovo")``, to which it is equal on
    probabilities, it takes scores that don't sum to one, and sample weights. Use it to judge the
    order of scores, thresholds left aside.

    Hard votes give few distinct scores: T voters with equal weights make at most T + 1 of them,
    and the points that tie count one half. A low value may therefore speak of the coarse scores
    rather than of the order; compare it only among ensembles that vote alike.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_score : array-like of shape (n,) or (n, n_classes)
        A score for the second of two classes, or one column a class in the order of `labels`.
    labels : array-like, optional
        The classes of the columns; by default the sorted classes of `y_true`.
    sample_weight : array-like of shape (n,), optional
        Weights of the points.

    Returns
    -------
    float
        Between 0 and 1; 1/2 is what chance gives.

    Examples
    --------
    Three of the four pairs are in order:

    >>> from lexiprog_boost.metrics import average_auc_score
    >>> average_auc_score(["a", "a", "b", "b"], [0.1, 0.6, 0.4, 0.9])
    0.75
    """
    classes = _classes_present(y_true, labels)
    y_true = column_or_1d(y_true)
    scores = check_array(y_score, ensure_2d=False, dtype=np.float64, input_name="y_score")
    check_consistent_length(y_true, scores, sample_weight)
    if len(classes) < 2:
        raise ValueError(f"y_true has the one class {classes.tolist()}; an AUC needs two.")
    if scores.ndim == 1 and len(classes) == 2:
        scores = np.column_stack([-scores, scores])
    if scores.shape != (len(y_true), len(classes)):
        raise ValueError(
            f"y_score has shape {scores.shape}, but there are {len(y_true)} points and "
            f"{len(classes)} classes: give one column a class, and name the classes by `labels`."
        )
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    areas = []
    for pair in combinations(range(len(classes)), 2):
        rows = np.isin(y_true, classes[list(pair)])
        chosen = None if weights is None else weights[rows]
        areas += [
            roc_auc_score(y_true[rows] == classes[j], scores[rows, j], sample_weight=chosen)
            for j in pair
        ]
    return float(np.mean(areas))


def _classes_present(y_true: Any, labels: ArrayLike | None) -> NDArray:
    present = np.unique(column_or_1d(y_true))
    if labels is None:
        return present
    classes = np.asarray(labels)
    for label in classes:
        if label not in present:
            raise ValueError(
                f"class {label!r} of `labels` has no point in y_true; there are {present.tolist()}."
            )
    return classes
