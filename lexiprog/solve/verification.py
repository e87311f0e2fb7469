"""How far what was found may be from what is true: at a glance, then by another solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import EXACT, Ladder, Solver, default_ladder
from lexiprog.backends.strategies import Strategy
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm, most_of_terms
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import Measured, measure
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Task, prepare
from lexiprog.cvxpy_adapter import answer_at, dual_arrays
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import CVXPY_LOCK, evaluate, holding, whole_entries
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.references import Reference
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import LockRecord
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import Native
from lexiprog.solve.mixed_rows import WiderFaces, is_proved
from lexiprog.solve.prices import dual_range
from lexiprog.status import Fault
from lexiprog.typing import Array, Constraint, Leaf, Multiplier, Value

# Judge a point that comes without multipliers, by a solve of our own.

# What is left of every measure where a linear optimum was refined.
ROUNDING = 1e-12
# Units of an objective that are looked at: its terms may be far within them.
LARGE = 1e6


@dataclass(frozen=True)
class OwnOptimum:
    """An optimum that our own default solvers found and proved."""

    task: Task
    answer: Answer
    checked: Measured

    @property
    def unit(self) -> float:
        """What counts as one, in the user's units of the objective."""
        return 1.0 / self.task.native.scaling.cost

    @property
    def bound(self) -> float:
        """The proved bound in the minimising sense and the user's units, without offset's sign."""
        bound = self.checked.bound
        return np.nan if bound is None else self.task.native.scaling.value(bound)

    def bound_in(self, form: StandardForm, cost: float) -> float | None:
        """The bound for another form of the same problem, whose objective has the unit ``cost``."""
        constant = self.task.native.form.offset
        bound = (self.bound - constant) * cost + form.offset
        return float(bound) if np.isfinite(bound) else None


def own_optimum(
    subproblem: Subproblem,
    slack: Slack,
    solutions: Mapping[str, Solution],
    given: Given,
    deadline: Deadline,
    ladder: Ladder | None = None,
    *,
    refined: bool = False,
) -> OwnOptimum | None:
    """The problem's optimum as our own default solvers find and certify it, if they do in time.

    Linear ones may be ``refined``, which is to twice the digits of floats where there is a point
    to so many digits (``answer.refined`` says so), and else to nearly all that floats have.
    """
    for solver in default_ladder(subproblem.kind) if ladder is None else ladder:
        if solver.target == EXACT:
            continue
        if deadline.should_stop:
            return None
        try:
            strategy = Strategy(solver, refined=refined)
            task = prepare(subproblem, strategy, solutions, slack, given=given, deadline=deadline)
            answer = Native().run(task)
        except Exception:  # noqa: BLE001 - solvers fail in any way; the next one is asked
            continue
        if answer.x is None or answer.form is None:
            continue
        z = None if subproblem.integer else answer.z
        checked = measure(answer.form, answer.x, z, claimed=answer.claimed, bound=answer.bound)
        sharp = not refined or checked.certificate.worst <= ROUNDING
        if checked.certificate.proved and sharp:
            return OwnOptimum(task, answer, checked)
    return None


def unit_of(task: Task) -> float:
    """What counts as one in the user's objective: no more than its terms can come to."""
    unit = 1.0 if task.compiled is None else 1.0 / task.native.scaling.cost
    if unit <= LARGE or task.subproblem.kind != "LP":
        return unit
    return min(unit, most_of_terms(task.form)) or unit


def in_users_sense(subproblem: Subproblem, scaling: Scaling, bound: float | None) -> float | None:
    """A lower bound of the form as a bound of the problem that the user wrote."""
    if bound is None:
        return None
    own = scaling.value(bound)
    if subproblem.gp:  # solved in logarithms
        own = float(np.exp(own))
        return 1.0 / own if subproblem.maximise else own
    return -own if subproblem.maximise else own


def check_point(
    task: Task,
    answer: Answer,
    value: float,
    leaves: list[tuple[Leaf, Value]],
    own: OwnOptimum | None,
) -> Measured:
    """Certificate of a bare point: violations as declared, and the distance to a proved bound."""
    subproblem = task.subproblem
    variables = [(leaf, found) for leaf, found in leaves if isinstance(leaf, cp.Variable)]
    with holding(leaves):
        conditions = [*subproblem.constraints, *_domains(subproblem)]
        for variable, _ in variables:
            conditions += variable.domain
        misses = [_relative_violation(condition, own) for condition in conditions]
    wholes = [
        float(np.max(np.abs(found - np.round(found)), initial=0.0, where=whole_entries(variable)))
        for variable, found in variables
    ]
    unit = 1.0 if own is None else own.unit
    gap, bound = np.nan, None
    if own is not None:
        proved = own.answer.value if subproblem.gp else own.bound
        bound = proved if subproblem.gp else (-proved if subproblem.maximise else proved)
        gap = (bound - value if subproblem.maximise else value - bound) / (unit + abs(value))
    certificate = Certificate(
        primal=float(np.max([0.0, *misses])),  # not-a-number stays not-a-number
        gap=float(np.maximum(gap, 0.0)),
        claim=abs(answer.value - value) / (unit + abs(value)),
        integrality=float(np.max([0.0, *wholes])),
        tolerance=task.solver.accept,
        gap_tolerance=max(task.solver.accept, task.solver.gap or 0.0),
        basis="bound",
    )
    return Measured(certificate, bound)


def _domains(subproblem: Subproblem) -> list[Constraint]:
    """Where the expressions mean what their curvature says: CVXPY evaluates 1 / x below zero, too.

    Geometric programs have positive variables, whose domains are checked with them.
    """
    if subproblem.gp:
        return []
    sides = [side for constraint in subproblem.constraints for side in constraint.args]
    return [limit for side in [*subproblem.objective.args, *sides] for limit in side.domain]


def _relative_violation(condition: Constraint, own: OwnOptimum | None) -> float:
    """The violation over the size of the two sides, or over what counts as one."""
    violation = float(np.max(condition.violation(), initial=0.0))
    if violation == 0.0:
        return 0.0
    sides = [side.value for side in condition.args]
    size = max((float(np.max(np.abs(s), initial=0.0)) for s in sides if s is not None), default=0)
    # Rows of the size that our own solve found usual are no reason to doubt a smaller one.
    usual = 1.0
    if own is not None and own.task.native.scaling.rows.size:
        usual = float(np.median(1.0 / own.task.native.scaling.rows))
    return violation / max(size, usual)


# Two answers to the same question differ by the errors of both.
TWICE = 2.0
# Multipliers whose ranges are found one by one; more are looked at together.
FEW = 8
# A linear level that gives up more than this share of an optimum it holds exactly is not proved;
# one that may be beside it at all, as its owner is not known better, is solved at our own optima.
LOOSE, BESIDE = 1e-9, 1e-14
# Rows of a level that is looked at in any case: faces tell more digits than floats have.
SMALL = 500
# Ranges of multipliers below this share of their size are noise.
NOISE = 1e-6


class Unsure(Protocol):
    """What is not known of each entry of a reference; None if this way cannot tell."""

    def __call__(
        self, task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution], /
    ) -> Array | None:
        """Look."""


def _at_a_glance(
    _: Task, reference: Reference, owner: Solution, __: Mapping[str, Solution]
) -> Array | None:
    """The relative error of the certificate; its root where the objective is curved."""
    value = np.asarray(reference.read(owner))
    declared = reference.owner()
    worst = max(owner.certificate.worst, np.finfo(float).eps)
    if declared is None or declared.kind not in ("LP", "MILP"):
        # A small value of a large unit says little about the point that it is attained at.
        unknown = owner.uncertainty / abs(owner.value) if owner.value else 1.0
        worst = np.sqrt(min(max(worst, unknown), 1.0))
    return np.full(value.shape, worst * float(np.max(np.abs(value), initial=0.0)))


def _by_another_solve(
    task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution]
) -> Array | None:
    """The distance to what another solver finds, where the optimum is one point."""
    declared = reference.owner()
    if declared is None or declared.integer or declared.kind == "LP" or declared.fair:
        return None
    own = _second(task, declared, owner, solved)
    if own is None:
        return None
    found = np.asarray(reference.read(_Second(own, declared, owner)))  # type: ignore[arg-type]
    return np.asarray(TWICE * np.abs(found - np.asarray(reference.read(owner))))


def _second(
    task: Task, declared: Subproblem, owner: Solution, solved: Mapping[str, Solution]
) -> OwnOptimum | None:
    ladder: Ladder = default_ladder(declared.kind)
    if owner.solver == ladder[0].name:
        ladder = ladder[1:]
    return own_optimum(declared, NO_SLACK, solved, task.given, task.deadline, ladder)


class _Second:
    """An optimum of our own, read as a solution is."""

    def __init__(self, own: OwnOptimum, declared: Subproblem, owner: Solution) -> None:
        self._own, self._declared, self._owner = own, declared, owner

    @property
    def value(self) -> float:
        return self._own.answer.value

    def at(self, expression: cp.Expression) -> Value | None:
        primal = self._own.answer.primal
        leaves = [
            (leaf, np.asarray(primal.get(leaf.id, value)))
            for leaf, value in self._owner.recorded(expression)
        ]
        found: Value | None = evaluate(expression, leaves)
        return found

    def dual(self, position: int) -> Multiplier:
        constraint = self._declared.constraints[position]
        value = self._own.answer.dual.get(constraint.id)
        if value is None:
            recorded: Multiplier = self._owner.dual(position)
            return recorded
        with CVXPY_LOCK:
            return dual_arrays(constraint, value)


def _among_multipliers(
    task: Task, reference: Reference, owner: Solution, solved: Mapping[str, Solution]
) -> Array | None:
    """The extent of the optimal multipliers of linear rows, entry by entry if they are few."""
    declared = reference.owner()
    if declared is None or declared.gp or declared.fair:
        return None
    own = own_optimum(declared, NO_SLACK, solved, task.given, task.deadline)
    if own is None or own.answer.x is None or own.answer.form is None:
        return None
    compiled, form = own.task.native, own.answer.form
    # Rows numbered from one, as multipliers: what comes back says which row is which entry's.
    numbers = np.arange(1.0, form.b.size + 1.0)
    listed = answer_at(
        compiled, own.answer.x, compiled.scaling.scaled_multipliers(numbers), iterations=None
    )
    numbered = _Second(OwnOptimum(own.task, listed, own.checked), declared, owner)
    found = np.asarray(reference.read(numbered))  # type: ignore[arg-type]
    rows = np.abs(found).reshape(-1, order="F")
    if not np.isin(np.round(rows, 6), numbers).all():
        return None
    rows = np.round(rows).astype(int) - 1
    units = compiled.scaling.multipliers(np.ones(form.b.size))[rows]
    values = np.asarray(reference.read(owner)).reshape(-1, order="F")
    size = max(float(np.max(np.abs(values), initial=0.0)), float(np.max(units, initial=0.0)))
    out = np.zeros(rows.size)
    random = np.random.default_rng(0)
    groups = [[k] for k in range(rows.size)] if rows.size <= FEW else [range(rows.size)]
    for group in groups:
        weights = np.zeros(form.b.size)
        for k in group:
            weights[rows[k]] = 1.0 if len(group) == 1 else random.uniform(0.5, 1.5)
        ends = dual_range(form, own.answer.x, weights)
        if ends is None:
            return None
        extent = (ends[1] - ends[0]) * float(np.max(units[list(group)]))
        out[list(group)] = extent if extent > NOISE * size else 0.0
    return out.reshape(found.shape, order="F")


def loose_locks(
    task: Task,
    records: Sequence[LockRecord],
    solution: Solution,
    solved: Mapping[str, Solution],
) -> list[str]:
    """The exact locks of a linear level that stand too far beside the optima they should hold.

    A linear optimum may jump when a lock gives way a little; its multiplier need not tell. With
    every held optimum as we find it ourselves there is no jump left.
    """
    if task.subproblem.kind != "LP":
        return []
    exact = [r for r in records if not r.tolerance and r.kind != "face"]
    beside = (max(r.drift, solved[r.name].uncertainty) / solved[r.name].size for r in exact)
    small = bool(exact) and sum(c.size for c in task.subproblem.constraints) <= SMALL
    if any(share > BESIDE for share in beside) or (small and _has_faces(task)):
        ours = _value_on_faces(task, solved)
    elif small:  # tolerances or curves somewhere before it: only what is given up tells
        ours = None
    else:
        return []
    if ours is None:
        return [r.name for r in exact if r.drift > LOOSE * solved[r.name].size]
    close = abs(ours - solution.value) <= task.solver.accept * solution.size
    return [] if close else [r.name for r in exact]


def _value_on_faces(task: Task, solved: Mapping[str, Solution]) -> float | None:
    """The optimum of a linear level where all that it holds is held at our own optima.

    They are found one by one, each at what was found for those that it holds itself; not a number
    if one cannot be found, None if one is not linear.
    """
    value = _value_along_chain(task, solved)
    if value is not None:
        return value
    ours, all_digits = dict(solved), _has_faces(task)

    def found(subproblem: Subproblem) -> float | None:
        for _, lock in subproblem.locks:
            owner = lock.owner()
            if owner is None or owner.kind != "LP" or owner.fair is not None:
                return None
            if ours[owner.name] is solved[owner.name]:
                value = found(owner)
                if value is None or np.isnan(value):
                    return value
                # The last digit is rounded: without it there may be no point.
                room = -np.spacing(abs(value)) if lock.maximise else np.spacing(abs(value))
                ours[owner.name] = replace(solved[owner.name], value=value + room)
        own = own_optimum(subproblem, task.slack, ours, task.given, task.deadline, refined=True)
        if own is None or (all_digits and not own.answer.refined):
            return np.nan
        if _last_digits(subproblem, own, ours) > task.solver.accept:
            return np.nan
        return own.answer.value

    return found(task.subproblem)


def _has_faces(task: Task) -> bool:
    """Whether all that it holds is held exactly and linear, so that every digit may count."""
    return WiderFaces(task.slack.tolerances).serves(task.subproblem)


def _last_digits(subproblem: Subproblem, own: OwnOptimum, held: Mapping[str, Solution]) -> float:
    """How much of its size an optimum may owe to the last digits of those that it holds."""
    effect = 0.0
    for position, lock in subproblem.locks:
        price = np.sum(np.abs(own.answer.dual.get(subproblem.constraints[position].id, 0.0)))
        effect += float(price) * TWICE * np.spacing(abs(held[lock.owner_name].value))
    return effect / (own.unit + abs(own.answer.value))


def _value_along_chain(task: Task, solved: Mapping[str, Solution]) -> float | None:
    """The same by faces, to all digits; None if that is not possible, NaN if one is unclear."""
    wider = WiderFaces(task.slack.tolerances)
    if not wider.serves(task.subproblem):
        return None
    strategy = Strategy(Solver("HIGHS", accept=task.solver.accept), "face", refined=True)
    inner = prepare(
        task.subproblem, strategy, solved, task.slack, wider.compile, task.given, task.deadline
    )
    answer = wider.run(inner)
    if answer.fault is Fault.UNCLEAR:
        return np.nan
    return answer.value if is_proved(answer) else None


# Strategies to tell how far an expression at the optimum is from what it truly is there. Which of
# several optimal points is meant is no question: the one that was found.
POINT: tuple[Unsure, ...] = (_at_a_glance, _by_another_solve)
# Strategies to tell how far a multiplier may be from other optimal ones.
DUAL: tuple[Unsure, ...] = (_among_multipliers, _by_another_solve)
