"""What a fitted member says about points, aligned to the ensemble's classes; constant members."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.dummy import DummyClassifier

from lexiprog_boost.aliases import Codes


def class_codes(labels: ArrayLike, classes: NDArray, *, source: str = "y") -> Codes:
    """Return the position in `classes` of every label.

    Use it to index by class, whatever the labels are: one that is no class is refused by name.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Labels, each one of `classes`.
    classes : ndarray of shape (n_classes,)
        Sorted distinct labels.
    source : str
        Who gave the labels; named in the error.

    Returns
    -------
    ndarray of int, shape (n,)
        ``classes[codes]`` gives the labels back.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins import class_codes
    >>> class_codes(["b", "a", "b"], np.array(["a", "b", "c"])).tolist()
    [1, 0, 1]
    """
    labels = np.asarray(labels)
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = classes[codes] != labels
    if np.any(strange):
        label = labels[np.argmax(strange)]
        raise ValueError(
            f"{source} has the label {label!r}, which is not among the classes "
            f"{classes.tolist()}; give every label in `classes`."
        )
    return codes


def votes(member: Any, X: Any, classes: NDArray) -> Codes:
    """Return the position in `classes` of the class that a member votes for.

    Use it rather than ``predict`` to compare members: one that was trained on fewer classes never
    votes for the others, and all votes count classes alike.

    Parameters
    ----------
    member : fitted classifier
        Anything with ``predict``.
    X : array-like or sparse matrix of shape (m, n_features)
        Points.
    classes : ndarray of shape (n_classes,)
        Sorted labels of the ensemble.

    Returns
    -------
    ndarray of int, shape (m,)
        One vote a point.

    Examples
    --------
    A member that never saw class a:

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from lexiprog_boost.margins import votes
    >>> member = DummyClassifier().fit([[0], [1]], ["b", "b"])
    >>> votes(member, [[5], [6]], np.array(["a", "b"])).tolist()
    [1, 1]
    """
    return class_codes(member.predict(X), classes, source=type(member).__name__)


def probabilities(member: Any, X: Any, classes: NDArray) -> NDArray[np.float64]:
    """Return a member's class probabilities with one column a class of the ensemble.

    Use it rather than ``predict_proba`` to compare members: a class that the member was not
    trained on gets probability zero, and all have the same columns.

    Parameters
    ----------
    member : fitted classifier
        Anything with ``predict_proba`` and ``classes_``.
    X : array-like or sparse matrix of shape (m, n_features)
        Points.
    classes : ndarray of shape (n_classes,)
        Sorted labels of the ensemble.

    Returns
    -------
    ndarray of shape (m, n_classes)
        Rows sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from lexiprog_boost.margins import probabilities
    >>> member = DummyClassifier().fit([[0], [1]], ["b", "b"])
    >>> probabilities(member, [[5]], np.array(["a", "b"])).tolist()
    [[0.0, 1.0]]
    """
    if not hasattr(member, "predict_proba"):
        raise TypeError(
            f"{type(member).__name__} has no predict_proba, which the rule 'proba' needs; "
            "use the rule 'vote' or another learner."
        )
    shares = np.asarray(member.predict_proba(X), dtype=np.float64)
    codes = class_codes(member.classes_, classes, source=type(member).__name__)
    aligned = np.zeros((len(shares), len(classes)))
    aligned[:, codes] = shares
    return aligned


# Members that always vote for the same class.


def constant_members(classes: ArrayLike) -> list[DummyClassifier]:
    """Return one fitted classifier a class, which votes for that class whatever the point.

    As members of an ensemble they are the class offsets: their weights set the thresholds between
    the classes (fact F13, docs/facts.md). A learner that sees points of one class only is such a
    constant as well.

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        Labels; sorted and made distinct.

    Returns
    -------
    list of DummyClassifier
        In the order of the sorted classes; each knows all of them.

    Examples
    --------
    >>> from lexiprog_boost.learners import constant_members
    >>> first, second = constant_members(["rare", "many"])
    >>> first.predict([[1.0], [2.0]]).tolist(), second.predict_proba([[1.0]]).tolist()
    (['many', 'many'], [[0.0, 1.0]])
    """
    labels = np.unique(np.asarray(classes))
    nowhere = np.zeros((len(labels), 1))
    return [
        DummyClassifier(strategy="constant", constant=[label]).fit(nowhere, labels)
        for label in labels
    ]
