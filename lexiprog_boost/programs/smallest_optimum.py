"""Solve a linear program and take, of all its optima, the one of smallest norm."""

from __future__ import annotations

from typing import Any

import lexiprog as lx
from lexiprog_boost.checks.solver_choice import solver_for
from lexiprog_boost.programs.tie_breaks import smallest_norm


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
    >>> from lexiprog_boost.programs.smallest_optimum import solve_smallest
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
