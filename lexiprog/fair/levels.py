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

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Options
from lexiprog.fair.failures import NoFairShare
from lexiprog.fair.fixed import Fixed
from lexiprog.fair.master import Master, Peak
from lexiprog.fair.records import FairShares, StepProofs, Told, grouped, nobody
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.standard_form import StandardForm

__all__ = ["SAME", "raise_levels"]

# Values closer than this, as a share of the terms they are summed from, are one level.
SAME = 1e-10
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
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
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
            if value - before > SAME * size:
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
        return who & (self._fixed.utilities.at(self._x) <= value + SAME * size)

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
