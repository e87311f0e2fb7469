"""Q' as printed, on the class means: its point weights are uniform inside each class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.checks.values import check_optima
from lexiprog_boost.programs.dual_class import capped_edge
from lexiprog_boost.programs.inputs import Inputs


@described
def class_weight_program(inputs: Inputs, optima: Any) -> lx.Program:
    """Declare Q' with C variables in place of n.

    Use it in place of `dual_balance_program`: the same optimum and, by `spread_class_weights`, the
    same point weights (fact F3, docs/facts.md). ::

        maximise    sum_j cost_j d_j (theta - L_j) - s - cap sum_t kappa_t
        subject to  sum_j cost_j d_j m_jt <= s + kappa_t   for every member t,
                    sum_j d_j = 1,  d >= 0,  kappa >= 0    (no cap: no kappa)

    {Parameters: class means, optima}

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
