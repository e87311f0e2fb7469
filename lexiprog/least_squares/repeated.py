"""A hierarchy of least squares solved again and again, from array to array."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Literal

import numpy as np

from lexiprog.certify.certificate import Certificate
from lexiprog.least_squares.active_set import (
    LAPACK,
    ActiveSet,
    Kernel,
    NoActiveSet,
    find,
)
from lexiprog.least_squares.check import Check, check_levels
from lexiprog.least_squares.hierarchy import Hierarchy, Indices, Rank
from lexiprog.least_squares.numbers import HierarchyMap
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED_LEAST_SQUARES, LEAST_SQUARES_GAP, NEARNESS
from lexiprog.typing import Array

Checker = Callable[[Hierarchy, ActiveSet], Check]


@cache
def kernel() -> tuple[Kernel, Checker]:
    """Who searches and who checks: numba where the extra ``control`` is installed, else NumPy."""
    usual = LAPACK, check_levels
    try:
        from numba import config

        from lexiprog.least_squares import jitted
    except ImportError:
        return usual
    if getattr(config, "DISABLE_JIT", False):  # plain Python would take a hundred times as long
        return usual
    made = Kernel(jitted.jitted_held, jitted.jitted_signs)
    ends = np.array([0.0, 1.0])
    one = Hierarchy(np.ones((2, 1)), -ends, ends, (0, 1, 2))
    jitted.jitted_check(one, find(one, Rank(), None, made))  # compiled before the first step
    return made, jitted.jitted_check


# A status, the optima in the order of the subproblems, a point, and what makes the certificates.
StepAnswer = tuple[Status, Array, Array, Callable[[], list[Certificate]]]


class PerThread(threading.local):
    """What each thread keeps for its next call; empty where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return PerThread, ()


class RepeatedLeastSquares:
    """Solve at values of the parameters, starting from the last optimum that passed its check.

    Parameters
    ----------
    maps : HierarchyMap
    offsets : ndarray
        What is added to the levels' sums of squares.
    values : ndarray
        Of all parameters, row by row, as they are now: to find what does not change.
    """

    order: Literal["C", "F"] = "C"

    def __init__(self, maps: HierarchyMap, offsets: Array, values: Array) -> None:
        self._offsets = offsets
        self._maps = replace(maps, rows=maps.rows.row_by_row())
        self._known = self._maps.at(values)
        self._last = PerThread()
        kernel()

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:
        """A status, the levels' values, a point, and what makes the certificates."""
        hierarchy = self._maps.at(values, self._known)
        search, checker = kernel()
        start: tuple[Indices, Array] | None = getattr(self._last, "start", None)
        for begin in (start, None) if start is not None else (None,):
            try:
                held = find(hierarchy, self._maps.rank, begin, search)
            except NoActiveSet:
                continue
            found = checker(hierarchy, held) if verify else None
            if found is None or found.passed or self._maps.rank.damping:
                break
        else:
            return self._nothing(Status.FAILED)
        violations = hierarchy.violations(held.at) if found is None else found.violations
        if self._maps.hard and _exceeds(hierarchy, held, violations):
            return self._nothing(Status.INFEASIBLE)
        self._last.start = held.side, held.point.x
        damped = self._maps.rank.damping > 0.0
        return (
            Status.INACCURATE if damped else Status.OPTIMAL,
            (hierarchy.values(violations) if found is None else found.values)[self._maps.first :]
            + self._offsets,
            held.point.x,
            partial(certificates, hierarchy, held, found, self._maps.first),
        )

    def _nothing(self, status: Status) -> StepAnswer:
        levels = len(self._maps.starts) - 1 - self._maps.first
        return status, np.full(levels, np.nan), np.full(self._maps.rows.columns, np.nan), list

    def __str__(self) -> str:
        return "one active set for all levels"


def _exceeds(hierarchy: Hierarchy, held: ActiveSet, violations: Array) -> bool:
    """Whether constraints are violated by more than rounding."""
    hard = hierarchy.rows(0)
    return bool(np.any(np.abs(violations[hard]) > CERTIFIED_LEAST_SQUARES * held.size[hard]))


def certificates(
    hierarchy: Hierarchy, held: ActiveSet, found: Check | None, first: int
) -> list[Certificate]:
    """Of every level from the first on."""
    measured = check_levels(hierarchy, held) if found is None else found
    return [certificate_of(measured, level) for level in range(first, hierarchy.levels)]


def certificate_of(found: Check, level: int, claim: float = 0.0) -> Certificate:
    """What was measured of a level."""
    return Certificate(
        rows=float(found.rows[: level + 1].max(initial=0.0)),
        columns=float(found.columns[level]),
        gap=float(found.gap[level]),
        claim=claim,
        tolerance=CERTIFIED_LEAST_SQUARES / NEARNESS,
        gap_tolerance=LEAST_SQUARES_GAP,
        row_tolerance=CERTIFIED_LEAST_SQUARES,
    )
