"""LPAdaBoost's program A1, the largest smallest margin, and its dual A1'."""

from __future__ import annotations

from typing import Any

import lexiprog as lx
from lexiprog_boost.checks.values import check_margins
from lexiprog_boost.programs.soft_margin import (
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
