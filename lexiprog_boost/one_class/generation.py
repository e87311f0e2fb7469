"""Column generation: the few of many hypotheses that the one-class program needs.

A hypothesis can improve a program only if its edge, its mean over the points weighed by the
multipliers of their rows, exceeds that of every hypothesis at hand (fact F5, docs/facts.md). So
the program is solved for a few, the best others by that measure are added, and where none
exceeds, its optimum is that of the whole pool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.values import solver_for
from lexiprog_boost.one_class.program import balance_stage
from lexiprog_boost.programs.soft_margin import declare_dual_soft_margin, point_limits

# So many of the best hypotheses are added at once: fewer programs, each a little larger.
AT_ONCE = 4
# A program, solved for some columns: its value, and the weights of the points.
Solve = Callable[[list[int]], tuple[float, Floats]]


@dataclass(frozen=True, eq=False)
class Needed:
    """What the whole pool needs.

    Attributes
    ----------
    columns : list of int
        Positions of the hypotheses that were added, for all groups and the balance.
    optima : ndarray of shape (groups,)
        Each group's own optimum over the whole pool.
    gap : float
        By how much any optimum could at most be better with other hypotheses of the pool.
    rounds : int
        Programs that were solved.
    """

    columns: list[int]
    optima: Floats
    gap: float
    rounds: int


def generate(
    values: Floats, codes: Codes, nu: float, *, most: int = 200, tolerance: float = 1e-6,
    solver: Any = None,
) -> Needed:  # fmt: skip
    """Find the hypotheses that every group's program and their balance need.

    Parameters
    ----------
    values : ndarray of shape (n, N)
        The whole pool.
    codes : ndarray of int, shape (n,)
        The group of each point, from 0 without gaps.
    nu : float
        As for `one_class_program`.
    most : int
        Rounds at most for each program.
    tolerance : float
        By how much an edge must exceed the others to count.
    solver : optional
        As for ``lexiprog.Program.solve``.

    Returns
    -------
    Needed

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.generation import generate
    >>> H = np.array([[1, 0, 0.2], [1, 0, 0.2], [0, 1, 0.2]])
    >>> found = generate(H, np.array([0, 0, 1]), nu=1.0)
    >>> sorted(found.columns), found.optima.tolist(), found.gap
    ([0, 1], [1.0, 1.0], 0.0)
    """
    columns: list[int] = []
    optima, gaps, rounds = [], [], 0
    for g in range(int(codes.max()) + 1):
        mine = values[codes == g]
        start = [int(mine.mean(axis=0).argmax())]
        found, value, gap, used = _price(mine, start, _group(mine, nu, solver), most, tolerance)
        columns += [k for k in found if k not in columns]
        optima.append(value)
        gaps.append(gap)
        rounds += used
    if len(optima) > 1:
        solve = _balance(values, codes, np.array(optima), nu, solver)
        columns, _, gap, used = _price(values, columns, solve, most, tolerance)
        gaps.append(gap)
        rounds += used
    return Needed(columns, np.array(optima), max(gaps), rounds)


def _price(
    values: Floats, start: list[int], solve: Solve, most: int, tolerance: float
) -> tuple[list[int], float, float, int]:
    """Add hypotheses until none has a larger edge; the gap that is left, and the rounds."""
    columns = list(start)
    for used in range(1, most + 1):
        value, weights = solve(columns)
        edges = weights @ values
        gap = max(float(edges.max() - edges[columns].max()), 0.0)
        better = np.flatnonzero(edges > edges[columns].max() + tolerance)
        if not len(better):
            return columns, value, gap, used
        if used < most:
            columns += better[np.argsort(-edges[better], kind="stable")][:AT_ONCE].tolist()
    return columns, value, gap, most


def _group(values: Floats, nu: float, solver: Any) -> Solve:
    """A group's program is LPBoost's: its dual has a row a hypothesis and a column a point."""
    limits = point_limits(len(values), cap=1 / (nu * len(values)))

    def solve(columns: list[int]) -> tuple[float, Floats]:
        program = declare_dual_soft_margin(values[:, columns], limits)
        optimum = program.solve(solver_for(program, solver)).final
        return float(optimum.value), np.asarray(optimum["D"])

    return solve


def _balance(values: Floats, codes: Codes, optima: Floats, nu: float, solver: Any) -> Solve:
    def solve(columns: list[int]) -> tuple[float, Floats]:
        program = lx.Program(balance_stage(values[:, columns], codes, optima, nu))
        found = program.solve(solver_for(program, solver)).final
        return float(found.value), np.abs(np.asarray(found.dual(0)))

    return solve
