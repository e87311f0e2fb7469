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
from lexiprog.deadline import Deadline
from lexiprog.fairness.master import MasterLP, MaxMin
from lexiprog.fairness.records import (
    LeximinResult,
    NoLeximin,
    OnStep,
    StepProofs,
    Utilities,
    grouped,
    no_report,
)
from lexiprog.tolerances import SAME_LEVEL
from lexiprog.typing import Array, Mask, Options

# What the steps so far have fixed: utilities at their level, rows and columns at their ends.


@dataclass(frozen=True)
class NewlyFixed:
    """Indices of the utilities, rows and columns that one more step fixes."""

    who: NDArray[np.intp]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


class FixedSet:
    """What is fixed: it grows step by step, from multipliers alone.

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
        self._A_T, self._utilities_T = self.A.T, utilities.rows.T  # a view takes long to make
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
        gains: Array = self._utilities_T @ weights - self._A_T @ multipliers
        return gains

    def size(self, x: Array, weights: Array, multipliers: Array) -> float:
        """The terms that a step's value is summed from: what its rounding is measured against."""
        terms = np.abs(weights) @ self.utilities.sizes_at(x)
        return max(float(terms), float(np.abs(multipliers) @ np.abs(self.b)))

    def hold(self, value: float, weights: Array, multipliers: Array) -> NewlyFixed:
        """Fix all that the multipliers of a step with this value leave no choice."""
        gains = self.gains(weights, multipliers)
        prices = np.concatenate([multipliers, weights])
        real = certainly_binding(prices, np.append(gains, 0.0), self._sizes)
        self.doubtful |= real.ambiguous
        rows = self.b.size
        end = np.where(gains > 0, self.bounds.upper, self.bounds.lower)
        open_weights = np.where(self.settled, 0.0, weights)
        sure = real.rows[rows:] & (open_weights > 0)
        new = NewlyFixed(
            np.flatnonzero(sure) if sure.any() else np.array([np.argmax(open_weights)]),
            np.flatnonzero(~self.rows & real.rows[:rows] & (multipliers > 0)),
            np.flatnonzero(~self.columns & real.columns[:-1] & np.isfinite(end)),
        )
        self.settled[new.who] = self.rows[new.rows] = self.columns[new.columns] = True
        self.levels[new.who] = value
        self.ends[new.columns] = end[new.columns]
        return new


# So many steps may find the value of the last one before all who are still there are tested.
PATIENCE = 3


def raise_levels(
    form: StandardForm,
    utilities: Utilities,
    options: Options | None = None,
    report: OnStep = no_report,
    *,
    deadline: Deadline | None = None,
) -> LeximinResult:
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
    report : callable, optional
        After each step: how many are settled, and the value.
    deadline : Deadline, optional
        When to have settled everybody.

    Raises
    ------
    NoLeximin
        If there is no feasible point, if somebody can rise without limit, if HiGHS fails, or if
        the time is over.

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
    loop = _LeximinLoop(
        form, distinct, options or {},
        lambda settled, value: report(int(settled[of].sum()), value), deadline,
    )  # fmt: skip
    try:
        loop.run()
    except NoLeximin as failure:
        if not failure.members:
            raise
        raise NoLeximin.unlimited(np.flatnonzero(np.isin(of, failure.members))) from None
    return loop.result(of)


class _LeximinLoop:
    """The state of one run, over utilities that all differ."""

    def __init__(
        self,
        form: StandardForm,
        utilities: Utilities,
        options: Options,
        report: Callable[[Mask, float], None],
        deadline: Deadline | None,
    ) -> None:
        self._report = report
        self._fixed = FixedSet(form, utilities)
        self._master = MasterLP(self._fixed.A, self._fixed.bounds, utilities, options, deadline)
        self._values: list[float] = []
        self._weights: list[Array] = []
        self._multipliers: list[Array] = []
        self._x = np.zeros(form.c.size)

    def run(self) -> None:
        """Settle everybody."""
        while not self._fixed.settled.all():
            optimum = self._master.raise_least()
            value = self._attained(optimum)
            before = self._values[-1] if self._values else -np.inf
            size = self._fixed.size(optimum.x, optimum.weights, optimum.multipliers)
            size = max(abs(value), size)
            if value - before > SAME_LEVEL * size:
                self._settle(optimum, value)
                continue
            self._settle(optimum, before)
            if self._values[-PATIENCE:].count(before) == PATIENCE:
                self._settle_all_stuck(before, size)

    def _attained(self, optimum: MaxMin) -> float:
        """The value of a max-min optimum, from its point.

        HiGHS's own is off by its scaled tolerance, which later steps could not live with.
        """
        weights = np.where(self._fixed.settled, 0.0, np.maximum(optimum.weights, 0.0))
        return float(weights @ self._fixed.utilities.at(optimum.x) / weights.sum()) + 0.0

    def _settle_all_stuck(self, value: float, size: float) -> None:
        """Settle, at the value of the last step, everybody who cannot rise above it."""
        behind = self._behind(~self._fixed.settled, value, size)
        while behind.any():
            optimum = self._master.raise_sum(behind, value, size or 1.0)
            self._x = optimum.x
            still = self._behind(behind, value, size)
            if np.array_equal(still, behind):
                self._settle(optimum, value)
                return
            behind = still

    def _behind(self, who: Mask, value: float, size: float) -> Mask:
        return who & (self._fixed.utilities.at(self._x) <= value + SAME_LEVEL * size)

    def _settle(self, optimum: MaxMin, value: float) -> None:
        new = self._fixed.hold(value, optimum.weights, optimum.multipliers)
        self._master.settle(new.who, value)
        self._master.fix_rows(new.rows, self._fixed.b[new.rows])
        self._master.fix_columns(new.columns, self._fixed.ends[new.columns])
        self._x = optimum.x
        self._values.append(value)
        self._weights.append(optimum.weights)
        self._multipliers.append(optimum.multipliers)
        self._report(self._fixed.settled, value)

    def result(self, of: NDArray[np.intp]) -> LeximinResult:
        """The record over all utilities: ``of`` tells which of the distinct ones each is."""
        counts = np.bincount(of)
        steps = StepProofs(
            values=np.array(self._values),
            weights=_stacked([(weights / counts)[of] for weights in self._weights]),
            multipliers=_stacked(self._multipliers),
        )
        levels = grouped(self._fixed.levels[of])
        master = self._master
        return LeximinResult(
            levels, self._x, steps, master.solves, master.iterations, self._fixed.doubtful
        )


def _stacked(rows: list[Array]) -> sp.csr_array:
    places = [np.flatnonzero(row) for row in rows]
    starts = np.concatenate([[0], np.cumsum([place.size for place in places])])
    entries = np.concatenate([row[place] for row, place in zip(rows, places, strict=True)])
    return sp.csr_array((entries, np.concatenate(places), starts), shape=(len(rows), rows[0].size))
