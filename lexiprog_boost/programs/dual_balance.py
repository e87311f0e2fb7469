"""The dual of Q: weights of the classes, and of the points inside them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp

import lexiprog as lx
from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.checks.values import check_optima
from lexiprog_boost.programs.dual_class import Form, capped_edge, check_form
from lexiprog_boost.programs.inputs import Inputs, check_inputs


@described
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

    {Parameters: margins, labels, optima, form, class_costs, inside weights, margin_target,
    weight_cap}

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
