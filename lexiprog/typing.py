"""Names for the types that users and modules hand to each other."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lexiprog.model.subproblem import Subproblem
    from lexiprog.results.solution import Solution


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - in the place of Python's
        """Python's own, which up to 3.11 holds a lock meanwhile that a forked child waits for."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            kept = instance.__dict__
            if self.attrname not in kept:  # two threads may both find it: the same
                kept[self.attrname] = self.func(instance)
            return kept[self.attrname]


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
