"""Further stages that choose among the optima of a program, each one more priority."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog_boost.checks.values import solver_for

# A quadratic stage on a face given by equations reaches this accuracy at no extra cost.
SHARP = (
    lx.Solver("CLARABEL", tol_gap_abs=1e-14, tol_gap_rel=1e-14, tol_feas=1e-14),
    lx.Solver("CLARABEL"),
)


def smallest_norm(
    program: lx.Program,
    *,
    of: str = "alpha",
    scales: Any = None,
    face: lx.OptimalFace | None = None,
) -> lx.Program:
    """Add a stage that takes, of all optima, the one with the smallest norm.

    It is unique, so neither the solver nor the form of the program changes it (fact F12,
    docs/facts.md): use it where results must be repeatable with other solvers. ::

        minimise    sum_t alpha_t^2 / scales_t
        subject to  the last subproblem of the program is optimal

    Parameters
    ----------
    program : lexiprog.Program
        With one subproblem in its last stage.
    of : str
        The variable to make small.
    scales : array-like, optional
        Positive, one an entry; 1 by default. The point weights w_i for a variable "D".
    face : lexiprog.OptimalFace, optional
        What optimality means, as `lexiprog.optimal_face` finds it in a solved program; by default
        the optimum is held by its value, which is less accurate but needs no earlier solve.

    Returns
    -------
    lexiprog.Program
        With one more stage "weights" that holds the subproblem "smallest".

    Examples
    --------
    Two members that agree share the weight:

    >>> from lexiprog_boost.programs import lexiboost_program, smallest_norm
    >>> program = smallest_norm(lexiboost_program([[1, 1], [-1, -1]], ["a", "b"]))
    >>> program.solve().final["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    last = _last(program)
    variable = last.variable(of)
    sizes = np.ones(variable.size) if scales is None else np.asarray(scales, dtype=np.float64)
    # Point weights may be as small as 1e-6; measured in their mean, the objective stays near one.
    spread = np.sqrt(sizes.mean() / sizes)
    goal = cp.Minimize(cp.sum_squares(cp.multiply(spread, variable)))
    held = [last.held()] if face is None else list(face.equations)
    return program.extend(weights_stage("smallest", goal, [*last.constraints, *held]))


def closest_weights(program: lx.Program, weights: Any, *, tolerance: float = 0.01) -> lx.Program:
    """Add a stage that goes as near to given weights as a tolerance on chi allows.

    Use it to keep the many members of a pool, which a vertex would drop, for a small loss. ::

        minimise    sum_t (alpha_t - weights_t)^2
        subject to  the constraints of "balance",  chi <= chi* + tolerance

    Parameters
    ----------
    program : lexiprog.Program
        With a last subproblem "balance".
    weights : array-like of shape (T,)
        Scaled to sum to one; the pool's own weights.
    tolerance : float
        How much of the least worst deviation may be given up, at least 0.

    Returns
    -------
    lexiprog.Program
        With one more stage "weights" that holds the subproblem "closest".

    Examples
    --------
    >>> from lexiprog_boost.programs import closest_weights, lexiboost_program
    >>> program = lexiboost_program([[1, -1], [-1, 1]], ["a", "b"])  # chi* = 1 at 1/2, 1/2
    >>> closest_weights(program, [1, 0], tolerance=0.2).solve().final["alpha"].round(4).tolist()
    [0.6, 0.4]
    """
    last = _last(program)
    alpha = last.variable("alpha")
    aims = np.asarray(weights, dtype=np.float64)
    if aims.shape != alpha.shape or not np.isfinite(aims).all() or not (aims >= 0).all():
        raise ValueError(
            f"weights has shape {aims.shape}; give one finite weight >= 0 for each of the "
            f"{alpha.size} members."
        )
    total = aims.sum()
    aims = aims / total if total > 0 else np.full(alpha.size, 1 / alpha.size)
    goal = cp.Minimize(cp.sum_squares(alpha - aims))
    held = last.held(atol=tolerance)
    return program.extend(weights_stage("closest", goal, [*last.constraints, held]))


def leximax_deviations(program: lx.Program) -> lx.Program:
    """Add stages that make the second largest costed deviation least, then the third, and so on.

    A leximax of the deviations, solved level by level, makes them unique; the last stage takes the
    smallest norm among the weights that attain them. Use it with three classes or more, where the
    worst one leaves the others room.

    Parameters
    ----------
    program : lexiprog.Program
        With a last subproblem "balance".

    Returns
    -------
    lexiprog.Program
        With stages "deviations" and "weights".

    Examples
    --------
    The third class is served by either of the last two members, at no cost to the first two:

    >>> from lexiprog_boost.programs import leximax_deviations, lexiboost_program
    >>> margins = [[1, -1, -1], [-1, 1, 1], [1, 1, -1]]
    >>> program = leximax_deviations(lexiboost_program(margins, ["a", "b", "c"]))
    >>> program.solve().final["alpha"].round(6).tolist()
    [0.5, 0.5, 0.0]
    """
    balance = _last(program)
    deviations = balance.variable("deviations")
    held = [*balance.constraints, balance.held()]
    levels = lx.Subproblem("deviations", lx.Leximax(deviations), held)
    alpha = balance.variable("alpha")
    goal = cp.Minimize(cp.sum_squares(alpha))
    weights = weights_stage("smallest", goal, [*balance.constraints, levels.held()])
    return program.extend(lx.Stage("deviations", levels), weights)


def weights_stage(name: str, goal: Any, constraints: list[Any]) -> lx.Stage:
    """The stage that settles the weights by a curved objective, as accurately as it can be had.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog_boost.programs.tie_breaks import weights_stage
    >>> alpha = cp.Variable(2, name="alpha")
    >>> stage = weights_stage("smallest", cp.Minimize(cp.sum_squares(alpha)), [cp.sum(alpha) == 1])
    >>> lx.Program(stage).solve().final["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    return lx.Stage("weights", lx.Subproblem(name, goal, constraints), solver=list(SHARP))


def _last(program: lx.Program) -> lx.Subproblem:
    last = program.stages[-1].subproblems
    if len(last) != 1:
        raise ValueError(f"the last stage has {len(last)} subproblems; a tie-break needs one.")
    return last[0]


# Solve a linear program and take, of all its optima, the one of smallest norm.


def solve_smallest(
    program: lx.Program, *, of: str, scales: Any = None, solver: Any = None
) -> tuple[lx.Program, lx.Result]:
    """Solve a program whose last subproblem is linear, then its smallest optimum on the face.

    Neither the solver nor the form of the program changes it (fact F12, docs/facts.md).

    Parameters
    ----------
    program : lexiprog.Program
        With one subproblem in its last stage.
    of, scales
        As for `smallest_norm`.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name stages that are not needed.

    Returns
    -------
    lexiprog.Program, lexiprog.Result
        With one more stage "weights", unless the optimum is known to be unique.

    Examples
    --------
    >>> from lexiprog_boost.programs import lpadaboost_program
    >>> from lexiprog_boost.programs.tie_breaks import solve_smallest
    >>> twins = lpadaboost_program([[1, 1], [1, 1]])
    >>> solve_smallest(twins, of="alpha")[1].final["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    result = program.solve(solver_for(program, solver))
    last = program.stages[-1].subproblems[0]
    face = lx.optimal_face(last, result.final)
    if face.is_point:
        return program, result
    exact = smallest_norm(program, of=of, scales=scales, face=face)
    try:
        return exact, exact.solve(solver_for(exact, solver), resume=result)
    except lx.StageError:
        # Multipliers too rough to tell the face: hold the optimum by its value instead.
        held = smallest_norm(program, of=of, scales=scales)
        return held, held.solve(solver_for(held, solver), resume=result)
