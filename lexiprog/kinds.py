"""The class of a problem in the words of the field: LP, MIQP, SOCP, exponential cone and so on."""

from __future__ import annotations

from collections.abc import Iterable

import cvxpy as cp

__all__ = ["has_integers", "is_integer_kind", "kind_of"]

_WHOLE = "mixed-integer "


def kind_of(
    problem: cp.Problem, *, gp: bool, affine: bool = False, whole: bool | None = None
) -> str:
    """LP, QP, SOCP, SDP (each also as MILP and so on), power cone, exponential cone or GP.

    A problem that needs several kinds of cones is called by the hardest ones; one that is known
    to be ``affine`` needs none. Whether it is ``whole`` is found out unless it is given.
    """
    if gp:
        return "GP"
    whole = has_integers(problem) if whole is None else whole
    kind = "LP" if affine or problem.is_lp() else "QP" if problem.is_qp() else _cones(problem)
    if not whole:
        return kind
    return f"MI{kind}" if kind.isupper() else _WHOLE + kind


def is_integer_kind(kind: str) -> bool:
    """Whether problems called so have variables that must be whole."""
    return kind.startswith(("MI", _WHOLE))


def has_integers(problem: cp.Problem, variables: Iterable[cp.Variable] | None = None) -> bool:
    """Whether some variable must be whole, or one of finitely many values, which is as hard.

    ``variables`` are those of the problem, if somebody has them already.
    """
    variables = problem.variables() if variables is None else variables
    return any(v.attributes["boolean"] or v.attributes["integer"] for v in variables) or any(
        isinstance(constraint, cp.FiniteSet) for constraint in problem.constraints
    )


def _cones(problem: cp.Problem) -> str:
    atoms, kinds = cp.atoms, cp.constraints  # CVXPY's own lists of what is written with which cone
    used = {*problem.atoms(), *map(type, problem.constraints)}
    semidefinite = used & {*atoms.PSD_ATOMS, kinds.PSD, kinds.OpRelEntrConeQuad} or any(
        v.is_psd() or v.is_nsd() for v in problem.variables()
    )
    beside = []
    if used & {*atoms.EXP_ATOMS, kinds.ExpCone}:
        beside.append("exponential cone")
    if used & {*atoms.POWCONE_ATOMS, *atoms.POWCONE_ND_ATOMS, kinds.PowCone3D, kinds.PowConeND}:
        beside.append("power cone")
    if semidefinite:
        return " with ".join(["SDP", " and ".join(beside)] if beside else ["SDP"])
    return " and ".join(beside) if beside else "SOCP"
