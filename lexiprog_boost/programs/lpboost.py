"""LPBoost's program A2, the soft margin, and its dual A2'."""

from __future__ import annotations

from typing import Any

import lexiprog as lx
from lexiprog_boost.checks.values import check_margins
from lexiprog_boost.programs.soft_margin import (
    declare_dual_soft_margin,
    declare_soft_margin,
    point_limits,
)


def lpboost_program(margins: Any, *, cap: float, sample_weight: Any = None) -> lx.Program:
    """Declare A2: the largest margin r where points may fall short of it at a price.

    ::

        minimise    -r + D sum_i w_i xi_i
        subject to  (M alpha)_i >= r - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    With D = 1/(nu n) about a share nu of the points may fall short. D = 1/n makes the average
    margin largest; from D = 1 on it is `lpadaboost_program`. Use it where labels are noisy.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    cap : float
        D, the price of a point of weight and cost one, at least 1/n. The literature has two
        conventions: D = 1/(nu n), with nu in (0, 1], and D = 1/nu, which is never below one and so
        never acts.
    sample_weight : array-like of shape (n,), optional
        A point of weight two counts as two points; n is then the sum of the weights.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "margin", variables "alpha", "r" and "xi".

    References
    ----------
    G. Rätsch, T. Onoda and K.-R. Müller, Soft margins for AdaBoost, Machine Learning 42, 2001.

    Examples
    --------
    The first member is right but for one point, which A1 could not forgive:

    >>> from lexiprog_boost.programs import lpboost_program
    >>> margins = [[1, -1], [1, -1], [1, -1], [-1, 1]]
    >>> lpboost_program(margins, cap=0.25).solve().final["alpha"].round(6).tolist()
    [1.0, 0.0]
    >>> lpboost_program(margins, cap=1).solve().final["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    table = check_margins(margins)
    return declare_soft_margin(
        table, point_limits(len(table), cap=cap, sample_weight=sample_weight)
    )


def dual_lpboost_program(margins: Any, *, cap: float, sample_weight: Any = None) -> lx.Program:
    """Declare A2': point weights, none above D, on which no member has a large edge.

    ::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  0 <= D_i <= D w_i

    Its optimum is minus that of A2; the multipliers of its first constraint are optimal alpha. Use
    it to weigh the points for a next member.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    cap : float
        D, the price of a point of weight and cost one, at least 1/n. The literature has two
        conventions: D = 1/(nu n), with nu in (0, 1], and D = 1/nu, which is never below one and so
        never acts.
    sample_weight : array-like of shape (n,), optional
        A point of weight two counts as two points; n is then the sum of the weights.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "edge", variables "D" and "s".

    Examples
    --------
    >>> from lexiprog_boost.programs import dual_lpboost_program
    >>> margins = [[1, -1], [1, -1], [1, -1], [-1, 1]]
    >>> dual_lpboost_program(margins, cap=0.25).solve().final["D"].round(6).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    table = check_margins(margins)
    return declare_dual_soft_margin(
        table, point_limits(len(table), cap=cap, sample_weight=sample_weight)
    )
