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
