"""Data valuation: least core and nucleolus, for the games of the package pydvl.

pydvl stops at the least core, whose points may be many, and picks the shortest. The nucleolus goes
on from coalition to coalition until one point is left. pydvl asks for an older CVXPY, so it is
never imported: its ``LeastCoreProblem``, or anything with its two arrays, is enough.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.errors import DeclarationError
from lexiprog.formulations.fairness import leximin
from lexiprog.formulations.priorities import preemptive
from lexiprog.typing import Array

__all__ = ["Valuation", "least_core", "nucleolus"]


class Valuation(NamedTuple):
    """What each data point is worth, and what the worst treated coalition lacks.

    :func:`least_core` and :func:`nucleolus` return it; the names are those of pydvl's solution.

    Attributes
    ----------
    values : ndarray
        They sum to the utility of all points.
    subsidy : float
        The least by which every coalition must be compensated; negative if all gain.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from lexiprog.contrib.pydvl import nucleolus
    >>> pair = SimpleNamespace(A_lb=[[1, 0], [0, 1], [1, 1]], utility_values=[1, 2, 5])
    >>> values, subsidy = nucleolus(pair)
    >>> values.round(6), round(subsidy, 6)
    (array([2., 3.]), -1.0)
    """

    values: Array
    subsidy: float


class CoalitionGame(Protocol):
    """What is read of pydvl's ``LeastCoreProblem``: who is in each coalition, and its utility."""

    @property
    def A_lb(self) -> ArrayLike: ...  # noqa: N802 - its name
    @property
    def utility_values(self) -> ArrayLike: ...


class _Game(NamedTuple):
    members: Array  # a row of zeros and ones for each coalition but the empty and the whole one
    worth: Array
    total: float


def least_core(problem: CoalitionGame, total: float | None = None) -> Valuation:
    """The shortest point of the least core, as pydvl's least core gives it.

    Where pydvl's own answer is to be reproduced, or certified; to go on from there to one point
    that every coalition speaks for, use :func:`nucleolus`.

    Parameters
    ----------
    problem : pydvl.value.least_core.common.LeastCoreProblem
        Or any object with its ``utility_values`` and ``A_lb``: the worth of some coalitions and,
        row by row, who is in them.
    total : float, optional
        The worth of all points together; needed if they are not among the coalitions.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from lexiprog.contrib.pydvl import least_core, nucleolus
    >>> members = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> game = SimpleNamespace(A_lb=members, utility_values=[0, 0, 0, 1, 1, 0, 1])
    >>> least_core(game).values.round(6) + 0.0
    array([1., 0., 0.])
    """
    game = _game(problem, total)
    x, subsidy = _shares(game), cp.Variable(name="subsidy")
    demands = [game.members @ x + subsidy >= game.worth, cp.sum(x) == game.total]
    levels = {"least core": cp.Minimize(subsidy), "shortest": cp.Minimize(cp.sum_squares(x))}
    result = preemptive(levels, demands).solve()
    return Valuation(result.final[x], result["least core"].value)


def nucleolus(problem: CoalitionGame, total: float | None = None) -> Valuation:
    """The point of the least core that treats the second worst coalition best, and so on.

    For values that are to be defended: the least core has many points, and this is the one that no
    coalition can object to without harming one that is worse off.

    Parameters
    ----------
    problem, total
        As for :func:`least_core`. Over some of the coalitions only, it is the nucleolus as far as
        these tell.

    Examples
    --------
    The Talmud divides an estate of 200 among claims of 100, 200 and 300.

    >>> from types import SimpleNamespace
    >>> from lexiprog.contrib.pydvl import nucleolus
    >>> members = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> game = SimpleNamespace(A_lb=members, utility_values=[0, 0, 0, 0, 0, 100, 200])
    >>> nucleolus(game).values.round(6)
    array([50., 75., 75.])
    """
    game = _game(problem, total)
    x = _shares(game)
    found = leximin(game.members @ x - game.worth, [cp.sum(x) == game.total]).solve().final
    return Valuation(found[x], -found.value)


def _shares(game: _Game) -> cp.Variable:
    return cp.Variable(game.members.shape[1], name="values")


def _game(problem: CoalitionGame, total: float | None) -> _Game:
    """Each coalition once; the empty one has nothing to lose, and all have the total."""
    members = np.atleast_2d(np.asarray(problem.A_lb, dtype=float))
    worth = np.asarray(problem.utility_values, dtype=float)
    if worth.shape != (len(members),):
        raise DeclarationError(
            f"A_lb has {len(members)} coalitions, utility_values has the shape {worth.shape}."
        )
    if not np.isfinite(worth).all():
        raise DeclarationError("a coalition's utility is not a finite number.")
    members, first = np.unique(members, axis=0, return_index=True)
    worth, size = worth[first], members.sum(axis=1)
    whole = size == members.shape[1]
    if total is None:
        if not whole.any():
            raise DeclarationError(
                "the coalition of all points is not in the problem: give its utility as total."
            )
        total = float(worth[whole][0])
    kept = ~whole & (size > 0)
    return _Game(members[kept], worth[kept], float(total))
