"""The part of the objective space that points leave open, and how large it is."""

from __future__ import annotations

import numpy as np

from lexiprog.typing import Array, Mask


class Regions:
    """Local upper bounds: a value that no point weakly dominates lies strictly below one of them.

    All objectives are minimised. The update is that of Klamroth, Lacour and Vanderpooten (On the
    representation of the search region in multi-objective optimization, 2015).

    Parameters
    ----------
    top : ndarray of shape (p,)
        What every value lies strictly below.

    Examples
    --------
    >>> import numpy as np
    >>> regions = Regions(np.array([9.0, 9.0]))
    >>> regions.add(np.array([2.0, 5.0]))
    2
    >>> regions.bounds.tolist()
    [[2.0, 9.0], [9.0, 5.0]]
    """

    def __init__(self, top: Array) -> None:
        self.bounds: Array = np.array([top], dtype=float)

    def add(self, z: Array) -> int:
        """Take out all that ``z`` weakly dominates; how many bounds at the end are new."""
        inside = np.all(z < self.bounds, axis=1)
        if not inside.any():
            return 0
        parents, others = self.bounds[inside], self.bounds[~inside]
        children = [self._along(k, z, parents, others) for k in range(z.size)]
        self.bounds = np.concatenate([others, *children])
        return sum(map(len, children))

    @staticmethod
    def _along(k: int, z: Array, parents: Array, others: Array) -> Array:
        """The parents with ``z`` as bound of one objective, but for those that another contains."""
        rest = np.arange(z.size) != k
        children = parents.copy()
        children[:, k] = z[k]
        mine = children[:, rest]
        touching = others[(others[:, k] == z[k]) & np.all(z[rest] < others[:, rest], axis=1)]
        within = np.all(mine[:, None, :] <= touching[None, :, rest], axis=2).any(axis=1)
        if len(mine) > 1:
            below = np.all(mine[:, None, :] <= mine[None, :, :], axis=2)
            same = below & below.T
            earlier = np.tril(np.ones(below.shape, dtype=bool), -1)
            within |= ((below & ~same) | (same & earlier)).any(axis=1)
        return np.asarray(children[~within])

    def remove(self, which: Mask) -> None:
        """Leave out bounds whose regions are known to be empty."""
        if which.any():
            self.bounds = self.bounds[~which]


def non_dominated(values: Array) -> list[int]:
    """One row for each value that no other row weakly dominates, all minimised.

    Examples
    --------
    >>> import numpy as np
    >>> non_dominated(np.array([[1, 3], [2, 2], [2, 3], [1, 3]]))
    [0, 1]
    """
    order = np.lexsort(values.T[::-1])
    left, kept = values[order], []
    while len(left):
        kept.append(int(order[0]))
        beaten = np.all(left >= left[0], axis=1)
        left, order = left[~beaten], order[~beaten]
    return kept


def hypervolume(values: Array, reference: Array) -> float:
    """The volume of what some value dominates within ``reference``, all minimised.

    Examples
    --------
    >>> import numpy as np
    >>> hypervolume(np.array([[1.0, 3.0], [2.0, 1.0]]), np.array([4.0, 4.0]))
    7.0
    """
    values = values[np.all(values < reference, axis=1)]
    return _volume(values[non_dominated(values)], reference)


def _volume(values: Array, reference: Array) -> float:
    """Of values that do not dominate each other: slice by slice along the last objective."""
    if len(values) < 2 or reference.size == 1:
        return float(np.prod(reference - values.min(axis=0))) if len(values) else 0.0
    if reference.size == 2:
        across, up = values[np.argsort(values[:, 0], kind="stable")].T
        return float(np.sum((np.append(across[1:], reference[0]) - across) * (reference[1] - up)))
    values = values[np.argsort(values[:, -1], kind="stable")]
    heights = np.diff(np.append(values[:, -1], reference[-1]))
    base: Array = values[:0, :-1]
    total, area = 0.0, 0.0
    for value, height in zip(values[:, :-1], heights, strict=True):
        area += _added(base, value, reference[:-1])
        base = np.concatenate([base[~np.all(value <= base, axis=1)], value[None, :]])
        total += area * float(height)
    return total


def _added(base: Array, value: Array, reference: Array) -> float:
    """What a value dominates that none of the base does."""
    if np.all(base <= value, axis=1).any():
        return 0.0
    shared = np.maximum(base, value)
    shared = shared[np.all(shared < reference, axis=1)]
    box = float(np.prod(reference - value))
    return box - _volume(shared[non_dominated(shared)], reference)
