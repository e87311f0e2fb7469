"""The linear program that LPAdaBoost, LPBoost and LPUBoost share, and its dual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.programs.inputs import ROUNDING, check_margins
from lexiprog_boost.sample_weights import check_sample_weight

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SoftMargin:
    """Margins, and the bounds between which the weight D_i of each point must lie.

    Attributes
    ----------
    margins : ndarray of shape (n, T)
        Margin of every member on every point.
    weights : ndarray of shape (n,)
        Sample weight of each point times the cost of its class.
    cap : float or None
        D_i is at most ``cap * weights_i``; None leaves it free, as LPAdaBoost does.
    lower_bound : float
        D_i is at least this share of its upper bound.

    Examples
    --------
    >>> from lexiprog_boost.programs.soft_margin import check_soft_margin
    >>> checked = check_soft_margin([[1], [-1], [1]], cap=0.5, lower_bound=0.1)
    >>> checked.upper.tolist(), checked.lower.tolist()
    ([0.5, 0.5, 0.5], [0.05, 0.05, 0.05])
    """

    margins: Floats
    weights: Floats
    cap: float | None = None
    lower_bound: float = 0.0

    @property
    def upper(self) -> Floats:
        """Upper bounds on D; without a cap they only leave out points of weight zero."""
        if self.cap is None:
            return (self.weights > 0).astype(np.float64)
        return self.cap * self.weights

    @property
    def lower(self) -> Floats:
        """Lower bounds on D."""
        return self.lower_bound * self.upper


def check_soft_margin(
    margins: Any,
    *,
    cap: float | None = None,
    lower_bound: float = 0.0,
    sample_weight: Any = None,
    costs: Any = 1.0,
) -> SoftMargin:
    """Check the inputs; refuse bounds that no weights summing to one can meet, with the range."""
    table = check_margins(margins)
    weights = check_sample_weight(sample_weight, len(table)) * costs
    total = float(weights.sum())
    if cap is None:
        return SoftMargin(table, weights)
    if not isinstance(cap, int | float | np.number) or not 0 < cap < np.inf:
        raise ValueError(f"cap is {cap!r}; the largest weight D of a point is a number above 0.")
    room = float(cap) * total
    if room < 1 - ROUNDING:
        raise ValueError(
            f"cap D = {cap:.6g} lets the weights of all points sum to {room:.6g} at most, but "
            f"they must sum to one (n D >= 1). Give a cap of at least {1 / total:.6g}."
        )
    most = min(1.0, 1 / room)
    if not isinstance(lower_bound, int | float | np.number) or not (
        0 <= lower_bound <= most + ROUNDING
    ):
        raise ValueError(
            f"lower_bound is {lower_bound!r}; as a share of upper bounds that sum to {room:.6g} "
            f"it must lie between 0 and {most:.6g}, or the lower bounds alone exceed one."
        )
    return SoftMargin(table, weights, float(cap), float(lower_bound))


def declare_soft_margin(checked: SoftMargin) -> lx.Program:
    """The primal: the largest margin r, points below it (and, with lower bounds, above) priced."""
    seen = checked.weights > 0
    alpha = cp.Variable(checked.margins.shape[1], bounds=[0.0, 1.0], name="alpha")
    r = cp.Variable(name="r")
    rho = checked.margins[seen] @ alpha
    simplex = cp.sum(alpha) == 1
    if checked.cap is None:
        return _one_stage("margin", cp.Maximize(r), [rho >= r, simplex])
    xi = cp.Variable(int(seen.sum()), nonneg=True, name="xi")
    loss = checked.upper[seen] @ xi - r
    if not checked.lower_bound:
        return _one_stage("margin", cp.Minimize(loss), [rho + xi >= r, simplex])
    zeta = cp.Variable(int(seen.sum()), nonneg=True, name="zeta")
    loss = loss - checked.lower[seen] @ zeta
    return _one_stage("margin", cp.Minimize(loss), [rho + xi - zeta == r, simplex])


def declare_dual_soft_margin(checked: SoftMargin) -> lx.Program:
    """The dual: point weights on which the largest edge s of a member is least."""
    # Weights that sum to one need no bound beyond one.
    bounds = [np.minimum(checked.lower, 1.0), np.minimum(checked.upper, 1.0)]
    D = cp.Variable(len(checked.weights), bounds=bounds, name="D")
    s = cp.Variable(name="s")
    return _one_stage("edge", cp.Minimize(s), [s >= checked.margins.T @ D, cp.sum(D) == 1])


def _one_stage(name: str, objective: Any, constraints: list[Any]) -> lx.Program:
    return lx.Program(lx.Stage(name, lx.Subproblem(name, objective, constraints)))
