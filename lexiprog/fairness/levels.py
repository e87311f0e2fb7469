"""Leximin of linear utilities: raise the least, settle all that are stuck, and go on.

Each step maximises the least utility that is not settled. By complementary slackness whoever has
a positive multiplier then has this value at every optimum, and the rows and columns with
multipliers are met with equality: all of them are fixed, exactly, and the next step goes on from
the same vertex. One step may leave some behind who are stuck as well; the next then finds
the same value, and the sum of all who are still there is maximised to see who can rise at all.

Reference: Nace and Pioro, "Max-min fairness and its applications to routing and load-balancing
in communication networks: a tutorial", IEEE Communications Surveys and Tutorials 10, 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.multipliers import Sizes, certainly_binding
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.fairness.master import Master, Peak
from lexiprog.fairness.records import (
    FairShares,
    NoFairShare,
    StepProofs,
    Told,
    Utilities,
    grouped,
    nobody,
)
from lexiprog.tolerances import SAME_LEVEL
from lexiprog.typing import Array, Mask, Options

# What the steps so far have fixed: utilities at their level, rows and columns at their ends.


@dataclass(frozen=True)
class Pins:
    """Positions of the utilities, rows and columns that one more step fixes."""

    who: NDArray[np.intp]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


class Fixed:
    """Grows step by step, from multipliers alone.

    By complementary slackness all points that keep the value of a step meet every utility, row and
    column end with a multiplier in it exactly.

    Attributes
    ----------
    settled, rows, columns : ndarray of bool
        The utilities, rows and columns that are fixed.
    levels, ends : ndarray
        Values of the utilities that are settled, and of the columns that are fixed.
    doubtful : bool
        Whether some multiplier may be real or rounding, so that more may be fixed than is.
    """

    def __init__(self, form: StandardForm, utilities: Utilities) -> None:
        self.A = sp.csr_array(form.A)
        self.b = form.b
        self.bounds = Bounds.of(form)
        self.utilities = utilities
        # The level is a column too: minus one in the row of each utility, of which the weights
        # sum to one. Settled utilities keep their entry, which only makes the test stricter.
        level = np.repeat([[0.0], [1.0]], [form.b.size, len(utilities)], axis=0)
        self._sizes = Sizes(sp.hstack([sp.vstack([self.A, utilities.rows]), level]))
        self.settled = np.zeros(len(utilities), dtype=bool)
        self.doubtful = False
        self.levels = np.full(len(utilities), np.nan)
        self.rows = np.arange(form.b.size) < form.cones.zero
        self.columns = self.bounds.lower == self.bounds.upper
        self.ends = np.where(self.columns, self.bounds.lower, np.nan)

    def gains(self, weights: Array, multipliers: Array) -> Array:
        """What one more unit of each column adds, at the prices of a step."""
        gains: Array = self.utilities.rows.T @ weights - self.A.T @ multipliers
        return gains

    def size(self, x: Array, weights: Array, multipliers: Array) -> float:
        """The terms that a step's value is summed from: what its rounding is measured against."""
        own = np.abs(weights) @ self.utilities.sizes_at(x)
        return max(float(own), float(np.abs(multipliers) @ np.abs(self.b)))

    def hold(self, value: float, weights: Array, multipliers: Array) -> Pins:
        """Fix all that the multipliers of a step with this value leave no choice."""
        gains = self.gains(weights, multipliers)
        prices = np.concatenate([multipliers, weights])
        found = certainly_binding(prices, np.append(gains, 0.0), self._sizes)
        self.doubtful |= found.ambiguous
        rows = self.b.size
        end = np.where(gains > 0, self.bounds.upper, self.bounds.lower)
        open_weights = np.where(self.settled, 0.0, weights)
        sure = found.rows[rows:] & (open_weights > 0)
        pins = Pins(
            np.flatnonzero(sure) if sure.any() else np.array([np.argmax(open_weights)]),
            np.flatnonzero(~self.rows & found.rows[:rows] & (multipliers > 0)),
            np.flatnonzero(~self.columns & found.columns[:-1] & np.isfinite(end)),
        )
        self.settled[pins.who] = self.rows[pins.rows] = self.columns[pins.columns] = True
        self.levels[pins.who] = value
        self.ends[pins.columns] = end[pins.columns]
        return pins


# So many steps may find the value of the last one before all who are still there are tested.
PATIENCE = 3


def raise_levels(
    form: StandardForm, utilities: Utilities, options: Options | None = None, told: Told = nobody
) -> FairShares:
    """The leximin point of linear utilities over the feasible set of a linear form.

    One level after the other is raised until somebody is stuck, which multipliers prove.

    Parameters
    ----------
    form : StandardForm
        Of a linear program; its objective plays no part.
    utilities : Utilities
        Over the columns of ``form``.
    options : mapping, optional
        HiGHS options.
    told : callable, optional
        After each step: how many are settled, and the value.

    Raises
    ------
    NoFairShare
        If there is no feasible point, if somebody can rise without limit, or if HiGHS fails.

    Examples
    --------
    Three claims on an estate of 200, as the Talmud divides it: nobody's gain or loss counts
    beyond half of the claim.

    >>> import numpy as np
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = np.vstack([np.ones((1, 3)), np.eye(3)])
    >>> form = StandardForm(
    ...     c=np.zeros(3), offset=0.0, A=A, b=np.array([200.0, 50.0, 100.0, 150.0]),
    ...     cones=Cones(zero=1, nonneg=3), lower=np.zeros(3))
    >>> fair = raise_levels(form, Utilities(np.eye(3)))
    >>> [(level.value, list(map(int, level.members))) for level in fair.levels]
    [(50.0, [0]), (75.0, [1, 2])]
    """
    if not len(utilities):
        raise ValueError("there is no utility: give at least one.")
    if form.P is not None or form.cones.linear != form.b.size or form.integer is not None:
        raise ValueError("levels are raised over linear constraints without integers only.")
    distinct, of = utilities.distinct()
    climb = _Climb(form, distinct, options or {}, lambda who, at: told(int(who[of].sum()), at))
    try:
        climb.run()
    except NoFairShare as failure:
        if not failure.members:
            raise
        raise NoFairShare.unlimited(np.flatnonzero(np.isin(of, failure.members))) from None
    return climb.found(of)


class _Climb:
    """The state of one run, over utilities that all differ."""

    def __init__(
        self,
        form: StandardForm,
        utilities: Utilities,
        options: Options,
        told: Callable[[Mask, float], None],
    ) -> None:
        self._told = told
        self._fixed = Fixed(form, utilities)
        self._master = Master(self._fixed.A, self._fixed.bounds, utilities, options)
        self._values: list[float] = []
        self._weights: list[Array] = []
        self._multipliers: list[Array] = []
        self._x = np.zeros(form.c.size)

    def run(self) -> None:
        """Settle everybody."""
        while not self._fixed.settled.all():
            peak = self._master.rise()
            value = self._attained(peak)
            before = self._values[-1] if self._values else -np.inf
            size = max(abs(value), self._fixed.size(peak.x, peak.weights, peak.multipliers))
            if value - before > SAME_LEVEL * size:
                self._settle(peak, value)
                continue
            self._settle(peak, before)
            if self._values[-PATIENCE:].count(before) == PATIENCE:
                self._settle_all_stuck(before, size)

    def _attained(self, peak: Peak) -> float:
        """The value of a peak, from its point.

        HiGHS's own is off by its scaled tolerance, which later steps could not live with.
        """
        weights = np.where(self._fixed.settled, 0.0, np.maximum(peak.weights, 0.0))
        return float(weights @ self._fixed.utilities.at(peak.x) / weights.sum()) + 0.0

    def _settle_all_stuck(self, value: float, size: float) -> None:
        """Settle, at the value of the last step, everybody who cannot rise above it."""
        behind = self._behind(~self._fixed.settled, value, size)
        while behind.any():
            peak = self._master.lift(behind, value, size or 1.0)
            self._x = peak.x
            still = self._behind(behind, value, size)
            if np.array_equal(still, behind):
                self._settle(peak, value)
                return
            behind = still

    def _behind(self, who: Mask, value: float, size: float) -> Mask:
        return who & (self._fixed.utilities.at(self._x) <= value + SAME_LEVEL * size)

    def _settle(self, peak: Peak, value: float) -> None:
        pins = self._fixed.hold(value, peak.weights, peak.multipliers)
        self._master.settle(pins.who, value)
        self._master.pin(
            pins.rows, self._fixed.b[pins.rows], pins.columns, self._fixed.ends[pins.columns]
        )
        self._x = peak.x
        self._values.append(value)
        self._weights.append(peak.weights)
        self._multipliers.append(peak.multipliers)
        self._told(self._fixed.settled, value)

    def found(self, of: NDArray[np.intp]) -> FairShares:
        """The record over all utilities: ``of`` tells which of the distinct ones each is."""
        counts = np.bincount(of)
        steps = StepProofs(
            values=np.array(self._values),
            weights=_stacked([(weights / counts)[of] for weights in self._weights]),
            multipliers=_stacked(self._multipliers),
        )
        levels = grouped(self._fixed.levels[of])
        master = self._master
        return FairShares(
            levels, self._x, steps, master.solves, master.iterations, self._fixed.doubtful
        )


def _stacked(rows: list[Array]) -> sp.csr_array:
    places = [np.flatnonzero(row) for row in rows]
    starts = np.concatenate([[0], np.cumsum([place.size for place in places])])
    entries = np.concatenate([row[place] for row, place in zip(rows, places, strict=True)])
    return sp.csr_array((entries, np.concatenate(places), starts), shape=(len(rows), rows[0].size))
