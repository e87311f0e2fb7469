"""Whether levels are what they claim to be, from the numbers alone.

Weak duality: for any weights and multipliers of the right signs

    least unsettled utility <= weights @ offsets - weights @ levels of the settled
                               + multipliers @ b + the most that gains @ x can be,

where gains are what the weighted utilities leave of each column after the multipliers of the rows.
Every step is checked this way on what the steps before it fixed, then the point on all levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiprog.canon.multipliers import is_real
from lexiprog.canon.standard_form import StandardForm
from lexiprog.fairness.levels import FixedSet
from lexiprog.fairness.records import (
    LeximinLottery,
    LeximinResult,
    OrderedResult,
    Utilities,
    values_of,
)
from lexiprog.tolerances import CERTIFIED_LEXIMIN, SMALLEST_SIZE
from lexiprog.typing import Array


@dataclass(frozen=True)
class Audit:
    """How far the worst step or row is from perfect; each is a share of the terms it sums.

    Attributes
    ----------
    outside : float
        The point's distance from the constraints.
    missed : float
        Of a utility from its level.
    gap : float
        Between a level's value and the bound that its multipliers prove.
    complete : bool
        Whether each utility is settled by the multipliers, on the level that it is said to be on.
    """

    outside: float
    missed: float
    gap: float
    complete: bool

    @property
    def passed(self) -> bool:
        """Whether all levels are proved to 1e-9."""
        return self.complete and max(self.outside, self.missed, self.gap) <= CERTIFIED_LEXIMIN


def audit_shares(form: StandardForm, utilities: Utilities, fair: LeximinResult) -> Audit:
    """Check a leximin point and each of its levels.

    Parameters
    ----------
    form, utilities : StandardForm, Utilities
        As they were declared.
    fair : LeximinResult
        The claim.
    """
    fixed = FixedSet(form, utilities)
    steps, gaps = fair.steps, [0.0]
    for k, value in enumerate(steps.values):
        weights, multipliers = steps.of(k)
        gaps.append(_gap(fixed, float(value), weights, multipliers, fair.x))
        fixed.hold(float(value), weights, multipliers)
    values = values_of(fair.levels)
    complete = bool(fixed.settled.all()) and np.array_equal(fixed.levels, values)
    sizes = utilities.sizes_at(fair.x)
    missed = np.abs(utilities.at(fair.x) - values)
    return Audit(_outside(fixed, form, fair.x), _worst(missed, sizes), _nan_is_bad(gaps), complete)


def audit_lottery(offsets: Array, lottery: LeximinLottery) -> Audit:
    """Check a leximin lottery and each of its levels, the oracle's bounds taken at its word.

    Parameters
    ----------
    offsets : ndarray
        As they were declared.
    lottery : LeximinLottery
        The claim.
    """
    settled, levels = np.zeros(offsets.size, dtype=bool), np.full(offsets.size, np.nan)
    sizes = np.abs(lottery.columns).max(axis=0) + np.abs(offsets)
    gaps = [0.0]
    for value, prices, bound in zip(lottery.steps, lottery.prices, lottery.bounds, strict=True):
        total = float(prices[~settled].sum())
        if not total > 0 or prices.min() < 0:
            return Audit(np.inf, np.inf, np.inf, complete=False)
        rise = bound + prices @ offsets - prices[settled] @ levels[settled]
        gaps.append(abs(rise / total - value) / (float(np.max(sizes)) or 1.0))
        waiting = np.where(settled, 0.0, prices)
        stuck = is_real(waiting, waiting.max(initial=0.0))
        levels[stuck] = value
        settled |= stuck
    values = values_of(lottery.levels)
    complete = bool(settled.all()) and np.array_equal(levels, values)
    weights = lottery.weights
    outside = max(abs(float(weights.sum()) - 1.0), float(np.max(-weights, initial=0.0)))
    missed = np.abs(weights @ lottery.columns + offsets - values)
    return Audit(_nan_is_bad([outside]), _worst(missed, sizes), _nan_is_bad(gaps), complete)


def audit_order(form: StandardForm, utilities: Utilities, order: OrderedResult) -> Audit:
    """Check a leximin point with integers, the bounds of the branch and bound taken at their word.

    Parameters
    ----------
    form, utilities
        As for :func:`audit_shares`.
    order : OrderedResult
        The claim.
    """
    x = order.x
    whole = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
    outside = _outside(FixedSet(form, utilities), form, x)
    if np.any(x[whole] != np.rint(x[whole])):
        outside = np.inf
    values, sizes = values_of(order.levels), utilities.sizes_at(x)
    missed = _worst(np.abs(utilities.at(x) - values), sizes)
    complete = order.bounds.size == values.size
    rise = np.maximum(order.bounds - np.sort(values), 0.0) if complete else np.array([np.inf])
    gap = _nan_is_bad(rise) / (float(np.max(sizes, initial=0.0)) or 1.0)
    return Audit(outside, missed, gap, complete)


def _gap(fixed: FixedSet, value: float, weights: Array, multipliers: Array, x: Array) -> float:
    """Distance of a step's value from the bound that its multipliers prove."""
    weights = np.where(fixed.settled, weights, np.maximum(weights, 0.0))
    multipliers = np.where(fixed.rows, multipliers, np.maximum(multipliers, 0.0))
    total = float(weights[~fixed.settled].sum())
    if not total > 0:
        return np.inf
    weights, multipliers = weights / total, multipliers / total
    gains = fixed.gains(weights, multipliers)
    end = np.where(gains > 0, fixed.bounds.upper, fixed.bounds.lower)
    end = np.where(fixed.columns, fixed.ends, end)
    # Where a column has no end, what is left of its gain is rounding, and counts as far as x is.
    endless = ~np.isfinite(end)
    bound = float(
        weights @ fixed.utilities.offsets
        - weights[fixed.settled] @ fixed.levels[fixed.settled]
        + multipliers @ fixed.b
        + gains[~endless] @ end[~endless]
    )
    charge = float(np.abs(gains[endless]) @ np.abs(x[endless]))
    size = fixed.size(x, weights, multipliers)
    return (abs(bound - value) + charge) / size if size > 0 else abs(bound - value) + charge


def _outside(fixed: FixedSet, form: StandardForm, x: Array) -> float:
    bounds = fixed.bounds
    sums = fixed.A @ x
    rows = np.maximum(sums - bounds.row_upper, bounds.row_lower - sums)
    columns = np.maximum(x - bounds.upper, bounds.lower - x)
    return max(_worst(rows, abs(fixed.A) @ np.abs(x) + np.abs(form.b)), _worst(columns, np.abs(x)))


def _worst(errors: Array, sizes: Array) -> float:
    """The largest error as a share of its size, where a size counts as a millionth of any other."""
    if not errors.size:
        return 0.0
    floor = SMALLEST_SIZE * float(np.max(sizes))
    return _nan_is_bad(np.maximum(errors, 0.0) / np.maximum(sizes, floor or 1.0))


def _nan_is_bad(errors: Array | list[float]) -> float:
    worst = float(np.max(errors, initial=0.0))
    return np.inf if np.isnan(worst) else worst
