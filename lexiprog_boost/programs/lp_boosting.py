"""The programs A1, A2 and A3 of LPAdaBoost, LPBoost and LPUBoost, and their duals A1', A2', A3'."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_sample_weight
from lexiprog_boost.checks.values import check_class_costs, check_classes, check_margins
from lexiprog_boost.margins import class_codes
from lexiprog_boost.programs.soft_margin import (
    PointLimits,
    declare_dual_soft_margin,
    declare_soft_margin,
    point_limits,
)


def lpadaboost_program(margins: Any, *, sample_weight: Any = None) -> lx.Program:
    """Declare A1: weights of the members that make the smallest margin as large as possible.

    ::

        maximise    r
        subject to  (M alpha)_i >= r  for every point i,  sum alpha = 1,  alpha >= 0

    One mislabelled point decides it: prefer `lpboost_program` where labels are noisy.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    sample_weight : array-like of shape (n,), optional
        Points of weight zero are left out; otherwise weights play no part in a minimum.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "margin", variables "alpha" and "r".

    References
    ----------
    A. J. Grove and D. Schuurmans, Boosting in the limit: maximizing the margin of learned
    ensembles, AAAI 1998.

    Examples
    --------
    Every point is missed by one of three members, so the majority is right everywhere:

    >>> from lexiprog_boost.programs import lpadaboost_program
    >>> best = lpadaboost_program([[-1, 1, 1], [1, -1, 1], [1, 1, -1]]).solve().final
    >>> round(best.value, 6), best["alpha"].round(6).tolist()
    (0.333333, [0.333333, 0.333333, 0.333333])
    """
    table = check_margins(margins)
    return declare_soft_margin(table, point_limits(len(table), sample_weight=sample_weight))


def dual_lpadaboost_program(margins: Any, *, sample_weight: Any = None) -> lx.Program:
    """Declare A1': point weights on which no member has a large edge.

    ::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,  D >= 0

    Its optimum is that of A1, and the multipliers of its first constraint are optimal alpha. Use
    it to weigh the points for a next member.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    sample_weight : array-like of shape (n,), optional
        Points of weight zero are left out; otherwise weights play no part in a minimum.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "edge", variables "D" and "s".

    Examples
    --------
    >>> from lexiprog_boost.programs import dual_lpadaboost_program
    >>> hardest = dual_lpadaboost_program([[-1, 1, 1], [1, -1, 1], [1, 1, -1]]).solve().final
    >>> round(hardest.value, 6), hardest.dual(0).round(6).tolist()
    (0.333333, [0.333333, 0.333333, 0.333333])
    """
    table = check_margins(margins)
    return declare_dual_soft_margin(table, point_limits(len(table), sample_weight=sample_weight))


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


def lpuboost_program(
    margins: Any,
    y: Any,
    *,
    cap: float,
    beta: float = 2.0,
    target: Any = None,
    class_costs: Any = None,
    lower_bound: float = 0.0,
    sample_weight: Any = None,
) -> lx.Program:
    """Declare A3: LPBoost's soft margin, where falling short costs more in the target class.

    ::

        minimise    -r + sum_i D cost_j w_i (xi_i - b zeta_i)              (i in class j)
        subject to  (M alpha)_i + xi_i - zeta_i = r,  xi, zeta >= 0,  sum alpha = 1,  alpha >= 0

    cost_j is beta for the target class and 1 for the others. Without a lower bound (b = 0) zeta
    is a plain slack and the constraint reads (M alpha)_i >= r - xi_i, which is A3 as printed. With
    beta = 1 this is LPBoost. Use it where the relative costs of the classes are known.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    cap : float
        D, the price of a point of weight and cost one, at least 1/n. The literature has two
        conventions: D = 1/(nu n), with nu in (0, 1], and D = 1/nu, which is never below one and so
        never acts.
    beta : float
        Cost of the target class, the others having 1; the LexiBoost paper tries 2, 4 and 8.
    target : object, optional
        The target class; by default the rarest one, by weight.
    class_costs : mapping or sequence, optional
        A cost for every class, by label or in the order of the sorted labels, in place of `beta`
        and `target`.
    lower_bound : float
        b, the smallest weight of a point as a share of its largest. The LexiBoost paper's D_LB of
        25, 50 and 100 is read as 1/25, 1/50 and 1/100: as a percentage it would never be feasible.
    sample_weight : array-like of shape (n,), optional
        A point of weight two counts as two points; n is then the sum of the weights.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "margin", variables "alpha", "r", "xi" and, with a lower bound, "zeta".

    References
    ----------
    J. Leskovec and J. Shawe-Taylor, Linear programming boosting for uneven datasets, ICML 2003.

    Examples
    --------
    >>> from lexiprog_boost.programs import lpuboost_program
    >>> margins, y = [[1, -1], [1, -1], [1, -1], [-1, 1]], ["many"] * 3 + ["rare"]
    >>> for beta in (1, 8):
    ...     best = lpuboost_program(margins, y, cap=0.25, beta=beta).solve().final
    ...     print(best["alpha"].round(6).tolist())
    [1.0, 0.0]
    [0.5, 0.5]
    """
    return declare_soft_margin(
        *_check(margins, y, cap, beta, target, class_costs, lower_bound, sample_weight)
    )


def dual_lpuboost_program(
    margins: Any,
    y: Any,
    *,
    cap: float,
    beta: float = 2.0,
    target: Any = None,
    class_costs: Any = None,
    lower_bound: float = 0.0,
    sample_weight: Any = None,
) -> lx.Program:
    """Declare A3': point weights between bounds on which no member has a large edge.

    ::

        minimise    s
        subject to  sum_i D_i M[i, t] <= s  for every member t,  sum D = 1,
                    b D cost_j w_i <= D_i <= D cost_j w_i       (i in class j)

    Its optimum is minus that of A3; the multipliers of its first constraint are optimal alpha. Use
    it to weigh the points for a next member.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    cap : float
        D, the price of a point of weight and cost one, at least 1/n. The literature has two
        conventions: D = 1/(nu n), with nu in (0, 1], and D = 1/nu, which is never below one and so
        never acts.
    beta : float
        Cost of the target class, the others having 1; the LexiBoost paper tries 2, 4 and 8.
    target : object, optional
        The target class; by default the rarest one, by weight.
    class_costs : mapping or sequence, optional
        A cost for every class, by label or in the order of the sorted labels, in place of `beta`
        and `target`.
    lower_bound : float
        b, the smallest weight of a point as a share of its largest. The LexiBoost paper's D_LB of
        25, 50 and 100 is read as 1/25, 1/50 and 1/100: as a percentage it would never be feasible.
    sample_weight : array-like of shape (n,), optional
        A point of weight two counts as two points; n is then the sum of the weights.

    Returns
    -------
    lexiprog.Program
        Stage and subproblem "edge", variables "D" and "s".

    Examples
    --------
    >>> from lexiprog_boost.programs import dual_lpuboost_program
    >>> margins, y = [[1, -1], [1, -1], [1, -1], [-1, 1]], ["many"] * 3 + ["rare"]
    >>> hardest = dual_lpuboost_program(margins, y, cap=0.25, beta=2, lower_bound=0.5).solve()
    >>> round(float(hardest.final["D"][-1]), 6)  # twice the cap: the others share the other half
    0.5
    """
    return declare_dual_soft_margin(
        *_check(margins, y, cap, beta, target, class_costs, lower_bound, sample_weight)
    )


def _check(
    margins: Any,
    y: Any,
    cap: Any,
    beta: Any,
    target: Any,
    class_costs: Any,
    lower_bound: Any,
    sample_weight: Any,
) -> tuple[Floats, PointLimits]:
    table, labels = check_margins(margins), column_or_1d(y)
    if len(labels) != len(table):
        raise ValueError(f"there are {len(table)} rows of margins but {len(labels)} labels in y.")
    costs = uneven_costs(
        labels, beta=beta, target=target, class_costs=class_costs, sample_weight=sample_weight
    )
    return table, point_limits(
        len(table), cap=cap, lower_bound=lower_bound, sample_weight=sample_weight, costs=costs
    )


def uneven_costs(y: Any, *, beta: Any, target: Any, class_costs: Any, sample_weight: Any) -> Floats:
    """The cost of each point's class: `class_costs`, or beta for the target class and 1."""
    classes = check_classes(np.unique(y))
    codes = class_codes(y, classes)
    if class_costs is not None:
        return check_class_costs(class_costs, classes)[codes]
    if not isinstance(beta, int | float | np.number) or not 0 < beta < np.inf:
        raise ValueError(f"beta is {beta!r}; the cost of the target class is a number above 0.")
    if target is None:
        mass = np.bincount(codes, check_sample_weight(sample_weight, len(codes)))
        position = int(np.argmin(mass))
    elif target in classes.tolist():
        position = classes.tolist().index(target)
    else:
        raise ValueError(f"target {target!r} is no class; the classes are {classes.tolist()}.")
    return np.where(codes == position, float(beta), 1.0)
