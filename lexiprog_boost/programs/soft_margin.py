"""The linear program that LPAdaBoost, LPBoost and LPUBoost share, and its dual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_sample_weight
from lexiprog_boost.checks.values import ROUNDING


@dataclass(frozen=True)
class PointLimits:
    """The bounds between which the weight D_i of each point must lie.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Sample weight of each point times the cost of its class.
    cap : float or None
        D_i is at most ``cap * weights_i``; None leaves it free, as LPAdaBoost does.
    lower_bound : float
        D_i is at least this share of its upper bound.

    Examples
    --------
    >>> from lexiprog_boost.programs.soft_margin import point_limits
    >>> limits = point_limits(3, cap=0.5, lower_bound=0.1)
    >>> limits.upper.tolist(), limits.lower.tolist()
    ([0.5, 0.5, 0.5], [0.05, 0.05, 0.05])
    """

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


def point_limits(
    n_points: int,
    *,
    cap: Any = None,
    lower_bound: Any = 0.0,
    sample_weight: Any = None,
    costs: Any = 1.0,
) -> PointLimits:
    """Check the bounds; refuse those that no weights summing to one can meet, with the range."""
    weights = check_sample_weight(sample_weight, n_points) * costs
    total = float(weights.sum())
    if cap is None:
        return PointLimits(weights)
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
    return PointLimits(weights, float(cap), float(lower_bound))


def declare_soft_margin(margins: Floats, limits: PointLimits) -> lx.Program:
    """The primal: the largest margin r, points below it (and, with lower bounds, above) priced."""
    seen = limits.weights > 0
    alpha = cp.Variable(margins.shape[1], bounds=[0.0, 1.0], name="alpha")
    r = cp.Variable(name="r")
    rho = margins[seen] @ alpha
    simplex = cp.sum(alpha) == 1
    if limits.cap is None:
        return _one_stage("margin", cp.Maximize(r), [rho >= r, simplex])
    xi = cp.Variable(int(seen.sum()), nonneg=True, name="xi")
    loss = limits.upper[seen] @ xi - r
    if not limits.lower_bound:
        return _one_stage("margin", cp.Minimize(loss), [rho + xi >= r, simplex])
    zeta = cp.Variable(int(seen.sum()), nonneg=True, name="zeta")
    loss = loss - limits.lower[seen] @ zeta
    return _one_stage("margin", cp.Minimize(loss), [rho + xi - zeta == r, simplex])


def declare_dual_soft_margin(margins: Floats, limits: PointLimits) -> lx.Program:
    """The dual: point weights on which the largest edge s of a member is least."""
    # Weights that sum to one need no bound beyond one.
    bounds = [np.minimum(limits.lower, 1.0), np.minimum(limits.upper, 1.0)]
    D = cp.Variable(len(limits.weights), bounds=bounds, name="D")
    s = cp.Variable(name="s")
    return _one_stage("edge", cp.Minimize(s), [s >= margins.T @ D, cp.sum(D) == 1])


def _one_stage(name: str, objective: Any, constraints: list[Any]) -> lx.Program:
    return lx.Program(lx.Stage(name, lx.Subproblem(name, objective, constraints)))
