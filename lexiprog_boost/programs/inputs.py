"""What every program is made of, checked once: margins, classes, weights, costs, target and cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from lexiprog_boost.margins import class_codes
from lexiprog_boost.sample_weights import check_sample_weight

Floats = NDArray[np.float64]

# 1/T is not a binary fraction: a cap of 1/T must not fail by its last bit.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Inputs:
    """Checked inputs of a program; arrays are not to be written to.

    Attributes
    ----------
    margins : ndarray of shape (n, T)
        Margin of every member on every point.
    codes : ndarray of int, shape (n,)
        Position of each point's class in `classes`.
    classes : ndarray of shape (C,)
        Sorted labels.
    weights : ndarray of shape (n,)
        Weights of the points; they sum to one inside each class.
    costs : ndarray of shape (C,)
        What a unit of each class's deviation costs.
    target : float
        The margin theta beyond which a point has no loss.
    cap : float or None
        The largest weight a member may have.

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> inputs = check_inputs([[1, -1], [1, 1], [-1, 1]], ["a", "a", "b"])
    >>> inputs.weights.tolist(), inputs.losses([0.5, 0.5]).tolist()
    ([0.5, 0.5, 1.0], [0.5, 1.0])
    """

    margins: Floats
    codes: NDArray[np.intp]
    classes: NDArray
    weights: Floats
    costs: Floats
    target: float = 1.0
    cap: float | None = None

    @cached_property
    def averaging(self) -> sp.csr_array:
        """The sparse C x n matrix that averages something over each class."""
        shape = (len(self.classes), len(self.codes))
        return sp.csr_array((self.weights, (self.codes, np.arange(shape[1]))), shape=shape)

    @property
    def bound(self) -> float:
        """Upper bound on every member's weight."""
        return 1.0 if self.cap is None else self.cap

    def losses(self, alpha: ArrayLike) -> Floats:
        """Mean hinge loss of each class with the weights alpha."""
        return self.averaging @ np.maximum(self.target - self.margins @ np.asarray(alpha), 0.0)


def check_inputs(
    margins: Any,
    y: Any,
    *,
    class_costs: Any = None,
    sample_weight: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
) -> Inputs:
    """Check all that a program is made of and say in a sentence what is wrong with it.

    Parameters
    ----------
    margins, y, class_costs, sample_weight, margin_target, weight_cap
        As for `lexiboost_program`.

    Returns
    -------
    Inputs

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> check_inputs([[1, -1], [-1, 1]], ["a", "b"], class_costs={"a": 1})
    Traceback (most recent call last):
    ...
    ValueError: class_costs has no cost for class 'b'; give it one.
    """
    table = check_margins(margins)
    labels = column_or_1d(y)
    if len(labels) != len(table):
        raise ValueError(
            f"there are {len(table)} rows of margins but {len(labels)} labels in y; "
            "give one label a row."
        )
    classes = check_classes(np.unique(labels))
    codes = class_codes(labels, classes)
    points = check_sample_weight(sample_weight, len(labels))
    mass = np.bincount(codes, weights=points, minlength=len(classes))
    for label, total in zip(classes.tolist(), mass, strict=True):
        if total <= 0:
            raise ValueError(
                f"class {label!r} is empty after weighting: all its points weigh zero. "
                "Give one of them a weight > 0, or leave the class out of y."
            )
    return Inputs(
        margins=table,
        codes=codes,
        classes=classes,
        weights=points / mass[codes],
        costs=check_class_costs(class_costs, classes),
        target=check_margin_target(margin_target),
        cap=check_weight_cap(weight_cap, table.shape[1]),
    )


def check_margins(margins: Any) -> Floats:
    """Return the margin matrix in float64."""
    table = np.asarray(margins, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"margins has shape {table.shape}; give one row a point and one column a member, "
            "and at least one of each."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"the margin of member {column} on point {row} is {table[row, column]}; "
            "margins must be finite."
        )
    return table


def check_classes(classes: NDArray) -> NDArray:
    """Refuse a problem with one class."""
    if len(classes) < 2:
        raise ValueError(f"y has the one class {classes.tolist()}; boosting needs two or more.")
    return classes


def check_class_costs(class_costs: Any, classes: NDArray) -> Floats:
    """Return one cost a class from a mapping by label or a sequence in the order of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.programs.inputs import check_class_costs
    >>> check_class_costs({"rare": 5, "many": 1}, np.array(["many", "rare"])).tolist()
    [1.0, 5.0]
    """
    labels = classes.tolist()
    if class_costs is None:
        return np.ones(len(labels))
    if isinstance(class_costs, Mapping):
        unknown = [label for label in class_costs if label not in labels]
        missing = [label for label in labels if label not in class_costs]
        if unknown:
            raise ValueError(
                f"class_costs has the label {unknown[0]!r}, which is no class; "
                f"the classes are {labels}."
            )
        if missing:
            raise ValueError(f"class_costs has no cost for class {missing[0]!r}; give it one.")
        values = [class_costs[label] for label in labels]
    else:
        values = list(class_costs)
        if len(values) != len(labels):
            raise ValueError(
                f"class_costs has {len(values)} costs for the {len(labels)} classes {labels}; "
                "give one a class, in this order, or a mapping by label."
            )
    costs = np.asarray(values, dtype=np.float64)
    for label, cost in zip(labels, costs.tolist(), strict=True):
        if not 0 <= cost < np.inf:
            raise ValueError(
                f"the cost of class {label!r} is {cost}; costs must be finite and at least 0."
            )
    if not costs.any():
        raise ValueError("class_costs is zero for every class; make some class matter.")
    return costs


def check_margin_target(margin_target: Any) -> float:
    """Return theta, which lies above 0 and at most at 1."""
    if not isinstance(margin_target, int | float | np.number) or not 0 < margin_target <= 1:
        raise ValueError(
            f"margin_target is {margin_target!r}; it must lie above 0 and at most at 1, "
            "where 1 is the paper's."
        )
    return float(margin_target)


def check_weight_cap(weight_cap: Any, n_members: int) -> float | None:
    """Return the cap, which must leave room for weights that sum to one; a cap of 1 is none."""
    if weight_cap is None:
        return None
    if not isinstance(weight_cap, int | float | np.number) or not weight_cap > 0:
        raise ValueError(f"weight_cap is {weight_cap!r}; it must be a number above 0, or None.")
    if weight_cap * n_members < 1 - ROUNDING:
        raise ValueError(
            f"weight_cap is {weight_cap!r}, but {n_members} members with at most that weight can't "
            f"sum to one; give at least 1/{n_members} = {1 / n_members:.6g}, or more members."
        )
    return None if weight_cap >= 1 else max(float(weight_cap), 1.0 / n_members)


def check_optima(optima: Any, classes: NDArray) -> Floats:
    """Return the class optima L_j as an array, from a mapping by label or a sequence."""
    labels = classes.tolist()
    if isinstance(optima, Mapping):
        absent = [label for label in labels if label not in optima]
        if absent:
            raise ValueError(f"optima has no value for class {absent[0]!r}; give it one.")
        optima = [optima[label] for label in labels]
    values = np.asarray(optima, dtype=np.float64)
    if values.shape != (len(labels),) or not np.isfinite(values).all():
        raise ValueError(
            f"optima has shape {values.shape}; give one finite number for each of {labels}."
        )
    return values


def member_weights(inputs: Inputs) -> cp.Variable:
    """The variable alpha, with finite bounds, as CVXPY and the solvers like them best."""
    return cp.Variable(inputs.margins.shape[1], bounds=[0.0, inputs.bound], name="alpha")
