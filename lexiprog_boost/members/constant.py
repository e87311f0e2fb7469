"""Members that always vote for the same class."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.dummy import DummyClassifier


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
