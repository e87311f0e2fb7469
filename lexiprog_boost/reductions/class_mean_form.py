"""Programs on class means: one linear loss a class in place of the hinge losses of its points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import (
    check_class_costs,
    check_classes,
    check_margin_target,
    check_optima,
    check_weight_cap,
)
from lexiprog_boost.margins import ClassMeanMargins
from lexiprog_boost.programs.dual_lexiboost import capped_edge
from lexiprog_boost.programs.inputs import Inputs


def collapse(
    means: ClassMeanMargins,
    *,
    class_costs: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
) -> Inputs:
    """Return inputs with one row a class, which have the optima of all the points.

    Where no margin exceeds theta, no rho_i does either, whatever the weights: every hinge is
    active, the loss of class j is theta - m_j . alpha, and n plays no part any more (fact F1,
    docs/facts.md). Use it for votes and probabilities with the paper's target of 1.

    Parameters
    ----------
    means : ClassMeanMargins
        From `class_mean_margins`, in one pass over the points.
    class_costs : mapping or sequence, optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 each by default.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.

    Returns
    -------
    Inputs
        For `game_program` and `class_optima`.

    Examples
    --------
    Each class has a member that is right on all of it:

    >>> from lexiprog_boost.margins import class_mean_margins
    >>> from lexiprog_boost.reductions import class_optima, collapse
    >>> blocks = [([[1, -1], [1, 1], [-1, 1]], ["a", "a", "b"])]
    >>> class_optima(collapse(class_mean_margins(blocks))).tolist()
    [0.0, 0.0]
    """
    target = check_margin_target(margin_target)
    if not collapses(means, target):
        raise ValueError(
            f"the largest margin is {means.largest:.6g}, beyond the target {target:.6g}: points "
            "beyond it lose nothing, so the class means don't suffice. Solve the full program."
        )
    classes = check_classes(means.classes)
    return Inputs(
        margins=means.means,
        codes=np.arange(len(classes)),
        classes=classes,
        weights=np.ones(len(classes)),
        costs=check_class_costs(class_costs, classes),
        target=target,
        cap=check_weight_cap(weight_cap, means.means.shape[1]),
    )


def collapses(means: ClassMeanMargins, margin_target: float = 1.0) -> bool:
    """Say whether no margin exceeds the target, so that class means suffice.

    Use it before `collapse`, which refuses where they don't.

    Examples
    --------
    >>> from lexiprog_boost.margins import class_mean_margins
    >>> from lexiprog_boost.reductions import collapses
    >>> means = class_mean_margins([([[1], [-1]], ["a", "b"])])
    >>> collapses(means), collapses(means, 0.5)
    (True, False)
    """
    return means.largest <= margin_target


def capped_maximum(values: ArrayLike, cap: float | None = None) -> Floats:
    """Return the largest ``values . alpha`` over the simplex with every alpha_t <= cap, row by row.

    It fills the largest entries up to the cap until the weight is used up: the closed form behind
    `class_optima` under a cap (fact F8, docs/facts.md).

    Parameters
    ----------
    values : array-like of shape (C, T)
        One row a class.
    cap : float, optional
        At least 1/T; without it this is the plain maximum.

    Returns
    -------
    ndarray of shape (C,)

    Examples
    --------
    The whole weight, or two fifths at most on each:

    >>> from lexiprog_boost.reductions import capped_maximum
    >>> capped_maximum([[3, 1, 2]]).tolist(), capped_maximum([[3, 1, 2]], 0.4).tolist()
    ([3.0], [2.2])
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if cap is None:
        return table.max(axis=1)
    room = np.clip(1.0 - cap * np.arange(table.shape[1]), 0.0, cap)
    return -np.sort(-table, axis=1) @ room


def class_optima(inputs: Inputs) -> Floats:
    """Return every L_j of collapsed inputs: theta minus the capped maximum of the mean margins.

    Use it in place of the programs P_j, after `collapse`.

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_optima
    >>> class_optima(check_inputs([[0.5, -1], [-1, 1]], ["a", "b"])).tolist()
    [0.5, 0.0]
    """
    return inputs.target - capped_maximum(inputs.margins, inputs.cap)


# Q' as printed, on the class means: its point weights are uniform inside each class.


def class_weight_program(inputs: Inputs, optima: Any) -> lx.Program:
    """Declare Q' with C variables in place of n.

    Use it in place of `dual_balance_program`: the same optimum and, by `spread_class_weights`, the
    same point weights (fact F3, docs/facts.md). ::

        maximise    sum_j cost_j d_j (theta - L_j) - s - cap sum_t kappa_t
        subject to  sum_j cost_j d_j m_jt <= s + kappa_t   for every member t,
                    sum_j d_j = 1,  d >= 0,  kappa >= 0    (no cap: no kappa)

    Parameters
    ----------
    inputs : Inputs
        With one row a class, its mean margins m_j.
    optima : mapping or sequence
        L_j of every class, by label or in order.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "balance", variables "d", "s" and, with a cap, "kappa".

    Examples
    --------
    Many points of one class, few of the other; their means suffice:

    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_weight_program
    >>> means = check_inputs([[1, -1 / 3], [-1, 1]], ["many", "rare"])
    >>> balance = class_weight_program(means, [0, 0]).solve().final
    >>> round(balance.value, 6), balance["d"].round(6).tolist()
    (0.8, [0.6, 0.4])
    """
    optima = check_optima(optima, inputs.classes)
    d = cp.Variable(len(inputs.classes), bounds=[0.0, 1.0], name="d")
    penalty, limit = capped_edge(inputs)
    shares = cp.multiply(inputs.costs, d)
    constraints = [limit >= inputs.margins.T @ shares, cp.sum(d) == 1]
    objective = cp.Maximize((inputs.target - optima) @ shares - penalty)
    return lx.Program(lx.Stage("balance", lx.Subproblem("balance", objective, constraints)))


def means_of(inputs: Inputs) -> Inputs:
    """Return inputs with one row a class, its weighted mean margins."""
    n_classes = len(inputs.classes)
    return replace(
        inputs,
        margins=inputs.averaging @ inputs.margins,
        codes=np.arange(n_classes),
        weights=np.ones(n_classes),
    )


def spread_class_weights(inputs: Inputs, d: Floats) -> Floats:
    """Return the point weights of Q' from its class weights: cost_j d_j w_i, scaled to sum to one.

    Use it after `class_weight_program`, to train the next member.

    Parameters
    ----------
    inputs : Inputs
        Of the n points.
    d : ndarray of shape (C,)
        Class weights.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    Two points share what their class has:

    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import spread_class_weights
    >>> spread_class_weights(check_inputs([[1], [1], [1]], ["a", "a", "b"]), [0.6, 0.4]).tolist()
    [0.3, 0.3, 0.4]
    """
    shares = inputs.costs * np.maximum(d, 0.0)
    if not shares.any():  # all the weight lies on classes that cost nothing
        shares = inputs.costs
    return (shares / shares.sum())[inputs.codes] * inputs.weights
