"""Hinge programs solved on the points whose side of the margin target is in doubt.

A point whose margin stays beyond theta loses nothing, one whose margin stays below loses linearly.
With the sides of most points guessed, only the rest needs a hinge; the guesses only make losses
smaller, so an optimum that bears them out is an optimum of the whole program (fact F14,
docs/facts.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats, Mask
from lexiprog_boost.programs.inputs import Inputs, Linear

Solve = Callable[[Inputs, Linear], tuple[Any, Floats]]

# So little beyond its side a point may lie; far less than the solvers' own accuracy.
TOLERANCE = 1e-9
# Samples grow by this factor, from this many points a member.
GROWTH, FIRST = 4, 48
# At exact weights about one point a member lies on theta; this many leave room for ties.
FEW = 4
# How many times the expected error of the weights a point must be away to count as settled. Less
# costs rounds, in which thousands may change sides; more costs hinges.
CAUTION = 2.0


@dataclass(frozen=True)
class Screened:
    """What the last program of `solve_screened` was made of, and what its solver returned.

    Read `found` for the answer, and `hinges` to see how few points it took.

    Attributes
    ----------
    found : object
        The first part of what `solve` returned.
    alpha : ndarray of shape (T,)
        The second part.
    hinges : Inputs
        The points that kept a hinge.
    linear : Linear
        The losses of those that stay below theta.
    rounds : int
        Programs solved on all points, those on samples not counted.

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_optimum_by_dual, solve_screened
    >>> inputs = check_inputs([[1], [0.2], [-1]], ["a", "a", "b"], margin_target=0.5)
    >>> screened = solve_screened(
    ...     inputs, lambda hinges, linear: class_optimum_by_dual(hinges, 0, linear=linear))
    >>> round(screened.found, 6), screened.rounds
    (0.15, 1)
    """

    found: Any
    alpha: Floats
    hinges: Inputs
    linear: Linear
    rounds: int


def solve_screened(
    inputs: Inputs, solve: Solve, *, rough: Solve | None = None, random_state: int = 0
) -> Screened:
    """Solve a program on ever larger samples, then on all points, hinges only where in doubt.

    Use it for thousands of points and a margin target below 1, where class means don't suffice: a
    program of some dozen hinges has the optimum of all (fact F14, docs/facts.md).

    Parameters
    ----------
    inputs : Inputs
        Of all points.
    solve : callable (hinges, linear) -> (anything, alpha)
        Solves the program on some hinges and linear losses.
    rough : callable, optional
        The same, but quick rather than exact: it finds the weights from which `solve` starts,
        with hinges for no more than the nearest points.
    random_state : int
        Draws the samples; it has no influence on the optimum.

    Returns
    -------
    Screened

    Examples
    --------
    Half of the points and more need no hinge:

    >>> import numpy as np
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_optimum_by_dual, solve_screened
    >>> margins = np.random.default_rng(0).uniform(-0.2, 1, (2000, 4))
    >>> inputs = check_inputs(margins, np.arange(2000) % 2, margin_target=0.4)
    >>> def first_class(hinges, linear):
    ...     return class_optimum_by_dual(hinges, 0, linear=linear)
    >>> screened = solve_screened(inputs, first_class)
    >>> bool(abs(screened.found - class_optimum_by_dual(inputs, 0)[0]) < 1e-9)
    True
    >>> len(screened.hinges.codes) < 1000
    True
    """
    n_points, n_members = inputs.margins.shape
    order = np.random.default_rng(random_state).permutation(n_points)
    size = FIRST * n_members
    alpha, in_doubt = np.full(n_members, 1 / n_members), 1
    while size < n_points:
        rows = _sample(inputs, order, size)
        part = _part(inputs, rows)
        alpha = settle(part, rough or solve, alpha, _in_doubt(part, in_doubt)).alpha
        in_doubt, size = len(rows), size * GROWTH
    doubtful = _in_doubt(inputs, in_doubt)
    if rough is not None and doubtful > FEW * n_members:
        alpha = settle(inputs, rough, alpha, doubtful).alpha
        doubtful = FEW * n_members
    return settle(inputs, solve, alpha, doubtful)


def _in_doubt(inputs: Inputs, known: int) -> int:
    """How many points may change sides, at weights found on `known` points.

    Such weights are off by about sqrt(T / known), and so are the margins.
    """
    n_points, n_members = inputs.margins.shape
    return max(FEW * n_members, int(n_points * min(1.0, CAUTION * np.sqrt(n_members / known))))


def settle(inputs: Inputs, solve: Solve, alpha: Floats, doubtful: int) -> Screened:
    """Give a hinge to the points nearest to theta at `alpha`, then to all that change sides.

    Use it in place of `solve_screened` where weights near the optimum are known.
    """
    rho = inputs.margins @ alpha - inputs.target
    free = np.zeros(len(rho), dtype=bool)
    free[np.argsort(np.abs(rho))[:doubtful]] = True
    above = rho > 0
    rounds = 0
    while True:
        hinges, linear = _split(inputs, free, above)
        found, alpha = solve(hinges, linear)
        rounds += 1
        rho = inputs.margins @ alpha - inputs.target
        wrong = ~free & np.where(above, rho < -TOLERANCE, rho > TOLERANCE)
        if not wrong.any():
            return Screened(found, alpha, hinges, linear, rounds)
        free |= wrong


def _split(inputs: Inputs, free: Mask, above: Mask) -> tuple[Inputs, Linear]:
    below = np.flatnonzero(~free & ~above)
    average = inputs.averaging[:, below]
    constants = inputs.target * average.sum(axis=1)
    linear = Linear(constants, average @ inputs.margins[below])
    rows = np.flatnonzero(free)
    hinges = replace(
        inputs,
        margins=inputs.margins[rows],
        codes=inputs.codes[rows],
        weights=inputs.weights[rows],
    )
    return hinges, linear


def _sample(inputs: Inputs, order: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """The first points of a random order, as many of each class as the smallest allows."""
    each = max(1, size // len(np.unique(inputs.codes)))
    weighty = order[inputs.weights[order] > 0]
    return np.concatenate(
        [weighty[inputs.codes[weighty] == j][:each] for j in range(len(inputs.classes))]
    )


def _part(inputs: Inputs, rows: NDArray[np.intp]) -> Inputs:
    codes, weights = inputs.codes[rows], inputs.weights[rows]
    mass = np.bincount(codes, weights=weights, minlength=len(inputs.classes))
    return replace(inputs, margins=inputs.margins[rows], codes=codes, weights=weights / mass[codes])
