"""Point weights for Dual-LexiBoost's next member, from the duals of P_j and Q on those so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import reachable_cap, solver_of
from lexiprog_boost.programs.dual_lexiboost import Form, declare_dual_balance, declare_dual_class
from lexiprog_boost.programs.inputs import Inputs, check_inputs
from lexiprog_boost.programs.tie_breaks import solve_smallest
from lexiprog_boost.reductions import (
    Compressed,
    class_weight_program,
    compress_rows,
    spread_class_weights,
)
from lexiprog_boost.reductions.class_mean_form import means_of

# An edge must exceed the limit s by more than the solvers' accuracy to be worth a member.
EDGE = 1e-8
# Learners get weights with this many digits of their cap: what a solver leaves in the digits after
# them must not decide between splits that are equally good.
DIGITS = 5
# Where the optimum has no room around it, solvers end so far before a point's bounds.
NEAR_BOUND = 5e-5


@dataclass(frozen=True)
class NextWeights:
    """Weights for the next member, and how to tell whether it will help.

    Attributes
    ----------
    distribution : ndarray of shape (n,) or None
        They sum to one; None if no point has weight: the members so far are perfect.
    edges : tuple of (D, s)
        The duals' point weights before scaling, with the limit that a new member's edge
        ``D . margins`` has to exceed; empty for the paper's form, which does not ask.
    """

    distribution: Floats | None
    edges: tuple[tuple[Floats, float], ...] = ()

    def wants(self, margins: NDArray) -> bool:
        """Say whether a member with these margins would improve one of the programs."""
        return not self.edges or any(D @ margins > s + EDGE for D, s in self.edges)


def class_point_weights(
    inputs: Inputs, *, form: Form, reduce: bool = True, solver: Any = None
) -> NextWeights:
    """Return the weights of loop 1: of every class j those that its own dual gives to its points.

    Parameters
    ----------
    inputs : Inputs
        Margins of the members so far.
    form : {"paper", "exact"}
        P'_j, or the unmodified dual of P_j.
    reduce : bool
        Merge equal rows first.
    solver : optional
        For each class's program.

    Returns
    -------
    NextWeights

    Examples
    --------
    The weight goes to the points that the only member misses:

    >>> from lexiprog_boost.pools.point_weights import class_point_weights
    >>> from lexiprog_boost.programs import check_inputs
    >>> inputs = check_inputs([[1], [-1], [-1], [1]], [0, 0, 1, 1])
    >>> class_point_weights(inputs, form="paper").distribution.round(6).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    merged = _merged(inputs, reduce=reduce)
    total, edges = np.zeros(len(inputs.codes)), []
    for j in range(len(inputs.classes)):
        program = declare_dual_class(merged.inputs, j, form)
        mine = np.flatnonzero(merged.inputs.codes == j)
        rows = mine if form == "exact" else np.arange(len(merged.inputs.codes))
        scales = _positive(merged.inputs.weights[rows])
        _, result = solve_smallest(program, of="D", scales=scales, solver=solver)
        D = np.zeros(len(merged.inputs.codes))
        D[rows] = result.final["D"]
        D[merged.inputs.codes != j] = 0.0
        total += _rounded_shares(D, merged.inputs.weights)[merged.groups] * inputs.weights
        if form == "exact":
            edges.append((merged.to_points(D), float(result.final["s"])))
    return NextWeights(_scaled(total), tuple(edges))


def balance_point_weights(
    inputs: Inputs, optima: Floats, *, form: Form, reduce: bool = True, solver: Any = None
) -> NextWeights:
    """Return the weights of loop 2, from Q' or from the unmodified dual of Q.

    Parameters
    ----------
    inputs : Inputs
        Margins of the members so far.
    optima : ndarray of shape (C,)
        L_j of loop 1.
    form, reduce, solver
        As for `class_point_weights`; the paper's form is reduced to the class means (fact F3,
        docs/facts.md).

    Returns
    -------
    NextWeights

    Examples
    --------
    After one member all the weight lies on one class (fact F11, docs/facts.md):

    >>> from lexiprog_boost.pools.point_weights import balance_point_weights
    >>> from lexiprog_boost.programs import check_inputs
    >>> inputs = check_inputs([[1], [-1], [-1], [1], [-1]], [0, 0, 1, 1, 1])
    >>> balance_point_weights(inputs, [0, 0], form="paper").distribution.round(6).tolist()
    [0.0, 0.0, 0.333333, 0.333333, 0.333333]
    """
    if form == "paper" and reduce:
        program = class_weight_program(means_of(inputs), optima)
        scales = 1 / _positive(inputs.costs) ** 2
        _, result = solve_smallest(program, of="d", scales=scales, solver=solver)
        shares = np.round(inputs.costs * result.final["d"], DIGITS)
        return NextWeights(spread_class_weights(inputs, shares / _positive(inputs.costs)))
    merged = _merged(inputs, reduce=reduce)
    program = declare_dual_balance(merged.inputs, optima, form)
    weights = _positive(merged.inputs.weights)
    _, result = solve_smallest(program, of="D", scales=weights, solver=solver)
    D, s = result.final["D"], float(result.final["s"])
    shares = _rounded_shares(D, merged.inputs.weights)
    points = shares[merged.groups] * inputs.weights
    return NextWeights(_scaled(points), ((merged.to_points(D), s),) if form == "exact" else ())


@dataclass(frozen=True)
class DualPrograms:
    """The programs that weigh the points in a loop of Dual-LexiBoost.

    Attributes
    ----------
    y : ndarray of shape (n,)
        Labels.
    sample_weight : ndarray of shape (n,)
        Weights of the points inside their classes.
    optima : ndarray of shape (C,) or None
        L_j for the dual of Q, which weighs the points of loop 2; None for the duals of P_j, which
        weigh those of loop 1.
    class_costs, margin_target, weight_cap
        As for `lexiboost_program`; a cap is raised to what few members can keep.
    form : {"paper", "exact"}
        The printed duals, or the exact ones.
    reduce : bool
        Use exact reductions.
    solver : optional
        A mapping may name "classes" and "balance".

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.pools.point_weights import DualPrograms
    >>> duals = DualPrograms(np.array([0, 0, 1, 1]), np.ones(4))
    >>> duals.next_weights(np.array([[1], [-1], [-1], [1]])).distribution.round(6).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """

    y: NDArray
    sample_weight: Floats
    optima: Floats | None = None
    class_costs: Any = None
    margin_target: float = 1.0
    weight_cap: float | None = None
    form: Form = "paper"
    reduce: bool = True
    solver: Any = None

    def next_weights(self, margins: NDArray) -> NextWeights:
        """Weigh the points for the next member by the margins (n, t) of those so far."""
        inputs = check_inputs(
            margins, self.y, class_costs=self.class_costs, sample_weight=self.sample_weight,
            margin_target=self.margin_target,
            weight_cap=reachable_cap(self.weight_cap, margins.shape[1]),
        )  # fmt: skip
        shared: dict[str, Any] = {"form": self.form, "reduce": self.reduce}
        if self.optima is None:
            solver = solver_of(self.solver, "classes")
            return class_point_weights(inputs, solver=solver, **shared)
        solver = solver_of(self.solver, "balance")
        return balance_point_weights(inputs, self.optima, solver=solver, **shared)


def _merged(inputs: Inputs, *, reduce: bool) -> Compressed:
    if reduce:
        return compress_rows(inputs)
    return Compressed(inputs, np.arange(len(inputs.codes)), np.ones(len(inputs.codes)))


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, 1.0)


def _rounded_shares(D: Floats, weights: Floats) -> Floats:
    """D in units of the points' own weights, which are the same with merged rows or without."""
    shares: Floats = np.divide(D, weights, out=np.zeros(len(D)), where=weights > 0)
    shares[np.abs(shares - 1) <= NEAR_BOUND] = 1.0
    shares[shares <= NEAR_BOUND] = 0.0
    return np.round(shares, DIGITS)


def _scaled(points: Floats) -> Floats | None:
    return points / points.sum() if points.any() else None
