"""How much of what is not known of earlier optima a later one inherits through its references.

An optimum is an interval, a point has an error, and multipliers need not be unique. At the
optimum the value of a problem changes with what it refers to as its Lagrangian does, with point and
multipliers as they are: that slope, times what is not known, is how much the value may change.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import HighsModel
from lexiprog.backends.solver import FallbackSolvers, default_fallbacks
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.cvxpy_adapter import answer_at, dual_arrays
from lexiprog.errors import LexiprogWarning
from lexiprog.model.expressions import CVXPY_LOCK, as_float, dense, evaluate, holding
from lexiprog.model.lock import NO_SLACK
from lexiprog.model.references import Reference, ReferenceKind
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import VerifiedOptimum, verification_solve
from lexiprog.status import Status
from lexiprog.tolerances import (
    ACTIVE,
    CERTIFIED_REFINED,
    DIFFERENCE_STEP,
    EPS,
    MULTIPLIER_NOISE,
    SAME_PRICES,
    SLOPE_NOISE,
)
from lexiprog.typing import Array, Constraint, Multiplier, Value

# Entries of a reference that are moved one by one; more are moved together, in random directions.
FEW, PROBES = 16, 8
# Multipliers whose ranges are found one by one; more are looked at together.
FEW_MULTIPLIERS = 8
# Two answers to the same question differ by the errors of both.
TWICE = 2.0


def with_references(
    task: Task, answer: Answer, solution: Solution, solved: Mapping[str, Solution]
) -> Solution:
    """The solution with what its references may have changed, flagged if that is too much."""
    statement = task.strategy.statement(task.subproblem)
    references = [(p, r) for p, r in statement.references if r.lock is None]
    if not references:
        return solution
    owners = (solved[r.owner_name] for _, r in references)
    inherited = any(owner.status is Status.INACCURATE for owner in owners)
    status = Status.INACCURATE if inherited else solution.status
    effects: dict[str, float] = {}
    if not task.integer:
        slopes = LagrangianSlopes(task, statement, answer, solution)
        for parameter, reference in references:
            effect = effect_of_reference(task, parameter, reference, solved, slopes)
            effects[reference.label] = effects.get(reference.label, 0.0) + effect
    share = sum(effects.values()) / solution.size
    if share > task.solver.accept:
        status = Status.INACCURATE
        worst = max(effects, key=lambda label: effects[label])
        amount = f"by {share:.1e} of its size" if np.isfinite(share) else "without limit"
        warnings.warn(
            f"subproblem {solution.name!r} depends on digits of {worst} that are not known"
            f"{' (its multipliers are not unique)' if '.dual(' in worst else ''}: they may change "
            f"its value {amount}.",
            LexiprogWarning,
            stacklevel=2,
        )
    return solution.changed(status=status, effects=dict(solution.effects) | effects)


def effect_of_reference(
    task: Task,
    parameter: cp.Parameter,
    reference: Reference,
    solved: Mapping[str, Solution],
    slopes: LagrangianSlopes,
) -> float:
    """How much what is not known of one reference may change the value."""
    owner = solved[reference.owner_name]
    if owner.exact is not None and reference.kind is not ReferenceKind.DUAL:
        return 0.0
    if reference.kind is ReferenceKind.OPTIMUM:
        finite = np.isfinite(owner.uncertainty)
        unknown = np.full(parameter.shape, owner.uncertainty if finite else owner.size)
        return slopes.effect(parameter, owner.unit, unknown)
    # What is known at once comes first; a verification solve only where that is not enough.
    dual, known = reference.kind is ReferenceKind.DUAL, list[float]()
    for estimate in OF_DUALS if dual else OF_POINTS:
        error = estimate(task, reference, owner, solved)
        if error is None:
            continue
        known.append(slopes.effect(parameter, owner.unit, error))
        if known[-1] <= task.solver.accept * slopes.size / 10.0:
            return known[-1]
    # Another solver may be farther from the optimal point than ours is; of multipliers that is how
    # one learns that there are others.
    return known[-1] if dual and known else min(known, default=0.0)


@dataclass
class LagrangianSlopes:
    """The Lagrangian of a problem as a function of what it refers to."""

    task: Task
    statement: Subproblem
    answer: Answer
    solution: Solution

    @property
    def size(self) -> float:
        """What errors of the value are compared with."""
        return self.solution.size

    def effect(self, parameter: cp.Parameter, unit: float, unknown: Array) -> float:
        """How much an error of up to ``unknown`` in each entry may change the value."""
        unknown = np.broadcast_to(np.abs(unknown), parameter.shape).reshape(-1, order="F")
        if not unknown.any():
            return 0.0
        value = np.asarray(self.task.constants[parameter.id])
        lagrangian = self.lagrangian(parameter)
        here = lagrangian(value)
        # Entries that are not known at all would drown the others: only their slope is asked for.
        finite = np.where(np.isfinite(unknown), unknown, 1.0)
        sizes = DIFFERENCE_STEP * np.maximum(np.abs(value).reshape(-1, order="F"), unit)
        changes = []
        for signs in _directions(unknown):
            # One step for all entries of a direction, so that their shares stay as they are.
            stretch = float(np.max(sizes[signs != 0.0]) / np.max(finite[signs != 0.0]))
            moved = value + stretch * (signs * finite).reshape(value.shape, order="F")
            slope = abs(lagrangian(moved) - here) / stretch
            noise = SLOPE_NOISE * (abs(here) + self.solution.unit) / stretch
            limited = np.isfinite(unknown[signs != 0.0]).all()
            changes.append(slope if limited else (np.inf if slope > noise else 0.0))
        if unknown.size <= FEW:
            return float(sum(changes))
        return float(np.sqrt(unknown.size) * np.sqrt(np.mean(np.square(changes))))

    def lagrangian(self, parameter: cp.Parameter) -> Callable[[Value], float]:
        """The part of the Lagrangian in which ``parameter`` occurs."""
        statement, gp = self.statement, self.task.subproblem.gp
        touched = [c for c in statement.constraints if _contains(c, parameter)]
        objective = statement.objective.expr
        fixed = [(v, self.solution[v]) for v in statement.variables]
        fixed += [(p, self.task.constants[p.id]) for p in statement.inputs if p.id != parameter.id]
        multipliers = [self.answer.dual.get(c.id) for c in touched]

        def value(at: Value) -> float:
            with holding([*fixed, (parameter, at)]):
                total = 0.0
                if _contains(objective, parameter):
                    total = as_float(objective.value)
                    total = np.log(total) if gp else total
                    total = -total if statement.maximise else total
                for constraint, multiplier in zip(touched, multipliers, strict=True):
                    if multiplier is not None:
                        total += lagrangian_term(constraint, multiplier, gp=gp)
            return total * (abs(self.solution.value) if gp else 1.0)

        return value


def _directions(unknown: Array) -> list[Array]:
    """Signs to move the entries by: each alone, or all of many together, now here, now there."""
    chosen = np.flatnonzero(unknown)
    if unknown.size <= FEW:
        return [np.where(np.arange(unknown.size) == k, 1.0, 0.0) for k in chosen]
    random = np.random.default_rng(0)
    return [random.choice([-1.0, 1.0], unknown.size) for _ in range(PROBES)]


def _contains(expression: cp.Expression, parameter: cp.Parameter) -> bool:
    return any(p.id == parameter.id for p in expression.parameters())


def lagrangian_term(constraint: Constraint, multiplier: Value, *, gp: bool) -> float:
    """What a constraint contributes to the Lagrangian; nothing for cones with parts."""
    kinds = cp.constraints
    if isinstance(constraint, kinds.Inequality | kinds.Equality):
        left, right = (np.asarray(dense(side.value)) for side in constraint.args)
        gap = np.log(left) - np.log(right) if gp else left - right
    elif isinstance(constraint, kinds.NonNeg | kinds.PSD):
        gap = -np.asarray(dense(constraint.args[0].value))
    elif isinstance(constraint, kinds.NonPos | kinds.Zero):
        gap = np.asarray(dense(constraint.args[0].value))
    else:
        return 0.0
    z = np.reshape(np.asarray(multiplier), np.shape(gap), order="F")
    return float(np.real(np.sum(np.conj(z) * gap)))


# Estimates of what is not known of a point or of multipliers: at a glance, then by other solves.


class Estimate(Protocol):
    """What is not known of each entry of a reference; None if this estimate cannot tell."""

    def __call__(
        self, task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution], /
    ) -> Array | None:
        """Look."""


def _by_certificate(
    _: Task, reference: Reference, owner: Solution, __: Mapping[str, Solution]
) -> Array | None:
    """The relative error of the certificate; its root where the objective is curved."""
    value = np.asarray(reference.read(owner))
    declared, certificate = reference.owner(), owner.certificate
    worst = max(certificate.worst, EPS)
    if declared is None or declared.kind not in ("LP", "MILP"):
        # A small value of a large unit says little about the point that it is attained at. What
        # multipliers miss is in the bound that they prove.
        unknown = owner.uncertainty / abs(owner.value) if owner.value else 1.0
        missed = (certificate.rows, certificate.cones, certificate.gap, certificate.claim)
        worst = np.sqrt(min(max(*missed, EPS, unknown), 1.0))
    return np.full(value.shape, worst * float(np.max(np.abs(value), initial=0.0)))


def _by_another_solver(
    task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution]
) -> Array | None:
    """The distance to what another solver finds, where the optimum is one point."""
    declared = reference.owner()
    if declared is None or declared.integer or declared.kind == "LP" or declared.fair:
        return None
    ladder: FallbackSolvers = default_fallbacks(declared.kind)
    if owner.solver == ladder[0].name:
        ladder = ladder[1:]
    verified = verification_solve(declared, NO_SLACK, solved, task.given, task.deadline, ladder)
    if verified is None:
        return None
    other = np.asarray(reference.read(_AsSolution(verified.answer, declared, owner)))  # type: ignore[arg-type]
    apart = np.asarray(TWICE * np.abs(other - np.asarray(reference.read(owner))))
    if not apart.any() and owner.certificate.worst > CERTIFIED_REFINED:
        return None  # the same solve once more, which tells nothing
    return apart


@dataclass(frozen=True)
class _AsSolution:
    """The answer of a verification solve, read by references as a solution is."""

    answer: Answer
    declared: Subproblem
    owner: Solution

    def at(self, expression: cp.Expression) -> Value | None:
        primal = self.answer.primal
        leaves = [
            (leaf, np.asarray(primal.get(leaf.id, value)))
            for leaf, value in self.owner.recorded(expression)
        ]
        value: Value | None = evaluate(expression, leaves)
        return value

    def dual(self, position: int) -> Multiplier:
        constraint = self.declared.constraints[position]
        value = self.answer.dual.get(constraint.id)
        if value is None:
            recorded: Multiplier = self.owner.dual(position)
            return recorded
        with CVXPY_LOCK:
            return dual_arrays(constraint, value)


def range_of_multipliers(
    task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution]
) -> Array | None:
    """The extent of the optimal multipliers of linear rows, entry by entry if they are few."""
    declared = reference.owner()
    if declared is None or declared.gp or declared.fair:
        return None
    verified = verification_solve(declared, NO_SLACK, solved, task.given, task.deadline)
    if verified is None or verified.answer.x is None or verified.answer.form is None:
        return None
    form, rows = verified.answer.form, _rows_of(reference, verified, declared, owner)
    if rows is None:
        return None
    flat = rows.reshape(-1, order="F")
    units = verified.task.native.scaling.multipliers(np.ones(form.b.size))[flat]
    values = np.asarray(reference.read(owner))
    size = max(float(np.max(np.abs(values), initial=0.0)), float(np.max(units, initial=0.0)))
    extents = np.zeros(flat.size)
    random = np.random.default_rng(0)
    few = flat.size <= FEW_MULTIPLIERS
    groups: list[Sequence[int]] = [[k] for k in range(flat.size)] if few else [range(flat.size)]
    for group in groups:
        weights = np.zeros(form.b.size)
        for k in group:
            weights[flat[k]] = 1.0 if len(group) == 1 else random.uniform(0.5, 1.5)
        ends = dual_range(form, verified.answer.x, weights)
        if ends is None:
            return None
        extent = (ends[1] - ends[0]) * float(np.max(units[list(group)]))
        extents[list(group)] = extent if extent > SAME_PRICES * size else 0.0
    return extents.reshape(rows.shape, order="F")


def _rows_of(
    reference: Reference, verified: VerifiedOptimum, declared: Subproblem, owner: Solution
) -> NDArray[np.intp] | None:
    """The row of the form that each entry of a multiplier belongs to; None if it is no single one.

    Rows numbered from one are read as multipliers: what comes back says which row is whose.
    """
    if verified.answer.x is None:
        return None
    compiled = verified.task.native
    numbers = np.arange(1.0, compiled.scaling.rows.size + 1.0)
    numbered = answer_at(
        compiled, verified.answer.x, compiled.scaling.scaled_multipliers(numbers), iterations=None
    )
    read = np.abs(np.asarray(reference.read(_AsSolution(numbered, declared, owner))))  # type: ignore[arg-type]
    if not np.isin(np.round(read, 6), numbers).all():
        return None
    return np.round(read).astype(np.intp) - 1


def dual_range(form: StandardForm, x: Array, weights: Array) -> tuple[float, float] | None:
    """Least and largest ``weights @ z`` over the optimal multipliers z; None if HiGHS can't tell.

    All multipliers that satisfy the conditions of optimality together with one optimal point are
    optimal, and there are no others: a polyhedron, whose extent in a direction is a linear program.

    Parameters
    ----------
    form : StandardForm
        Without cones other than zeros and half-lines.
    x : ndarray
        An optimal point.
    weights : ndarray
        One a row.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[-1.0], [-2.0]]))  # min x over x >= 1 and 2x >= 2
    >>> form = StandardForm(np.array([1.0]), 0.0, A, np.array([-1.0, -2.0]), Cones(nonneg=2))
    >>> [round(end, 6) for end in dual_range(form, np.array([1.0]), np.array([1.0, 0.0]))]
    [0.0, 1.0]
    """
    if form.cones.linear != form.b.size:
        return None
    slope = form.c if form.P is None else form.c + form.P @ x
    below, above = _reduced_cost_limits(form, x)
    least = np.zeros(form.b.size)
    least[: form.cones.zero] = -np.inf
    tight = form.slack(x) <= ACTIVE * (1.0 + np.abs(form.b))
    tight[: form.cones.zero] = True
    bounds = Bounds(least, np.where(tight, np.inf, 0.0), below - slope, above - slope)
    model = HighsModel(sp.csc_array(form.A.T), {})
    ends = []
    for sign in (1.0, -1.0):
        vertex = model.run(sign * weights, bounds)
        if vertex.status in ("kUnbounded", "kUnboundedOrInfeasible"):
            ends.append(-sign * np.inf)
        elif vertex.optimal:
            ends.append(float(weights @ vertex.x))
        else:
            return None
    return ends[0], ends[1]


def _reduced_cost_limits(form: StandardForm, x: Array) -> tuple[Array, Array]:
    """What the reduced cost of each column may be: none between its bounds, else of one sign."""
    lower, upper = form.ranges()
    size = ACTIVE * (1.0 + np.abs(x))
    low, high = x <= lower + size, x >= upper - size
    return np.where(high, -np.inf, -MULTIPLIER_NOISE), np.where(low, np.inf, MULTIPLIER_NOISE)


# How far an expression at the optimum may be from what it truly is there. Which of several optimal
# points is meant is no question: the one that was found.
OF_POINTS: tuple[Estimate, ...] = (_by_certificate, _by_another_solver)
# How far a multiplier may be from other optimal ones.
OF_DUALS: tuple[Estimate, ...] = (range_of_multipliers, _by_another_solver)
