"""Step down a front of whole numbers: from one non-dominated point to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array
from lexiprog.curves.curve import CurveError
from lexiprog.curves.integers.programs import Asked, IntegerPrograms
from lexiprog.curves.integers.steps import CostSteps, steps_of

__all__ = ["Measure", "Staircase", "Stop"]

# Two objectives may be weighed into one as long as a float tells their sums apart.
MOST = 1e9
# What a continuous objective may give up when the other is minimised, as a share of its size.
SLACK = 1e-9
# Rounding of a bound that must be a whole number, and the gap at which whole numbers agree.
ROUNDING, WHOLE_GAP = 1e-6, 0.99


@dataclass(frozen=True)
class Measure:
    """An objective in its own units: steps if it has any, else shares of its largest cost."""

    unit: float
    row: Array
    steps: CostSteps | None

    @classmethod
    def of(cls, cost: Array, integer: NDArray[np.intp]) -> Measure:
        """The measure of a cost, given the columns that are whole."""
        steps = steps_of(cost, integer)
        if steps is not None:
            return cls(float(steps.size), steps.counts.astype(float), steps)
        unit = float(np.max(np.abs(cost)))
        return cls(unit, cost / unit, None)

    def value(self, x: Array) -> float:
        """The objective in its units; a whole number if there are steps."""
        return float(self.steps.count(x)) if self.steps is not None else float(self.row @ x)

    def outside(self, value: float) -> float:
        """A value as the user states it."""
        return value * self.unit if self.steps is None else float(int(value) * self.steps.size)

    def inside(self, value: float) -> float:
        """A user's value in units."""
        return value / self.unit if self.steps is None else float(round(value / self.unit))

    def slack(self, value: float, x: Array) -> float:
        """What this objective may give up where it is to be held."""
        size = float(np.abs(self.row) @ np.abs(x))
        return 0.0 if self.steps is not None else SLACK * max(abs(value), size)

    @property
    def gap(self) -> float:
        """The gap at which a value is the optimum."""
        return WHOLE_GAP if self.steps is not None else SLACK


@dataclass(frozen=True)
class Stop:
    """A non-dominated point: values in units, solution, and lower bounds that prove it."""

    values: tuple[float, float]
    x: Array
    bounds: tuple[float, float]


class Staircase:
    """The points with the least first objective for each limit on the second.

    Parameters
    ----------
    programs : IntegerPrograms
        With the rows of both measures.
    measures : pair of Measure
    """

    def __init__(self, programs: IntegerPrograms, measures: tuple[Measure, Measure]) -> None:
        self.programs, self.measures = programs, measures

    def end(self, which: int, start: Array | None = None) -> Stop:
        """The point with the least first or second objective, and of those the other's least."""
        return self._in_turn((which, 1 - which), np.inf, start)

    def steps(self, left: Stop, right: Stop, resolution: float) -> Iterator[Stop]:
        """The points after ``left``, down to ``right``, whose second objective is lower each time.

        Parameters
        ----------
        left, right : Stop
        resolution : float
            By how much lower, in units; one step at least where there are steps.
        """
        first, second = self.measures
        reached = right.values[1] + second.slack(right.values[1], right.x)
        while left.values[1] > reached:
            limit = left.values[1] - max(resolution, 1.0 if second.steps else 0.0)
            if limit < right.values[1]:
                yield right
                return
            stop = self._at_once(limit, right) or self._in_turn((0, 1), limit, right.x)
            worse = left.values[0] - first.slack(left.values[0], left.x)
            if stop.values[0] < worse or stop.values[1] >= left.values[1]:
                raise CurveError(
                    "two answers of HiGHS contradict each other: a later point is better than one "
                    f"that was called the best ({stop.values} after {left.values}, in steps)."
                )
            yield stop
            left = stop

    def _at_once(self, limit: float, right: Stop) -> Stop | None:
        """Both objectives in one program, the first counting more than all of the second."""
        first, second = self.measures
        if first.steps is None or second.steps is None:
            return None
        weight = limit - right.values[1] + 1.0
        cost = weight * first.row + second.row
        if float(np.max(np.abs(cost), initial=0.0)) > MOST:
            return None
        asked = self._ask(cost, (np.inf, limit), right.x, gap=WHOLE_GAP)
        values = (first.value(asked.x), second.value(asked.x))
        bound = ceil(asked.bound - ROUNDING)
        if bound < weight * values[0] + values[1]:
            return None
        low = ceil((bound - limit) / weight - ROUNDING)
        return Stop(values, asked.x, (float(low), bound - weight * values[0]))

    def _in_turn(self, order: tuple[int, int], limit: float, start: Array | None) -> Stop:
        """One objective, then the other with the first held; ``limit`` on the second of both."""
        one, other = order
        measure = self.measures[one]
        asked = self._ask(measure.row, (np.inf, limit), start, gap=measure.gap)
        best, bounds = measure.value(asked.x), [0.0, 0.0]
        bounds[one] = _proved(asked, best, measure)
        limits = [np.inf, limit]
        limits[one] = min(limits[one], best + measure.slack(best, asked.x))
        second = self.measures[other]
        asked = self._ask(second.row, (limits[0], limits[1]), asked.x, gap=second.gap)
        bounds[other] = _proved(asked, second.value(asked.x), second)
        values = (self.measures[0].value(asked.x), self.measures[1].value(asked.x))
        return Stop(values, asked.x, (bounds[0], bounds[1]))

    def _ask(
        self, cost: Array, limits: tuple[float, float], start: Array | None, *, gap: float
    ) -> Asked:
        asked = self.programs.ask(cost, limits, start, gap=gap)
        if asked is None:
            raise CurveError("nothing is feasible (HiGHS: kInfeasible).")
        return asked


def _proved(asked: Asked, value: float, measure: Measure) -> float:
    """The bound, which must be the value itself where that is a whole number."""
    if measure.steps is None:
        return asked.bound
    bound = float(ceil(asked.bound - ROUNDING))
    if bound < value:
        raise CurveError(
            f"HiGHS calls {value:g} steps optimal, but its bound is {asked.bound:g}: not proved."
        )
    return bound
