"""Where to look next when the optimum is further away than the points that were brought along.

Over many points a mean hinge loss is nearly smooth: how much of a class lies near the target tells
its curvature there. Weights that are best for tangents and curvatures are only a guess, tried like
any other; bounds come from elsewhere.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks.looks import Drawn
from lexiprog_boost.programs.inputs import Inputs, Linear, weight_variable

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
        found = lx.Program(lx.Stage("guess", goal)).solve("CLARABEL")
    except lx.StageError:
        return None
    guess = np.maximum(np.array(found.final["alpha"], dtype=np.float64), 0.0)
    guess = guess / guess.sum()
    moved = np.sqrt(np.mean((near.margins @ (guess - at)) ** 2))
    return guess if moved > COVERED * width else None
