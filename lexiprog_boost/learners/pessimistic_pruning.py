"""C4.5's error estimate, and the subtrees that it replaces by leaves."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from lexiprog_boost.aliases import Floats, Indices

# C4.5 keeps a subtree only if it saves more than this part of one error.
LEAST_SAVING = 0.1


def pessimistic_error(errors: ArrayLike, points: ArrayLike, confidence: float) -> Floats:
    """Return the number of errors to be feared on unseen points where `errors` were made.

    It is N times the p for which E errors or fewer among N points have the probability
    `confidence`; for E = 0 that is ``N (1 - confidence ** (1 / N))``. E and N may be fractions.

    Parameters
    ----------
    errors, points : array-like
        E and N, numbers or sums of weights.
    confidence : float
        The smaller, the more pessimistic.

    Returns
    -------
    ndarray
        At least `errors` for a confidence up to 1/2, at most `points`.

    Examples
    --------
    Quinlan's leaves of 6, 9 and 1 points without an error fear more than the one leaf of 16:

    >>> from lexiprog_boost.learners.pessimistic_pruning import pessimistic_error
    >>> pessimistic_error([0, 0, 0], [6, 9, 1], 0.25).sum().round(2).item()
    3.27
    >>> pessimistic_error(1, 16, 0.25).round(2).item()
    2.55
    """
    n = np.asarray(points, dtype=np.float64)
    # Rounding may leave a trace of an error, or an error too many.
    e = np.clip(np.asarray(errors, dtype=np.float64), 0, n)
    some_right = e < n
    limit = betaincinv(e + 1, np.where(some_right, n - e, 1.0), 1 - confidence)
    return n * np.where(some_right, limit, 1.0)


def pruned_ancestors(left: Indices, right: Indices, leaf_errors: Floats) -> Indices:
    """Return for every node of a binary tree the node that stands for it after pruning.

    Parameters
    ----------
    left, right : ndarray of int, shape (n_nodes,)
        Children of each node, -1 for a leaf; node 0 is the root.
    leaf_errors : ndarray of shape (n_nodes,)
        Pessimistic errors of each node were it a leaf.

    Returns
    -------
    ndarray of int, shape (n_nodes,)
        Itself for a node that is kept, else its topmost pruned ancestor.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.learners.pessimistic_pruning import pruned_ancestors
    >>> left, right = np.array([1, -1, -1]), np.array([2, -1, -1])
    >>> pruned_ancestors(left, right, np.array([2.0, 1.5, 1.5])).tolist()
    [0, 0, 0]
    """
    order = [0]
    for node in order:  # the list grows while it is read: parents come before their children
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    expected = leaf_errors.astype(np.float64)
    becomes_leaf = left < 0
    for node in reversed(order):
        if left[node] < 0:
            continue
        below = expected[left[node]] + expected[right[node]]
        becomes_leaf[node] = leaf_errors[node] <= below + LEAST_SAVING
        if not becomes_leaf[node]:
            expected[node] = below
    stands_for = np.arange(len(left))
    for node in order:
        if left[node] >= 0 and becomes_leaf[stands_for[node]]:
            stands_for[left[node]] = stands_for[right[node]] = stands_for[node]
    return stands_for
