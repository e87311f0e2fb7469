"""Every class in every group: the cells whose deviations are balanced where groups are given."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_groups
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.weights import LexiWeights

# Weights that sum to less are none.
NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class GroupLosses:
    """What every class loses in every group.

    Attributes
    ----------
    classes, groups : tuple
        Of each cell: its class and its group.
    points : tuple of int
        How many training points it has.
    optima, losses : ndarray of shape (cells,)
        Its least mean loss, and the one it has.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.group_cells import GroupLosses
    >>> found = GroupLosses((0, 0), ("f", "m"), (5, 9), np.zeros(2), np.array([0.1, 0.25]))
    >>> found.deviations.tolist()
    [0.1, 0.25]
    """

    classes: tuple[Any, ...]
    groups: tuple[Any, ...]
    points: tuple[int, ...]
    optima: Floats
    losses: Floats

    @property
    def deviations(self) -> Floats:
        """By how much each cell's loss exceeds its least one."""
        return self.losses - self.optima

    def lines(self) -> list[str]:
        """The same as a table of text."""
        pairs = zip(self.classes, self.groups, strict=True)
        names = [f"{label} in {group}" for label, group in pairs]
        width = max(len("class in group"), *map(len, names))
        head = f"{'class in group':<{width}}  points  least loss  loss    deviation"
        rows = zip(names, self.points, self.optima, self.losses, strict=True)
        return [head, *(
            f"{name:<{width}}  {count:<6}  {optimum:<10.4f}  {loss:<6.4f}  {loss - optimum:.4f}"
            for name, count, optimum, loss in rows
        )]  # fmt: skip


def with_groups(data: TrainingData, groups: Any) -> TrainingData:
    """Return the training data with a group for each point, or as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.group_cells import with_groups
    >>> from lexiprog_boost.classifiers.shared.ensemble import TrainingData
    >>> with_groups(TrainingData(np.eye(2), np.arange(2), np.ones(2)), ["a"])
    Traceback (most recent call last):
    ...
    ValueError: groups has shape (1,); it needs one group for each of 2 points.
    """
    if groups is None:
        return data
    return replace(data, groups=check_groups(groups, len(data.y)))


def balanced_weights(
    find: Callable[..., LexiWeights],
    costs_of: Callable[[NDArray, Floats], Floats | None],
    margins: NDArray,
    data: TrainingData,
    rows: NDArray,
    pool_weights: Floats,
) -> tuple[LexiWeights, GroupLosses | None]:
    """Find the members' weights, with the classes or their cells in the programs.

    Parameters
    ----------
    find : callable (margins, labels, weights, own, *, costs) -> LexiWeights
        Solves the programs.
    costs_of : callable (labels, weights) -> ndarray of shape (n_classes,) or None
        What a deviation of each class costs.
    margins : ndarray of shape (rows, T)
        Measured margins.
    data : TrainingData
        Perhaps with groups.
    rows : ndarray of int
        The point of each row of the margins.
    own : ndarray
        The pool's own weights.

    Returns
    -------
    LexiWeights
        By class; with groups a class's loss is the mean over its points.
    GroupLosses or None
        By class and group, where there are groups.
    """
    y, weights = data.y[rows], data.weights[rows]
    costs = costs_of(y, weights)
    if data.groups is None:
        return find(margins, y, weights, pool_weights, costs=costs), None
    groups, group_codes = np.unique(data.groups, return_inverse=True)
    keys = data.codes * len(groups) + group_codes
    cells, codes = np.unique(keys, return_inverse=True)
    of_class, of_group = np.divmod(cells, len(groups))
    labels, places = data.classes[of_class].tolist(), groups[of_group].tolist()
    names = _names(labels, places)
    order = np.argsort(names, kind="stable")  # that of the programs' classes
    back = np.argsort(order, kind="stable")
    solution = find(
        margins, names[codes[rows]], weights, pool_weights,
        costs=None if costs is None else costs[of_class][order],
    )  # fmt: skip
    if solution.alpha[: len(pool_weights)].sum() < NOTHING:
        warnings.warn(
            "what the groups need is so different that constant votes balance them best: no member "
            "carries weight, and every point gets the same class. Leave groups out, or train a "
            "model for each group.",
            lx.LexiprogWarning,
            stacklevel=5,
        )
    optima, losses = solution.class_optima[back], solution.class_losses[back]
    # A point may have several rows: its class's loss is that of its points' weights.
    masses = np.bincount(codes, data.weights, len(cells))
    share = (of_class == np.arange(len(data.classes))[:, None]) * masses
    share = share / share.sum(axis=1, keepdims=True)
    by_class = replace(
        solution, classes=data.classes, class_optima=share @ optima, class_losses=share @ losses
    )
    points = tuple(np.bincount(codes).tolist())
    return by_class, GroupLosses(tuple(labels), tuple(places), points, optima, losses)


def _names(labels: list[Any], groups: list[Any]) -> NDArray:
    """What the programs call the cells: no two the same, even where a label has " in " in it."""
    pairs = list(zip(labels, groups, strict=True))
    names = [f"{label} in {group}" for label, group in pairs]
    if len(set(names)) < len(names):
        names = [f"{label!r} in {group!r}" for label, group in pairs]
    return np.array(names)
