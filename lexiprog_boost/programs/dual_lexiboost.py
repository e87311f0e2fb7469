"""The duals of LexiBoost's programs P_j and Q: weights of points, and of classes."""

from __future__ import annotations

from typing import Any, Literal

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.checks.values import check_optima
from lexiprog_boost.programs.inputs import Inputs, Linear, check_inputs

Form = Literal["paper", "exact"]


def dual_class_program(
    margins: Any,
    y: Any,
    label: Any,
    *,
    form: Form = "paper",
    sample_weight: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
) -> lx.Program:
    """Declare the dual of one class's P_j, as printed (P'_j) or exact.

    The exact dual weighs the points of its class only; its optimum is L_j::

        maximise    theta sum_i D_i - s - cap sum_t kappa_t
        subject to  sum_i D_i M[i, t] <= s + kappa_t  for every member t,
                    0 <= D_i <= w_i,  kappa >= 0                (no cap: no kappa)

    The paper's weighs all points, so that they can train the next member: the objective counts
    D_i of class j only, the caps are w_i for each point's own class, and sum D = 1 is added (see
    fact F4, docs/facts.md). Use it to weigh the points for a next member, as loop 1 of
    Dual-LexiBoost does, or to find L_j quickly (fact F7, docs/facts.md).

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    label : object
        The class j.
    form : {"paper", "exact"}
        The printed dual, or the exact one.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes; w_i is their share of the class.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem ``class:<label>``, variables "D", "s" and, with a cap, "kappa". "D"
        has one entry a point, or one a point of the class if exact.

    Examples
    --------
    >>> from lexiprog_boost.programs import dual_class_program
    >>> margins, y = [[1], [-1], [-1], [1]], [0, 0, 1, 1]
    >>> dual_class_program(margins, y, 0, form="exact").solve().final.value  # L_0 = 1 - 0
    1.0
    >>> dual_class_program(margins, y, 0).solve().final["D"].round(6).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    check_form(form)
    inputs = check_inputs(
        margins, y, sample_weight=sample_weight, margin_target=margin_target, weight_cap=weight_cap
    )
    positions = np.flatnonzero(inputs.classes == label)
    if not len(positions):
        raise ValueError(f"{label!r} is no class; the classes are {inputs.classes.tolist()}.")
    return declare_dual_class(inputs, int(positions[0]), form)


def declare_dual_class(
    inputs: Inputs, j: int, form: Form, linear: Linear | None = None
) -> lx.Program:
    """The dual of P_j from checked inputs, perhaps with points whose weight is known to be w_i."""
    mine = inputs.codes == j
    counted = np.ones(int(mine.sum())) if form == "exact" else mine.astype(np.float64)
    rows = mine if form == "exact" else np.ones(len(mine), dtype=bool)
    weights = inputs.weights[rows]
    D = cp.Variable(len(weights), bounds=[np.zeros(len(weights)), weights], name="D")
    objective, limit = capped_edge(inputs)
    fixed_part = (0.0, 0.0) if linear is None else (linear.constants[j], linear.slopes[j])
    constraints = [limit >= inputs.margins[rows].T @ D + fixed_part[1]]
    if form == "paper":
        constraints.append(cp.sum(D) == 1)
    name = f"class:{inputs.classes[j]}"
    goal = cp.Maximize(inputs.target * (counted @ D) + fixed_part[0] - objective)
    return lx.Program(lx.Stage(name, lx.Subproblem(name, goal, constraints)))


def capped_edge(inputs: Inputs) -> tuple[Any, Any]:
    """What the limit on the edges costs, and the limit: s, or s + kappa under a cap."""
    s = cp.Variable(name="s")
    if inputs.cap is None:
        return s, s
    kappa = cp.Variable(inputs.margins.shape[1], nonneg=True, name="kappa")
    return s + inputs.cap * cp.sum(kappa), s + kappa


def check_form(form: str) -> None:
    """Refuse an unknown form."""
    if form not in ("paper", "exact"):
        raise ValueError(f"unknown form {form!r} of the dual; it is 'paper' or 'exact'.")


# The dual of Q: weights of the classes, and of the points inside them.


def dual_balance_program(
    margins: Any,
    y: Any,
    optima: Any,
    *,
    form: Form = "paper",
    class_costs: Any = None,
    sample_weight: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
) -> lx.Program:
    """Declare the dual of Q, as printed (Q') or exact.

    The exact dual has the optimum of Q with chi free::

        maximise    theta sum_i D_i - sum_j cost_j d_j L_j - s - cap sum_t kappa_t
        subject to  sum_i D_i M[i, t] <= s + kappa_t     for every member t,
                    0 <= D_i <= cost_j d_j w_i           for every point i of class j,
                    sum_j d_j = 1,  d >= 0,  kappa >= 0  (no cap: no kappa)

    The paper adds sum D = 1, with sum d <= 1, which leaves D_i = d_j w_i and nothing else (fact F3,
    docs/facts.md). With other costs than 1 that would depend on their scale and might be
    infeasible: there the same is said as sum D = sum_j cost_j d_j, and D is to be scaled
    afterwards. Use it to weigh the points for a next member, as loop 2 of Dual-LexiBoost does.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    optima : mapping or sequence
        L_j of every class, by label or in order.
    form : {"paper", "exact"}
        The printed dual, or the exact one.
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
    lexiprog.Program
        Stage and subproblem "balance", variables "D", "d", "s" and, with a cap, "kappa".

    Examples
    --------
    >>> from lexiprog_boost.programs import dual_balance_program
    >>> margins = [[1, -1], [1, -1], [1, 1], [-1, 1], [-1, 1]]
    >>> y = ["many", "many", "many", "rare", "rare"]
    >>> balance = dual_balance_program(margins, y, {"many": 0, "rare": 0}).solve().final
    >>> round(balance.value, 6), balance["d"].round(6).tolist()
    (0.8, [0.6, 0.4])
    >>> balance["D"].round(6).tolist()
    [0.2, 0.2, 0.2, 0.2, 0.2]
    """
    check_form(form)
    inputs = check_inputs(
        margins, y, class_costs=class_costs, sample_weight=sample_weight,
        margin_target=margin_target, weight_cap=weight_cap,
    )  # fmt: skip
    return declare_dual_balance(inputs, optima, form)


def declare_dual_balance(inputs: Inputs, optima: Any, form: Form) -> lx.Program:
    """The dual of Q from checked inputs."""
    optima = check_optima(optima, inputs.classes)
    D = cp.Variable(len(inputs.codes), nonneg=True, name="D")
    d = cp.Variable(len(inputs.classes), bounds=[0.0, 1.0], name="d")
    penalty, limit = capped_edge(inputs)
    shares = cp.multiply(inputs.costs, d)
    constraints = [limit >= inputs.margins.T @ D, inputs.averaging.T @ shares >= D]
    if form == "exact":
        constraints.append(cp.sum(d) == 1)
    elif (inputs.costs == 1).all():
        constraints += [cp.sum(D) == 1, cp.sum(d) <= 1]
    else:
        constraints += [cp.sum(D) == cp.sum(shares), cp.sum(d) == 1]
    objective = inputs.target * cp.sum(D) - (inputs.costs * optima) @ d - penalty
    return lx.Program(
        lx.Stage("balance", lx.Subproblem("balance", cp.Maximize(objective), constraints))
    )
