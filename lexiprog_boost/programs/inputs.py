"""What every program is made of, checked once: margins, classes, weights, costs, target and cap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_class_masses, check_sample_weight
from lexiprog_boost.checks.values import (
    check_class_costs,
    check_classes,
    check_margin_target,
    check_margins,
    check_weight_cap,
)
from lexiprog_boost.margins import class_codes


@dataclass(frozen=True)
class Inputs:
    """Checked inputs of a program; arrays are not to be written to.

    `check_inputs` makes them once for the functions of `lexiprog_boost.reductions`, which turn
    them into smaller inputs or programs.

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


@dataclass(frozen=True)
class Linear:
    """Points whose margin stays below theta: class j loses ``constants[j] - slopes[j] @ alpha``."""

    constants: Floats
    slopes: Floats

    def __add__(self, other: Linear) -> Linear:
        return Linear(self.constants + other.constants, self.slopes + other.slopes)


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

    Use it before the functions of `lexiprog_boost.reductions`; the programs check for themselves.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    class_costs : mapping or sequence, optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 each by default.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes; w_i is their share of the class.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.

    Returns
    -------
    Inputs

    Examples
    --------
    What is wrong is named:

    >>> from lexiprog_boost.programs import check_inputs
    >>> check_inputs([[1, -1], [-1, 1]], ["a", "b"], class_costs={"c": 1})
    Traceback (most recent call last):
    ...
    ValueError: class_costs has the label 'c', which is no class; the classes are ['a', 'b'].
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
    check_class_masses(mass, classes)
    return Inputs(
        margins=table,
        codes=codes,
        classes=classes,
        weights=points / mass[codes],
        costs=check_class_costs(class_costs, classes),
        target=check_margin_target(margin_target),
        cap=check_weight_cap(weight_cap, table.shape[1]),
    )


def weight_variable(inputs: Inputs) -> cp.Variable:
    """The variable alpha, with finite bounds, as CVXPY and the solvers like them best."""
    return cp.Variable(inputs.margins.shape[1], bounds=[0.0, inputs.bound], name="alpha")
