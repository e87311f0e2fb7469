"""A linear model as files and other tools know it: named columns and rows, several objectives.

Readers make one, writers take one; :func:`program_of` and :func:`model_of` are the way to and from
a :class:`Program`. Columns are one vector variable and rows a few vector constraints, whose entries
keep their names: a scalar each would take CVXPY a thousand times as long.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.cvxpy_adapter.nonconvex import linear_form
from lexiprog.errors import DeclarationError, LexiprogError, UnknownName, there_are
from lexiprog.formulations.priorities import Tolerances, stages_in_turn
from lexiprog.model.expressions import (
    AS_WRITTEN,
    ENTRY_NAMES,
    as_float,
    evaluate,
    holding,
    integer_entries,
)
from lexiprog.model.lock import Tolerance
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.tolerances import FILE_GUARD, INFINITE
from lexiprog.typing import Array, Constraint, Leaf, Mask, Objective, Value

# Terms of an objective that are shown.
MOST_SHOWN = 8


class ModelError(LexiprogError, ValueError):
    """A model that cannot be read or written, with the place and what was expected there."""


@dataclass(frozen=True)
class LinearObjective:
    """Coefficients by column, and the place among the others.

    Attributes
    ----------
    name : str
    terms : mapping of int to float
        Coefficient by the position of a column.
    constant : float
    priority : float
        The largest comes first; those of one priority are one level.
    weight : float
        Of this one within its level; a negative one turns its sense.
    atol, rtol : float
        What later levels may give up.
    """

    name: str
    terms: Mapping[int, float]
    constant: float = 0.0
    priority: float = 0.0
    weight: float = 1.0
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True)
class LinearModel:
    """Columns with bounds, rows with two sides, objectives in one sense.

    Attributes
    ----------
    columns, rows : tuple of str
    lower, upper : ndarray
        Of the columns.
    integer : ndarray of bool
    matrix : sparse array of shape (rows, columns)
    row_lower, row_upper : ndarray
    objectives : tuple of LinearObjective
    maximise : bool
    name : str
    """

    columns: tuple[str, ...]
    lower: Array
    upper: Array
    integer: Mask
    rows: tuple[str, ...]
    matrix: sp.csr_array
    row_lower: Array
    row_upper: Array
    objectives: tuple[LinearObjective, ...]
    maximise: bool = False
    name: str = ""


@dataclass
class ModelBuilder:
    """A model that is being read: columns and rows are found by name and filled in."""

    name: str = ""
    maximise: bool = False
    columns: dict[str, int] = field(default_factory=dict)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    integer: set[int] = field(default_factory=set)
    rows: dict[str, int] = field(default_factory=dict)
    sides: list[tuple[float, float]] = field(default_factory=list)
    entries: list[tuple[int, int, float]] = field(default_factory=list)
    objectives: list[LinearObjective] = field(default_factory=list)

    def column(self, name: str, lower: float = 0.0, upper: float = np.inf) -> int:
        """The position of a column, added with these bounds if it is new."""
        place = self.columns.setdefault(name, len(self.columns))
        if place == len(self.lower):
            self.lower.append(lower)
            self.upper.append(upper)
        return place

    def row(self, name: str, lower: float, upper: float, terms: Mapping[int, float]) -> None:
        """A further row; whoever calls knows that its name is new."""
        place = self.rows.setdefault(name, len(self.rows))
        self.sides.append((_with_infinity(lower), _with_infinity(upper)))
        self.entries += [(place, column, value) for column, value in terms.items()]

    def built(self) -> LinearModel:
        """The model; entries of one place are summed."""
        rows, columns, values = zip(*self.entries, strict=True) if self.entries else ((), (), ())
        shape = len(self.rows), len(self.columns)
        matrix = sp.csr_array(sp.coo_array((np.array(values, float), (rows, columns)), shape))
        integer = np.zeros(len(self.columns), dtype=bool)
        integer[list(self.integer)] = True
        sides = np.array(self.sides, float).reshape(-1, 2)
        return LinearModel(
            tuple(self.columns), np.array([*map(_with_infinity, self.lower)], float),
            np.array([*map(_with_infinity, self.upper)], float), integer,
            tuple(self.rows), matrix, sides[:, 0], sides[:, 1], tuple(self.objectives),
            self.maximise, self.name,
        )  # fmt: skip


def _with_infinity(side: float) -> float:
    """A side or bound; what is so large is how files write that there is none."""
    return side if abs(side) < INFINITE else float(np.copysign(np.inf, side))


# From a model to a program.

# Given the columns by name, further objectives by name.
Further = Callable[[Mapping[str, cp.Expression]], Mapping[str, Objective]]


def program_of(
    model: LinearModel,
    further: Further | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The objectives of a model level by level, then those that ``further`` adds.

    ``atol`` and ``rtol``, by level or for all, stand in for those of the model.
    """
    if not model.columns:
        raise ModelError("the model has no columns: there is nothing to optimise.")
    _check_numbers(model)
    whole = np.flatnonzero(model.integer)
    x = cp.Variable(
        len(model.columns), bounds=[model.lower, model.upper], name=_unused("x", model.columns),
        **({"integer": [whole]} if whole.size else {}),
    )  # fmt: skip
    ENTRY_NAMES.add(x, model.columns)
    levels = [*_levels(model, x)]
    own: dict[str, dict[str, Tolerance]] = {name: given for name, _, given in levels}
    objectives = [(name, objective) for name, objective, _ in levels]
    if further is not None:
        objectives += further(ColumnsByName(x, model.columns)).items()
    names = [name for name, _ in objectives]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DeclarationError(f"two objectives are called {twice!r}: names are unique.")
    for label, given in (("atol", atol), ("rtol", rtol)):
        for name in given if isinstance(given, Mapping) else ():
            if name not in names:
                known = ", ".join(map(repr, names))
                raise DeclarationError(f"{label} names {name!r}, which is no level: {known}.")

    def tolerance(name: str) -> dict[str, Tolerance]:
        chosen = dict(own.get(name, {}))
        for label, given in (("atol", atol), ("rtol", rtol)):
            if isinstance(given, Mapping):
                chosen |= {label: given[name]} if name in given else {}
            elif given is not None:
                chosen[label] = given
        return chosen

    return Program(*stages_in_turn(objectives, constraints_of(model, x), tolerance))


def _check_numbers(model: LinearModel) -> None:
    """Refuse what is no model: entries without a value, sides that nothing can have."""
    for kind, names, low, up in (
        ("column", model.columns, model.lower, model.upper),
        ("row", model.rows, model.row_lower, model.row_upper),
    ):
        for j in np.flatnonzero(np.isnan(low) | np.isnan(up) | (low == np.inf) | (up == -np.inf)):
            raise ModelError(f"{kind} {names[j]!r} lies between {low[j]:g} and {up[j]:g}.")
    for j in np.flatnonzero(model.lower > model.upper):
        ends = f"{model.lower[j]:.17g} and not above {model.upper[j]:.17g}"
        raise ModelError(f"column {model.columns[j]!r} is not below {ends}: it has no value.")
    rows, columns = model.matrix.tocoo().coords
    for k in np.flatnonzero(~np.isfinite(model.matrix.data)):
        raise ModelError(
            f"row {model.rows[rows[k]]!r}, column {model.columns[columns[k]]!r}: "
            f"{model.matrix.data[k]:g} is no coefficient."
        )
    for one in model.objectives:
        numbers = [one.constant, one.priority, one.weight, one.atol, one.rtol, *one.terms.values()]
        if not np.isfinite(numbers).all() or min(one.atol, one.rtol) < 0.0:
            raise ModelError(
                f"objective {one.name!r}: coefficients, priority and weight are finite, "
                "and tolerances are not negative."
            )
    if not any(one.weight for one in model.objectives):
        raise ModelError("no objective has a weight: there is nothing to optimise.")


class ColumnsByName(Mapping[str, cp.Expression]):
    """Entries of a vector variable by their names, each made when it is asked for."""

    def __init__(self, variable: cp.Variable, names: Sequence[str]) -> None:
        self._variable = variable
        self._places = {name: place for place, name in enumerate(names)}

    def __getitem__(self, name: str) -> cp.Expression:
        if name not in self._places:
            raise UnknownName(f"no column is called {name!r}; there are {there_are(self, name)}")
        return self._variable[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def constraints_of(model: LinearModel, x: cp.Variable) -> list[Constraint]:
    """The rows as equations, lower sides and upper sides, entries named as the rows are."""
    low, up, rows = model.row_lower, model.row_upper, np.array(model.rows, dtype=object)
    same = low == up
    kinds = [
        (same, operator.eq, low),
        (np.isfinite(low) & ~same, operator.ge, low),
        (np.isfinite(up) & ~same, operator.le, up),
    ]
    constraints = []
    for mask, relation, side in kinds:
        chosen = np.flatnonzero(mask)
        if chosen.size:
            constraint = relation(model.matrix[chosen] @ x, side[chosen])
            ENTRY_NAMES.add(constraint, tuple(rows[chosen]))
            constraints.append(constraint)
    return constraints


def _levels(
    model: LinearModel, x: cp.Variable
) -> Iterable[tuple[str, Objective, dict[str, Tolerance]]]:
    """Name, objective and tolerances of each priority, the largest first."""
    for priority in sorted({one.priority for one in model.objectives}, reverse=True):
        members = [o for o in model.objectives if o.priority == priority and o.weight != 0.0]
        if not members:
            continue
        yield " + ".join(one.name for one in members), *_blended(model, members, x)


def _blended(
    model: LinearModel, members: list[LinearObjective], x: cp.Variable
) -> tuple[Objective, dict[str, Tolerance]]:
    """The weighted sum of one level's objectives, and what later levels may give up of it."""
    weights, maximise, scale = [one.weight for one in members], model.maximise, 1.0
    if len(members) == 1:  # by itself: its weight says no more than its sense
        maximise = maximise == (weights[0] > 0)
        weights, scale = [1.0], 1.0 / abs(weights[0])
    costs, constant = np.zeros(len(model.columns)), 0.0
    for one, weight in zip(members, weights, strict=True):
        costs[list(one.terms)] += weight * np.array(list(one.terms.values()), float)
        constant += weight * one.constant
    # As Gurobi and CPLEX have it, the widest tolerance of a level counts, in weighted units.
    widest = max(one.atol for one in members)
    given: dict[str, Tolerance] = {
        "atol": scale * widest if widest > FILE_GUARD else 0.0,
        "rtol": max(one.rtol for one in members),
    }
    expression = costs @ x + constant
    AS_WRITTEN.add(expression, _text(costs, constant, model.columns))
    return cp.Maximize(expression) if maximise else cp.Minimize(expression), given


def _text(costs: Array, constant: float, columns: Sequence[str]) -> str:
    """A linear expression of the first columns, as people write it."""
    places = np.flatnonzero(costs).tolist()
    parts = [f"{_signed(costs[j])} {columns[j]}".replace(" 1 ", " ") for j in places[:MOST_SHOWN]]
    if len(places) > MOST_SHOWN:
        parts.append("+ ...")
    if constant:
        parts.append(_signed(constant))
    return " ".join(parts).removeprefix("+ ") or "0"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):g}"


def _unused(name: str, names: Iterable[str]) -> str:
    taken = set(names)
    while name in taken:
        name += "'"
    return name


# From a program to a model.


def model_of(program: Program) -> LinearModel:
    """The levels of a linear program over common constraints, each of which holds all before it."""
    levels = [_only(stage.name, stage.subproblems) for stage in program.stages]
    first, last = levels[0], levels[-1]
    for position, level in enumerate(levels):
        _check_level(level, first, [p.name for p in levels[:position]])
    goals, rows = {}, dict[str, Constraint]()
    for label, constraint in _own_rows(first):
        rows |= _named_rows(label, *_linear(constraint))
    for level in levels:
        goals[level.name], bends = _linear(level.objective.expr)
        rows |= _named_rows(level.name, None, bends)
    places = _Places(levels, list(rows.values()))
    builder = ModelBuilder(maximise=all(level.maximise for level in levels))
    places.put_columns(builder)
    for label, constraint in rows.items():
        for row in places.rows(label, constraint):
            _add_row(builder, *row)
    tolerances = {lock.owner_name: lock.tolerances for _, lock in last.locks}
    for position, level in enumerate(levels):
        ((terms, constant),) = places.affine(goals[level.name])
        weight = 1.0 if level.maximise == builder.maximise else -1.0
        place = len(levels) - 1 - position, weight, *tolerances.get(level.name, (0.0, 0.0))
        builder.objectives.append(LinearObjective(level.name, terms, constant, *place))
    return builder.built()


def _named_rows(
    label: str, row: Constraint | None, bends: list[Constraint]
) -> dict[str, Constraint]:
    named = {} if row is None else {label: row}
    return named | {f"{label}.bend{k}": bend for k, bend in enumerate(bends)}


def _linear(thing: cp.Expression) -> tuple[cp.Expression, list[Constraint]]:
    """The same without bends, which become rows of further columns."""
    parts = [thing] if isinstance(thing, cp.Expression) else thing.args
    if all(part.is_affine() for part in parts):
        return thing, []
    return linear_form(thing)


def _add_row(
    builder: ModelBuilder, name: str, terms: dict[int, float], lower: float, upper: float
) -> None:
    if name in builder.rows:  # both sides of a range have one name
        low, up = builder.sides[builder.rows[name]]
        builder.sides[builder.rows[name]] = max(low, lower), min(up, upper)
    else:
        builder.row(name, lower, upper, terms)


def _only(stage: str, subproblems: tuple[Subproblem, ...]) -> Subproblem:
    if len(subproblems) != 1:
        raise ModelError(
            f"stage {stage!r} has {len(subproblems)} subproblems, but files know levels of one "
            "objective each."
        )
    return subproblems[0]


def _check_level(level: Subproblem, first: Subproblem, before: list[str]) -> None:
    """Refuse what no file of levels can say."""
    where = f"level {level.name!r}"
    if level.kind not in ("LP", "MILP") or level.fair is not None:
        raise ModelError(f"{where} is not linear ({level.kind}): files here hold linear models.")
    others = [r.label for _, r in level.references if r.lock is None]
    if others:
        raise ModelError(f"{where} uses {others[0]}: files know of held optima alone.")
    if [lock.owner_name for _, lock in level.locks] != before:
        raise ModelError(f"{where} does not hold every level before it, as levels of a file do.")
    mine = {c.id for _, c in _own_rows(level)}
    if mine != {c.id for _, c in _own_rows(first)}:
        raise ModelError(
            f"{where} has other constraints than {first.name!r}: files know one set of rows."
        )


def _own_rows(level: Subproblem) -> list[tuple[str, Constraint]]:
    """Its constraints beside locks, with a name for those that have none."""
    held = {position for position, _ in level.locks}
    return [
        (c.label or f"R{k}", c) for k, c in enumerate(level.constraints, 1) if k - 1 not in held
    ]


class _Places:
    """Where each entry of the variables stands among the columns, and affine expressions there."""

    def __init__(self, levels: list[Subproblem], rows: list[Constraint]) -> None:
        own = {v.id: v for level in levels for v in level.variables}
        found = {v.id: v for row in rows for v in row.variables()}
        new = [v for v in found.values() if v.id not in own]
        self.variables, self.starts = [*own.values(), *new], dict[int, int]()
        start = 0
        for variable in self.variables:
            self.starts[variable.id] = start
            start += variable.size
        self.keys = {v.id: f"bend{k}" for k, v in enumerate(new)}
        for level in reversed(levels):
            self.keys |= dict(zip((v.id for v in level.variables), level.keys, strict=True))

    def columns(self) -> Iterable[tuple[str, float, float, bool]]:
        """Name, bounds and integrality of each, in the order of Fortran."""
        for variable in self.variables:
            lower, upper = (np.asarray(side, float) for side in variable_bounds(variable))
            whole = integer_entries(variable).ravel(order="F")
            names = entry_names(variable, self.keys[variable.id])
            yield from zip(
                names, lower.ravel(order="F"), upper.ravel(order="F"), whole, strict=True
            )

    def put_columns(self, builder: ModelBuilder) -> None:
        """Add all columns to a model."""
        for name, lower, upper, whole in self.columns():
            if builder.column(name, lower, upper) != len(builder.columns) - 1:
                raise ModelError(
                    f"two columns would be called {name!r}: give variables other names."
                )
            if whole:
                builder.integer.add(builder.columns[name])

    def affine(self, expression: cp.Expression) -> list[tuple[dict[int, float], float]]:
        """Coefficients and constant of each entry."""
        zeros: list[tuple[Leaf, Value]] = [(v, np.zeros(v.shape)) for v in expression.variables()]
        constants = np.asarray(evaluate(expression, zeros), float).ravel(order="F")
        with holding(zeros):
            slopes = expression.grad
        out: list[dict[int, float]] = [{} for _ in range(expression.size)]
        for variable, slope in slopes.items():
            found = sp.coo_array(np.atleast_2d(slope) if np.isscalar(slope) else slope)
            columns = found.coords[0] + self.starts[variable.id]
            for column, row, value in zip(columns, found.coords[1], found.data, strict=True):
                if value != 0.0:
                    out[int(row)][int(column)] = float(value)
        return [*zip(out, constants.tolist(), strict=True)]

    def rows(
        self, label: str, constraint: Constraint
    ) -> Iterable[tuple[str, dict[int, float], float, float]]:
        """Name, coefficients and sides of each entry of a constraint."""
        kinds = cp.constraints
        equal = isinstance(constraint, kinds.Equality | kinds.Zero)
        below = isinstance(constraint, kinds.Inequality | kinds.NonPos)
        expression, sign = constraint.args[0], 1.0
        if len(constraint.args) == 2:  # as it was written: numbers on the right
            left, right = constraint.args
            expression, sign = (right - left, -1.0) if left.is_constant() else (left - right, 1.0)
        names = ENTRY_NAMES.get(constraint) or _indexed(label, constraint.shape)
        for name, (terms, constant) in zip(names, self.affine(expression), strict=True):
            upper = -constant if equal or below == (sign > 0) else np.inf
            lower = -constant if equal or below != (sign > 0) else -np.inf
            yield name, terms, lower, upper


def entry_names(variable: cp.Variable, key: str) -> Sequence[str]:
    """What the entries of a variable are called, columns of a matrix first."""
    return ENTRY_NAMES.get(variable) or _indexed(key, variable.shape)


def _indexed(name: str, shape: tuple[int, ...]) -> list[str]:
    if int(np.prod(shape)) == 1 and not shape:
        return [name]
    grid = np.ndindex(*reversed(shape))
    return [f"{name}[{','.join(map(str, reversed(place)))}]" for place in grid]


def variable_bounds(variable: cp.Variable) -> tuple[Array, Array]:
    """What its attributes say of its least and largest values."""
    given, shape = variable.attributes, variable.shape
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    if given["bounds"] is not None:
        low, up = (_number(side) for side in given["bounds"])
        lower, upper = np.maximum(lower, low), np.minimum(upper, up)
    if given["nonneg"] or given["pos"]:
        lower = np.maximum(lower, 0.0)
    if given["nonpos"] or given["neg"]:
        upper = np.minimum(upper, 0.0)
    if given["boolean"]:
        boolean = integer_entries(cp.Variable(shape, boolean=given["boolean"]))
        lower = np.where(boolean, np.maximum(lower, 0.0), lower)
        upper = np.where(boolean, np.minimum(upper, 1.0), upper)
    return lower, upper


def _number(side: object) -> Value | float:
    if isinstance(side, cp.Expression):
        return as_float(side.value) if side.is_scalar() else np.asarray(side.value)
    return np.asarray(side, dtype=float)
