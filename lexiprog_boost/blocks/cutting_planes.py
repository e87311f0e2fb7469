"""One hinge program by passes: what was seen bounds it from below, what was tried from above.

Each pass gives the tangents of all losses at a trial, and the points near the target there: those
keep their hinges in the model, all others count by their tangent. Tangents and such guesses only
make losses smaller (fact F14, docs/facts.md), so that the model's optimum is a proved bound; its
weights are the next trial. Where no other point changes sides the model is exact, and the gap nil.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks.oracle import Drawn, Evaluation, Points, Trial
from lexiprog_boost.programs.inputs import Inputs, Linear, weight_variable
from lexiprog_boost.programs.lexiboost import declare_balance
from lexiprog_boost.reductions.screening import FEW, settle, solve_screened

# A step by curvature, for an optimum further away than the points that were brought along.
#
# Over many points a mean hinge loss is nearly smooth: how much of a class lies near the target
# tells its curvature there. Weights that are best for tangents and curvatures are only a guess,
# tried like any other; bounds come from elsewhere.

# Within this share of the width, the points that were brought along tell all that changes.
COVERED = 0.5


def curved_step(
    inputs: Inputs, optima: Floats, losses: Floats, cut: Linear, near: Drawn, at: Floats
) -> Floats | None:
    """The guess; None if it is no further away than the near points reach, or there is none.

    Parameters
    ----------
    inputs : Inputs
        Of no points: classes, costs, target and cap.
    optima, losses : ndarray of shape (C,)
        What deviations are measured from, and the losses at ``at``.
    cut : Linear
        The tangents there.
    near : Drawn
        All points within some distance of the target.
    at : ndarray of shape (T,)
        Where they were seen.
    """
    if not len(near.codes):
        return None
    width = float(np.max(np.abs(inputs.target - near.margins @ at)))
    shape = Inputs(
        near.margins, near.codes, inputs.classes, near.weights, inputs.costs, inputs.target,
        inputs.cap,
    )  # fmt: skip
    alpha, chi = weight_variable(shape), cp.Variable(name="chi")
    step, rows = alpha - at, []
    for j, cost in enumerate(inputs.costs):
        mine = near.codes == j
        curve = np.sqrt(near.weights[mine] / (2 * max(width, 1e-12)))[:, None] * near.margins[mine]
        bend = cp.sum_squares(np.linalg.qr(curve, mode="r") @ step) / 2 if mine.any() else 0.0
        rows.append(cost * (losses[j] - cut.slopes[j] @ step + bend - optima[j]) <= chi)
    goal = lx.Subproblem("guess", cp.Minimize(chi), [*rows, cp.sum(alpha) == 1])
    try:
        result = lx.Program(lx.Stage("guess", goal)).solve("CLARABEL")
    except lx.StageError:
        return None
    guess = np.maximum(np.array(result.final["alpha"], dtype=np.float64), 0.0)
    guess = guess / guess.sum()
    moved = np.sqrt(np.mean((near.margins @ (guess - at)) ** 2))
    return guess if moved > COVERED * width else None


Solve = Callable[[lx.Program], tuple[lx.Program, lx.Result]]

# Points near the target that are brought along by a pass.
NEAR = 20_000
# Gaps are shares of the value, or of this where it is smaller.
LEAST = 1e-3
# A slice may bring along so many times its share of the near points.
LOOSE = 4.0
# Steps by curvature, which prove nothing, at most.
GUESSES = 4


@dataclass
class HingeSearch:
    """The least worst costed deviation of some classes from their optima.

    Attributes
    ----------
    points : Points
        All points.
    members : ndarray of int
        The classes that count.
    inputs : Inputs
        Of no points: costs, target and cap.
    optima : ndarray
        What deviations are measured from.
    solve : callable
        Solves the model, ties settled.
    drawn : Drawn
        Points of these classes, by which widths are chosen.
    alpha, losses, upper : ndarray, ndarray, float
        The best weights that were tried, the losses there, and their value.
    lower : float
        What no weights are better than.
    next : ndarray
        The weights to be tried next.
    found : pair of Program and Result
        The last model; a search for a bare value may do without one.
    """

    points: Points
    members: NDArray[np.intp]
    inputs: Inputs
    optima: Floats
    solve: Solve
    drawn: Drawn
    next: Floats
    alpha: Floats = field(init=False)
    losses: Floats = field(init=False)
    upper: float = np.inf
    lower: float = -np.inf
    found: tuple[lx.Program, lx.Result] | None = None
    cuts: list[Linear] = field(default_factory=list)
    guesses: int = 0  # steps by curvature so far

    @property
    def _count(self) -> int:
        return int(self.points.counts[self.members].sum())

    @property
    def gap(self) -> float:
        """How far the best trial may be from the optimum, as a share of its value."""
        return max(self.upper - self.lower, 0.0) / max(abs(self.upper), LEAST)

    @property
    def last(self) -> tuple[lx.Program, lx.Result]:
        """The last model with its optimum."""
        if self.found is None:
            raise RuntimeError("there was no pass yet")
        return self.found

    def value(self, losses: Floats) -> float:
        """The worst costed deviation of some losses."""
        return float(np.max(self.inputs.costs * (losses - self.optima)))

    def trial(self) -> Trial:
        """What the next pass is to try."""
        share = min(1.0, LOOSE * NEAR / self._count)
        if self._count <= NEAR:
            return Trial(self.next, self.members, np.inf, 1.0)
        distance = np.abs(self.points.target - self.drawn.margins @ self.next)
        order = np.argsort(distance)
        drawn = np.bincount(self.drawn.codes, minlength=len(self.points.counts))
        stands_for = self.points.counts / np.maximum(drawn, 1)
        reached = np.cumsum(stands_for[self.drawn.codes[order]])
        last = min(int(np.searchsorted(reached, NEAR)), len(order) - 1)
        return Trial(self.next, self.members, float(distance[order[last]]), share)

    def learn(self, seen: Evaluation, gap: float) -> None:
        """Take in what was seen at the trial, and find the next if the gap is not closed."""
        losses = seen.losses[self.members]
        value = self.value(losses)
        if value < self.upper:
            self.upper, self.alpha, self.losses = value, self.next, losses
        near = _of_classes(seen.near, self.members)
        cut = Linear(seen.cut.constants[self.members], seen.cut.slopes[self.members])
        rest = self._rest(cut, near)
        # Losses are never negative, which a class by itself may be at already.
        floor = float(np.max(-self.inputs.costs * self.optima))
        self.lower = max(self.lower, floor)
        if self.gap > gap or (self.found is None and len(self.members) > 1):
            guess = None
            if self.guesses < GUESSES and gap > 0 and len(near.codes) < self._count:
                guess = curved_step(self.inputs, self.optima, losses, cut, near, self.next)
            if guess is None:
                self._model(near, rest)
            else:
                self.guesses, self.next = self.guesses + 1, guess
        self.cuts.append(cut)

    def _rest(self, cut: Linear, near: Drawn) -> Linear:
        """The tangents without the points that keep their hinges."""
        active = near.margins @ self.next < self.inputs.target
        weights = replace(
            self.inputs, margins=near.margins, codes=near.codes, weights=near.weights * active
        ).averaging
        masses = np.asarray(weights.sum(axis=1)).ravel()
        return Linear(
            cut.constants - self.inputs.target * masses, cut.slopes - weights @ near.margins
        )

    def _model(self, near: Drawn, rest: Linear) -> None:
        """The model's optimum: a bound, and the weights to try next."""
        inputs = replace(self.inputs, margins=near.margins, codes=near.codes, weights=near.weights)
        start = self.next
        if len(near.codes) > FEW * len(start):
            start = rough_weights(inputs, self.optima, rest, self.cuts, start)

        def exact(hinges: Inputs, linear: Linear) -> tuple[Any, Floats]:
            solved = self.solve(declare_balance(hinges, self.optima, linear + rest, self.cuts))
            return solved, normalised(solved[1].final["alpha"])

        screened = settle(inputs, exact, start, min(FEW * len(start), len(near.codes)))
        self.found, self.next = screened.found, screened.alpha
        balance = screened.found[1]["balance"]
        bound = balance.value if balance.bound is None else balance.bound
        self.lower = max(self.lower, float(bound))


def rough_weights(
    inputs: Inputs, optima: Floats, rest: Linear | None, cuts: list[Linear], fallback: Floats
) -> Floats:
    """Weights near the model's optimum, quickly."""
    try:
        result = declare_balance(inputs, optima, rest, cuts).solve("CLARABEL")
    except lx.StageError:
        return fallback
    return normalised(result.final["alpha"])


def sampled_weights(inputs: Inputs, optima: Floats, solve: Solve) -> Floats:
    """The optimal weights of a sample: where a search may start."""

    def exact(hinges: Inputs, linear: Linear) -> tuple[Any, Floats]:
        solved = solve(declare_balance(hinges, optima, linear))
        return solved, normalised(solved[1].final["alpha"])

    def rough(hinges: Inputs, linear: Linear) -> tuple[Any, Floats]:
        start = np.full(hinges.margins.shape[1], 1.0 / hinges.margins.shape[1])
        return None, rough_weights(hinges, optima, linear, [], start)

    return solve_screened(inputs, exact, rough=rough).alpha


def normalised(alpha: Any) -> Floats:
    """Weights on the simplex, without rounding dust."""
    weights = np.maximum(np.array(alpha, dtype=np.float64), 0.0)
    weights[weights < 1e-9] = 0.0
    return weights / weights.sum()


def _of_classes(points: Drawn, members: NDArray[np.intp]) -> Drawn:
    """The same with the codes counted among these classes."""
    return Drawn(points.margins, np.searchsorted(members, points.codes), points.weights)
