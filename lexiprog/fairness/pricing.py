"""Leximin lotteries over more choices than can be listed, found by an oracle.

A choice is a column: what everyone gets from it. The lottery's weights sum to one. Each level
is raised over the columns known so far; its multipliers are prices at which the oracle looks for
a better column. No column can bring more than the oracle's bound, so that no lottery can have

    least unsettled utility > bound + prices @ offsets - prices of the settled @ their levels.

When this is no more than the value at hand, the level is proved, and whoever has a price is stuck.

Reference: Flanigan, Goelz, Gupta, Hennig and Procaccia, "Fair algorithms for selecting citizens'
assemblies", Nature 596, 2021.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lexiprog.canon.multipliers import is_real
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline
from lexiprog.fairness.master import MasterLP, MaxMin
from lexiprog.fairness.records import (
    LeximinLottery,
    NoLeximin,
    OnStep,
    Utilities,
    grouped,
    no_report,
)
from lexiprog.status import Status
from lexiprog.tolerances import SAME_LEVEL
from lexiprog.typing import Array, Options

# So many steps may find the value of the last one before all who are still there are tested.
PATIENCE = 2


class Oracle(Protocol):
    """Someone who finds the columns that are worth most at given prices."""

    def __call__(self, prices: Array, /) -> tuple[ArrayLike, float]:
        """Columns, one a row, and a number that ``prices @ column`` of no column exceeds.

        As long as the columns are better than the known ones, the number may be infinite.
        """


def price_levels(
    oracle: Oracle,
    offsets: Array,
    options: Options | None = None,
    report: OnStep = no_report,
    *,
    deadline: Deadline | None = None,
) -> LeximinLottery:
    """The leximin lottery over the columns that an oracle can find.

    Parameters
    ----------
    oracle : callable
        See :class:`Oracle`. Prices are non-negative.
    offsets : ndarray
        What everyone has before the lottery: its size is the number of utilities.
    options, report, deadline
        As for :func:`~lexiprog.fairness.levels.raise_levels`.

    Raises
    ------
    NoLeximin
        If there is no column, or if the oracle's bound and its columns contradict each other.

    Examples
    --------
    Two of three are seated, but the first two never together.

    >>> import numpy as np
    >>> panels = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> def oracle(prices):
    ...     worth = panels @ prices
    ...     return panels[[worth.argmax()]], worth.max()
    >>> fair = price_levels(oracle, np.zeros(3))
    >>> [(level.value, list(map(int, level.members))) for level in fair.levels]
    [(0.5, [0, 1]), (1.0, [2])]
    """
    offsets = np.array(offsets, dtype=float)
    if not offsets.size:
        raise ValueError("there is no utility: give at least one.")
    loop = _PricedLoop(oracle, offsets, options or {}, report, deadline)
    loop.run()
    return loop.result()


class _PricedLoop:
    """The state of one run."""

    def __init__(
        self,
        oracle: Oracle,
        offsets: Array,
        options: Options,
        report: OnStep,
        deadline: Deadline | None,
    ) -> None:
        self._report = report
        self._oracle = oracle
        self._offsets = offsets
        self._calls = 0
        self._columns = np.zeros((0, offsets.size))
        first, _ = self._ask(np.full(offsets.size, 1.0 / offsets.size))
        if not len(first):
            raise NoLeximin("the oracle has no column at all.", Status.INFEASIBLE)
        self._columns = first
        count, total = len(first), np.ones(1)
        bounds = Bounds(np.zeros(count), np.full(count, np.inf), total, total)
        utilities = Utilities(first.T, offsets)
        ones = sp.csr_array(np.ones((1, count)))
        self._master = MasterLP(ones, bounds, utilities, options, deadline)
        self._settled = np.zeros(offsets.size, dtype=bool)
        self._levels = np.full(offsets.size, np.nan)
        self._lottery = np.zeros(count)
        self._steps: list[tuple[float, Array, float]] = []

    def run(self) -> None:
        """Settle everybody."""
        while not self._settled.all():
            optimum = self._master.raise_least()
            value = self._attained(optimum)
            before = self._steps[-1][0] if self._steps else -np.inf
            repeats = [step[0] for step in self._steps[-PATIENCE:]]
            if repeats == [before] * PATIENCE and value - before <= self._slack:
                self._settle_all_stuck(before)
            elif (bound := self._closed(optimum, value)) is not None:
                self._settle(optimum, before if value - before <= self._slack else value, bound)

    def _settle_all_stuck(self, value: float) -> None:
        """Settle, at the value of the last step, everybody who cannot rise above it."""
        behind = ~self._settled
        while behind.any():
            optimum = self._master.raise_sum(behind, value, self._largest)
            still = behind & (self._at(optimum.x) <= value + self._slack)
            if not np.array_equal(still, behind):
                behind = still
            elif (bound := self._closed(optimum, value)) is not None:
                self._settle(optimum, value, bound)
                return

    def _closed(self, optimum: MaxMin, value: float) -> float | None:
        """The oracle's bound if it proves the value; None if it found a column to go on with."""
        prices = np.maximum(optimum.weights, 0.0)
        prices = prices / prices[~self._settled].sum()
        columns, bound = self._ask(prices)
        rise = bound + prices @ self._offsets - prices[self._settled] @ self._levels[self._settled]
        if rise - value <= self._slack:
            return float(bound)
        best = float(np.max(self._columns @ prices))
        better = columns[columns @ prices > best + 1e-3 * self._slack]
        if not len(better):
            raise NoLeximin(
                f"the oracle's bound lets a level rise from {value:.12g} to {rise:.12g}, but none "
                "of its columns is better than those known: make its bound tighter.",
                Status.INACCURATE,
            )
        self._columns = np.vstack([self._columns, better])
        self._master.add(better)
        return None

    def _ask(self, prices: Array) -> tuple[Array, float]:
        self._calls += 1
        given, bound = self._oracle(prices)
        columns = np.atleast_2d(np.array(given, dtype=float))
        if not columns.size:
            columns = np.zeros((0, self._offsets.size))
        if columns.shape[1] != self._offsets.size or not np.isfinite(columns).all():
            raise ValueError(
                f"the oracle must give columns of {self._offsets.size} finite utilities each, "
                f"not an array of shape {columns.shape}."
            )
        worth = columns @ prices
        if worth.size and worth.max() > bound + SAME_LEVEL * np.abs(columns).max():
            raise ValueError(
                f"the oracle says that no column is worth more than {bound:.12g}, and gives one "
                f"worth {worth.max():.12g}."
            )
        return columns, float(bound)

    def _settle(self, optimum: MaxMin, value: float, bound: float) -> None:
        prices = np.maximum(optimum.weights, 0.0)
        prices = prices / prices[~self._settled].sum()
        waiting = np.where(self._settled, 0.0, prices)
        who = np.flatnonzero(is_real(waiting, waiting.max(initial=0.0)))
        self._settled[who] = True
        self._levels[who] = value
        self._master.settle(who, value, exactly=False)
        self._lottery = optimum.x
        self._steps.append((value, prices, bound))
        self._report(int(self._settled.sum()), value)

    def result(self) -> LeximinLottery:
        """The record."""
        values, prices, bounds = (list(part) for part in zip(*self._steps, strict=True))
        weights = np.maximum(self._lottery, 0.0)
        weights = np.pad(weights, (0, len(self._columns) - weights.size))
        return LeximinLottery(
            levels=grouped(self._levels),
            columns=self._columns,
            weights=weights / weights.sum(),
            steps=np.array(values),
            prices=np.array(prices),
            bounds=np.array(bounds),
            calls=self._calls,
            iterations=self._master.iterations,
        )

    @property
    def _largest(self) -> float:
        return float(np.max(np.abs(self._columns))) or 1.0

    @property
    def _slack(self) -> float:
        return SAME_LEVEL * self._largest

    def _at(self, lottery: Array) -> Array:
        values: Array = lottery @ self._columns + self._offsets
        return values

    def _attained(self, optimum: MaxMin) -> float:
        prices = np.where(self._settled, 0.0, np.maximum(optimum.weights, 0.0))
        return float(prices @ self._at(optimum.x) / prices.sum()) + 0.0
