"""Judge a point that comes without multipliers, by a solve of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Leaf, Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Task, prepare
from lexiprog.declare.leaves import holding, whole_entries
from lexiprog.declare.lock import Slack
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.reach import most_of_terms
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.certificate import Certificate
from lexiprog.proof.certify import Checked, check_answer
from lexiprog.result.solution import Solution
from lexiprog.runners.native import Native
from lexiprog.solvers.solver import EXACT, Ladder, default_ladder
from lexiprog.solvers.ways import Way
from lexiprog.watch import Watch

__all__ = ["OwnOptimum", "check_point", "in_users_sense", "own_optimum", "unit_of"]

# What is left of every measure where a linear optimum was refined.
ROUNDING = 1e-12
# Units of an objective that are looked at: its terms may be far within them.
LARGE = 1e6


@dataclass(frozen=True)
class OwnOptimum:
    """An optimum that our own default solvers found and proved."""

    task: Task
    answer: Answer
    checked: Checked

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
    watch: Watch,
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
        if watch.should_stop:
            return None
        try:
            way = Way(solver, refined=refined)
            task = prepare(subproblem, way, solutions, slack, given=given, watch=watch)
            answer = Native().run(task)
        except Exception:  # noqa: BLE001 - solvers fail in any way; the next one is asked
            continue
        if answer.x is None or answer.form is None:
            continue
        z = None if subproblem.integer else answer.z
        checked = check_answer(answer.form, answer.x, z, claimed=answer.claimed, bound=answer.bound)
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
) -> Checked:
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
    return Checked(certificate, bound)


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
