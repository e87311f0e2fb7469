"""The margin matrix M: one row a point, or a point and a wrong class; one column a member."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.points import check_sample_weight, take_rows
from lexiprog_boost.members.outputs import class_codes, probabilities, votes

Rule = Literal["vote", "proba", "signed"]
RULES = ("vote", "proba", "signed")


def margin_matrix(
    estimators: Sequence[Any],
    X: Any,
    y: Any,
    *,
    rule: Rule = "vote",
    classes: ArrayLike | None = None,
) -> Floats:
    """Measure the margin of every member on every point.

    With f the member's output, a point of the simplex over the classes, the margin of a point of
    class y is ``2 f_y - 1``, from -1 to 1; with two classes that is the product of the labels
    in {-1, +1}. It is what every program of the package is made of; measure members on points
    they did not see, if they are right on all they saw (`cross_fitted_margins`).

    Parameters
    ----------
    estimators : sequence of fitted classifiers
        The T members. One that saw fewer classes is wrong on the others.
    X : array-like or sparse matrix of shape (n, n_features)
        Points.
    y : array-like of shape (n,)
        Their labels.
    rule : {"vote", "proba", "signed"}
        What f is: the one-hot vote of ``predict``; ``predict_proba``; or the vector in
        {-1, +1}^C with +1 at the predicted class, whose margin is C when right and C - 4 when
        wrong. The last is refused for five classes or more, where it is positive even when wrong.
    classes : array-like, optional
        All classes of the problem; by default those of `y` and of the members.

    Returns
    -------
    ndarray of shape (n, T)
        Margins.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from lexiprog_boost import margin_matrix
    >>> X, y = [[0], [1], [2]], ["a", "b", "b"]
    >>> pool = [DummyClassifier(strategy="constant", constant=c).fit(X, y) for c in "ab"]
    >>> margin_matrix(pool, X, y).tolist()
    [[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]]
    """
    members = checked_members(estimators)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    labels = all_classes(members, y, classes)
    check_rule(rule, len(labels))
    codes = class_codes(y, labels)
    return np.column_stack([margins_of(member, X, codes, labels, rule) for member in members])


def margin_blocks(
    estimators: Sequence[Any],
    X: Any,
    y: Any,
    *,
    rule: Rule = "vote",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    chunk_size: int = 65_536,
) -> Iterator[tuple[Floats, NDArray, Floats]]:
    """Yield the margin matrix in blocks of rows, so that it never has to fit in memory.

    Use it with `class_mean_margins`, which reads every block once, for millions of points.

    Parameters
    ----------
    estimators, X, y, rule, classes
        As for `margin_matrix`. `X` may be a memory map: only one block of rows is read at a time.
    sample_weight : array-like of shape (n,), optional
        Weights of the points.
    chunk_size : int
        Rows a block.

    Yields
    ------
    margins : ndarray of shape (at most chunk_size, T)
    labels : ndarray
    weights : ndarray

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from lexiprog_boost.margins import class_mean_margins, margin_blocks
    >>> X, y = [[0], [1], [2]], ["a", "b", "b"]
    >>> pool = [DummyClassifier().fit(X, y)]
    >>> class_mean_margins(margin_blocks(pool, X, y, chunk_size=2)).means.tolist()
    [[-1.0], [1.0]]
    """
    if chunk_size < 1:
        raise ValueError(f"chunk_size is {chunk_size}; a block has at least one row.")
    members = checked_members(estimators)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    labels = all_classes(members, y, classes)
    check_rule(rule, len(labels))
    weights = check_sample_weight(sample_weight, len(y))
    for start in range(0, len(y), chunk_size):
        rows = slice(start, start + chunk_size)
        margins = margin_matrix(members, take_rows(X, rows), y[rows], rule=rule, classes=labels)
        yield margins, y[rows], weights[rows]


def offset_margins(y: Any, classes: ArrayLike, *, rule: Rule = "vote") -> Floats:
    """Return the margins of the class offsets: members that always vote for one class.

    Append them to a margin matrix, and the program sets the classes' thresholds too (fact F13,
    docs/facts.md); `constant_members` are the members themselves.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    classes : array-like of shape (n_classes,)
        The c-th offset always votes for the c-th of the sorted classes.
    rule : {"vote", "proba", "signed"}
        What a margin is made of; see `margin_matrix`.

    Returns
    -------
    ndarray of shape (n, n_classes)
        +1 in the column of the point's own class and -1 in the others (C and C - 4 if signed).

    Examples
    --------
    >>> from lexiprog_boost.margins import offset_margins
    >>> offset_margins(["b", "a"], ["a", "b"]).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """
    labels = np.unique(np.asarray(classes))
    check_rule(rule, len(labels))
    codes = class_codes(column_or_1d(y), labels)
    return vote_margins(codes[:, None] == np.arange(len(labels)), len(labels), rule)


def margins_of(member: Any, X: Any, codes: Codes, classes: NDArray, rule: Rule) -> Floats:
    """Measure one member; `codes` are the positions of the true labels in `classes`."""
    if rule == "proba":
        return 2 * probabilities(member, X, classes)[np.arange(len(codes)), codes] - 1
    return vote_margins(votes(member, X, classes) == codes, len(classes), rule)


def vote_margins(right: NDArray[np.bool_], n_classes: int, rule: Rule) -> Floats:
    """Turn right and wrong votes into margins."""
    if rule == "signed":
        return np.where(right, float(n_classes), float(n_classes - 4))
    return np.where(right, 1.0, -1.0)


def check_rule(rule: str, n_classes: int) -> None:
    """Refuse an unknown rule, and one that says nothing for so many classes."""
    if rule not in RULES:
        raise ValueError(f"unknown margin rule {rule!r}; the rules are {', '.join(RULES)}.")
    if rule == "signed" and n_classes >= 5:
        raise ValueError(
            f"the rule 'signed' says nothing with {n_classes} classes: a wrong vote has the margin "
            f"{n_classes} - 4 >= 1, so no point ever has a loss. Use 'vote' or 'proba'."
        )


def checked_members(estimators: Sequence[Any]) -> list[Any]:
    """Refuse to measure nobody."""
    members = list(estimators)
    if not members:
        raise ValueError("there is no member to measure; give at least one fitted classifier.")
    return members


def all_classes(members: Sequence[Any], y: NDArray, classes: ArrayLike | None = None) -> NDArray:
    """The classes of the problem: the given ones, or those of `y` and of the members."""
    if classes is not None:
        return np.unique(np.asarray(classes))
    return np.unique(np.concatenate([y, *(np.asarray(m.classes_) for m in members)]))


# Margins between the true class and each rival: a point is a row against every other class.


@dataclass(frozen=True)
class PairMargins:
    """One row a point and rival class, as `pair_margins` finds them.

    Programs take the rows like those of a margin matrix, with the label of each row's point.

    Attributes
    ----------
    margins : ndarray of shape (n (C - 1), T)
        ``f_y - f_k``, from -1 to 1, by which each member prefers the true class to rival k.
    points : ndarray of int, shape (n (C - 1),)
        The point that each row is about.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins import PairMargins
    >>> PairMargins(np.ones((2, 1)), np.array([0, 0])).margins.shape
    (2, 1)
    """

    margins: NDArray[np.float64]
    points: NDArray[np.intp]


def pair_margins(outputs: Any, codes: Codes) -> PairMargins:
    """Compare the true class with every other one, in each member's probabilities.

    A vote with weights alpha is right exactly where all rows of the point are positive, whereas
    ``2 f_y - 1`` of `margin_matrix` asks for more than half of the probability, which is hard
    to come by with many classes. With two classes both are the same. Use it with three classes or
    more, for members that give probabilities.

    Parameters
    ----------
    outputs : array-like of shape (n, T, C)
        Each member's probabilities.
    codes : ndarray of int, shape (n,)
        Position of the true class among the C.

    Returns
    -------
    PairMargins

    Examples
    --------
    One point and one member, which prefers the true class to both rivals:

    >>> import numpy as np
    >>> from lexiprog_boost.margins import pair_margins
    >>> found = pair_margins([[[0.4, 0.35, 0.25]]], np.array([0]))
    >>> found.margins.round(2).tolist(), found.points.tolist()
    ([[0.05], [0.15]], [0, 0])
    """
    table = np.asarray(outputs, dtype=np.float64)
    n_points, n_members, n_classes = table.shape
    true_class = np.take_along_axis(table, codes[:, None, None], axis=2)
    rivals = ~np.eye(n_classes, dtype=bool)[codes]
    differences = np.moveaxis(true_class - table, 2, 1)[rivals]
    return PairMargins(
        differences.reshape(-1, n_members), np.repeat(np.arange(n_points), n_classes - 1)
    )
