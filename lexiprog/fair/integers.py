"""Leximin with integers: the ordered values are raised position by position.

With integers nobody in particular is settled, only how many may be how low: two who take turns have
the same ordered values. So each step maximises the value at one position of the order,

    maximise   t
    subject to at most q utilities below t,
               at most as many below each earlier level as there are positions before it,

with a binary for each utility and level that says whether it may be below. As the best point at
hand shows how many share a value, the last of those positions is tried at once: if it cannot rise,
none of them can. Every step is proved by the bound of the branch and bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array, Options
from lexiprog.fair.failures import NoFairShare
from lexiprog.fair.levels import raise_levels
from lexiprog.fair.positions import Positions, Steps
from lexiprog.fair.records import FairLevel, FairOrder, Told, nobody
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.standard_form import StandardForm
from lexiprog.status import Status

__all__ = ["order_levels"]

# Values closer than this share of the largest number they are summed from count as the same.
SAME = 1e-8


def order_levels(
    form: StandardForm, utilities: Utilities, options: Options | None = None, told: Told = nobody
) -> FairOrder:
    """The leximin point of linear utilities over a mixed-integer linear form.

    Positions of the order are settled one after the other: nobody is stuck at any, since others
    may take his place.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers; its objective plays no part.
    utilities, options, told
        As for :func:`raise_levels`.

    Raises
    ------
    NoFairShare
        If there is no feasible point, if somebody can rise without limit, or if HiGHS fails.

    Examples
    --------
    Five whole loaves for three, the last of whom needs two for one.

    >>> import numpy as np
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> form = StandardForm(
    ...     c=np.zeros(3), offset=0.0, A=np.ones((1, 3)), b=np.array([5.0]),
    ...     cones=Cones(nonneg=1), lower=np.zeros(3), integer=np.arange(3))
    >>> fair = order_levels(form, Utilities(np.diag([1.0, 1.0, 0.5])))
    >>> [(level.value, len(level.members)) for level in fair.levels]
    [(1.0, 2), (2.0, 1)]
    """
    if not len(utilities):
        raise ValueError("there is no utility: give at least one.")
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("positions are raised over linear constraints only.")
    climb = _OrderedClimb(form, utilities, options or {})
    climb.run(told)
    return climb.found()


class _OrderedClimb:
    """The best point so far, and how much of its order is proved."""

    def __init__(self, form: StandardForm, utilities: Utilities, options: Options) -> None:
        self._form, self._utilities, self._options = form, utilities, options
        self._positions = Positions(form, utilities, options)
        self._bounds: list[float] = []
        self._x = np.zeros(form.c.size)
        self._order = np.full(len(utilities), -np.inf)

    def run(self, told: Told) -> None:
        """Prove every position of the order."""
        found, bound = self._positions.first()
        self._take(found, bound, 0)
        while len(self._bounds) < len(self._utilities):
            first = len(self._bounds)
            if first:
                bound = self._raise(first, self._ladder(first))
            self._bounds.append(bound)
            # While the last of those who share a value can rise, fewer may have to share it.
            while (last := self._last_alike(first)) > first:
                bound = self._raise(last, self._ladder(first + 1))
                if self._last_alike(first) >= last:
                    self._bounds += [bound] * (last - first)
                    break
            told(len(self._bounds), float(self._order[first]))

    def _ladder(self, proved: int) -> Steps:
        """The levels of the first positions of the order, each with the number before it."""
        values = self._order[:proved]
        starts = [0, *(np.flatnonzero(np.diff(values) > self._slack) + 1)]
        return [(float(values[start]), int(start)) for start in starts]

    def _last_alike(self, position: int) -> int:
        alike = self._order <= self._order[position] + self._slack
        return int(np.flatnonzero(alike)[-1])

    @property
    def _slack(self) -> float:
        return SAME * float(np.max(self._utilities.sizes_at(self._x), initial=0.0))

    def _raise(self, position: int, ladder: Steps) -> float:
        """Maximise the value at a position, and take the point if it is better."""
        found, bound = self._positions.raised(position, ladder, self._x)
        self._take(found, bound, position)
        return bound

    def _take(self, found: Array, bound: float, position: int) -> None:
        x = self._completed(found)
        order = np.sort(self._utilities.at(x))
        rise = _first_rise(order, self._order, self._slack)
        if rise is not None:
            self._x, self._order = x, order
            # The same integers may serve an earlier position at the cost of this one.
            if len(self._bounds) <= rise < position:
                return
        if bound - self._order[position] > self._slack:
            raise NoFairShare(
                f"position {position} of the order is {self._order[position]:.12g} at the best "
                f"point, but HiGHS proves no bound below {bound:.12g}.",
                Status.INACCURATE,
            )

    def _completed(self, x: Array) -> Array:
        """The point with whole integers, and the best that the other columns can make of them."""
        whole = np.zeros(x.size, dtype=bool)
        whole[self._form.integer] = True
        x = np.where(whole, np.rint(x), x)
        if whole.all():
            return x
        lower = np.full(x.size, -np.inf) if self._form.lower is None else self._form.lower
        upper = np.full(x.size, np.inf) if self._form.upper is None else self._form.upper
        rest = replace(
            self._form,
            lower=np.where(whole, x, lower),
            upper=np.where(whole, x, upper),
            integer=None,
        )
        return raise_levels(rest, self._utilities, self._options).x

    def found(self) -> FairOrder:
        """The record."""
        gets = self._utilities.at(self._x)
        ranks = np.argsort(gets, kind="stable")
        starts = [start for _, start in self._ladder(gets.size)]
        levels = tuple(
            FairLevel(float(self._order[start]), np.sort(members))
            for start, members in zip(starts, np.split(ranks, starts[1:]), strict=True)
        )
        positions = self._positions
        return FairOrder(levels, self._x, np.array(self._bounds), positions.solves, positions.nodes)


def _first_rise(order: Array, other: Array, slack: float) -> int | None:
    """The first position where ordered values differ, if they are better there."""
    differs = np.flatnonzero(~(np.abs(order - other) <= slack))
    if differs.size and order[differs[0]] > other[differs[0]]:
        return int(differs[0])
    return None
