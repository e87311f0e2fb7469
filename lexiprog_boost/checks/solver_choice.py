"""Which part of a caller's choice of solvers is meant for which stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import lexiprog as lx


def solver_for(program: lx.Program, solver: Any) -> Any:
    """Return a choice of solvers without the names of stages that a program does not have.

    A reduction may make a stage unnecessary that the caller, rightly, has a solver for.

    Parameters
    ----------
    program : lexiprog.Program
        What is to be solved.
    solver : optional
        As for ``lexiprog.Program.solve``; only a mapping is changed.

    Returns
    -------
    The same choice, or a smaller mapping.

    Examples
    --------
    >>> from lexiprog_boost.checks.solver_choice import solver_for
    >>> from lexiprog_boost.programs import lpadaboost_program
    >>> solver_for(lpadaboost_program([[1]]), {"margin": "HIGHS", "weights": "CLARABEL"})
    {'margin': 'HIGHS'}
    """
    if not isinstance(solver, Mapping):
        return solver
    names = {stage.name for stage in program.stages} | set(program.subproblems)
    return {name: choice for name, choice in solver.items() if name in names}


def solver_of(solver: Any, *names: str) -> Any:
    """Return what a choice of solvers has for the first of these names, for a program of its own.

    Examples
    --------
    >>> from lexiprog_boost.checks.solver_choice import solver_of
    >>> choice = {"classes": "HIGHS", "class:rare": "CLARABEL"}
    >>> solver_of(choice, "class:rare", "classes"), solver_of(choice, "class:many", "classes")
    ('CLARABEL', 'HIGHS')
    >>> solver_of("ECOS", "classes"), solver_of(choice, "balance")
    ('ECOS', None)
    """
    if not isinstance(solver, Mapping):
        return solver
    return next((solver[name] for name in names if name in solver), None)


def check_solver_names(solver: Any, stage_names: Sequence[str]) -> None:
    """Refuse a choice for a stage or subproblem that no form of the programs has.

    Examples
    --------
    >>> from lexiprog_boost.checks.solver_choice import check_solver_names
    >>> check_solver_names({"balnce": "HIGHS"}, ["classes", "balance"])
    Traceback (most recent call last):
    ...
    ValueError: solver names 'balnce', which is no stage or subproblem; there are ['classes', \
'balance'].
    """
    for name in solver if isinstance(solver, Mapping) else ():
        if name not in stage_names:
            raise ValueError(
                f"solver names {name!r}, which is no stage or subproblem; "
                f"there are {list(stage_names)}."
            )
