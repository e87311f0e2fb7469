"""Subproblems that stand side by side: none sees the others, all see the stages before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexiprog.declare.checks import check_name
from lexiprog.declare.frozen import Frozen
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import DeclarationError

if TYPE_CHECKING:
    from lexiprog.solvers.solver import SolverOrLadder

__all__ = ["Stage"]


class Stage(Frozen):
    """One level of a hierarchy.

    Parameters
    ----------
    name : str
        Unique in its program.
    *subproblems : Subproblem
        Solved independently of each other, in parallel where workers allow.
    solver : optional
        A name, Solver, object or list of these, for all of the stage's subproblems.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> lx.Stage("ends", lx.Subproblem("low", cp.Minimize(x), [x >= 0]),
    ...          lx.Subproblem("high", cp.Maximize(x), [x <= 1]), solver="CLARABEL")
    Stage('ends': low, high)
    """

    name: str
    subproblems: tuple[Subproblem, ...]
    solver: SolverOrLadder | None

    def __init__(
        self, name: str, *subproblems: Subproblem, solver: SolverOrLadder | None = None
    ) -> None:
        check_name("stage", name)
        if not subproblems:
            raise DeclarationError(f"stage {name!r} holds no subproblem: give it at least one.")
        for subproblem in subproblems:
            if not isinstance(subproblem, Subproblem):
                raise DeclarationError(
                    f"stage {name!r} holds subproblems only, not {subproblem!r}: wrap it in "
                    "Subproblem(name, objective, constraints)."
                )
        self._declare(name=name, subproblems=subproblems, solver=solver)

    def __repr__(self) -> str:
        return f"Stage({self.name!r}: {', '.join(p.name for p in self.subproblems)})"
