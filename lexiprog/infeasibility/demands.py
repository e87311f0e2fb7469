"""All that a subproblem asks of a point, one demand at a time: its constraints, its bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.model.expressions import automatic_names, holding, integer_entries, written
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import LEAK_AMOUNT, LEAK_FACTOR, LEAK_FRACTION
from lexiprog.typing import Array, Constraint, Leaf, Record, Value

_LIMITS = ("nonneg", "nonpos", "pos", "neg", "bounds", "boolean")
_ENTRYWISE = (cp.constraints.Inequality, cp.constraints.Equality)


@dataclass(frozen=True)
class Demand:
    """A constraint of the user's list, or one side of the bounds that a variable came with."""

    constraint: Constraint
    text: str
    position: int | None = None  # in the user's list; None for bounds
    entries: tuple[int, ...] | None = None  # of an array, row by row; None stands for all
    of: cp.Variable | None = None  # whose bounds they are

    @property
    def entrywise(self) -> bool:
        """Whether single entries of it can be left out."""
        return (
            isinstance(self.constraint, _ENTRYWISE)
            and self.constraint.expr.size > 1
            and self.constraint.expr.is_real()
        )

    @property
    def all_entries(self) -> tuple[int, ...]:
        """Those that it makes a demand of."""
        every = tuple(range(self.constraint.expr.size))
        return every if self.entries is None else self.entries

    def only(self, entries: Iterable[int]) -> Demand:
        """The same of fewer entries."""
        return replace(self, entries=tuple(entries))

    def stated(self) -> Constraint:
        """As a constraint of CVXPY."""
        if self.entries is None or not self.entrywise:
            return self.constraint
        part = cp.vec(self.constraint.expr, order="C")[list(self.entries)]
        return part == 0 if isinstance(self.constraint, cp.constraints.Equality) else part <= 0


@dataclass(frozen=True)
class Demands:
    """The demands of a subproblem, in variables that keep only what cannot be left out."""

    constraints: tuple[Demand, ...]
    bounds: tuple[Demand, ...]
    variables: tuple[cp.Variable, ...]
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def integers(self) -> tuple[cp.Variable, ...]:
        """The variables that must be whole."""
        return tuple(v for v in self.variables if whole(v))

    def without_integers(self, which: Iterable[cp.Variable]) -> Demands:
        """The same with some of the variables free to be broken."""
        free = {}
        for variable in which:
            kept = {k: v for k, v in _set(variable).items() if k not in ("integer", "boolean")}
            free[id(variable)] = cp.Variable(variable.shape, name=variable.name(), **kept)
        names = dict(self.names)
        names |= {free[id(v)].id: names[v.id] for v in self.variables if id(v) in free}
        return Demands(
            tuple(_in_terms_of(free, d) for d in self.constraints),
            tuple(_in_terms_of(free, d) for d in self.bounds),
            tuple(free.get(id(v), v) for v in self.variables),
            names,
        )


def asked_by(subproblem: Subproblem) -> Demands:
    """Its constraints and bounds, each of which can be left out.

    Where CVXPY's rules need a variable's sign, its bounds stay with it and are no demands.
    """
    variables = subproblem.variables
    names = {v.id: key for key, v in zip(subproblem.keys, variables, strict=True)}
    automatic = automatic_names(variables)
    listed = tuple(
        Demand(constraint, constraint.label or written(constraint, automatic), position)
        for position, constraint in enumerate(subproblem.constraints)
    )
    as_declared = Demands(listed, (), variables, names)
    if subproblem.gp:
        return as_declared
    free = {}
    bounds: list[Demand] = []
    for variable in variables:
        kept = {k: v for k, v in _set(variable).items() if k not in _LIMITS}
        if "boolean" in _set(variable):
            kept.setdefault("integer", variable.attributes["boolean"])
        if kept != _set(variable):
            other = cp.Variable(variable.shape, name=variable.name(), **kept)
            free[id(variable)] = other
            bounds += [
                replace(d, of=variable) for d in _bounds(variable, other, names[variable.id])
            ]
            names[other.id] = names[variable.id]
    copies = tuple(_in_terms_of(free, demand) for demand in listed)
    if not all(demand.constraint.is_dcp() for demand in copies):
        return as_declared
    return Demands(copies, tuple(bounds), tuple(free.get(id(v), v) for v in variables), names)


def whole(variable: cp.Variable) -> bool:
    """Whether some entry of a variable must be whole."""
    return bool(variable.attributes["integer"] or variable.attributes["boolean"])


def elastic(demand: Demand, slack: cp.Variable) -> list[Constraint]:
    """The demand with room ``slack`` to be missed; none where its kind has no natural one."""
    constraint, kinds = demand.stated(), cp.constraints
    if isinstance(constraint, kinds.Inequality):
        return [constraint.expr <= slack]
    if isinstance(constraint, kinds.Equality):
        real = constraint.expr.is_real()
        return [constraint.expr <= slack, -constraint.expr <= slack] if real else []
    if isinstance(constraint, kinds.PSD):
        return [constraint.args[0] + slack * np.eye(constraint.args[0].shape[0]) >> 0]
    if isinstance(constraint, kinds.SOC) and constraint.axis == 0:
        return [cp.SOC(constraint.args[0] + slack, constraint.args[1])]
    if isinstance(constraint, kinds.ExpCone):
        x, y, z = constraint.args
        return [cp.ExpCone(x - slack, y + slack, z + slack)]
    return []


def _set(variable: cp.Variable) -> Record:
    """The attributes that were given."""
    return {k: v for k, v in variable.attributes.items() if v is not None and v is not False}


def _bounds(variable: cp.Variable, other: cp.Variable, name: str) -> list[Demand]:
    given = variable.attributes
    low, high = given["bounds"] if given["bounds"] is not None else (None, None)
    sides = [
        (">=", 0 if given["nonneg"] or given["pos"] else None),
        ("<=", 0 if given["nonpos"] or given["neg"] else None),
        (">=", low),
        ("<=", high),
    ]
    if given["boolean"]:
        sides += [(">=", _at(variable, 0.0, -np.inf)), ("<=", _at(variable, 1.0, np.inf))]
    return [d for sign, side in sides if (d := _bound(other, sign, side, name)) is not None]


def _at(variable: cp.Variable, value: float, elsewhere: float) -> Array:
    """A value where a variable is boolean."""
    booleans = cp.Variable(variable.shape, boolean=variable.attributes["boolean"])
    return np.where(integer_entries(booleans), value, elsewhere)


def _bound(
    other: cp.Variable, sign: str, side: cp.Expression | ArrayLike | None, name: str
) -> Demand | None:
    if side is None:
        return None
    entries = None
    shown = "its bounds"
    if not isinstance(side, cp.Expression):
        values = np.broadcast_to(np.asarray(side, dtype=float), other.shape)
        finite = np.isfinite(values).reshape(-1)
        if not finite.any():
            return None
        if not finite.all():
            entries = tuple(int(k) for k in np.flatnonzero(finite))
        if np.unique(values.reshape(-1)[finite]).size == 1:
            shown = f"{values.reshape(-1)[finite][0]:g}"
        side = np.where(np.isfinite(values), values, 0.0)
    constraint = other >= side if sign == ">=" else other <= side
    return Demand(constraint, f"{name} {sign} {shown}", None, entries)


def _in_terms_of(others: Mapping[int, cp.Variable], demand: Demand) -> Demand:
    if not others:
        return demand
    return replace(demand, constraint=demand.constraint.tree_copy(dict(others)))


# Which constraint lets something through where a whole number is not quite whole.


def about_leak(
    subproblem: Subproblem,
    found: Sequence[tuple[cp.Variable, Value]],
    constants: Sequence[tuple[Leaf, Value]],
) -> str:
    """A sentence about the big M of a point, as its solver left it; empty if none leaks.

    Parameters
    ----------
    subproblem : Subproblem
        With integers.
    found, constants : sequences of (leaf, value)
        The point, not rounded, and the values of all parameters.
    """
    if not subproblem.constraints:
        return ""
    near = [(v, np.round(value) if whole(v) else value) for v, value in found]
    off = max((_apart(a, b) for (_, a), (_, b) in zip(found, near, strict=True)), default=0.0)
    if not 0.0 < off <= LEAK_FRACTION:
        return ""
    misses = [_misses(subproblem.constraints, [*point, *constants]) for point in (found, near)]
    grown = misses[1] - misses[0]
    worst = int(np.argmax(grown))
    constraint, amount = subproblem.constraints[worst], float(grown[worst])
    sides = [
        (v, _apart(a, b))
        for (v, a), (_, b) in zip(found, near, strict=True)
        if any(v.id == other.id for other in constraint.variables())
    ]
    variable, fraction = max(sides, key=lambda side: side[1], default=(None, 0.0))
    least = max(LEAK_AMOUNT, LEAK_FACTOR * fraction)
    if variable is None or not (fraction > 0.0 and amount > least):
        return ""
    return (
        f"{written(constraint)} lets {amount:.3g} through while {variable.name()} is "
        f"{fraction:.0e} away from a whole number: its M of about {amount / fraction:.0e} is too "
        "large. Give a smaller one, or bounds from which a smaller one follows"
    )


def _apart(one: Value, other: Value) -> float:
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0.0))


def _misses(constraints: Sequence[Constraint], leaves: Sequence[tuple[Leaf, Value]]) -> np.ndarray:
    with holding(leaves):
        return np.array([float(np.max(c.violation(), initial=0.0)) for c in constraints])
