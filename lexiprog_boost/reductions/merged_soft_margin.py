"""Weights of members and points by A1, A2, A3 and their duals, on merged rows.

Points with the same margins fall short by the same amount, whatever their class: they are one row
with the sum of their limits (fact F6, docs/facts.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_solver_names, solver_for
from lexiprog_boost.programs.inputs import Inputs
from lexiprog_boost.programs.soft_margin import (
    PointLimits,
    declare_dual_soft_margin,
    declare_soft_margin,
)
from lexiprog_boost.programs.tie_breaks import solve_smallest
from lexiprog_boost.reductions.dual_forms import weights_by_dual_form
from lexiprog_boost.reductions.merged_rows import Compressed, compress_rows

# Weights below this are rounding.
NOTHING = 1e-9
# What a solver can be chosen for: A1 to A3, their duals (which serve many rows too), and ties.
STAGES = ["margin", "edge", "weights", "smallest"]
# With more rows than this, the dual form of A1, A2 and A3 is the quicker one.
MANY_ROWS = 600


@dataclass(frozen=True)
class MemberWeights:
    """Optimal weights of the members.

    Attributes
    ----------
    alpha : ndarray of shape (T,)
        On the simplex.
    margin : float
        r, the margin that points are priced for missing.
    program, result : lexiprog.Program, lexiprog.Result
        What was solved, on merged rows.
    """

    alpha: Floats
    margin: float
    program: lx.Program
    result: lx.Result


@dataclass(frozen=True)
class PointWeights:
    """Optimal weights of the points, with the multipliers that weigh the members.

    Attributes
    ----------
    D : ndarray of shape (n,)
        They sum to one.
    edge : float
        s, the largest edge of a member.
    alpha : ndarray of shape (T,)
        The multipliers, on the simplex.
    margin : float
        r, the multiplier of sum D = 1.
    program, result : lexiprog.Program, lexiprog.Result
        What was solved, on merged rows.
    """

    D: Floats
    edge: float
    alpha: Floats
    margin: float
    program: lx.Program
    result: lx.Result


def soft_margin_weights(
    margins: Floats, limits: PointLimits, *, tie_break: str | None = "smallest", solver: Any = None
) -> MemberWeights:
    """Solve A1, A2 or A3, whichever the limits make it, in dual form if there are many rows.

    Parameters
    ----------
    margins : ndarray of shape (n, T)
        Margin of every member on every point.
    limits : PointLimits
        Of the n points.
    tie_break : {"smallest", None}
        Of all optimal weights those of smallest norm, or those that the solver finds.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "margin" (A1 to A3), "edge" (their
        dual form) and "weights" (the smallest norm), needed or not.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.programs.soft_margin import point_limits
    >>> from lexiprog_boost.reductions.merged_soft_margin import soft_margin_weights
    >>> votes = np.array([[1.0, -1.0]] * 3 + [[-1.0, 1.0]])
    >>> soft_margin_weights(votes, point_limits(4, cap=0.25)).alpha.round(6).tolist()
    [1.0, 0.0]
    """
    _check_choices(tie_break, solver)
    merged = _merge(margins, limits)
    rows = replace(limits, weights=merged.inputs.weights)
    if len(rows.weights) > MANY_ROWS:
        alpha, margin, program, result = weights_by_dual_form(
            merged.inputs.margins, rows, smallest=tie_break == "smallest", solver=solver
        )
    else:
        program = declare_soft_margin(merged.inputs.margins, rows)
        program, result = _solved(program, "alpha", None, tie_break, solver)
        alpha, margin = result.final["alpha"], float(result.final["r"])
    return MemberWeights(_simplex(alpha), margin, program, result)


def soft_margin_point_weights(
    margins: Floats, limits: PointLimits, *, tie_break: str | None = "smallest", solver: Any = None
) -> PointWeights:
    """Solve A1', A2' or A3'; equal rows share their weight in proportion to their limits.

    Parameters
    ----------
    margins, limits, solver
        As for `soft_margin_weights`.
    tie_break : {"smallest", None}
        Of all optimal D the one with the smallest sum of D_i^2 / w_i, or the solver's.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.programs.soft_margin import point_limits
    >>> from lexiprog_boost.reductions.merged_soft_margin import soft_margin_point_weights
    >>> votes = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    >>> found = soft_margin_point_weights(votes, point_limits(4, cap=0.4))
    >>> found.D.round(6).tolist(), round(found.edge, 6)
    ([0.1, 0.1, 0.4, 0.4], -0.6)
    """
    _check_choices(tie_break, solver)
    merged = _merge(margins, limits)
    rows = replace(limits, weights=merged.inputs.weights)
    program = declare_dual_soft_margin(merged.inputs.margins, rows)
    program, result = _solved(program, "D", rows.weights, tie_break, solver)
    first = result["edge"]
    return PointWeights(
        D=_simplex(merged.to_points(np.array(result.final["D"]))),
        edge=float(first.value),
        alpha=_simplex(first.dual(0)),
        # L = s + ... + nu (sum D - 1): what D_i = 0 would gain is rho_i + nu, so r = -nu.
        margin=-float(first.dual(1)),
        program=program,
        result=result,
    )


def _merge(margins: Floats, limits: PointLimits) -> Compressed:
    """Equal rows of all classes as one: here a class only matters by the limits it gives."""
    codes = np.zeros(len(margins), dtype=np.intp)
    single = np.ones(1)
    return compress_rows(Inputs(margins, codes, single, limits.weights, single))


def _solved(
    program: lx.Program, of: str, scales: Any, tie_break: str | None, solver: Any
) -> tuple[lx.Program, lx.Result]:
    if tie_break is None:
        return program, program.solve(solver_for(program, solver))
    return solve_smallest(program, of=of, scales=scales, solver=solver)


def _check_choices(tie_break: Any, solver: Any) -> None:
    if tie_break not in ("smallest", None):
        raise ValueError(f"unknown tie_break {tie_break!r}; it is 'smallest' or None.")
    check_solver_names(solver, STAGES)


def _simplex(weights: Any) -> Floats:
    cleaned = np.where(np.asarray(weights) > NOTHING * np.max(weights), weights, 0.0)
    return cleaned / cleaned.sum()
