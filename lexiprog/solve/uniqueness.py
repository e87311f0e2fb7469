"""Say so where a later stage reads a point or a multiplier that is not the only optimal one.

All optima of a linear or quadratic problem are its feasible points at which the gradient of the
objective is the same and every row with a multiplier is met: a polyhedron. An expression that is
constant over it is read from any optimum alike; else which value is read depends on the solver.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.cvxpy_adapter import Compiled, answer_at, columns_of
from lexiprog.errors import LexiprogWarning
from lexiprog.model.expressions import evaluate, holding
from lexiprog.model.references import VALUES, Reference, ReferenceKind
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence
from lexiprog.results.solution import Solution
from lexiprog.solve.error_propagation import dual_range
from lexiprog.tolerances import ACTIVE, FACE_RANK, NOT_UNIQUE
from lexiprog.typing import Array, Leaves, Mask, Value

_INDEX = type(cp.Variable(1)[0])
# Free columns up to which it is first asked whether equations alone leave one value.
FEW = 300
# How far an optimum is followed where its face has no end, in units of the point.
HORIZON = 1e3


@dataclass
class ReadUniqueness:
    """What later stages read, and whether it was looked at in this solve.

    Attributes
    ----------
    stages : tuple of Stage
    read : frozenset of str
        Subproblems whose points or multipliers are read.
    compiled : dict of str to Compiled
        Their numbers, as they were solved.
    """

    stages: tuple[Stage, ...]
    read: frozenset[str]
    compiled: dict[str, Compiled] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def remember(self, name: str, compiled: Compiled) -> None:
        """Keep the numbers of a subproblem that is read."""
        if name in self.read:
            self.compiled[name] = compiled

    def check(self, stage: Stage, solved: Mapping[str, Solution]) -> None:
        """Warn of each reference of a stage to something that is not unique, once in a solve."""
        for subproblem in stage.subproblems:
            for placeholder, reference in subproblem.references:
                if reference.kind in VALUES or reference.label in self._told:
                    continue
                owner, compiled = reference.owner(), self.compiled.get(reference.owner_name)
                if not isinstance(owner, Subproblem) or compiled is None:
                    continue
                used = _entries_used(subproblem, placeholder)
                found = _range_of(reference, owner, compiled, solved[owner.name], used)
                if found is not None:
                    self._told.add(reference.label)
                    self._warn(stage, reference, owner, found)

    def _warn(self, stage: Stage, reference: Reference, owner: Subproblem, found: str) -> None:
        where = next(s.name for s in self.stages if any(p is owner for p in s.subproblems))
        if reference.kind is ReferenceKind.DUAL:
            advice = (
                f"write the dual of {owner.name!r} as a stage of its own, then a stage that holds "
                "it and chooses among its optima, and read .at() of that one"
            )
        else:
            what = reference.what[len(reference.kind) + 1 : -1]
            advice = (
                f"add a stage after {where!r} that has the constraints of {owner.name!r} and "
                f"{owner.name}.held(), and whose objective chooses {what} (cp.Minimize, "
                "cp.Maximize or cp.sum_squares of it), and read .at() of that one"
            )
        warnings.warn(
            f"stage {stage.name!r} reads {reference.label}, which is not unique: {found}. Which "
            f"one is read depends on the solver. To make it unique, {advice}.",
            LexiprogWarning,
            stacklevel=2,
        )


def _entries_used(subproblem: Subproblem, placeholder: cp.Parameter) -> Mask:
    """Which entries of a placeholder, column by column, occur where it is read."""
    used = np.zeros(placeholder.size, dtype=bool)
    places = np.arange(placeholder.size).reshape(placeholder.shape, order="F")

    def walk(expression: cp.Expression) -> None:
        if expression is placeholder:
            used[:] = True
        elif type(expression) is _INDEX and expression.args[0] is placeholder:
            used[np.ravel(places[expression.key])] = True
        else:
            for part in expression.args:
                walk(part)

    for part in (subproblem.objective, *subproblem.constraints):
        walk(part)
    return used


def _range_of(
    reference: Reference, owner: Subproblem, compiled: Compiled, solution: Solution, used: Mask
) -> str | None:
    """Between which values other optima have what is read; None if it is unique or not known."""
    proof = solution.evidence
    if owner.integer or owner.gp or owner.fair is not None or proof is None or proof.z is None:
        return None
    form = proof.form
    if form.cones.linear != form.b.size or form.c.size != compiled.form.c.size:
        return None
    if reference.kind is ReferenceKind.DUAL:
        return _multipliers(reference, owner, compiled, proof, used)
    return _values(reference, compiled, proof, solution, used)


# Expressions at other optimal points.


def _values(
    reference: Reference, compiled: Compiled, proof: Evidence, solution: Solution, used: Mask
) -> str | None:
    """Two values of an expression at optimal points."""
    expression = reference.expression
    if expression is None or expression.is_constant():
        return None
    columns, variables = columns_of(compiled), expression.variables()
    if any(v.id not in columns for v in variables):
        return None
    leaves = solution.recorded(expression)
    directions = OptimalDirections.of(proof)
    for weights in _weights(expression, used, columns, leaves, proof.columns):
        if directions.determine(weights):
            continue
        one, other = directions.furthest(weights), directions.furthest(-weights)
        if one is None or other is None:
            return None
        # Between two optima all points are optimal, and a curve may differ there alone.
        steps = [way * proof.columns for way in (one, other, (one + other) / 2.0)]
        values = np.array(
            [
                evaluate(expression, [(k, _moved(v, columns.get(k.id), step)) for k, v in leaves])
                for step in steps
            ],
            dtype=float,
        )
        values = np.where(used.reshape(values.shape[1:], order="F"), values, 0.0)
        size = float(np.abs(values).max(initial=0.0))
        if float(np.ptp(values, axis=0).max(initial=0.0)) > NOT_UNIQUE * size > 0.0:
            return _said(np.where(np.abs(values) > NOT_UNIQUE * size, values, 0.0))
    return None


def _moved(value: Value, columns: NDArray[np.intp] | None, step: Array) -> Value:
    return value if columns is None else np.asarray(value) + step[columns]


def _said(values: Array) -> str:
    """Least and largest of some values, or of arrays those of the entry that differs most."""
    whole = "it"
    if values.ndim > 1:
        flat = values.reshape(len(values), -1)
        most = int(np.argmax(np.ptp(flat, axis=0)))
        place = np.unravel_index(most, values.shape[1:])
        whole, values = f"its entry [{', '.join(map(str, place))}]", flat[:, most]
    return f"optimal points have values of {whole} from {values.min():.6g} to {values.max():.6g}"


def _weights(
    expression: cp.Expression,
    used: Mask,
    columns: Mapping[int, NDArray[np.intp]],
    leaves: Leaves,
    units: Array,
) -> list[Array]:
    """Directions in which to look: the slope of some mean of its entries, or of its variables.

    A mean with random weights is constant where all entries are, and only there.
    """
    random = np.random.default_rng(0)
    out = np.zeros(units.size)
    if not expression.is_affine():
        places = np.concatenate([columns[v.id].reshape(-1) for v in expression.variables()])
        found = [out.copy() for _ in range(3)]
        for weights in found:
            weights[places] = units[places] * random.uniform(-1.0, 1.0, places.size)
        return found
    mix = used * random.uniform(0.5, 1.5, expression.size)
    with holding(leaves):
        slopes = expression.grad
    for variable, slope in slopes.items():
        if slope is None:
            return []
        matrix = sp.csr_array(slope) if sp.issparse(slope) else np.atleast_2d(slope)
        places = columns[variable.id].reshape(-1, order="F")
        np.add.at(out, places, units[places] * (matrix @ mix))
    return [out]


@dataclass(frozen=True)
class OptimalDirections:
    """Ways from an optimum of a linear or quadratic form to its other optima.

    Attributes
    ----------
    form : StandardForm
    tight, fixed : ndarray
        Rows that every optimum meets, and columns that are the same at every optimum.
    bounds : Bounds
        How far columns and rows may move.
    """

    form: StandardForm
    x: Array
    tight: Mask
    fixed: Mask
    bounds: Bounds

    @classmethod
    def of(cls, proof: Evidence) -> OptimalDirections:
        """From the point of a proof; its multipliers tell which rows are always met."""
        form, x = proof.form, proof.x
        z = np.zeros(form.b.size) if proof.z is None else proof.z
        slope = form.c if form.P is None else form.c + form.P @ x
        reduced = slope + form.A.T @ z
        slack, (lower, upper) = np.maximum(form.slack(x), 0.0), form.ranges()
        # Of an interior point slack and multiplier are both a little above zero: the larger counts.
        tight = (np.abs(z) > slack) & (np.abs(z) > ACTIVE)
        tight[: form.cones.zero] = True
        room = np.minimum(x - lower, upper - x)
        fixed = ((np.abs(reduced) > room) & (np.abs(reduced) > ACTIVE)) | (lower == upper)
        reach = HORIZON * (1.0 + np.abs(x))
        down = np.where(fixed, 0.0, np.clip(lower - x, -reach, 0.0))
        up = np.where(fixed, 0.0, np.clip(upper - x, 0.0, reach))
        below = np.where(tight, 0.0, -np.inf)
        return cls(form, x, tight, fixed, Bounds(down, up, below, np.where(tight, 0.0, slack)))

    def determine(self, weights: Array) -> bool:
        """Whether equations alone leave one value of a weighted sum of the columns."""
        free = np.flatnonzero(~self.fixed)
        if not np.abs(weights[free]).max(initial=0.0) > 0.0:
            return True
        if free.size > FEW:
            return False
        rows = sp.csr_array(self.form.A)[np.flatnonzero(self.tight)][:, free].toarray()
        if self.form.P is not None:
            rows = np.vstack([rows, self.form.P[:, free].toarray()[np.diff(_rows(self.form)) > 0]])
        sizes = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        rows = rows / np.where(sizes > 0.0, sizes, 1.0)
        wanted = weights[free] / np.abs(weights[free]).max()
        found = np.linalg.lstsq(rows.T, wanted, rcond=FACE_RANK)[0]
        return bool(np.abs(rows.T @ found - wanted).max() <= FACE_RANK)

    def furthest(self, weights: Array) -> Array | None:
        """The way to the optimum at which a weighted sum is least; None if HiGHS can't tell."""
        A, bounds = self.form.A, self.bounds
        if self.form.P is not None:
            squares = sp.csr_array(self.form.P)
            A, none = sp.vstack([A, squares], format="csc"), np.zeros(squares.shape[0])
            bounds = Bounds(
                bounds.lower,
                bounds.upper,
                np.append(bounds.row_lower, none),
                np.append(bounds.row_upper, none),
            )
        weights = weights / np.abs(weights).max()
        found = HighsModel(sp.csc_array(A), {}).run(weights, bounds)
        return found.x if found.optimal else None


def _rows(form: StandardForm) -> NDArray[np.intp]:
    return np.asarray(sp.csr_array(form.P).indptr)


# Other optimal multipliers.


def _multipliers(
    reference: Reference, owner: Subproblem, compiled: Compiled, proof: Evidence, used: Mask
) -> str | None:
    """The range of a multiplier, of several that of the one that varies most."""
    form = proof.form
    if owner.locks or reference.position is None or form.b.size != compiled.form.b.size:
        return None
    numbers = np.arange(1.0, form.b.size + 1.0)
    marked = answer_at(
        compiled, proof.x, compiled.scaling.scaled_multipliers(numbers), iterations=None
    )
    read = marked.dual.get(owner.constraints[reference.position].id)
    if read is None or not np.isin(np.round(np.abs(read), 6), numbers).all():
        return None
    rows = np.round(np.abs(np.ravel(read, order="F"))).astype(np.intp)[used] - 1
    units = compiled.scaling.multipliers(np.ones(form.b.size))
    weights = np.zeros(form.b.size)
    weights[rows] = np.random.default_rng(0).uniform(0.5, 1.5, rows.size) if rows.size > 1 else 1.0
    ends = dual_range(form, proof.x, weights)
    if ends is None:
        return None
    size = max(1.0, *(abs(end) for end in ends if np.isfinite(end)), 0.0)
    if not ends[1] - ends[0] > NOT_UNIQUE * size:
        return None
    if rows.size > 1:
        return f"other multipliers of these {rows.size} rows prove the optimum as well"
    low, high = (end * float(units[rows[0]]) for end in ends)
    return f"the optimum is proved by multipliers from {low:.6g} to {high:.6g}"
