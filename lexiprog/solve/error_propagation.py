"""How much of what is not known of earlier optima a later one inherits through its references.

An optimum is an interval, a point has an error, and multipliers need not be unique. At the
optimum the value of a problem changes with what it refers to as its Lagrangian does, with point and
multipliers as they are: that slope, times what is not known, is how much the value may change.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.errors import LexiprogWarning
from lexiprog.model.expressions import as_float, dense, holding
from lexiprog.model.references import Reference, ReferenceKind
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.solution import Solution
from lexiprog.solve.verification import DUAL, POINT
from lexiprog.status import Status
from lexiprog.tolerances import DIFFERENCE_STEP, SLOPE_NOISE
from lexiprog.typing import Array, Constraint, Value

# Entries of a reference that are moved one by one; more are moved together, in random directions.
FEW, PROBES = 16, 8


def with_references(
    task: Task, answer: Answer, solution: Solution, solved: Mapping[str, Solution]
) -> Solution:
    """The solution with what its references may have changed, flagged if that is too much."""
    statement = task.strategy.statement(task.subproblem)
    references = [(p, r) for p, r in statement.references if r.lock is None]
    if not references:
        return solution
    doubtful = [r.owner_name for _, r in references if _is_doubtful(solved[r.owner_name])]
    status = Status.INACCURATE if doubtful else solution.status
    effects: dict[str, float] = {}
    if not task.integer:
        slopes = _Slopes(task, statement, answer, solution)
        for parameter, reference in references:
            effect = _effect(task, parameter, reference, solved, slopes)
            effects[reference.label] = effects.get(reference.label, 0.0) + effect
    unsure = sum(effects.values()) / solution.size
    if unsure > task.solver.accept:
        status = Status.INACCURATE
        worst = max(effects, key=lambda label: effects[label])
        amount = f"by {unsure:.1e} of its size" if np.isfinite(unsure) else "without limit"
        warnings.warn(
            f"subproblem {solution.name!r} depends on digits of {worst} that are not known"
            f"{' (its multipliers are not unique)' if '.dual(' in worst else ''}: they may change "
            f"its value {amount}.",
            LexiprogWarning,
            stacklevel=2,
        )
    return solution.changed(status=status, effects=dict(solution.effects) | effects)


def _is_doubtful(solution: Solution) -> bool:
    return solution.status is Status.INACCURATE


def _effect(
    task: Task,
    parameter: cp.Parameter,
    reference: Reference,
    solved: Mapping[str, Solution],
    slopes: _Slopes,
) -> float:
    """How much what is not known of one reference may change the value."""
    owner = solved[reference.owner_name]
    if owner.exact is not None and reference.kind is not ReferenceKind.DUAL:
        return 0.0
    if reference.kind is ReferenceKind.OPTIMUM:
        known = np.isfinite(owner.uncertainty)
        unknown = np.full(parameter.shape, owner.uncertainty if known else owner.size)
        return slopes.effect(parameter, owner.unit, unknown)
    # What is known at once comes first; a solve of our own only where that is not enough.
    effect = 0.0
    for look in DUAL if reference.kind is ReferenceKind.DUAL else POINT:
        unsure = look(task, reference, owner, solved)
        if unsure is None:
            continue
        effect = slopes.effect(parameter, owner.unit, unsure)
        if effect <= task.solver.accept * slopes.size / 10.0:
            return effect
    return effect


@dataclass
class _Slopes:
    """The Lagrangian of a problem as a function of what it refers to."""

    task: Task
    statement: Subproblem
    answer: Answer
    solution: Solution

    @property
    def size(self) -> float:
        return self.solution.size

    def effect(self, parameter: cp.Parameter, unit: float, unknown: Array) -> float:
        """How much an error of up to ``unknown`` in each entry may change the value."""
        unknown = np.broadcast_to(np.abs(unknown), parameter.shape).reshape(-1, order="F")
        if not unknown.any():
            return 0.0
        value = np.asarray(self.task.constants[parameter.id])
        lagrangian = self._lagrangian(parameter)
        here = lagrangian(value)
        # Entries that are not known at all would drown the others: only their slope is asked for.
        finite = np.where(np.isfinite(unknown), unknown, 1.0)
        sizes = DIFFERENCE_STEP * np.maximum(np.abs(value).reshape(-1, order="F"), unit)
        moves = _directions(unknown)
        changes = []
        for signs in moves:
            # One step for all entries of a direction, so that their shares stay as they are.
            stretch = float(np.max(sizes[signs != 0.0]) / np.max(finite[signs != 0.0]))
            moved = value + stretch * (signs * finite).reshape(value.shape, order="F")
            slope = abs(lagrangian(moved) - here) / stretch
            noise = SLOPE_NOISE * (abs(here) + self.solution.unit) / stretch
            there = np.isfinite(unknown[signs != 0.0]).all()
            changes.append(slope if there else (np.inf if slope > noise else 0.0))
        if unknown.size <= FEW:
            return float(sum(changes))
        return float(np.sqrt(unknown.size) * np.sqrt(np.mean(np.square(changes))))

    def _lagrangian(self, parameter: cp.Parameter) -> Callable[[Value], float]:
        """The part of the Lagrangian in which ``parameter`` occurs."""
        statement, gp = self.statement, self.task.subproblem.gp
        touched = [c for c in statement.constraints if _contains(c, parameter)]
        objective = statement.objective.expr
        held = [(v, self.solution[v]) for v in statement.variables]
        held += [(p, self.task.constants[p.id]) for p in statement.inputs if p.id != parameter.id]
        multipliers = [self.answer.dual.get(c.id) for c in touched]

        def value(at: Value) -> float:
            with holding([*held, (parameter, at)]):
                total = 0.0
                if _contains(objective, parameter):
                    total = as_float(objective.value)
                    total = np.log(total) if gp else total
                    total = -total if statement.maximise else total
                for constraint, multiplier in zip(touched, multipliers, strict=True):
                    if multiplier is not None:
                        total += _pairing(constraint, multiplier, gp=gp)
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


def _pairing(constraint: Constraint, multiplier: Value, *, gp: bool) -> float:
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
