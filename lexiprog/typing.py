"""Names for the types that users and modules hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lexiprog.model.subproblem import Subproblem
    from lexiprog.results.solution import Solution


# What counts as a number where one is asked for.
NUMBERS = (int, float, np.number)

Array: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Matrix: TypeAlias = sp.csr_array | sp.csc_array | sp.coo_array

Objective: TypeAlias = cp.Minimize | cp.Maximize
Constraint: TypeAlias = cp.constraints.Constraint
Expressions: TypeAlias = Sequence[cp.Expression] | Mapping[str, cp.Expression]
Leaf: TypeAlias = cp.Variable | cp.Parameter

# What CVXPY's leaves and multipliers hold: an array, or one for each part of a cone.
Value: TypeAlias = NDArray[Any]
Values: TypeAlias = Mapping[str, Value]
Multiplier: TypeAlias = Value | tuple[Value, ...]
# By CVXPY's numbers of variables or constraints; a multiplier may be a tuple or a plain number.
ValuesById: TypeAlias = dict[int, Any]
Leaves: TypeAlias = Iterable[tuple[Leaf, Value]]

# A solver's options, as it takes them; fresh ones are ours to change.
Options: TypeAlias = Mapping[str, Any]
FreshOptions: TypeAlias = dict[str, Any]
# Fields by their names: what a file keeps of an object, or a row of a table.
Record: TypeAlias = dict[str, Any]

Highs: TypeAlias = Any  # highspy's types leave out some of its methods

Owner: TypeAlias = "Callable[[], Subproblem | None]"  # weak: a dead owner is in no program
Solutions: TypeAlias = "Mapping[str, Solution]"


# The class of a problem in the words of the field: LP, MIQP, SOCP, exponential cone and so on.

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
